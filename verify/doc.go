// Package verify defines claims, checks, evidence and verdicts, and runs checks. The verdict of a claim is decided
// by the Judge method of its check; the packages below verify implement the checks.
//
// A [Claim] binds a statement to a [Check]. Prepare makes all choices (event, pair of inputs,
// worst dataset) on separate random streams and returns a [Trial]. Package empirical samples the
// trial in shards. The trial's Judge method turns the merged tally into [Evidence] with its verdict. No verdict is
// written by hand. Every claim has a
// [Control], a positive or negative control: the opposite case, which the same check must judge
// the other way.
//
//	verdict.go          the nine verdicts and the kinds of claims
//	claim.go            Claim, Check, Trial, Control
//	evidence*.go        Evidence, Cell, Number, Sizes of violations, ConfidenceBand
//	statistics.go       the sufficient statistics that evidence is recomputed from
//	diagnosis.go        why a privacy claim was refuted; words.go has the phrases
//	series.go           curves that a check measures; no verdict rests on them
//	reviewer_note.go    what a reviewer adds to a finding
//	attempt.go          what stands behind a verdict
//	ledger.go           a set of claims, their ids and patterns, and their shares of alpha
//	run.go              running claims: workers, timeouts, panics, progress
//	reply*.go           outputs of mechanisms as JSON
//	succession.go       a test whether successive outputs depend on each other
//	sizes.go            what the checks agree on about sizes of samples, tables and margins
//
// The checks have packages of their own:
//
//	formula       identities and inequalities, and reported numbers against each other
//	privacy       exact, on given events, of a black box, of recorded outputs; guarantee has the privacy definitions
//	process       a mechanism that is a process, in any language
//	distribution  the stated distribution
//	mean          means: unbiased, below a bound, falling at a rate, the smaller of several
//	sensitivity   the sensitivity of a map, by adversarial search
//	accounting    descriptions of releases, by the accountant
//	training      the training of a model, by the scores of an attack
//	replay        releases by their calls of noise primitives
//	worstcase     privacy, means and distributions at inputs that a search finds
//
// In addition, outputs takes outputs of any type apart and reads recorded ones, inputs has neighbouring inputs and
// the search for the worst, checkpoint keeps the tallies of a run, and recompute recomputes evidence.
package verify
