// # Claims about outputs
//
// A file of claims (see Audits) may say more of a mechanism than that it is private. This is
// testdata/audit/statements.yaml:
//
//	claims:
//	  - name: mean
//	    exec: [python3, noisy_count.py]
//	    unbiased: {input: [1, 0, 1], of: [2], variance: 2}
//	    samples: 40000
//	  - name: noise
//	    exec: [python3, noisy_count.py]
//	    law: {input: [], laplace: {scale: 1.2}}
//	    samples: 60000
//	  - name: count # the count itself, before its noise
//	    exec: [python3, count.py]
//	    sensitivity: {norm: l1, bound: 1}
//	    pairs: [{a: [1, 0, 1], b: [1, 0, 0]}, {a: [1], b: [3]}]
//
//	$ dpverify audit testdata/audit/statements.yaml
//	| claim         | where                | theory |  measured [interval] | ratio | verdict      |
//	|:--------------|:---------------------|-------:|---------------------:|------:|:-------------|
//	| `audit/mean`  | statements.yaml:2:5  |      2 | 1.997 [1.955, 2.040] | 0.999 | ✓ consistent |
//	| `audit/noise` | statements.yaml:6:5  |    ≤ 0 | 0.032 [0.020, 0.046] |     – | ✗ refuted    |
//	| `audit/count` | statements.yaml:10:5 |    ≤ 1 |                    2 |     2 | ✗ refuted    |
//
// There are four, alone or beside a guarantee and each other; the first has the id audit/NAME, and what stands
// beside it audit/NAME/unbiased, audit/NAME/law, audit/NAME/sensitivity and audit/NAME/rate.
//
//   - unbiased: the mean of the outputs at input is of, with a number for each in an output (true is 1, and an
//     object counts as the array of its values; its keys must be the same in all). A range that holds every number,
//     or an upper bound of their variance, certifies it; with neither a rare, large value could be missing from any
//     number of samples, and the verdict is inconclusive. So it is where the numbers vary more than twice as much
//     as the bound.
//   - law: the outputs at input, single numbers, are distributed as laplace (location, scale), normal (mean,
//     sigma), exponential (scale), uniform (lower, upper), gumbel (location, scale), discrete-laplace (location,
//     scale), discrete-gaussian (location, sigma), geometric (p), bernoulli (p) or binomial (n, p); location and
//     the mean of a normal law are 0 unless given. What rounding to single precision makes of a value or of an end
//     of the law is taken for it. It is consistent where a Kolmogorov distance of 0.02 would have been
//     seen. Of moments (mean, variance, lower, upper) nothing else is stated than the two, of numbers within
//     [lower, upper].
//   - sensitivity: the command answers with f(x), without noise, and f moves by at most bound between the inputs of
//     a pair, by the norm l1, l2 or linf. A pair that moves more refutes it, with no error probability: whole
//     numbers are exact, and of others a billionth of their size may be rounding. That no other pair does is not
//     shown, and what is not refuted is inconclusive. A map with noise is refused.
//   - rate: grid are at least five inputs, numbers that rise or fall strictly, and the mean of the outputs, single
//     numbers, goes at most as their power: mean(y)/mean(x) ≤ (y/x)^exponent for x before y. A range refutes and
//     confirms it; without one nothing is refuted, and nothing confirmed that Student's limits contradict.
//
// Samples are those of each input. A claim whose law or input is not known, whose range is reversed, whose mean has
// another length than the outputs, or whose map has noise, is named with line and column; the other claims are
// judged, and the exit code is 2.
//
// With seeded: false, or --seeded=false for that of --exec, a mechanism takes no seed: its requests hold none, and
// the report says that its figures cannot be repeated. Outputs that carry a state from one to the next are an error,
// whatever is claimed: every limit rests on their independence.
//
// # Inputs that are found
//
// Pairs that are chosen by hand miss the faults that show on few inputs: on no data, where a class is absent, at
// a bound far from 0. A claim may describe its inputs instead, or as well. This is testdata/audit/inputs.yaml:
//
//	claims:
//	  - name: sum-of-ages # a record more, or less
//	    exec: [python3, noisy_sum.py]
//	    inputs:
//	      space: {object: {lower: {int: [0, 60]}, ages: {list: {record: {int: [0, 120]}, size: [0, 20]}}}}
//	      neighbours: add-or-remove-one
//	      search: 60
//	    guarantee: {epsilon: 1}
//	    samples: 20000
//	    precision: off
//	  - name: sum-of-as-many # a record in the place of another
//	    exec: [python3, noisy_sum.py]
//	    inputs:
//	      space: {object: {lower: {int: [0, 60]}, ages: {list: {record: {int: [0, 120]}, size: [0, 20]}}}}
//	      neighbours: replace-one
//	      search: 60
//	    guarantee: {epsilon: 1}
//	    samples: 160000
//	    precision: off
//
//	$ dpverify audit testdata/audit/inputs.yaml
//	| claim                  | where            | theory | measured [interval] | ratio | verdict      |
//	|:-----------------------|:-----------------|-------:|--------------------:|------:|:-------------|
//	| `audit/sum-of-ages`    | inputs.yaml:2:5  |    ≤ 1 |   2.05 [1.73, 2.49] |  2.05 | ✗ refuted    |
//	| `audit/sum-of-as-many` | inputs.yaml:11:5 |    ≤ 1 |   1.01 [0.96, 1.08] |  1.01 | ✓ consistent |
//
// A space is a type of inputs, both ends of a range included:
//
//	{int: [0, 120]}                            whole numbers of 64 bits
//	{float: [0, 1e6], nan: true}               numbers; nan adds NaN, which is sent as "nan"
//	bool                                       false and true
//	{enum: [red, green, null]}                 any values, the simplest first
//	{string: {alphabet: abc, length: [0, 8]}}
//	{list: {record: TYPE, size: [0, 50]}}
//	{object: {age: TYPE, income: TYPE}}
//	{tuple: [TYPE, TYPE]}
//	{vector: {of: TYPE, dimension: 3}}
//
// Neighbours are add-or-remove-one or replace-one, of lists or of objects with one list, whose other fields are equal;
// of several lists {add-or-remove-one: FIELD} names the one. {change: {l1: 1}}, with l2 or linf, makes neighbours of
// values whose numbers differ by so much at most. any makes any two values of the space neighbours. This is local
// differential privacy, in which an input is one person's value.
//
// The search tries 200 pairs unless search says otherwise: first pairs that are given, then those at the edges (no
// record, one, the most, every number of them; all equal, a class that is absent, an outlier, sorted, reversed,
// NaN, the other fields at their bounds), the patterns of StatDP and DP-Sniper among them, and then pairs like those
// that have shown most. The most promising are looked at again on more samples. All this, and making a pair
// smaller that promises to break the claim, takes at most 60 % of samples, of which there must be 180 for each pair.
// A smaller budget tries fewer, and then confirms nothing.
// The pair is certified on fresh samples with the whole error probability of the claim. Only after a refutation is
// the smaller pair certified, with an error probability as large again; still any error has that of the claim at
// the most, since the second can be wrong only where the first was right to refute. A claim that is not refuted is
// consistent at the pair that was chosen, and of others nothing is shown.
//
// Inputs serve a guarantee, a sensitivity (whose pairs are computed, not sampled), a mean and a law: where unbiased
// or law names no input, it is said of all inputs, the search is for the one at which the outputs are furthest from
// it, and the space needs no neighbours. With truth, a command that answers with a number (of a mean, as many as in
// an output) at an input, the mean is that one, and the law is around it. A rate is about the inputs of its grid.
//
// # Record and replay
//
// A sampled audit says nothing about a sensitivity that is not reached at the pairs tried. A process that lists its
// calls of primitives can be judged from a few runs of each pair: a run on one input is recorded and replayed on its
// neighbour, where every primitive releases again what it had released.
//
//	claims:
//	  - name: release
//	    exec: [python3, release.py]
//	    replay: true
//	    inputs: {space: {list: {record: {int: [0, 120]}, size: [0, 50]}}, neighbours: replace-one}
//	    guarantee: {epsilon: 1, delta: 0}
//
// Each part is a claim of its own, beside the audit by samples: release/replay/flow (the calls are the same, with
// the same scales), …/sensitivity (what they are given differs by at most the sensitivity that they declare),
// …/release (the output is the same) and …/account (what the calls that are given something else cost together, by
// how far apart it is, is within the guarantee). A part is refuted with the call, its place and both values, for
// certain: it is computed, and rounding is no excess. That refutes "private by its primitives", and not privacy
// itself: a release with another proof declares the whole as one call of the primitive pure. All else is
// inconclusive, and says whether nothing was found on these pairs, which is no proof, or why nothing can be
// concluded: raw coins, orders of other sizes, calls of several threads, samples that may make an account cheaper, but
// for Poisson samples where a record is added or removed, which are accounted. A finding also has to stand
// on other seeds, where every call releases the same, and in every repetition, else the release has coins of its own;
// and a cost counts only if the output determines the released value of a call: noisy maxima, sums and sparse vectors
// do not pay for values that they keep secret. Values that are all singles are compared as singles, to 1e-5.
//
// A request has "record": true, or "replay" with a list of what the calls are to release, a number or a list of
// them each; the reply has the calls of each release beside the outputs:
//
//	{"input": [1, 5], "n": 1, "seed": 42, "record": true}
//	{"outputs": [3.7], "calls": [[{"primitive": "laplace", "value": 3, "scale": 2, "sensitivity": 1, "norm": "l1", "released": 3.7, "place": "release.py:9"}]]}
//
// Primitives are laplace, gaussian, l2-laplace, discrete-laplace, discrete-gaussian, geometric, exponential (P(i)
// ∝ e^(score/scale)), noisy-max, randomized-response, private-sampling and pure, which are private for ε =
// sensitivity/scale, twice that for the two that choose; and the coins poisson (its value is a number of records,
// its scale the rate, and it releases a list of 0 and 1), permutation (it releases the places that its entries
// come from), uniform, and public (as many numbers as its value says that have nothing to do with the data). The
// norm is optional except for pure. The sensitivity is optional, may be 0, and is not checked if it is missing.
// "concurrent": true is for a call from another thread than the first, and "bare": true for noise that may meet
// other data later, unseen, where its value is the same in both runs. Files to copy have these calls and answer
// the requests: dpverify help prints dp_primitives.py, dp_primitives.js and dp_primitives.R, which need no
// package. In Python,
//
//	from dp_primitives import serve
//
//	def release(noise, records):
//	    return noise.laplace(sum(min(1, max(0, v)) for v in records), scale=2, sensitivity=1)
//
//	serve(release)
//
// and programs that draw from the modules random and numpy.random can be watched as they are, drawing what they would
// draw: Gaussian and Laplace noise is a call where it is added to a value, or around the value that it is given.
//
//	import dp_primitives
//	dp_primitives.patch()
//	import numpy as np
//
//	def release(records):
//	    with dp_primitives.sensitivity(1):
//	        return sum(min(1, max(0, v)) for v in records) + np.random.laplace(0, 2)
//
//	dp_primitives.serve_patched(release)
//
// Whether coins are those of records, or a response that is private by itself, a draw does not tell. What is drawn
// “with dp_primitives.sampling():” are coins of records (shuffles, samples without replacement, vectors of uniforms
// below a rate, binomials of one trial), and “with dp_primitives.public():” what has nothing to do with the data. All
// other coins are raw. Nothing is concluded after noise that meets the same in both runs, a 0 say, and may meet the
// data later: it is to be added before it is rounded, and within “with dp_primitives.sensitivity(…):”.
//
// What the learners of the five papers show when they are replayed, beside what their claims come to by computation and
// by sampling, is a table in “dpverify report --full” and in the HTML and JSON forms.
package manual
