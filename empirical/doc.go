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
// The packages below it: confidence has limits and tests, distinguisher the search for the event that distinguishes
// two samples best, sequential the tests that may stop at any time, and experiment the papers' experiments.
//
// Nothing here holds more memory when more samples are drawn.
package empirical
