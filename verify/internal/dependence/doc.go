// Package dependence detects outputs that are not independent. It tests for noise shared within a reply, for state
// carried from one output to the next, and for drift during a run.
//
//	watch.go       the tests of the outputs at one input, reply by reply
//	events.go      the events that are counted, chosen by the first outputs
//	spread.go      the test for counts in blocks that vary more than binomial counts
//	succession.go  the test for successive outputs that are alike
//	groups.go      the comparison of the outputs from two processes
//
// The error bounds hold for any distribution of the outputs.
package dependence
