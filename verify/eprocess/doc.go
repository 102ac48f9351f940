// Package eprocess adds up the evidence of many runs about the same claims, in a file, with one error probability for
// all of them.
//
// Each run draws fresh samples and bets against the claim. Each bet yields a factor. The bets are fixed before the
// samples are drawn, so that under the claim the expectation of each factor, given all earlier runs, is at most 1. The
// file stores the factors of every run, never their product. For each bet and each starting run, the factors from that
// run on are multiplied. The wealth, which reports call evidence, is a weighted sum of these products. Under the claim
// the wealth reaches 1/α after any run with probability at most α (Ville 1939).
//
//	run.go      runs with their factors, and the order in which they count
//	wealth.go   from factors to wealth: starting runs, versions, shares of α
//	file.go     the evidence file: opening, adding a run, merging
//	check.go    a check that adds its factors to the earlier runs, and decides by the wealth
//	ladder.go   a factor from the verdicts of any check at decreasing α
//
// # Versions
//
// The claim may be about another program next month. A version is a digest of the program and of its claim. Products
// never extend over two versions. A version is refuted if its own wealth reaches 1/α. All versions together start with
// a wealth of at most 1, so the probability that any sound version is ever refuted is at most α.
//
// # Starts
//
// If the file is lost, the evidence starts again. A second start with a full wealth would double the error. The k-th
// start has the stake 6/(π²k²), and these stakes sum to 1. The number k must come from a place that outlives the file.
//
// # Several machines
//
// The union of two files is the union of their runs. A run counts once, also if both files contain it. If two machines
// continue the same file, only one of them may decide; the other collects, and the merged file decides. A collecting
// run counts from the first decision on that knows it, and decisions before it stay as they were. If it counted in
// the past, each merge would give the earlier decisions another chance to err. For the same reason the time of a
// merge may not depend on the factors of the runs to be merged.
package eprocess
