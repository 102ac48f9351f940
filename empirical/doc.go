// Package empirical is the sampling engine. It draws samples in shards and adds them up in tallies that can be
// merged. Package confidence computes limits from the counts, and the checks of package verify decide verdicts.
//
// The files are:
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
