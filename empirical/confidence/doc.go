// Package confidence computes confidence limits and tests with a stated error probability. It has limits for a
// binomial probability, for ε and δ from two counts, for a bounded mean and for the slope of a curve. It bounds ε
// from guesses about canaries. It also has classical hypothesis tests, and sequential tests on counts, which may
// stop at any time.
//
//	binomial*.go   Clopper–Pearson limits, right down to alpha = 1e-12
//	joint*.go      the joint test of p ≤ min(1, e^ε q + δ) and its inversion
//	betting*.go    tests of the same statement that may stop at any time, by betting
//	mean*.go       limits for bounded means, by betting
//	slope*.go      log-log slopes of means, with intervals that allow for curvature
//	band.go        simultaneous lower bound of a privacy curve from nested events
//	hypothesis.go  classical tests: binomial, Fisher, Welch, correlation

package confidence
