package erm

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Gompertz is the Gompertz loss e^(-e^(cm)), which falls from 1 to 0: smooth,
// not convex. Han et al. 2018 (Sect. 4.1) set c* = 2.
//
// They name the loss and its parameter and print no formula; it is read here
// as the reversed Gompertz curve with both asymptotes of a 0-1 loss, c* its rate.
type Gompertz struct {
	C float64 // c > 0, c* of the paper
}

// Name is "gompertz(c=2)" for C = 2.
func (l Gompertz) Name() string { return fmt.Sprintf("gompertz(c=%g)", l.C) }

// Check returns an error unless C > 0 and finite.
func (l Gompertz) Check() error {
	return domain.Positive("gompertz loss", "c", l.C)
}

// Value is e^(-e^(cm)); NaN at NaN.
func (l Gompertz) Value(m float64) float64 { return math.Exp(-math.Exp(l.C * m)) }

// Derivative is -c·e^(cm-e^(cm)); NaN at NaN.
func (l Gompertz) Derivative(m float64) float64 {
	u := l.C * m
	if u > 7 { // e^(7-e^7) is below the least positive float64; and Inf-Inf is avoided
		return 0
	}
	return -l.C * math.Exp(u-math.Exp(u))
}

// Lipschitz is c/e: with u = cm, the exponent u-e^u is largest at u = 0, which
// every domain reaches.
func (l Gompertz) Lipschitz(float64) float64 { return l.C / math.E }

// Smoothness is the largest second derivative c²|t(t-1)|e^(-t), t = e^(cm), in the
// domain. It is stationary where t²-3t+1 = 0, at t = φ^(±2), φ the golden
// ratio; between these it grows away from t = 1. The larger peak is c²φ³e^(-φ²).
func (l Gompertz) Smoothness(domain float64) float64 {
	u := l.C * domain
	const square = math.Phi * math.Phi
	if math.Exp(u) >= square {
		return l.C * l.C * square * math.Phi * math.Exp(-square)
	}
	bend := func(u float64) float64 {
		t := math.Exp(u)
		return t * math.Abs(math.Expm1(u)) * math.Exp(-t)
	}
	return l.C * l.C * max(bend(u), bend(-u))
}

// Convex is false.
func (Gompertz) Convex() bool { return false }
