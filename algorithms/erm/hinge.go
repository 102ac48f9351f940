package erm

import "math"

// Hinge is max(0, 1-m), the default loss of Han et al. 2018 (Sect. 4.1). It is convex, 1-Lipschitz and not smooth.
type Hinge struct{}

// Name returns "hinge".
func (Hinge) Name() string { return "hinge" }

// Value returns max(0, 1-m); NaN at NaN.
func (Hinge) Value(m float64) float64 { return max(0, 1-m) }

// Derivative returns -1 for m < 1 and 0 for m ≥ 1. It returns NaN at NaN, so that a diverged computation does not
// look converged.
func (Hinge) Derivative(m float64) float64 {
	switch {
	case m < 1:
		return -1
	case m >= 1:
		return 0
	}
	return math.NaN()
}

// Lipschitz returns 1, the slope left of the kink, which is in every domain.
func (Hinge) Lipschitz(float64) float64 { return 1 }

// Smoothness returns 0 if the loss is linear on the domain. It returns +Inf if the domain contains the kink at 1.
func (Hinge) Smoothness(domain float64) float64 {
	if domain < 1 {
		return 0
	}
	return math.Inf(1)
}

// Convex returns true.
func (Hinge) Convex() bool { return true }
