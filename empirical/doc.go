// Package empirical is the sampling engine. It draws samples in shards and adds them up in tallies that can be
// merged. Package confidence computes limits from the counts, and the checks of package verify decide verdicts.
//
//	tally, err := empirical.Run(ctx, experiment, empirical.Options{Seed: empirical.NewSeed(7), Pool: empirical.NewPool(4)})
//
// An [Experiment] states its plan before the first sample. Every random stream is derived from one root [Seed] and
// the labels on its path. The result of [Run] therefore depends only on the experiment and the seed, not on the
// number of workers. Memory does not grow with the number of samples.
//
// Files:
//
//	seed.go        the tree of seeds: root → claim → purpose → shard → ChaCha8
//	experiment.go  the contract: Plan, Shard, Tally, Experiment
//	engine.go      Run: a worker pool with cancellation, panics as errors, progress
//	pool.go        the processor slots that concurrent experiments share
//	budget.go      sampling budgets
//	counts.go      the tally of event counts
//	journal*.go    a file of finished work that survives the process
//
// Subpackages: confidence has limits and tests, distinguisher the search for the most distinguishing event,
// sequential the anytime-valid tests, and experiment the papers' experiments.
package empirical
