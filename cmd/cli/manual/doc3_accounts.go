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
// In Go the same is in the package bounds/accountant.
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
package manual
