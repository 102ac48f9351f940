package erm_test

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// setSparse is the set of unit vectors with at most sparsity nonzero entries. It is not convex. Only its linear
// oracle, a plain and slow one, is used.
type setSparse struct{ dim, sparsity int }

func (s setSparse) Name() string { return "sparse" }

func (s setSparse) Dim() int { return s.dim }

func (s setSparse) Contains([]float64, float64) bool { panic("not in use") }

func (s setSparse) Project([]float64) { panic("not in use") }

func (s setSparse) Linear(g, dst []float64) {
	order := make([]int, s.dim)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(g[b]), math.Abs(g[a])) })
	v := make([]float64, s.dim)
	for _, i := range order[:s.sparsity] {
		v[i] = -g[i]
	}
	floats.Scale(1/floats.Norm(v, 2), v)
	copy(dst, v)
}

func (s setSparse) MaxNorm() float64 { return 1 }

func (s setSparse) Diameter() float64 { return 2 }
