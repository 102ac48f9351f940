// Package verify judges: it holds claims, the checks that measure them, and the
// rules by which evidence becomes a verdict.
//
// A [Claim] binds a statement to a [Check]. Prepare chooses whatever is to be
// chosen (witness, pair, worst dataset) on streams of its own and returns a
// [Trial]; the engine of package empirical samples the trial in shards; Judge
// turns the merged tally into [Evidence]. No verdict is written by hand. Every claim has a
// [Twin], a positive or negative control: the opposite case, which the same check must judge
// the other way.
//
//	verdict.go          the nine verdicts and the kinds of claims
//	claim.go            Claim, Check, Trial, Twin
//	evidence*.go        Evidence, Cell, Number, Sizes of violations
//	attempt.go          what stands behind a verdict
//	ledger.go           a set of claims, their ids and patterns, and their shares of alpha
//	run.go              running claims: workers, timeouts, panics, progress
//
// The checks have packages of their own:
//
//	relation     formulas related as claimed over a domain
//	privacy      exact, on given events, of a black box, of recorded outputs
//	process      a mechanism that is a process, in any language
//	law          distributions: the stated one
//	mean         means: unbiased, below a bound, falling at a rate, the smaller of several
//	sensitivity  the sensitivity of a map, by adversarial search
//	printed      printed numbers against each other
//
// and beside them outputs takes those of any type apart, neighbours has pairs of neighbouring
// inputs, recording reads recorded outputs, series collects curves, and journal keeps the
// tallies of a run.
package verify
