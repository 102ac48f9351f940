package erm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// L1Ball is {w : ‖w‖₁ ≤ radius}, the convex hull of the 2·dim points ±radius·e_j.
type L1Ball struct {
	dim    int
	radius float64
}

// NewL1Ball returns the ball in dim ≥ 1 dimensions with radius in [1e-100, 1e100]. Other values give an error that
// wraps mechanism.ErrDomain.
func NewL1Ball(dim int, radius float64) (L1Ball, error) {
	if err := checkSize("l1 ball", dim, radius); err != nil {
		return L1Ball{}, err
	}
	return L1Ball{dim: dim, radius: radius}, nil
}

// Name returns l1-ball(dim, radius).
func (b L1Ball) Name() string { return fmt.Sprintf("l1-ball(dim=%d, radius=%g)", b.dim, b.radius) }

// Dim returns the dimension of the space.
func (b L1Ball) Dim() int { return b.dim }

// Contains reports whether ‖w‖₁ ≤ radius + tol.
func (b L1Ball) Contains(w []float64, tol float64) bool {
	return isVector(w, b.dim) && floats.Norm(w, 1) <= b.radius+tol
}

// Project moves every entry towards 0 by the smallest common amount that brings w into the ball (Duchi et al.
// 2008, Section 4).
func (b L1Ball) Project(w []float64) {
	if !finite(w) {
		fillNaN(w)
		return
	}
	if floats.Norm(w, 1) <= b.radius {
		return
	}
	top, level := waterLevel(w, b.radius, magnitude)
	for i, v := range w {
		w[i] = math.Copysign(max(math.Abs(v)-top+level, 0), v)
	}
}

// Linear writes the vertex -radius·sign(g_j)·e_j to dst, where j is the first index of the largest |g_j|;
// -radius·e_0 if g is 0.
func (b L1Ball) Linear(g, dst []float64) {
	if !finite(g) {
		fillNaN(dst)
		return
	}
	best := 0
	for i, v := range g {
		if math.Abs(v) > math.Abs(g[best]) {
			best = i
		}
	}
	value := -b.radius
	if g[best] < 0 {
		value = b.radius
	}
	onlyEntry(dst, best, value)
}

// MaxNorm returns the radius.
func (b L1Ball) MaxNorm() float64 { return b.radius }

// Diameter returns twice the radius.
func (b L1Ball) Diameter() float64 { return 2 * b.radius }

// GaussianWidth returns radius·E max|g_i|.
func (b L1Ball) GaussianWidth() float64 { return b.radius * meanMaxAbs(b.dim) }
