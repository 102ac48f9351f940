// Package sequential tests a privacy claim on a stream of pairs of outputs, one output for each input. It bets on
// every pair with a model learned from the earlier pairs. The test is anytime-valid: under the claim the wealth
// against it exceeds 1/α at any time with probability at most α (Ville 1939).
//
//	s := sequential.New([]sequential.Claim{sequential.ApproximateDP(1, 1e-5)}, false)
//	s.Observe(rng, first, second)   // for each pair of rows
//	rejected := s.PeakLogWealth(0) >= math.Log(1/0.05)
//
// Files:
//
//	claim.go     a claim as a privacy curve, and the price of a payoff: its largest expected value under
//	             the claim; any payoff divided by its price is an e-variable
//	project.go   the payoff with the fastest growth for believed probabilities
//	cells.go     outputs along a score as intervals with equal shares
//	process.go   beliefs: the log density ratio as a Gaussian process
//	track.go     the bets along one score, and on one event
//	stream.go    the mixture of all bets
//	blocks.go    counts of a fixed event
//	levels.go    the samples after which error probabilities are reached
//
// Validity depends only on claim.go and on the order of operations in Stream.Observe. Scores, cells, beliefs and
// payoffs may be any function of the past.
package sequential
