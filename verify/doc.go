// Package verify judges: it holds claims, the checks that measure them, and the
// rules by which evidence becomes a verdict.
//
// A [Claim] binds a statement to a [Check]. Prepare chooses whatever is to be
// chosen (witness, pair, worst dataset) on streams of its own and returns a
// [Trial]; the engine of package empirical samples the trial in shards; Judge
// turns the merged tally into [Evidence]. No verdict is written by hand.
//
//	verdict.go          the nine verdicts and the kinds of claims
//	claim.go            Claim, Check, Trial, Twin
//	evidence.go         Evidence, Cell, Number
//	attempt.go          what stands behind a verdict; *_attempt.go has it for each sort of check
//	ledger.go           a set of claims, their ids and patterns, and their shares of alpha
//	run.go              running claims: workers, timeouts, panics, progress
//	relation.go         check: formulas related as claimed over a domain
//	privacy_exact.go    check: privacy loss of known laws
//	privacy_sampled.go  check: privacy on given events, certified from samples
//	unbiased*.go        check: the mean of a vector mechanism
//	sensitivity*.go     check: the sensitivity of a map, by adversarial search
//	rate*.go            check: a mean over a grid, against a bound, a law or a rate
//	compare.go          check: which of several random quantities is the smaller
//	printed*.go         check: printed numbers against each other
//	guarantee.go        (ε, δ)-DP, zCDP, RDP and GDP, and what an event says about each
//	audit*.go           check: a black box, with witnesses learned from samples
//	precision*.go       check: the low-order bits of the numbers in an output
//	pairs*.go           neighbouring inputs: edge pairs, local search
//	shrink.go           the smallest pair that still violates a claim
//	process*.go         a mechanism that is a process, in any language
//	recorded*.go        recorded outputs in place of a mechanism
package verify
