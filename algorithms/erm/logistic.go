package erm

import "math"

// Logistic is log(1 + e^(-m)) (Hardwarsing 2018, eq. (2); φ of Huai et al. 2020, Assumption 1). It is convex,
// 1-Lipschitz and 1/4-smooth on the line.
type Logistic struct{}

// Name returns "logistic".
func (Logistic) Name() string { return "logistic" }

// Value returns log(1 + e^(-m)), with a relative error of a few ulps in both
// tails; NaN at NaN.
func (Logistic) Value(m float64) float64 {
	return max(0, -m) + math.Log1p(math.Exp(-math.Abs(m)))
}

// Derivative returns -1/(1+e^m) (Hardwarsing 2018, eq. (4)), with a relative error
// of a few ulps in both tails; NaN at NaN.
func (Logistic) Derivative(m float64) float64 { return -logistic(-m) }

// Lipschitz returns 1/(1+e^(-domain)). The derivative is monotone and steepest at m = -domain. On a bounded domain
// the value is below the usual constant 1.
func (Logistic) Lipschitz(domain float64) float64 { return logistic(domain) }

// Smoothness returns 1/4. The second derivative σ(m)σ(-m) is largest at m = 0, which is in every domain.
func (Logistic) Smoothness(float64) float64 { return 0.25 }

// Convex returns true.
func (Logistic) Convex() bool { return true }

// logistic returns σ(t) = 1/(1+e^(-t)). The argument of the exponential is at most 0, so nothing overflows and the
// left tail keeps its relative precision.
func logistic(t float64) float64 {
	e := math.Exp(-math.Abs(t))
	if t >= 0 {
		return 1 / (1 + e)
	}
	return e / (1 + e)
}
