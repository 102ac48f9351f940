// Package runs audits a training by many runs of it, each of which trained with a record or without, and has one
// score: what any attack makes of the trained model.
//
//	audit.go      the check of scores that are there
//	trained.go    the check of a training that is run anew for each score
//	thresholds.go the event that is counted: fixed beforehand, or learned from runs that certify nothing
//	nulls.go      what a claim allows, as a trade-off function and as a curve to bet against
//	bets.go       bets against the claim, run by run
//	evidence.go   what it says
//
// Runs are independent, so that the bounds are those of two counts (confidence.Attack), or of bets
// (sequential.Stream); one run with many canaries is audited by package canary.
package runs
