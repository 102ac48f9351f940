package erm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Simplex is {w : w ≥ 0, Σw = scale}, the hull of the points scale·e_j.
type Simplex struct {
	dim   int
	scale float64
}

// NewSimplex returns the simplex in dim ≥ 1 dimensions with scale in [1e-100,
// 1e100]; else an error that wraps mechanism.ErrDomain.
func NewSimplex(dim int, scale float64) (Simplex, error) {
	if err := checkSize("simplex", dim, scale); err != nil {
		return Simplex{}, err
	}
	return Simplex{dim: dim, scale: scale}, nil
}

// Name is simplex(dim, scale).
func (s Simplex) Name() string { return fmt.Sprintf("simplex(dim=%d, scale=%g)", s.dim, s.scale) }

// Dim is the dimension of the space; the simplex itself has one less.
func (s Simplex) Dim() int { return s.dim }

// Contains tells whether every entry is at least -tol and |Σw - scale| ≤ tol.
func (s Simplex) Contains(w []float64, tol float64) bool {
	return isVector(w, s.dim) && floats.Min(w) >= -tol && math.Abs(floats.Sum(w)-s.scale) <= tol
}

// Project subtracts a common amount and cuts at 0 (Duchi et al. 2008, Fig. 1).
func (s Simplex) Project(w []float64) {
	if !finite(w) {
		fillNaN(w)
		return
	}
	top, level := waterLevel(w, s.scale, value)
	for i, v := range w {
		w[i] = max(v-top+level, 0)
	}
}

// Linear writes the vertex scale·e_j to dst, j the first index of the least g_j.
func (s Simplex) Linear(g, dst []float64) {
	if !finite(g) {
		fillNaN(dst)
		return
	}
	onlyEntry(dst, floats.MinIdx(g), s.scale)
}

// MaxNorm is the scale.
func (s Simplex) MaxNorm() float64 { return s.scale }

// Diameter is √2·scale, the length of an edge; 0 in one dimension.
func (s Simplex) Diameter() float64 {
	if s.dim == 1 {
		return 0
	}
	return math.Sqrt2 * s.scale
}

// GaussianWidth is scale·E max g_i.
func (s Simplex) GaussianWidth() float64 { return s.scale * meanMax(s.dim) }

// key is the part of an entry that a water level is about.
type key uint64

const (
	value     key = math.MaxUint64
	magnitude key = math.MaxInt64 // all bits but the sign
)

func (k key) of(v float64) float64 { return math.Float64frombits(math.Float64bits(v) & uint64(k)) }

// sign has the sign that the key took from v: +0 for a value.
func (k key) sign(v float64) float64 { return math.Float64frombits(math.Float64bits(v) &^ uint64(k)) }

// waterLevel returns the largest key, top, and the level t in (0, total] with
// Σ max(key(w_i) - top + t, 0) = total. Measured from the top, the sum has terms of
// one sign, so neither huge entries nor a tiny total cost digits.
//
// The sum is convex, increasing and piecewise linear in t: Newton's step from above
// stays above the root and is exact once no entry leaves the sum (Michelot
// 1986). A bisection after each step bounds the passes by the digits of t, where
// Newton's steps alone may take as many as there are entries.
func waterLevel(w []float64, total float64, k key) (top, level float64) {
	top = largest(w, k)
	low, high := total/float64(len(w)), total
	count, sum := above(w, top, high, k)
	for {
		high = min(high, (total-sum)/float64(count))
		left, rest := above(w, top, high, k)
		if left == count {
			return top, high
		}
		count, sum = left, rest
		middle := low + (high-low)/2
		if !(middle > low && middle < high) {
			return top, high
		}
		left, rest = above(w, top, middle, k)
		if rest+float64(left)*middle >= total {
			count, sum, high = left, rest, middle
		} else {
			low = middle
		}
	}
}

// largest is the largest key; NaN if one is.
func largest(w []float64, k key) float64 {
	top := math.Inf(-1)
	for _, v := range w {
		top = max(top, k.of(v))
	}
	return top
}

// above returns the number of keys above top - level and the sum of their differences
// to the top (none positive), with the rounding errors of the additions made up for
// (Kahan).
func above(w []float64, top, level float64, k key) (count int, sum float64) {
	lost := 0.0
	for _, v := range w {
		if below := k.of(v) - top; below > -level {
			count++
			term := below - lost
			next := sum + term
			lost = (next - sum) - term
			sum = next
		}
	}
	return count, sum
}
