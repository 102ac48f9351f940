// Package verify defines claims, checks, evidence and verdicts, and runs checks.
//
// A [Claim] connects a statement with a [Check]. Prepare makes all choices (event, pair of inputs, worst dataset)
// on separate random streams and returns a [Trial]. Package empirical samples the trial in shards. The trial's
// Judge method turns the merged tally into [Evidence] with its verdict. No verdict is written by hand. Every claim
// has a [Control]: the opposite case, on which the same check must reach the opposite verdict.
//
// A [Ledger] is a set of claims that share one error probability alpha (by default 1e-6). A claim of weight w gets
// the share alpha · w/Σw, so by the union bound the probability that any true claim is refuted is at most alpha.
// The verdict [Consistent] requires power: the run would have detected the stated violation with probability at
// least 0.99. The package example judges a ledger with one claim.
//
//	verdict.go          verdicts and kinds of claims
//	claim.go            Claim, Check, Trial, Control
//	evidence*.go        Evidence, Cell, Number, sizes of violations, ConfidenceBand
//	statistics.go       sufficient statistics, from which evidence is recomputed
//	diagnosis.go        why a privacy claim was refuted; words.go has its phrases
//	series.go           curves that a check measures; they do not affect verdicts
//	reviewer_note.go    a reviewer's notes on a finding
//	attempt.go          attempts and counterexamples behind a verdict
//	ledger.go           sets of claims, ids, patterns and shares of alpha
//	run.go              running claims: workers, timeouts, panics, progress
//	sizes.go            common constants for sample sizes, tables and margins
//
// The checks are in these packages:
//
//	formula       identities, inequalities and consistency of reported numbers
//	privacy       privacy claims: exact, for given events, black box, recorded
//	distribution  a stated distribution
//	mean          means: unbiasedness, bounds, rates, comparisons
//	sensitivity   the sensitivity of a map, by worst-case search
//	accounting    descriptions of releases, by the accountant
//	training      training algorithms, by the scores of an attack
//	replay        releases that report their calls of noise primitives
//	worstcase     privacy, means and distributions at searched inputs
//
// Package guarantee defines the privacy guarantees, process runs a mechanism in a separate process, outputs splits
// outputs of any type into values and reads recordings, inputs defines neighboring inputs and searches them, and
// checkpoint stores the tallies of a run.
package verify
