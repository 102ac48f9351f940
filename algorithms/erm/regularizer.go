package erm

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Regularizer is a convex penalty of w. Its constants are in the ℓ2 norm, on the ball ‖w‖ ≤ radius, radius > 0 or
// +Inf for the whole space.
//
// A new regularizer is a type with these methods and one row in the table of the package's law tests.
type Regularizer interface {
	// Name identifies the regularizer in reports.
	Name() string
	// Value returns the penalty of w.
	Value(w []float64) float64
	// Gradient writes a (sub)gradient at w to dst, which has the length of w.
	Gradient(w, dst []float64)
	// Lipschitz returns the smallest G with |Value(v)-Value(w)| ≤ G‖v-w‖; +Inf if none.
	Lipschitz(radius float64) float64
	// Smoothness returns the smallest β with ‖∇(v)-∇(w)‖ ≤ β‖v-w‖; +Inf if none.
	Smoothness() float64
	// StrongConvexity returns the largest α with Value - (α/2)‖w‖² convex.
	StrongConvexity() float64
	// Check returns an error if a parameter is outside its domain.
	Check() error
}

// L2 is the regularizer (λ/2)‖w‖² with Lambda = λ ≥ 0. For a flat matrix it is the Frobenius regularizer
// (λ/2)‖W‖_F² (Huai et al. 2020, Experiments).
type L2 struct{ Lambda float64 }

// Name returns "l2".
func (L2) Name() string { return "l2" }

// Check returns an error unless λ is finite and at least 0.
func (g L2) Check() error { return checkLambda("l2 regulariser", g.Lambda) }

// Value returns (λ/2)‖w‖².
func (g L2) Value(w []float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += v * v
	}
	return g.Lambda / 2 * sum
}

// Gradient writes λw to dst, which has the length of w.
func (g L2) Gradient(w, dst []float64) {
	dst = dst[:len(w)]
	for k, v := range w {
		dst[k] = g.Lambda * v
	}
}

// Lipschitz returns the Lipschitz constant λ·radius on the ball ‖w‖ ≤ radius. It returns 0 for λ = 0 on the whole
// space.
func (g L2) Lipschitz(radius float64) float64 {
	if g.Lambda == 0 {
		return 0
	}
	return g.Lambda * radius
}

// Smoothness returns λ.
func (g L2) Smoothness() float64 { return g.Lambda }

// StrongConvexity returns λ.
func (g L2) StrongConvexity() float64 { return g.Lambda }

// L1 is the regularizer λ‖w‖₁ with Lambda = λ ≥ 0. The (λ/2)‖θ‖₁ of Wang & Xu
// 2019 (Experiments) is L1{Lambda: λ/2}.
type L1 struct {
	Lambda float64
	Dim    int // the length of w, d ≥ 1; 0 if unknown. Only Lipschitz uses it.
}

// Name returns "l1".
func (L1) Name() string { return "l1" }

// Check returns an error unless λ is finite and at least 0, and Dim ≥ 0.
func (g L1) Check() error {
	if g.Dim < 0 {
		return domain.Error("l1 regulariser", "dim", g.Dim, "the length of w, or 0 if unknown")
	}
	return checkLambda("l1 regulariser", g.Lambda)
}

// Value returns λ‖w‖₁.
func (g L1) Value(w []float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += math.Abs(v)
	}
	return g.Lambda * sum
}

// Gradient writes the subgradient λ·sign(w) to dst, which has the length of w. sign(0) = 0, and NaN stays NaN.
func (g L1) Gradient(w, dst []float64) {
	dst = dst[:len(w)]
	for k, v := range w {
		if v != 0 && v == v {
			v = math.Copysign(g.Lambda, v)
		}
		dst[k] = v
	}
}

// Lipschitz returns λ√d, because ‖sign(w)‖ = √d if no entry of w is 0 and every ball contains such a w. It returns
// +Inf if Dim is unknown, because no constant holds in all dimensions.
func (g L1) Lipschitz(float64) float64 {
	switch {
	case g.Lambda == 0:
		return 0
	case g.Dim == 0:
		return math.Inf(1)
	}
	return g.Lambda * math.Sqrt(float64(g.Dim))
}

// Smoothness returns +Inf because of the kink at 0, or 0 for λ = 0.
func (g L1) Smoothness() float64 {
	if g.Lambda == 0 {
		return 0
	}
	return math.Inf(1)
}

// StrongConvexity returns 0.
func (L1) StrongConvexity() float64 { return 0 }
