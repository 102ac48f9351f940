package erm

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// FrobeniusBall is {W : W = Wᵀ, ‖W‖_F ≤ radius} of order×order matrices, stored flat and row by row in vectors of
// order² entries. It is the constraint set of metric learning in Huai et al. (2020), Example 1. As in the paper,
// it is not intersected with the semidefinite cone.
type FrobeniusBall struct {
	order  int
	radius float64
}

// maxOrder ensures that order² fits in an int.
const maxOrder = 1 << 15

// NewFrobeniusBall returns the ball of matrices of order in [1, 2¹⁵] with radius in [1e-100, 1e100]. Other values
// give an error that wraps mechanism.ErrDomain.
func NewFrobeniusBall(order int, radius float64) (FrobeniusBall, error) {
	if err := checkSize("frobenius ball", order, radius); err != nil {
		return FrobeniusBall{}, err
	}
	if order > maxOrder {
		return FrobeniusBall{}, domain.Error("frobenius ball", "order", order, "at most 2^15")
	}
	return FrobeniusBall{order: order, radius: radius}, nil
}

// Name returns frobenius-ball(order, radius).
func (b FrobeniusBall) Name() string {
	return fmt.Sprintf("frobenius-ball(order=%d, radius=%g)", b.order, b.radius)
}

// Dim returns order².
func (b FrobeniusBall) Dim() int { return b.order * b.order }

// Contains reports whether ‖W‖_F ≤ radius + tol and no two mirrored entries differ by
// more than tol.
func (b FrobeniusBall) Contains(w []float64, tol float64) bool {
	if !(isVector(w, b.Dim()) && norm2(w) <= b.radius+tol) {
		return false
	}
	for i := range b.order {
		for j := range i {
			if math.Abs(w[i*b.order+j]-w[j*b.order+i]) > tol {
				return false
			}
		}
	}
	return true
}

// Project takes the symmetric part, because the antisymmetric part is orthogonal to every member, and scales it to
// the radius if it is outside.
func (b FrobeniusBall) Project(w []float64) {
	if !finite(w) {
		fillNaN(w)
		return
	}
	b.symmetrize(w)
	shrinkTo(w, b.radius)
}

// Linear writes -radius·S/‖S‖_F to dst, where S is the symmetric part of g, or the center if S is 0.
func (b FrobeniusBall) Linear(g, dst []float64) {
	if !finite(g) {
		fillNaN(dst)
		return
	}
	copy(dst, g)
	b.symmetrize(dst)
	stretchTo(dst, dst, b.radius)
}

// MaxNorm returns the radius.
func (b FrobeniusBall) MaxNorm() float64 { return b.radius }

// Diameter returns twice the radius.
func (b FrobeniusBall) Diameter() float64 { return 2 * b.radius }

// GaussianWidth returns radius·E‖S‖_F, where S is the symmetric part of a Gaussian matrix. ‖S‖²_F has the χ²
// distribution with order·(order+1)/2 degrees of freedom, because an off-diagonal entry has variance 0.5 and
// occurs twice.
func (b FrobeniusBall) GaussianWidth() float64 {
	return b.radius * meanChi(b.order*(b.order+1)/2)
}

// symmetrize replaces w by its symmetric part. It halves before it adds to avoid overflow. It leaves equal entries
// unchanged, because half of a subnormal number may round.
func (b FrobeniusBall) symmetrize(w []float64) {
	for i := range b.order {
		for j := range i {
			below, above := i*b.order+j, j*b.order+i
			if w[below] != w[above] {
				mean := w[below]/2 + w[above]/2
				w[below], w[above] = mean, mean
			}
		}
	}
}
