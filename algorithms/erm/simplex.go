package erm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Simplex is {w : w ≥ 0, Σw = scale}, the convex hull of the points scale·e_j.
type Simplex struct {
	dim   int
	scale float64
}

// NewSimplex returns the simplex in dim ≥ 1 dimensions with scale in [1e-100, 1e100]. Other values give an error
// that wraps mechanism.ErrDomain.
func NewSimplex(dim int, scale float64) (Simplex, error) {
	if err := checkSize("simplex", dim, scale); err != nil {
		return Simplex{}, err
	}
	return Simplex{dim: dim, scale: scale}, nil
}

// Name returns simplex(dim, scale).
func (s Simplex) Name() string { return fmt.Sprintf("simplex(dim=%d, scale=%g)", s.dim, s.scale) }

// Dim returns the dimension of the space. The simplex itself has one dimension less.
func (s Simplex) Dim() int { return s.dim }

// Contains reports whether every entry is at least -tol and |Σw - scale| ≤ tol.
func (s Simplex) Contains(w []float64, tol float64) bool {
	return isVector(w, s.dim) && floats.Min(w) >= -tol && math.Abs(floats.Sum(w)-s.scale) <= tol
}

// Project subtracts a common amount from all entries and cuts at 0 (Duchi et al. 2008, Fig. 1).
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

// Linear writes the vertex scale·e_j to dst, where j is the first index of the smallest g_j.
func (s Simplex) Linear(g, dst []float64) {
	if !finite(g) {
		fillNaN(dst)
		return
	}
	onlyEntry(dst, floats.MinIdx(g), s.scale)
}

// MaxNorm returns the scale.
func (s Simplex) MaxNorm() float64 { return s.scale }

// Diameter returns √2·scale, the length of an edge; 0 in one dimension.
func (s Simplex) Diameter() float64 {
	if s.dim == 1 {
		return 0
	}
	return math.Sqrt2 * s.scale
}

// GaussianWidth returns scale·E max g_i.
func (s Simplex) GaussianWidth() float64 { return s.scale * meanMax(s.dim) }

// key selects the part of an entry to which a water level applies: the value or its magnitude.
type key uint64

const (
	value     key = math.MaxUint64
	magnitude key = math.MaxInt64 // all bits but the sign
)

func (k key) part(v float64) float64 { return math.Float64frombits(math.Float64bits(v) & uint64(k)) }

// sign returns the sign bit that the key removed from v, as ±0. It returns +0 for the key value.
func (k key) sign(v float64) float64 { return math.Float64frombits(math.Float64bits(v) &^ uint64(k)) }

// waterLevel returns top, the largest key, and the level t in (0, total] with Σ max(key(w_i) - top + t, 0) =
// total. Relative to top, all terms of the sum have one sign, so neither huge entries nor a tiny total lose
// digits.
//
// The sum is convex, increasing and piecewise linear in t. Newton's step from above stays above the root, and is
// exact once no entry leaves the sum (Michelot 1986). A bisection after each step bounds the number of passes by
// the digits of t; Newton's steps without it may need as many passes as there are entries.
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

// largest returns the largest key, or NaN if one key is NaN.
func largest(w []float64, k key) float64 {
	top := math.Inf(-1)
	for _, v := range w {
		top = max(top, k.part(v))
	}
	return top
}

// above returns the number of keys above top - level and the sum of their differences from top, which are at most
// 0. The sum uses Kahan's compensation.
func above(w []float64, top, level float64, k key) (count int, sum float64) {
	lost := 0.0
	for _, v := range w {
		if below := k.part(v) - top; below > -level {
			count++
			term := below - lost
			next := sum + term
			lost = (next - sum) - term
			sum = next
		}
	}
	return count, sum
}
