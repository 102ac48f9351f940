// Package empirical measures: it draws samples in shards, adds them up in
// mergeable tallies, and turns the sums into confidence limits.
//
// It is the engine under every verdict and judges nothing itself. The file name
// is the map:
//
//	seed.go        the tree of seeds: root → claim → purpose → shard → ChaCha8
//	experiment.go  the contract: Plan, Shard, Tally, Experiment
//	engine.go      Run: a worker pool with cancellation, panics as errors, progress
//	pool.go        the processor slots that concurrent experiments share
//	counts.go      the tally of event counts
//	binomial*.go   Clopper–Pearson limits, right down to alpha = 1e-12
//	joint*.go      the joint test of p ≤ min(1, e^ε q + δ) and its inversion
//	eprocess*.go   the same question answered at any time, by betting
//	mean*.go       limits for bounded means, by betting
//	slope*.go      log-log slopes of means, with intervals that own up to curvature
//	hypothesis*.go classical tests: binomial, Fisher, Welch, correlation, permutation
//	rows.go        outputs of any kind as rows of float64; table.go counts them
//	witness.go     the search for the event that tells two samples apart:
//	features.go    what is computed from a row, binner.go its bins
//	boost.go, linear.go, pattern.go   scores learned from rows
//	tail.go        the threshold that promises most, tail_trend.go what is believed of
//	               the ratio there: tail_level.go and tail_slope.go fit it
//
// Nothing here holds more memory when more samples are drawn.
package empirical
