package erm

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// FrobeniusBall is {W : W = Wᵀ, ‖W‖_F ≤ radius} of order×order matrices, flat and
// row-major in vectors of order² entries: the constraint set of metric learning in
// Huai et al. (2020), Example 1. It is not cut with the semidefinite cone; neither is theirs.
type FrobeniusBall struct {
	order  int
	radius float64
}

// maxOrder keeps order² far inside an int.
const maxOrder = 1 << 15

// NewFrobeniusBall returns the ball of matrices of order in [1, 2¹⁵] with radius in
// [1e-100, 1e100]; else an error that wraps mechanism.ErrDomain.
func NewFrobeniusBall(order int, radius float64) (FrobeniusBall, error) {
	if err := checkSize("frobenius ball", order, radius); err != nil {
		return FrobeniusBall{}, err
	}
	if order > maxOrder {
		return FrobeniusBall{}, domain.Error("frobenius ball", "order", order, "at most 2^15")
	}
	return FrobeniusBall{order: order, radius: radius}, nil
}

// Name is frobenius-ball(order, radius).
func (b FrobeniusBall) Name() string {
	return fmt.Sprintf("frobenius-ball(order=%d, radius=%g)", b.order, b.radius)
}

// Dim is order².
func (b FrobeniusBall) Dim() int { return b.order * b.order }

// Contains tells whether ‖W‖_F ≤ radius + tol and no two mirrored entries differ by
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

// Project takes the symmetric part and scales it to the radius if it is outside: the
// antisymmetric part is orthogonal to every member.
func (b FrobeniusBall) Project(w []float64) {
	if !finite(w) {
		fillNaN(w)
		return
	}
	b.symmetrise(w)
	shrinkTo(w, b.radius)
}

// Linear writes -radius·S/‖S‖_F to dst, S the symmetric part of g; the centre if S is 0.
func (b FrobeniusBall) Linear(g, dst []float64) {
	if !finite(g) {
		fillNaN(dst)
		return
	}
	copy(dst, g)
	b.symmetrise(dst)
	stretchTo(dst, dst, b.radius)
}

// MaxNorm is the radius.
func (b FrobeniusBall) MaxNorm() float64 { return b.radius }

// Diameter is twice the radius.
func (b FrobeniusBall) Diameter() float64 { return 2 * b.radius }

// GaussianWidth is radius·E‖S‖_F, S the symmetric part of a Gaussian matrix. ‖S‖²_F has
// the χ² law of order·(order+1)/2 degrees of freedom: an entry off the diagonal has
// variance ½ and occurs twice.
func (b FrobeniusBall) GaussianWidth() float64 {
	return b.radius * meanChi(b.order*(b.order+1)/2)
}

// symmetrise halves before it adds, against overflow, and leaves equal entries alone,
// since half of a subnormal number may round.
func (b FrobeniusBall) symmetrise(w []float64) {
	for i := range b.order {
		for j := range i {
			at, mirrored := i*b.order+j, j*b.order+i
			if w[at] != w[mirrored] {
				mean := w[at]/2 + w[mirrored]/2
				w[at], w[mirrored] = mean, mean
			}
		}
	}
}
