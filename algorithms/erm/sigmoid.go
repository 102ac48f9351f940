package erm

import "math"

// Sigmoid is the loss of the experiments of Wang & Xu 2019, neither convex nor
// concave, 1/4-Lipschitz and 1/(6√3)-smooth.
//
// As printed it is 1/(1+e^(-m)), which grows with the margin: its minimiser
// misclassifies. Falling selects 1/(1+e^m), which falls with the margin as a
// loss does. The constants are the same.
type Sigmoid struct{ Falling bool }

// Name is "sigmoid" for the printed form and "sigmoid(falling)" for the other.
func (l Sigmoid) Name() string {
	if l.Falling {
		return "sigmoid(falling)"
	}
	return "sigmoid"
}

// Value is 1/(1+e^(-m)), or 1/(1+e^m) where Falling; NaN at NaN.
func (l Sigmoid) Value(m float64) float64 {
	if l.Falling {
		return logistic(-m)
	}
	return logistic(m)
}

// Derivative is σ(m)σ(-m), negated where Falling; NaN at NaN.
func (l Sigmoid) Derivative(m float64) float64 {
	e := math.Exp(-math.Abs(m))
	slope := e / ((1 + e) * (1 + e))
	if l.Falling {
		return -slope
	}
	return slope
}

// Lipschitz is 1/4: the derivative is largest at m = 0, which every domain
// reaches.
func (Sigmoid) Lipschitz(float64) float64 { return 0.25 }

// Smoothness is the largest |σ″(m)| = e(1-e)/(1+e)³, e = e^(-|m|), in the
// domain. Its derivative in e vanishes at e = 2-√3, where it is 1/(6√3); nearer
// to m = 0 it grows with |m|.
func (Sigmoid) Smoothness(domain float64) float64 {
	e := math.Exp(-domain)
	if e <= 2-math.Sqrt(3) {
		return 1 / (6 * math.Sqrt(3))
	}
	return e * -math.Expm1(-domain) / ((1 + e) * (1 + e) * (1 + e))
}

// Convex is false: the loss is convex on one side of m = 0 only.
func (Sigmoid) Convex() bool { return false }
