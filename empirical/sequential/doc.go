// Package sequential tests a privacy claim on a stream of pairs of outputs, one output under each input. It bets
// on every pair with a model learned from the earlier pairs. The test may stop at any time.
//
//	claim.go     a claim as a privacy curve, and the price of a payoff: what it can win under the
//	             claim at most, exactly; so any payoff, divided by it, is an e-variable
//	project.go   the payoff that grows fastest, where the probabilities are believed
//	cells.go     outputs along a score as intervals of equal shares
//	process.go   what is believed: the log ratio of the densities as a Gaussian process
//	track.go     the bets along one score, and on one event
//	stream.go    the mixture of all of them
//	blocks.go    counts of an event that is fixed from some point on
//	levels.go    when which error probability was passed
//
// Validity rests on claim.go and on the order of things in Stream.Observe alone: scores, cells, beliefs
// and payoffs may be anything that the past determines.
package sequential
