// Package canary audits one run of a training by its canaries: records of which each was included by a coin of
// its own, and whose scores, from any attack on what was released, are to tell which were.
//
//	read.go        scores and coins from CSV or JSON
//	scores.go      what they are, and what shows that they are not independent coins
//	guesses.go     which canaries are guessed: from the scores alone
//	audit.go       the check
//	evidence.go    what it says
//	figures.go     what an attacker reaches: rates, areas, a curve; no verdict rests on these
//
// The bounds are those of confidence.Guesses. They hold whatever the scores are, and however they depend on one another,
// under three assumptions, which every report states: each canary was included by a coin of its own, of the
// stated probability; the scores depend on the coins through what the run released alone; one row is one canary.
package canary
