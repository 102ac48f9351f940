// Package limits has confidence limits and tests with a stated error: of a binomial
// probability, of two jointly, of a mean, of a slope, by betting, and of classical hypotheses.
//
//	binomial*.go   Clopper–Pearson limits, right down to alpha = 1e-12
//	joint*.go      the joint test of p ≤ min(1, e^ε q + δ) and its inversion
//	betting*.go    the same question answered at any time, by betting
//	mean*.go       limits for bounded means, by betting
//	slope*.go      log-log slopes of means, with intervals that own up to curvature
//	hypothesis.go  classical tests: binomial, Fisher, Welch, correlation
package limits
