// Package training audits training runs. It tests a privacy claim with the scores of a membership-inference
// attack.
//
// A [OneRunAudit] takes one run with canaries: records of which each was included by an independent coin, and whose
// scores, from any attack on what was released, are to tell which were included. A [MultiRunAudit] takes many runs,
// each
// with one score, of which some trained with a record and the others without it. A [TrainedAudit] runs such a training
// anew for each score.
//
//	read.go        scores and inclusion bits from CSV or JSON
//	scores.go      what they are, and what shows that they are not independent coins
//	score.go       stated distributions of scores
//	figures.go     what an attacker reaches: rates, areas, a curve; no verdict rests on these
//	one_run*.go    the audit of one run: which canaries are guessed, its power, its evidence
//	multi_run*.go  the audit of many runs: the event that is counted, sequential tests, its evidence
//
// The bounds for one run are those of confidence.Guesses. They hold whatever the scores are, and however they depend on
// one
// another, under three assumptions, which every report states: each canary was included by an independent coin of the
// stated probability; the scores depend on the coins only through what the run released; one row is one canary.
//
// Many runs are independent, so that their bounds are those of two counts (confidence.Attack), or of sequential tests
// (sequential.Stream).
package training
