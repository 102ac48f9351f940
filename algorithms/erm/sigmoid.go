package erm

import "math"

// Sigmoid is the loss in the experiments of Wang & Xu 2019. It is neither convex nor concave, 1/4-Lipschitz and
// 1/(6√3)-smooth.
//
// The printed form is 1/(1+e^(-m)), which increases with the margin, so its minimizer misclassifies. Falling
// selects 1/(1+e^m), which decreases with the margin as a loss does. The constants are the same.
type Sigmoid struct{ Falling bool }

// Name returns "sigmoid" for the printed form and "sigmoid(falling)" for the other.
func (l Sigmoid) Name() string {
	if l.Falling {
		return "sigmoid(falling)"
	}
	return "sigmoid"
}

// Value returns 1/(1+e^(-m)), or 1/(1+e^m) if Falling is set; NaN at NaN.
func (l Sigmoid) Value(m float64) float64 {
	if l.Falling {
		return logistic(-m)
	}
	return logistic(m)
}

// Derivative returns σ(m)σ(-m), negated if Falling is set; NaN at NaN.
func (l Sigmoid) Derivative(m float64) float64 {
	e := math.Exp(-math.Abs(m))
	slope := e / ((1 + e) * (1 + e))
	if l.Falling {
		return -slope
	}
	return slope
}

// Lipschitz returns 1/4. The derivative is largest at m = 0, which is in every domain.
func (Sigmoid) Lipschitz(float64) float64 { return 0.25 }

// Smoothness returns the largest |σ″(m)| = e(1-e)/(1+e)³, e = e^(-|m|), in the domain. Its derivative with respect
// to e is 0 at e = 2-√3, where its value is 1/(6√3). Closer to m = 0 it increases with |m|.
func (Sigmoid) Smoothness(domain float64) float64 {
	e := math.Exp(-domain)
	if e <= 2-math.Sqrt(3) {
		return 1 / (6 * math.Sqrt(3))
	}
	return e * -math.Expm1(-domain) / ((1 + e) * (1 + e) * (1 + e))
}

// Convex returns false, because the loss is convex only on one side of m = 0.
func (Sigmoid) Convex() bool { return false }
