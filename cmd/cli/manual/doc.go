// Package manual is the manual of dpverify, as this comment. Dpverify measures whether
// differential-privacy claims are true, and shows the number each is true or false by.
//
//	dpverify init KIND                 a mechanism, its claims or a workflow to start from
//	dpverify report                    judge the ledger and write what a reader must know
//	dpverify verify [PATTERN…]         judge the claims whose ids match
//	dpverify list [PATTERN…]           ids, sources, kinds and statements
//	dpverify explain ID                how a claim is measured, and how its verdict could be wrong
//	dpverify audit CONFIG.yaml         your own claims: a process in any language, or recorded outputs
//	dpverify plan CONFIG.yaml          what an audit is going to take, and what a wall time buys
//	dpverify account EVENT …           what a described mechanism costs: (lower, estimate, upper)
//	dpverify experiment NAME           a figure or table of a paper, or the measurement of the auditor itself
//	dpverify merge FILE…               judge what several machines have sampled
//	dpverify recheck REPORT [CONFIG]   recompute a JSON report from the statistics that it stores
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
// an event of the families that the search covers (“go doc ./empirical/distinguisher” lists them). It has two sizes.
// A near violation is of 1.25 ε, at the mass of the event that certifies most, and at ½ where no event
// tells the inputs apart. A gross one is of ε + 1, or one nat more than the claim allows under another
// notion of privacy, from a mass m₀ up. A claim is consistent if both would have been seen with
// probability at least 0.99, and m₀ ≤ 0.01; --mass (mass: in a file) asks for another. Where δ > 0 a
// gross violation has twice the δ as well, and every such violation must be seen: for a small δ that
// takes more than 100/δ samples of each input, and an inconclusive verdict names the number.
//
// Beside the ε that is certified at the claimed δ stands the δ that is certified at the claimed ε.
package manual
