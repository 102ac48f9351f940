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
// Recorded outputs are files with one output a line in UTF-8: CSV if the name ends in .csv, otherwise JSON. CSV
// has commas between columns and points in fractions. Both files have the same column names, or none. Ambiguous
// input is rejected with its line number: an empty field, a comment, a field that starts like a number but is
// not one, or a first word that never occurs again. JSON can express every output.
//
// The audit checks that recorded outputs are independent releases, each recorded once. Otherwise a warning says
// “outputs are not independent”, and the verdict is inconclusive. The check detects several copies of one recording
// if they are concatenated, interleaved, or written line by line or block by block. The distance between the copies
// may be any number of lines, and the last copy may be incomplete. Copies in another order are detected if the counts
// of all values have a common divisor and there are enough different values: about 20 for 10 copies, fewer for more
// copies. The check also detects outputs that drift and are not sorted, and a file that is a copy of the other file.
// Independent releases get this warning with probability at most 3e-9, for any mechanism. If outputs are sorted, the
// audit only warns and puts them into a random order. The check cannot detect shuffled or sorted copies of a
// recording with few different values, shuffled copies of which the last is incomplete, or a file that repeats a few
// releases at random. Such a file looks like the outputs of a mechanism with few outputs. The check also cannot
// detect copies of a constant, or of a recording in which all outputs but one or two are equal.
//
// Every audit checks that outputs at one input are independent: within a reply, between replies and along the run.
// Dependent outputs fail the claim with the error “outputs are not independent” and give no verdict. The audit also
// starts a process twice and compares the outputs, at two inputs. It does so at the first replies with at least 32
// outputs. The counts of one claim reject independent outputs with probability at most 1e-9, for any distribution. The
// comparison of successive outputs does so with probability at most 1e-12 for each input. The check cannot detect noise
// that a process repeats identically at each start, since it looks deterministic. Nor can it detect noise shared by two
// inputs, or dependence too weak for the number of samples.
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
//   - the likely cause (likeness), if the samples confirm one: noise that is too small by a factor, an output that only
//     one input gives, no noise, or low bits that differ.
//
// A likely cause is not a verdict, and no verdict rests on it. One part of the samples that chose the event chooses
// the value or the number to test. The other part confirms it at an error probability of 0.001, and the report shows
// the figures.
//
// Noise is too small by a factor of at least 1.9, for example, if the outputs of both inputs have the same shape, and
// would still violate the claim if their medians differed by 1.9 times less. That assumes no distribution of the noise.
// The outputs alone do not distinguish small noise from outputs that move too far. The report therefore also shows by
// how much they move, and the distance of the inputs if they are numbers. Each number of an output is tested by itself.
// If several numbers move, or share their noise, no cause may be reported: the event shows it. A few hundred outputs
// show no cause.
package manual
