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
//	budget.go      how much is sampled
//	counts.go      the tally of event counts
//
// Below it, limits has confidence limits and tests, permutation tests by rearrangement,
// witness the search for the event that tells two samples apart, numeral numbers as they are
// written, and study the papers' experiments.
//
// Nothing here holds more memory when more samples are drawn.
package empirical
