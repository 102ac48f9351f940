package erm

import "fmt"

// L2Ball is {w : ‖w‖₂ ≤ radius}.
type L2Ball struct {
	dim    int
	radius float64
}

// NewL2Ball returns the ball in dim ≥ 1 dimensions with radius in [1e-100, 1e100]. Other values give an error that
// wraps mechanism.ErrDomain.
func NewL2Ball(dim int, radius float64) (L2Ball, error) {
	if err := checkSize("l2 ball", dim, radius); err != nil {
		return L2Ball{}, err
	}
	return L2Ball{dim: dim, radius: radius}, nil
}

// Name returns l2-ball(dim, radius).
func (b L2Ball) Name() string { return fmt.Sprintf("l2-ball(dim=%d, radius=%g)", b.dim, b.radius) }

// Dim returns the dimension of the space.
func (b L2Ball) Dim() int { return b.dim }

// Contains reports whether ‖w‖₂ ≤ radius + tol.
func (b L2Ball) Contains(w []float64, tol float64) bool {
	return isVector(w, b.dim) && norm2(w) <= b.radius+tol
}

// Project scales w to the radius if it is outside.
func (b L2Ball) Project(w []float64) {
	if !finite(w) {
		fillNaN(w)
		return
	}
	shrinkTo(w, b.radius)
}

// Linear writes -radius·g/‖g‖₂ to dst, or the center if g is 0.
func (b L2Ball) Linear(g, dst []float64) {
	if !finite(g) {
		fillNaN(dst)
		return
	}
	stretchTo(g, dst, b.radius)
}

// MaxNorm returns the radius.
func (b L2Ball) MaxNorm() float64 { return b.radius }

// Diameter returns twice the radius.
func (b L2Ball) Diameter() float64 { return 2 * b.radius }

// GaussianWidth returns radius·E‖g‖₂ = radius·√2·Γ((dim+1)/2)/Γ(dim/2).
func (b L2Ball) GaussianWidth() float64 { return b.radius * meanChi(b.dim) }
