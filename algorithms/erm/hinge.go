package erm

import "math"

// Hinge is max(0, 1-m), the default loss of Han et al. 2018 (Sect. 4.1): convex,
// 1-Lipschitz and not smooth.
type Hinge struct{}

// Name is "hinge".
func (Hinge) Name() string { return "hinge" }

// Value is max(0, 1-m); NaN at NaN.
func (Hinge) Value(m float64) float64 { return max(0, 1-m) }

// Derivative is -1 for m < 1 and 0 from the kink at m = 1 on; NaN at NaN, so
// that a computation that has gone wrong does not look converged.
func (Hinge) Derivative(m float64) float64 {
	switch {
	case m < 1:
		return -1
	case m >= 1:
		return 0
	}
	return math.NaN()
}

// Lipschitz is 1: the slope left of the kink, which every domain reaches.
func (Hinge) Lipschitz(float64) float64 { return 1 }

// Smoothness is +Inf where the domain holds a neighbourhood of the kink at 1,
// and 0 where the loss is linear.
func (Hinge) Smoothness(domain float64) float64 {
	if domain < 1 {
		return 0
	}
	return math.Inf(1)
}

// Convex is true.
func (Hinge) Convex() bool { return true }
