// Package dependence detects outputs that depend on each other: noise that the outputs of one reply share, a state that
// is carried from one output to the next, and a drift along the run.
//
//	watch.go   the outputs at one input, reply by reply
//	events.go  the events that are counted, chosen by the first outputs
//	spread.go  the test: counts of blocks that vary more than binomial counts
//	groups.go  two groups of outputs, of two processes
//
// All tests hold for any distribution of the outputs.
package dependence
