// Package manual is the manual of dpverify, as this comment. Dpverify measures whether
// differential-privacy claims are true, and shows the number each is true or false by.
//
//	dpverify init KIND                 a mechanism, its claims or a workflow to start from
//	dpverify report                    judge the ledger and write what a reader must know
//	dpverify verify [PATTERN…]         judge the claims whose ids match
//	dpverify list [PATTERN…]           ids, sources, kinds and statements
//	dpverify explain ID                how a claim is measured, and how its verdict could be wrong
//	dpverify audit CONFIG.yaml         your own claims: a process in any language, or recorded outputs
//	dpverify account EVENT …           what a described mechanism costs: (lower, estimate, upper)
//	dpverify experiment NAME           a figure or table of a paper, or the measurement of the auditor itself
//	dpverify merge FILE…               judge what several machines have sampled
//	dpverify diff OLD NEW              compare two JSON reports
//	dpverify schema NAME               the JSON Schema of what is read or written
//
// This page is the manual. Each section below is also printed by “dpverify help TOPIC”, where
// TOPIC is its title in lower case; “dpverify COMMAND --help” lists the flags of a command.
//
// # Starting
//
// “dpverify init KIND” writes a mechanism, a file of claims and a workflow, as fits the kind, which pass as they
// are and say in comments what to change. It overwrites nothing.
//
//	dpverify init python && dpverify audit claims.yaml
//
// The kinds python, javascript and r write a mechanism with what answers the requests of an audit: it seeds the
// generators of the language by each request, with as much of the seed as they take, and writes values as JSON,
// those of numpy too. csv writes recorded outputs, and go a package with a test. The kinds github, gitlab, slurm,
// kubernetes and pre-commit write what audits claims.yaml there, and a Python mechanism with its claims unless
// claims.yaml is there.
//
// Before there is a release, “go install …@latest” has nothing to install. A clone has everything:
//
//	git clone https://github.com/dpverify/dpverify && cd dpverify
//	go build ./cmd/dpverify
//	./dpverify init python --dir ../audit && ./dpverify audit ../audit/claims.yaml
//
// The workflows build it in the same way, from a branch, a tag or a commit, and a Go module finds it by “go mod edit
// -replace”, which the kind go writes. “dpverify man --dir DIR” and “dpverify completion SHELL” write what a system
// takes beside a program.
//
// # Verdicts
//
// A verdict is computed from a run, never typed. What sampled verdicts rest on is fixed before
// the samples that decide are drawn.
//
//   - holds: shown by computation. The method says whether the points decide the whole domain or
//     are a grid.
//   - consistent: sampled and not refuted, and a violation of the stated size would have been seen
//     with probability at least 0.99; see Power. It is no proof: other inputs, rarer events and
//     smaller violations stay open.
//   - refuted: there is a counterexample, computed, or certified at the stated error probability.
//     Where the right statement is known, the claim ID/corrected has been put to the same test.
//   - inconsistent: two statements of the paper contradict each other.
//   - vacuous: true, but nothing follows: the bound exceeds the trivial one, or the premise is
//     never met.
//   - inconclusive: the evidence does not suffice. The claim says what size would.
//   - untestable: nothing that can be observed follows from the statement.
//   - not-run: it needs data that is not here; the file is named.
//   - error: the check or the mechanism failed; the other claims went on.
//
// Some claims of “Privacy-preserving Stochastic Gradual Learning” (Han et al. 2018), at an eighth
// of the usual number of samples:
//
//	$ dpverify verify prestige/lemma-2 prestige/eq-12 --budget quick
//	| claim                                    | where                     |  theory | measured [interval] |     ratio | verdict   |
//	|:-----------------------------------------|:--------------------------|--------:|--------------------:|----------:|:----------|
//	| `prestige/lemma-2`                       | Lemma 2, eqs. (11), (16)  |       1 |   1.97 [1.81, 2.12] |      1.97 | ✗ refuted |
//	| ↳ `prestige/lemma-2/corrected`           | Lemma 2, corrected        |       1 |   1.00 [0.92, 1.08] |      1.00 | ✓ holds   |
//	| `prestige/lemma-2/surface`               | Lemma 2, proof            |     0.5 |                 0.5 |         1 | ✓ holds   |
//	| `prestige/lemma-2/mean-norm`             | Lemma 2, proof            |       1 |           1.4252e-4 | 1.4252e-4 | ✗ refuted |
//	| ↳ `prestige/lemma-2/mean-norm/corrected` | Lemma 2, proof, corrected |   0.005 |               0.005 |         1 | ✓ holds   |
//	| `prestige/eq-12`                         | eq. (12)                  | 0.31831 |             0.63662 |         2 | ✗ refuted |
//	| ↳ `prestige/eq-12/corrected`             | eq. (12), corrected       | 0.63662 |             0.63662 |         1 | ✓ holds   |
//
// Theory is the value that the claim states, with ≤, <, ≥ or > where it states a bound. Measured is
// what was found at the worst point of the claim; a figure without an interval was computed.
//
// Behind each verdict stands, from the same run, the strongest attempt to break a claim that stands,
// the first counterexample in the order of the domain to one that does not, and the size that would
// decide one that is open.
//
// Each check is applied to a control as well (its “twin” in the code): a known fault where the claim
// is true, the sound version where it is false. The tests require the opposite verdict there.
//
// # Alpha
//
// Alpha (--alpha, 1e-6 unless given) bounds the probability, over the draw of all samples, that
// anything in the whole ledger, or in a whole file of claims, is wrongly certified. It is split by
// fixed weights over all claims and not over those selected, so a claim that is judged alone gets the
// verdict that it gets in the report. A computed verdict has no error probability.
//
// The seed is fixed (--seed, 1 unless given), so a run can be repeated. Each run with another seed
// spends as much again: m runs err with probability at most m times alpha.
//
// A repeated run gives the same bytes, whatever the number of workers, on amd64 and on arm64, although
// these round the same formula differently in its last bits: ties are decided by order, noise is drawn
// alike on both, and what is printed is rounded from the digits that they share. The numbers of a JSON
// output agree to 1e-9 of the largest figure of their case, from which a margin is a difference. What is
// not promised: the seconds of the power table, which are of the machine; a figure that lies on the border
// of two roundings to within its last bits, about one in 10⁷; and a sampled run that meets a knife's edge,
// say an iterate on the kink of a loss, from where it goes on differently, as it would under another seed.
// No verdict hangs on a last bit: a sampled one needs a margin beyond its error, a computed one a
// difference beyond its rounding. A mechanism that is a process gives what it gives on its machine.
//
// # Power
//
// Power is the other half of a sampled verdict: what would have been seen. Without it a claim that is
// merely not refuted is inconclusive. “dpverify explain ID” tells it before anything is sampled.
//
// The power of a privacy claim is stated for what is left open: a violation on any one of the pairs, at
// an event of the families that the search covers (“go doc ./empirical/witness” lists them). It has two sizes.
// A near violation is of 1.25 ε, at the mass of the event that certifies most, and at ½ where no event
// tells the inputs apart. A gross one is of ε + 1, or one nat more than the claim allows under another
// notion of privacy, from a mass m₀ up. A claim is consistent if both would have been seen with
// probability at least 0.99, and m₀ ≤ 0.01; --mass (mass: in a file) asks for another. Where δ > 0 a
// gross violation has twice the δ as well, and every such violation must be seen: for a small δ that
// takes more than 100/δ samples of each input, and an inconclusive verdict names the number.
//
// Beside the ε that is certified at the claimed δ stands the δ that is certified at the claimed ε.
//
// # Audits
//
// An audit looks for the event that gives most away on some of the samples and certifies it on
// others. Two samples of each pair of inputs choose events; what one sample chose is counted in the
// other and in all samples that follow, with half of the error probability each (two-fold
// cross-fitting). No sample certifies an event that it chose, and nearly all samples do both jobs.
//
// A mechanism is a command that reads one JSON request a line and answers each with one line:
//
//	{"input": …, "n": 256, "seed": 42}
//	{"outputs": [ … ]}
//
// The n outputs are drawn afresh, with all randomness from the seed. An output is a number, a string, a
// boolean, null, "nan", "inf", "-inf", an array of outputs, or an object of them, which counts as the array
// of its values by the alphabet of their keys, arrays and objects last. A file names the mechanisms and
// what is claimed of them; this is testdata/audit/claims.yaml:
//
//	seed: 1
//	claims:
//	  - name: noisy-count
//	    exec: [python3, noisy_count.py]
//	    pairs: [{a: [1, 0, 1], b: [1, 0, 0]}]
//	    guarantee: {epsilon: 1.0, delta: 0}
//	    samples: 80000
//
// A guarantee is epsilon with delta, rho (zCDP), mu (Gaussian differential privacy; gaussian-mu is the same), alpha
// with
// renyi, or a whole privacy curve: see Claims that are curves. A claim may also have
// samples (of each input), mass (see Power), timeout (of one reply), anytime: true (stop
// as soon as the claim is refuted) and precision: off, warn or fail. “dpverify schema audit” has every key.
//
//	$ dpverify audit testdata/audit/claims.yaml
//	| claim                         | where           | theory | measured [interval] | ratio | verdict      |
//	|:------------------------------|:----------------|-------:|--------------------:|------:|:-------------|
//	| `audit/noisy-count`           | claims.yaml:3:5 |    ≤ 1 |   1.01 [0.93, 1.11] |  1.01 | ✓ consistent |
//	| `audit/noisy-count/precision` | claims.yaml:3:5 |    ≤ 1 |       ∞ [4.7622, ∞] |     ∞ | ✗ refuted    |
//
// Numbers in a file are written as in JSON: YAML's 010, 0x10, 1_000, .5, +1 and .inf are refused, since readers
// of YAML take them for different things, and so are a number in quotes, a number for a word,
// null for a key that is to be left out, keys that are no words or stand twice, anchors, aliases, merge keys
// and tags. Yes, no, on and off are words. All of that is so in files of events, too.
//
// The second claim is about the low-order bits of the floating-point outputs, which betray the input
// wherever continuous noise is added in double precision and not rounded. That is a warning unless
// precision says fail. One pair can be given by flags:
//
//	dpverify audit --exec 'python3 noisy_count.py' --a '[1, 0, 1]' --b '[1, 0, 0]' --epsilon 1
//
// Recorded outputs are files of one output a line in UTF-8, JSON, or CSV where the name ends in .csv. CSV has
// commas between columns, points in fractions, and either no names of columns or the same in both
// files; what could be taken for something else is refused with its line: a field that begins as a
// number and is none, an empty one, a comment, a first word that comes never again. As JSON
// everything can be said. Outputs that are evidently no independent releases decide nothing: where
// they repeat each other, each stands there a multiple of so many times, or one file copies the
// other, a warning says so and the verdict is inconclusive. Of independent releases that has a
// probability of at most 3e-9, whatever the mechanism. Sorted or drifting outputs get a warning alone: their
// order is drawn anew. A few releases that are drawn from again and again at random look
// like a mechanism with few outputs, and no test can tell.
//
// In a file of claims, recorded stands in the place of exec: {a: with.csv, b: without.csv} of a guarantee, and one
// file of a mean or a law, as in {name: noise, recorded: noise.jsonl, law: {laplace: {scale: 2}}}.
//
// Here a count with two-sided geometric noise, private at ε = 1 and not at 0.5:
//
//	$ dpverify audit --samples-a testdata/audit/with.csv --samples-b testdata/audit/without.csv --epsilon 0.5 --precision off
//	| claim            | where            | theory | measured [interval] | ratio | verdict   |
//	|:-----------------|:-----------------|-------:|--------------------:|------:|:----------|
//	| `audit/recorded` | recorded outputs |  ≤ 0.5 |   0.99 [0.88, 1.13] |  1.98 | ✗ refuted |
//
// Go mechanisms are audited in go test, by package dptest; so are their means, laws, rates,
// sensitivities and low-order bits. A module with claims of its own has this command for them; see
// package command and the example in testdata/own.
//
// # Claims that are curves
//
// A claim may be a whole privacy curve, δ at every ε, and is then refuted by a violation anywhere along it, at one
// error
// probability: guarantee: {curve: file.csv}, or --curve FILE. The file is CSV with a head:
//
//	epsilon,delta    (ε, δ)-DP at every row, ε rising, δ not; between two rows the chord in e^ε, which they imply
//	alpha,beta       a trade-off function: the least type II errors of a test of the two inputs at its type I errors, from
//	                 alpha = 0 to beta = 0, with straight lines between the rows; of a smooth function these lie above it,
//	                 so give close rows, or its epsilon,delta
//
// The figures of such a claim are factors on ε and δ of the whole curve, 1 as claimed, and the counterexample names an
// (ε, δ) of the curve that is violated. With guarantee: {account: …} the curve is what the accountant proves of a
// description, in the form that account has in a claim (see Claims about accounts), as in {account: {mechanism:
// gaussian, sigma: 2}}.
//
// Every audit of a fixed number of samples certifies more than the number it is about: a lower bound of δ at all ε, and
// an upper bound of the trade-off function at all errors, which hold together. The reports show both beside the claim,
// and
// the JSON has them as band. They rest on limits of the probabilities of 20 nested events of the score that the search
// chose, on the samples that did not choose it. Their error probability is the claim's share of alpha once more: no
// verdict
// rests on them.
//
// With anytime: true an audit may have any number of samples, from one on. Fewer than 200 refute only what is plain,
// and
// never make a claim consistent; the low-order bits are not looked at. In Go the claim is privacy.CurveDP, and package
// curvefile reads the files. There is no band: limits that hold for a fixed number of samples do not hold for one at
// which a test chose to stop.
//
// # Why a claim is refuted
//
// Where an audit refutes a claim, of a fixed number of samples, recorded or by betting, the report, the terminal and
// the JSON (why) say more of it than figures:
//
//   - the event in the words of the output, such as “the third number is at least 4.2”, “the list has at least 7
//     items” or “the last 12 bits of the number are zero”, how often it happened under either input, and up to three
//     outputs in it. A threshold is written with the fewest digits that tell the samples of the search apart as it
//     does; the one that was certified, to six digits, is in witness;
//   - the smallest pair of inputs that was found, where inputs are searched for, else the pair that carries it;
//   - the loss at each distance of the inputs, where pairs at several distances were audited and their inputs are
//     numbers or lists of numbers: lower limits that hold together, with the claim's share of alpha of their own;
//   - the known fault that the outputs look like (likeness): noise of half the scale, a sensitivity off by two, a
//     contribution that is not clipped, the same noise on several numbers, no noise, low bits that differ, or an output
//     that one input never gives, as where a threshold or one side of the noise is missing.
//
// A likeness is no verdict, and no verdict rests on it. It is named where the samples bear it out: one part of those
// that chose the event chooses what to look at, the other tests it at an error probability of .001, and the figures
// are told. Noise of half the scale needs the law of the noise (Laplace, normal or discrete Laplace, by the distance of
// Kolmogorov, and no other of these), and an interval of the factor that has 2 and neither 7/4 nor 9/4. The outputs
// of one pair alone do not tell it from a sensitivity that is off by two: that takes two numbers that move, or inputs
// that are numbers; where they are not, both are named. Some hundred outputs are like nothing, and so is a fault
// that is none of these.
//
// # Training runs
//
// A training is audited by one run of it, with canaries: records of which a coin of its own includes each. A
// file has a row for each, score,included, in CSV, or such objects in JSON: the score is that of any attack on
// what was released, larger where it speaks for inclusion, and included is 1 or 0. Other columns are passed
// over, but for id: no canary has two rows.
//
//	$ dpverify audit --canaries testdata/audit/canaries.csv --epsilon 1 --delta 1e-5 --alpha 0.01
//	| claim            | where              | theory | measured [interval] | ratio | verdict   |
//	|:-----------------|:-------------------|-------:|--------------------:|------:|:----------|
//	| `audit/canaries` | scores of canaries |    ≤ 1 |      3.07 [2.44, –] |  3.07 | ✗ refuted |
//
// The canaries with the scores furthest from their median are guessed, to be in above it and out below, and the
// others abstained from; how many, is fixed for a few numbers of guesses, which share alpha. That depends on the
// scores alone, which costs nothing: what would is a threshold that was chosen by counting right guesses. The
// bound of ε is what (ε, δ)-DP allows to guesses, which sharpens that of Steinke, Nasr & Jagielski (2023);
// limits.Guesses has the proof. That of --mu is by Mahloujifar, Melis & Chaudhuri (2024), and holds of Gaussian
// privacy: beside a claim of ε it is a figure “if the law is Gaussian”, and decides nothing.
//
// Three things are assumed, whatever the attack and however the scores depend on one another: each canary was
// included by a fair coin of its own (--inclusion: by one of another probability), the scores depend on the
// coins through what was released alone, and a row is a canary. Coins that look otherwise get a warning; pairs
// of which just one was included, rows that repeat one another and coins far from their probability decide
// nothing.
//
// With --event 'score >= 0.3', fixed before the scores are read, the canaries of the event are guessed to be in;
// the one bound is then the published one. It takes their number for fixed, where it follows from the scores: at δ >
// 0 and of μ the verdict rests on a bound that allows for that, which the report has beside it.
//
// A low bound is no privacy: the attack may be weak, and m canaries show no more than the report says. Where δ >
// 0 a training may show all coins with probability δ, so that no run refutes at an alpha below it; 1e-6, which
// is the usual one, is. Each report says what an error of 0.05 would have shown.
//
// The rates and the area that a report has, with a band around the curve, are for the eye: their intervals
// assume independent scores. In a file of claims it is
//
//	claims:
//	  - name: training
//	    canaries: scores.csv
//	    account: {mechanism: sgm, sampling-rate: 0.01, noise-multiplier: 1.1, count: 10000}
//	    guarantee: {epsilon: 8, delta: 1e-5}
//
// where event and inclusion are keys, too. With an account the scores are held against its ε at the δ, and
// against its trade-off function, each at half of alpha. In go test dptest.Canaries draws the coins and trains,
// and dptest.CanaryAudit takes scores.
//
// Many runs have one score each, with the record in some and without it in others: give them as --samples-a and
// --samples-b, or a process that trains once a request with --exec, --a, --b and --samples below 200 or an event.
//
//	dpverify audit --samples-a with.csv --samples-b without.csv --event 'score >= 1' --mu 0.2
//
// With an event that is fixed beforehand all runs count; fewer than 200 choose a threshold by a part of them, and any
// number is enough for an answer. With --anytime each run is bet on by those before it, in the order of the files: run
// again on files that have grown it goes on, and errs with probability alpha over all looks together. A process stops
// at the run that refutes, and --checkpoint keeps each run as soon as it is over. In a file of claims these are
// event, anytime and samples, beside recorded or exec; --account, or account, adds a trade-off function to be refuted.
// In go test it is dptest.Runs.
//
// # Training
//
// From a training loop to a verdict. What is audited here is noisy gradient descent (DP-SGD), by one run of
// it and then by many; Training runs says how the verdicts are reached. All files below stand in one
// directory with the data.
//
// Take canaries that are the worst a record can be. Each is an example like all others, included by a coin
// of its own, and has a parameter of its own with the loss slope × parameter: a gradient longer than the
// clipping norm, in a direction that nothing else has, and of the other sign at each step. What your
// program does to gradients it does to these, too: the canaries must pass through your sampling and your
// clipping, or they tell nothing of them. A file to copy draws the coins and keeps the scores; it needs
// Python alone:
//
//	dpverify help dp_canaries.py > dp_canaries.py
//
// This is a training in Python with canaries in it, train.py. The lines that a loop of yours needs are
// those that name canaries:
//
//	import csv, math, random, sys
//	from dp_canaries import Canaries, serve
//	C, SIGMA, RATE, STEPS = 1.0, 3.0, 0.25, 32                          # as the accountant is told
//	rows = [[float(x) for x in r] for r in list(csv.reader(open("wdbc.csv")))[1:]]
//	top = [max(column) for column in zip(*rows)]
//	data = [([x / t for x, t in zip(r[:-1], top)], r[-1]) for r in rows]
//	d = len(data[0][0])
//
//	def train(seed, canaries):
//	    rng, w = random.Random(seed), [0.0] * (d + len(canaries))       # a parameter more for each canary
//	    for step in range(STEPS):
//	        total = [0.0] * len(w)
//	        for i in [*range(len(data)), *(len(data) + k for k in canaries.rows())]:
//	            if rng.random() < RATE:                                 # sampled, whatever it is
//	                if i < len(data):
//	                    x, y = data[i]
//	                    p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(w, x))))
//	                    first, g = 0, [(p - y) * a for a in x]          # the gradient, from this place on
//	                else:
//	                    first, g = d + i - len(data), [canaries.slope()]
//	                short = min(1, C / math.sqrt(sum(a * a for a in g) or 1))
//	                for k, a in enumerate(g):
//	                    total[first + k] += short * a
//	        noisy = [a + rng.gauss(0, SIGMA * C) for a in total]
//	        canaries.observe(noisy[d:])
//	        w = [a - 0.5 * g / (RATE * len(data)) for a, g in zip(w, noisy)]
//
//	if sys.argv[1:] == ["--serve"]:
//	    serve(train)
//	else:
//	    canaries = Canaries(4000, seed=1)
//	    train(2, canaries)
//	    canaries.write("scores.csv")
//
// Say what the accountant is told, account.yaml, and ask:
//
//	{mechanism: sgm, sampling-rate: 0.25, noise-multiplier: 3, count: 32}
//
//	python3 train.py
//	dpverify audit --canaries scores.csv --account account.yaml --delta 1e-5 --alpha 0.05
//
// Break it, and ask again: noise of SIGMA * C / 2, or short = 1.
//
// In PyTorch the parameters are one more tensor. Per-example gradients, clipping and noise stay those of
// your library or your loop, which sums the gradients over both sorts of examples:
//
//	extra = torch.zeros(len(canaries), requires_grad=True)
//	loss = canaries.slope() * extra[i]                              # of the example that is canary i
//	canaries.observe(extra.grad)                                    # after the noise was added, at each step
//
// In JAX they are one more leaf of the tree, and a record has one more field, 0 unless it is a canary, then
// 1 at its place:
//
//	def loss(params, x, y, mark, slope):
//	    return jnp.where(mark.any(), slope * params["extra"] @ mark, model_loss(params["model"], x, y))
//	canaries.observe(noisy["extra"])
//
// In Go, dptest.Canaries draws the coins and asks for the scores, in a test. Pass the included canaries as
// examples, and give each the sum over the steps of the released gradient along it, with the sign of the
// step:
//
//	dptest.Canaries(t, 4000, func(r *rand.Rand, included []bool) []float64 { … }, privacy.ApproximateDP(2.09, 1e-5))
//
// How many canaries? A thousand show a clipping that is missing, or noise that is drawn once; noise of half
// the scale takes some thousands, since one run shows little more than half of what it gives away. Fix the
// number beforehand. With fewer parameters than canaries, their own ones make room; records of your data
// with a wrong label, whose scores are minus their losses in the last model, are canaries for a program
// that cannot be opened: they see far less. verify/benchmark/training/TRAINING.md has how many canaries and
// trainings each of six faults took.
//
// What a pass means. Consistent: a training that gives away 1.25 times the claimed ε of each canary, to an
// attack that sees it, would have been refuted. Inconclusive: too few canaries for that, and the report
// says how many. Neither says that the training is private: a fault that these canaries do not touch, say
// in a layer that they do not pass, stays unseen. Refuted: the training is not what the account says, or a
// coin was looked at elsewhere, but for the error probability.
//
// Where one run is too weak, train many times with one canary and without it, in a process that trains once
// a request; serve of dp_canaries answers the requests. Bets on the scores stop at the training that
// refutes:
//
//	dpverify audit --exec "python3 train.py --serve" --a 1 --b 0 --samples 40 --anytime \
//	  --account account.yaml --delta 1e-5 --alpha 0.05
//
// --checkpoint FILE keeps each training as soon as it is over. On a cluster the claim stands in a file,
// each task trains its part, and merge gives the bytes of one run (see Parts); this is runs.yaml:
//
//	claims:
//	  - name: training
//	    exec: [python3, train.py, --serve]
//	    pairs: [{a: 1, b: 0}]
//	    account: {mechanism: sgm, sampling-rate: 0.25, noise-multiplier: 3, count: 32}
//	    guarantee: {epsilon: 2.09, delta: 1e-5}
//	    samples: 20
//	    anytime: true
//
//	dpverify audit runs.yaml --alpha 0.05 --shard 1/2 -o part-1
//	dpverify audit runs.yaml --alpha 0.05 --shard 2/2 -o part-2
//	dpverify merge part-1 part-2
//
// Trainings of this program, with each of six faults, are audited in all these ways by
//
//	dpverify experiment canary --train training.yaml --budget quick
//
// where training.yaml describes one:
//
//	algorithm: curricula-softmax  # or curricula-cnn (with data: mnist and --data), laplacesgd, localsgd
//	data: wdbc.csv                # relative to this file
//	sampling-rate: 0.25           # of curricula-…, as the four below; of laplacesgd are epsilon-per-pass,
//	noise-multiplier: 3           # epochs, batch and learning-rate; of localsgd the first two
//	steps: 32
//	clip: 1
//	learning-rate: 0.5
//	guarantee: {delta: 1e-5}      # with epsilon where another than the account's is claimed
//	canaries: 400                 # the most of one run
//	runs: 40                      # the most trainings of many
//
// and may have attack (white-box or black-box), fault (half-scale, no-clip, clip-per-batch, noise-once,
// wrong-rate, same-seed, or a list of them), canary-length (of a canary's gradient, in clipping norms),
// records (the first of the data) and alpha. With --serve the same is a process for audit --exec, with the
// one fault of the file.
//
// # Limits
//
// What dpverify cannot tell:
//
//   - Other inputs. A sampled verdict speaks of the pairs that were tried.
//   - Rare events. A violation at an event rarer than the mass m₀ that the verdict names goes unseen,
//     however gross it is: a δ of 1e-9 is out of a sampler's reach. Computed checks and account do not
//     have this limit.
//   - Your adjacency. Your pairs are taken for neighbours. If they are not, a refutation means nothing;
//     if real neighbours differ more, consistent means nothing.
//   - Side channels. Outputs are watched; time, memory, errors, files and network are not. The low-order
//     bits of floating-point outputs have a claim of their own.
//   - Training runs, beyond what the attack shows that gave the scores of their canaries.
//   - A mechanism that behaves because it is audited. Recorded samples are taken for independent unless
//     they evidently are not.
//   - Repetition. m audits with fresh seeds err with m times alpha.
//
// # Containment
//
// A process runs without a shell, in a process group of its own, and is killed with all of it after an
// error, a timeout (timeout: or --reply-timeout, 30 s for a reply) or Ctrl-C; on Linux so is what left
// the group but kept its environment. A reply has at most 64 MB and 4 Mi values, in arrays and objects
// at most 64 deep, and the time to read it counts as well. On Linux a process may have 4 GiB of memory (memory: or
// --process-memory); elsewhere memory is not limited. Processors, disk, network and files are not
// limited: a process runs with your rights. One that dies, hangs or answers something else is named with
// its standard error, and the other claims go on.
//
// Where dpverify itself is killed, by kill -9 or for want of memory, its mechanisms end with it: on Unix
// /bin/sh waits for that and kills their process groups, and Linux kills the processes that dpverify
// started. Elsewhere a mechanism sees the end of its standard input, and one that does not read it stays.
//
// A run that is estimated to take more than a day, as one of 1e15 samples, is refused before it starts
// unless --yes is given. The estimate supposes a quick mechanism: a million outputs a second.
//
// # Accounting
//
// Account computes what theory promises for a mechanism that is described by its parameters: ε at a
// δ, or δ at an ε. Ten thousand steps of DP-SGD:
//
//	$ dpverify account sgm --sampling-rate 0.01 --noise-multiplier 1 --count 10000 --delta 1e-5 --format markdown
//	| method        |    lower | estimate |   upper |
//	|:--------------|---------:|---------:|--------:|
//	| **best**      | 6.187665 | 6.187712 | 6.18776 |
//	| pld           | 6.187665 | 6.187712 | 6.18776 |
//	| rdp           |        0 |  6.71227 | 6.71228 |
//	| rdp-classical |        0 |  7.42849 |  7.4285 |
//
// Every method that applies has a row, and the true ε of the mechanism described lies between lower and
// upper of each. Both are certified, rounding errors included, and printed rounded outward. A row that
// is 0 below proves an upper end only; best is the narrowest bracket that all of them prove together.
// The text below the table names the neighbours, the sensitivity, the sampling and the theorem that the
// figures rest on.
//
// The events are gaussian, laplace, discrete-laplace, rr (randomized response), sgm (the Poisson-sampled
// Gaussian), schedule (the same at a list of noise multipliers), and compose FILE for a YAML or JSON list
// of any of these, with batches of a fixed partition or of a shuffle too. Others are allocation (epochs in
// which each record is in some steps at random), without-replacement and truncated-poisson (batches of a fixed
// or a limited size), matrix (DP-FTRL: correlated noise by tree, honaker, identity, prefix, banded, or the CSV
// file of a matrix), discrete-gaussian, truncated-laplace, uniform, threshold (partitions), exponential,
// permute-and-flip, top-k, noisy-argmax, sparse-vector, gaussian-mixture, table (a law of your own), and
// repeat-and-select (tuned hyperparameters); “dpverify account NAME --help” names the flags of each. In files:
//
//	{mechanism: gaussian, sigma: 1, sampling: allocation, steps: 100, picks: 1, count: 3}
//	{mechanism: gaussian, sigma: 1, sampling: without-replacement, records: 10000, batch: 100, count: 1000}
//	{mechanism: matrix, strategy: tree, steps: 1024, noise-multiplier: 5, participation: {times: 4, separation: 256}}
//	{mechanism: gaussian-mixture, sigma: 1, shifts: [0, 1, 2], weights: [.81, .18, .01]}
//	{mechanism: table, file: law.csv}
//
// where law.csv has the columns p and q, or p and loss, and is relative to the file that names it; so is the CSV
// file of a matrix. Neighbours differ by a record added or removed unless --adjacency says replace-one. The noise
// for a target, whose upper end is on the private side:
//
//	$ dpverify account calibrate laplace --count 100 --delta 1e-6 --epsilon 1
//	| method   |    lower | estimate |    upper |
//	|:---------|---------:|---------:|---------:|
//	| **best** | 41.48722 | 41.48769 | 41.48793 |
//
// With --solve it finds another number of an event, or of the events of a file, that ε rises or falls with: where ε
// rises with it, as with count, the lower end keeps the target.
//
//	$ dpverify account calibrate gaussian --sigma 50 --solve count --delta 1e-6 --epsilon 1
//	| method   | lower | estimate | upper |
//	|:---------|------:|---------:|------:|
//	| **best** |   140 |      140 |   141 |
//
// An account is about the mechanism as described. Whether code is that mechanism is another question,
// which an audit answers in part and no accountant can.
//
// “dpverify account FILE” reads descriptions that others write as well, recognised by their content: a tree
// of dp_accounting's DpEvents as JSON (fields with class_name, or the lists that json makes of named tuples),
// the state of an Opacus accountant as JSON (history and mechanism), and the text of TensorFlow Privacy's
// statement about DP-SGD. An event that the accountant does not have is refused by its name and place. The
// δ of a statement is that of the question unless another is asked, and --sampling poisson asks for the account
// of its Poisson samples, here and beside “audit --account”.
//
// # Curves and attacks
//
// A single ε at one δ says little about what an attacker can do, and two mechanisms may change places from one
// δ to another. With --curve an account is a whole curve, both ends certified at every place:
//
//	dpverify account sgm --sampling-rate 0.01 --noise-multiplier 1 --count 10000 --curve delta --plot curve.svg
//
// --curve delta is δ by ε, from 0 to where δ is --delta (1e-10 unless given), --curve epsilon is ε by δ down to
// there, and --curve tradeoff the least type II error of a test by its type I error, the same statement for
// those who think of tests. --plot draws what the table shows: δ on a logarithmic axis, ε from 0.
//
// Below the table stands what an attacker can do who knows everything but one record, in sentences and as
// brackets: the membership advantage (true-positive less false-positive rate), the true-positive rate at each
// false-positive rate of --fpr, and, at the probability --prior (1/2 unless given), a right guess whether the
// record is in the data and a right guess of the record itself (a bound of Hayes, Mahloujifar & Balle 2023: it
// is guessed with that probability before the release). No attack exceeds an upper end; a test of the
// mechanism's worst neighbours reaches the lower end, but for the reconstruction, where that is said of the
// bound only.
//
// Last comes the tightest Gaussian privacy: the least μ for which the curve is that of μ-GDP or below, at every ε
// of the stated range, and its regret, how far its trade-off curve lies below that of the mechanism (Gomez,
// Kulynych, Kaissis, Hayes, Balle & Honkela 2025). Where the regret is small, μ says it all; beyond the range a
// larger μ may be needed. An infinite upper end means that none was found.
//
// “dpverify account FILE --beside FILE” answers for two files side by side, at a δ, at an ε or as curves:
//
//	dpverify account before.yaml --beside after.yaml --curve tradeoff --plot both.svg
//
// In Go the same is in the package bounds/accountant/curve.
//
// # Claims about accounts
//
// A file of claims (see Audits) may say what is released, and what is claimed of that. This is
// testdata/audit/accounts.yaml:
//
//	claims:
//	  - name: our-training-run
//	    account: {mechanism: sgm, sampling-rate: 0.01, noise-multiplier: 1.1, count: 1000}
//	    guarantee: {epsilon: 1.6, delta: 1e-5}
//	  - name: printed-in-our-paper
//	    account: {mechanism: sgm, sampling-rate: 0.01, noise-multiplier: 1.1, count: 1000}
//	    states: {epsilon: 1.32, delta: 1e-5, digits: 2}
//	  - name: with-a-release
//	    account: {file: ../account/event.json}
//	    guarantee: {epsilon: 1.5, delta: 1e-5}
//	  - name: noisy-count # audited against what is said of it
//	    exec: [python3, noisy_count.py]
//	    pairs: [{a: [1, 0, 1], b: [1, 0, 0]}]
//	    account: {mechanism: laplace, scale: 2}
//	    samples: 20000
//	    precision: off
//
//	$ dpverify audit testdata/audit/accounts.yaml
//	| claim                        | where              | theory |        measured [interval] |    ratio | verdict   |
//	|:-----------------------------|:-------------------|-------:|---------------------------:|---------:|:----------|
//	| `audit/our-training-run`     | accounts.yaml:2:5  |  ≤ 1.6 | 1.51536 [1.51530, 1.51542] | 0.947101 | ✓ holds   |
//	| `audit/printed-in-our-paper` | accounts.yaml:5:5  |   1.32 | 1.51536 [1.51530, 1.51542] | 1.148001 | ✗ refuted |
//	| `audit/with-a-release`       | accounts.yaml:8:5  |  ≤ 1.5 | 1.55828 [1.55823, 1.55834] | 1.038857 | ✗ refuted |
//	| `audit/noisy-count`          | accounts.yaml:11:5 |  ≤ 0.5 |          1.07 [0.91, 1.30] |     2.15 | ✗ refuted |
//
// An account is an event, a mapping of adjacency and events, a list of events, or {file: NAME} of any file that
// “dpverify account” reads, relative to the file of claims; beside file there may be adjacency and, of a
// statement, sampling: fixed (each example once an epoch, unless told) or poisson. A statement that nothing
// else is claimed of is held to the ε that it prints itself.
//
// A guarantee is a bound. It holds where the upper end of the bracket is at most what is claimed, is refuted
// where the lower end is above it, and the report then says what would hold. In between the bracket is made
// narrower, at --budget thorough the most; what remains open is inconclusive. Numbers are the decimals that are
// typed: ten releases of ε = 0.1 are 1-DP, which is settled in rational numbers. All notions of an audit can be
// claimed; ε without δ is refused where the account has no finite ε at δ = 0, and delta: 0 is judged.
//
// What states is no bound but the number itself: epsilon with delta, delta with at-epsilon, rho, mu, or renyi
// with alpha. It stands for all numbers that may have been rounded to it, to the nearest, up or down, with
// digits after the point (in the number before a power of ten), as many as are typed unless digits says more;
// rounding: nearest, up or down narrows that. It holds where the bracket lies within, and is refuted where the
// two do not meet, be the truth larger or smaller. A paper that prints the ε of a method which gives an upper
// bound, as of Rényi DP, prints no such number: 6.71 of Rényi DP is refuted where the truth is 6.19, although
// 6.71 holds as a guarantee. Such a number is claimed by guarantee.
//
// There is no error probability: the brackets are certified, and rounding errors are within them. The claim has
// the id audit/NAME. Where exec stands beside it, that is the id of the mechanism, which is audited against the
// account: against the upper end of ε at the δ of the guarantee (delta may stand there alone) or of the printed
// number, of whatever parameter that claims; without either, against μ where nothing but Gaussians is released,
// which is their whole curve, else ε at δ = 0. What is claimed of the account has the ids audit/NAME/account
// and audit/NAME/states then, so that both are judged. By flags:
//
//	dpverify audit --account release.yaml --epsilon 3 --delta 1e-5
//	dpverify audit --exec 'python3 mechanism.py' --a '[1, 0]' --b '[1, 1]' --account release.yaml --delta 1e-5
//
// An account that cannot be read is named with its line and column, and those within its file; the other claims are
// judged, and the exit code is 2.
//
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
// Neighbours are add-or-remove-one or replace-one, of lists or of objects with one list, whose other fields are
// equal; of several lists {add-or-remove-one: FIELD} names the one. {change: {l1: 1}}, with l2 or linf, makes
// neighbours of values whose numbers differ by so much at most.
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
// and a cost counts for calls of which the output shows what they released: noisy maxima and sparse vectors are not
// charged for what they keep to themselves. Values that are all singles are compared as singles, to 1e-5.
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
// norm may be left out of all but pure; so may the sensitivity, which leaves that part open. "concurrent": true is
// for a call from another thread than the first, and "bare": true for noise that may meet other data later, unseen,
// where its value is the same in both runs. Files to copy have these calls and answer the requests: dpverify help
// prints dp_primitives.py, dp_primitives.js and dp_primitives.R, which need no package. In Python,
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
//
// # Experiments
//
// An experiment repeats a figure or table of a paper and sets what it measures beside what the paper
// prints. “dpverify list --experiments” names them with the data they need. This one trains SGD and its
// locally private forms on a LIBSVM or CSV file of two classes:
//
//	$ dpverify experiment prestige/fig-4 --train testdata/data/wdbc.csv --epsilon 0.5,2 --repeats 20
//	| privacy budget ε of one update |                              SGD |             DJW, literal |        PRESTIGE, literal |               DJW, projected |          PRESTIGE, projected |
//	|-------------------------------:|---------------------------------:|-------------------------:|-------------------------:|-----------------------------:|-----------------------------:|
//	|                            0.5 | 0.0127 ± 0.0054 [0.0101, 0.0153] | 0.38 ± 0.17 [0.29, 0.46] | 0.55 ± 0.21 [0.45, 0.65] | 0.115 ± 0.064 [0.085, 0.146] |     0.51 ± 0.19 [0.41, 0.60] |
//	|                              2 | 0.0127 ± 0.0054 [0.0101, 0.0153] | 0.33 ± 0.19 [0.24, 0.43] | 0.45 ± 0.18 [0.36, 0.54] | 0.056 ± 0.027 [0.043, 0.070] | 0.275 ± 0.098 [0.228, 0.321] |
//
// Without --test a quarter of the rows is held out. On the paper's data, with a picture, and so that Ctrl-C
// keeps what is finished:
//
//	dpverify experiment prestige/fig-4 --data DIR --budget quick --plot fig-4.svg --checkpoint fig-4.jsonl
//
// Three experiments measure the auditor. Power sets the ε that it certifies on mechanisms of known ε beside
// what is reachable and what public tools reach; sequential counts the samples until an anytime audit refutes
// a false claim, beside those of one who knows the densities; calibration counts how often every check errs on
// claims whose truth is known:
//
//	dpverify experiment power --only laplace_1,svt5 --samples 100000 --runs 3
//	dpverify experiment sequential --runs 5
//	dpverify experiment calibration --kind events,printed --runs 20
//
// # Parts
//
// A run in n parts is n commands, as in a job array or a matrix of a workflow, and one that merges their
// files. The report is that of a single run, byte for byte. What is chosen before sampling is chosen anew
// by each part, from the seed.
//
//	dpverify report --budget thorough --shard $i/8 -o part-$i.jsonl      # for i from 1 to 8
//	dpverify merge part-*.jsonl -o report.md
//
// A claim is sampled in 16 or 32 pieces, an audit in 32; more parts than that have nothing to do. A file of
// another version, seed, budget or command, a part that is there twice and one that is missing or cut off
// are refused by name. A part that was interrupted goes on where it was when its command is given again.
// A line of a part that is damaged, or there twice, is named and left out; if the report needs it, the part
// is to be run again, which samples that piece alone.
//
// Where merge is too early, it names the parts that are not done: those without a file, and of the others
// how many of their claims they have gone through, and when they last wrote. “merge --watch” waits for them
// and shows the same as a table, on a terminal, or as a line for each change; its files may be a glob, in
// quotes, for they may not be there yet. It ends by merging, or with 2 once --timeout is over.
//
// # Clusters
//
// With “--shard auto” a part takes its number from the scheduler that started it, and says on standard error
// from which variables; with “--shard auto/8” it also knows that there are 8, where the scheduler does not
// tell, and refuses another number:
//
//	Slurm         SLURM_ARRAY_TASK_ID, _MIN, _MAX, _COUNT, _STEP
//	PBS, Torque   PBS_ARRAY_INDEX, PBS_ARRAYID; no number of parts, and arrays begin at 1
//	LSF           LSB_JOBINDEX, _END, _STEP
//	Grid Engine   SGE_TASK_ID, _FIRST, _LAST, _STEPSIZE
//	AWS Batch     AWS_BATCH_JOB_ARRAY_INDEX, AWS_BATCH_JOB_ARRAY_SIZE
//	Kubernetes    JOB_COMPLETION_INDEX; no number of parts
//	GitLab        CI_NODE_INDEX, CI_NODE_TOTAL
//	CircleCI      CIRCLE_NODE_INDEX, CIRCLE_NODE_TOTAL
//	Buildkite     BUILDKITE_PARALLEL_JOB, BUILDKITE_PARALLEL_JOB_COUNT
//
// DPVERIFY_SHARD=i/n goes before all of them, as for a matrix of a GitHub workflow. DPVERIFY_SHARDS=n stands
// in for the number of parts, and DPVERIFY_SHARD_FIRST=0 says of PBS and Torque that the array begins at 0.
// An array with gaps, one that begins elsewhere (a part that is started again by itself, say) and two
// schedulers that contradict each other are refused: give --shard i/n then.
//
// With Slurm, audit.sh is
//
//	#!/bin/sh
//	#SBATCH --array=1-8 --requeue
//	dpverify audit claims.yaml --shard auto -o "part-$SLURM_ARRAY_TASK_ID.jsonl"
//
// and the report is made when all parts are there:
//
//	parts=$(sbatch --parsable audit.sh)
//	sbatch --dependency=afterok:"$parts" --wrap 'dpverify merge part-*.jsonl -o report.md'
//
// afterok wants exit code 0 of each part, which a part has whatever it finds: it judges nothing. A part that
// is requeued goes on where it was: have it requeued (scontrol requeue) before its job fails, for afterok takes
// a failure for the last word, even where RequeueExit starts the job again.
//
// On Kubernetes an indexed job is such an array. Its parts need a volume in common, and so does the job that
// merges them; testdata/cluster/kubernetes.yaml has both:
//
//	kubectl apply -f testdata/cluster/kubernetes.yaml
//
// Merging an audit needs the same directory: it reads claims.yaml again and asks the mechanisms once more
// for the outputs by which pairs and events were chosen, whose digest is in every part. A claim that has
// changed is refused, and so is a mechanism that gives other outputs than it gave to a part: numerical
// libraries can differ in the last bit between processors, so the parts of one audit belong on machines of
// one kind. Commands are taken from claims.yaml alone, never from a part.
//
// A mechanism that does not take its randomness from the seed would choose another event in each part. The
// first part keeps the outputs that chose, and the others are given its file; merging then needs no
// mechanism. Such an audit cannot be repeated exactly.
//
//	dpverify audit claims.yaml --shard 1/8 -o part-1.jsonl
//	dpverify audit claims.yaml --shard $i/8 --prepared part-1.jsonl -o part-$i.jsonl      # for i from 2 to 8
//	dpverify merge part-*.jsonl -o report.md
//
// On one machine that may go away, --checkpoint FILE keeps what is sampled, and the same command goes on
// from there, after kill -9 too. The file, like that of a part, is locked while the run lives, where the file
// system has locks: a second run on it is refused. What of it is damaged is named and sampled again.
//
// # Reports judged again
//
// A report in JSON has, of what was sampled, the counts that its figures follow from (basis), with all that
// was fixed before they were taken: the claim, the events that were chosen, the sizes that were asked for.
// “dpverify recheck” judges it again from them: with no mechanism, no data and no sample, in a few seconds,
// wherever the report was made.
//
//	dpverify audit claims.yaml --format json -o report.json
//	dpverify recheck report.json
//
// It compares verdicts, intervals, powers and what stands behind them, names each claim of which something
// does not follow, with the field, what is stored and what was recomputed, and exits with 1. What nothing was
// sampled for has no counts: there the verdict is held against its own figures, and “dpverify verify ID”
// computes them again. What follows from no counts is named with the reason: bets, which were placed on the
// samples in their order; checks that write none yet. --strict makes an exit code of 4 of those.
//
// It does not show that the counts are those of the mechanism: numbers that were changed in unison are as
// good as those of another run. That takes the seed, and the command that the report repeats. The counts of
// a report say no more of the outputs than its figures, but they say it exactly.
//
// # Pipelines
//
// --format writes markdown, json, html, junit or sarif; -o FILE is whole or not there, and -o - is
// standard output. The JSON form,
// dpverify/report/v1, only ever gains fields; “dpverify schema report” describes it, and “dpverify diff”
// compares two. Results go to standard output and everything else to standard error, the reason of a
// claim that fails among it, on a line of its own.
//
// Before anything runs, all files of a command are compared, by what they are and not by how they are
// spelled, and its outputs are tried. An output that is also an input or another output, or that a file of
// claims names, is refused, and so is one that cannot be written.
//
// The report of a seed is the same byte for byte; how long a claim took is not, and stands in the lines of
// --events (took), and in the JSON where --times is given (seconds).
//
// --baseline FILE names findings that are known and do not fail the run; --write-baseline records them, with
// a reason for each that may be edited. --summary FILE adds a Markdown summary (GITHUB_STEP_SUMMARY if not
// given), --annotations writes findings as workflow commands, --events FILE writes progress as JSON lines.
// --progress tells of each claim as soon as it is judged, as a terminal shows findings in any case.
//
// A workflow to copy is .github/workflows/audit.yml; “dpverify init github” writes a smaller one. Both use the
// action .github/actions/dpverify, which has the counts of the verdicts and the exit code as outputs, and says
// by fail-on what fails a step.
//
// # Upgrading
//
// Version 0 of dpverify may change its Go packages and its flags between releases, and its verdicts where a check was
// wrong; the changelog says so. What it writes for other programs only ever gains fields: JSON, events, baselines.
//
// Checkpoints and parts hold the samples of one version. Another one refuses them, with both versions in the
// message, as samples that were drawn in two ways are no sample: end a run with the version that began it, or
// begin anew. Builds from a clone are told apart by their commit where “go build” records it, which “dpverify
// version” shows; “go run” records none, so that a checkpoint of it is to be given to the same sources alone.
//
// A claim that has another id than it had answers to both: verify, explain, diff and baselines take the old one,
// and the JSON of a report has it as formerly. What no claim answers to any more is refused with the reason. Ids
// that have changed:
//
//	prestige/settings/threshold             prestige/settings/updates
//	prestige/remark-3                       prestige/alg-1/p-curriculum
//	prestige/remark-3/corrected             prestige/alg-1/p-curriculum/corrected
//	pairwise/lemma-4/tight                  pairwise/lemma-4
//	pairwise/lemma-4/attained               pairwise/lemma-4/search
//	pairwise/alg-3/noise/tight              pairwise/alg-3/noise
//	pairwise/experiments/setting            pairwise/settings/steps
//	pairwise/experiments/setting/convex     pairwise/settings/steps/convex
//	pairwise/experiments/setting/corrected  pairwise/settings/steps/lambda
//	pairwise/experiments/metric/figure-6    pairwise/settings/release
//	pairwise/experiments/setting/epsilon    pairwise/settings/epsilon
//	nonconvex/lemma-2/full-batch            nonconvex/thm-1/iterates
//	nonconvex/experiments/comparison/noise  nonconvex/remark-1/comparison/moments
//
// The Go packages were divided by subject. What was one package each is now, with the names as they were but where
// the new package says what a prefix did (verify.ExactPrivacy is privacy.Exact, verify.PrintedSum is printed.Sum):
//
//	bounds/accountant   events and their readers          bounds/accountant/event, eventfile
//	bounds              …Printed, the lines of papers     bounds/printed
//	empirical           limits, betting, slopes           empirical/limits, permutation tests in limits/permutation
//	empirical           the search for events             empirical/witness
//	empirical           numbers as they are written       empirical/numeral
//	empirical/study     results; the experiments          empirical/study/studydata; empirical/study/papers
//	reports             tables; drawings; experiments     reports/tables; reports/chart; reports/measured
//	verify              guarantees, audits, precision     verify/privacy, whose Guarantee is in verify/privacy/notion
//	verify              means and rates; laws             verify/mean; verify/law
//	verify              sensitivities                     verify/sensitivity
//	verify              printed numbers; formulas         verify/printed; verify/relation
//	verify              pairs; recorded outputs; curves   verify/neighbours; verify/recording; verify/series
//	verify              processes; journals               verify/process; verify/journal
//	verify/benchmark    rows of its tables                verify/benchmark/benchdata
//
// # Exit codes
//
//	0    fine; report also where claims are refuted
//	1    verify, audit, merge: a claim is refuted or inconsistent, and not in the baseline; recheck: something
//	     stored does not follow
//	2    wrong usage, an unknown id, data that cannot be read, an output that cannot be written or would
//	     overwrite another file of the command, a checkpoint in use, a run of more than a day without --yes;
//	     file and line are named
//	3    a check or a mechanism failed
//	4    inconclusive or not run, under --strict; recheck: a claim cannot be judged again
//	130  interrupted by Ctrl-C, SIGTERM or SIGHUP; what was finished is written, and marked partial
//
// Where several apply the order is 130, 2, 3, 1, 4. “go run” itself turns every code above 0 into 1: scripts
// should build the command first.
package manual
