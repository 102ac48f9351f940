package erm

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Gompertz is the Gompertz loss e^(-e^(cm)), which decreases from 1 to 0. It is smooth and not convex. Han et al.
// 2018 (Sect. 4.1) set c* = 2.
//
// The paper names the loss and its parameter but prints no formula. This is the reversed Gompertz curve with the
// two asymptotes of a 0-1 loss and rate c*.
type Gompertz struct {
	C float64 // c > 0, the paper's c*
}

// Name returns "gompertz(c=2)" for C = 2.
func (l Gompertz) Name() string { return fmt.Sprintf("gompertz(c=%g)", l.C) }

// Check returns an error unless C is finite and above 0.
func (l Gompertz) Check() error {
	return domain.Positive("gompertz loss", "c", l.C)
}

// Value returns e^(-e^(cm)); NaN at NaN.
func (l Gompertz) Value(m float64) float64 { return math.Exp(-math.Exp(l.C * m)) }

// Derivative returns -c·e^(cm-e^(cm)); NaN at NaN.
func (l Gompertz) Derivative(m float64) float64 {
	u := l.C * m
	if u > 7 { // e^(7-e^7) is below the smallest positive float64; this also avoids Inf-Inf
		return 0
	}
	return -l.C * math.Exp(u-math.Exp(u))
}

// Lipschitz returns c/e. With u = cm, the exponent u-e^u is largest at u = 0, which is in every domain.
func (l Gompertz) Lipschitz(float64) float64 { return l.C / math.E }

// Smoothness returns the largest second derivative c²|t(t-1)|e^(-t), t = e^(cm), in the domain. Its stationary
// points are the roots t = φ^(±2) of t²-3t+1, φ the golden ratio. Between them it increases away from t = 1. The
// larger peak is c²φ³e^(-φ²).
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

// Convex returns false.
func (Gompertz) Convex() bool { return false }
