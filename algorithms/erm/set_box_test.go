package erm_test

import (
	"math"
	"math/rand/v2"
	"slices"
)

// setBox is [-1, 1]^dim. It shows what a new set needs: this file and a row in setRows.
type setBox struct{ dim int }

func (b setBox) Name() string { return "box" }

func (b setBox) Dim() int { return b.dim }

func (b setBox) Contains(w []float64, tol float64) bool {
	return len(w) == b.dim && !slices.ContainsFunc(w, func(v float64) bool { return !(math.Abs(v) <= 1+tol) })
}

func (b setBox) Project(w []float64) {
	bad := b.notFinite(w)
	for i, v := range w {
		w[i] = min(max(v, -1), 1) + bad
	}
}

func (b setBox) Linear(g, dst []float64) {
	bad := b.notFinite(g)
	for i, v := range g {
		dst[i] = math.Copysign(1, -v) + bad
	}
}

func (b setBox) MaxNorm() float64 { return math.Sqrt(float64(b.dim)) }

func (b setBox) Diameter() float64 { return 2 * b.MaxNorm() }

// notFinite returns NaN if an entry is NaN or infinite, else 0.
func (b setBox) notFinite(w []float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += 0 * v
	}
	return sum
}

func setBoxRow(dim int) setRow {
	return setRow{"the newcomer's", setBox{dim}, func(r *rand.Rand) []float64 {
		corner := make([]float64, dim)
		for i := range corner {
			corner[i] = float64(2*r.IntN(2) - 1)
		}
		return corner
	}}
}
