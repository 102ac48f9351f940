package erm

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Ramp is the ramp loss min(1-s, max(0, 1-m)) of Collobert et al. 2006, the hinge loss cut off at m = s. It is
// 1-Lipschitz and neither convex nor smooth. Han et al. 2018 (Sect. 4.1) choose s* in [-2, 0].
type Ramp struct {
	S float64 // s in [-2, 0], the paper's s*
}

// Name returns "ramp(s=-1)" for S = -1.
func (l Ramp) Name() string { return fmt.Sprintf("ramp(s=%g)", l.S) }

// Check returns an error unless S is in [-2, 0].
func (l Ramp) Check() error {
	if !(l.S >= -2 && l.S <= 0) {
		return domain.Error("ramp loss", "s", l.S, "a number in [-2, 0]")
	}
	return nil
}

// Value returns min(1-s, max(0, 1-m)); NaN at NaN.
func (l Ramp) Value(m float64) float64 { return min(1-l.S, max(0, 1-m)) }

// Derivative returns -1 for s ≤ m < 1 and 0 elsewhere. It is the difference between the derivatives of two hinges,
// each 0 at its own kink. It returns NaN at NaN.
func (l Ramp) Derivative(m float64) float64 {
	if m < l.S {
		return 0
	}
	return Hinge{}.Derivative(m)
}

// Lipschitz returns 1. As s ≤ 0, every domain contains a part of the slope.
func (Ramp) Lipschitz(float64) float64 { return 1 }

// Smoothness returns 0 if the derivative is constant on the domain. Otherwise it returns +Inf, because of the kink
// at 1 or s.
func (l Ramp) Smoothness(domain float64) float64 {
	if domain < 1 && domain <= -l.S {
		return 0
	}
	return math.Inf(1)
}

// Convex returns false.
func (Ramp) Convex() bool { return false }
