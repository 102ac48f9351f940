// Package dependence detects outputs that are not independent. It tests for noise shared within a reply, for state
// carried from one output to the next, and for drift during a run.
//
//	watch.go   the outputs at one input, reply by reply
//	events.go  the events that are counted, chosen by the first outputs
//	spread.go  the test: counts of blocks that vary more than binomial counts
//	groups.go  two groups of outputs, of two processes
//
// All tests hold for any distribution of the outputs.
package dependence
