package erm

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Ramp is the ramp loss min(1-s, max(0, 1-m)) of Collobert et al. 2006, the
// hinge loss that stops growing at m = s: neither convex nor smooth, 1-Lipschitz.
// Han et al. 2018 (Sect. 4.1) choose s* in [-2, 0].
type Ramp struct {
	S float64 // s in [-2, 0], s* of the paper
}

// Name is "ramp(s=-1)" for S = -1.
func (l Ramp) Name() string { return fmt.Sprintf("ramp(s=%g)", l.S) }

// Check returns an error unless S is in [-2, 0].
func (l Ramp) Check() error {
	if !(l.S >= -2 && l.S <= 0) {
		return domain.Error("ramp loss", "s", l.S, "a number in [-2, 0]")
	}
	return nil
}

// Value is min(1-s, max(0, 1-m)); NaN at NaN.
func (l Ramp) Value(m float64) float64 { return min(1-l.S, max(0, 1-m)) }

// Derivative is -1 for s ≤ m < 1 and else 0: the difference of the derivatives of
// the two hinges that make the ramp, each 0 at its own kink. NaN at NaN.
func (l Ramp) Derivative(m float64) float64 {
	if m < l.S {
		return 0
	}
	return Hinge{}.Derivative(m)
}

// Lipschitz is 1: s ≤ 0, so every domain reaches the slope.
func (Ramp) Lipschitz(float64) float64 { return 1 }

// Smoothness is +Inf where the domain holds points on both sides of a kink, at
// 1 or s, and 0 where the loss is linear.
func (l Ramp) Smoothness(domain float64) float64 {
	if domain < 1 && domain <= -l.S {
		return 0
	}
	return math.Inf(1)
}

// Convex is false.
func (Ramp) Convex() bool { return false }
