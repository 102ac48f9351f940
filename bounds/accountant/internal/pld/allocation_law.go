package pld

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// AllocationLaw is a pair of positive measures by its atoms, in the order of their privacy loss LogP − LogQ. It bounds
// a pair of probability laws by its curve Σ (p − γq)⁺ + Infinite at all γ ≥ 0, rounding included. Composed, it
// bounds their composition. Masses need not sum to one.
type AllocationLaw struct {
	LogP, LogQ []float64 // logarithms of masses, finite
	Infinite   float64   // mass under P of infinite loss, 0 in bounds from below
	// Rounding bounds, relatively, how far masses were moved: by at most as much the laws of both orders differ
	// from one pair.
	Rounding float64
}

// add appends an atom.
func (l *AllocationLaw) add(logP, logQ float64) {
	l.LogP, l.LogQ = append(l.LogP, logP), append(l.LogQ, logQ)
}

// sort puts the atoms into the order of their losses.
func (l *AllocationLaw) sort() *AllocationLaw {
	order := make([]int, len(l.LogP))
	for i := range order {
		order[i] = i
	}
	loss := func(i int) float64 { return l.LogP[i] - l.LogQ[i] }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(loss(i), loss(j)) })
	sorted := &AllocationLaw{Infinite: l.Infinite, Rounding: l.Rounding}
	for _, i := range order {
		sorted.add(l.LogP[i], l.LogQ[i])
	}
	return sorted
}

// LogDelta returns the logarithm of the law's δ at a finite ε, at most 0. Its own rounding is some 1e-15 of the
// mass of losses above ε.
func (l *AllocationLaw) LogDelta(epsilon float64) float64 {
	top := math.Log(l.Infinite)
	terms := []float64{top}
	for i := len(l.LogP) - 1; i >= 0; i-- {
		d := epsilon - (l.LogP[i] - l.LogQ[i])
		if d >= 0 {
			break
		}
		v := l.LogP[i] + numeric.Log1mExp(d)
		terms = append(terms, v)
		top = math.Max(top, v)
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range terms {
		sum += math.Exp(v - top)
	}
	return math.Min(0, top+math.Log(sum))
}

// Epsilon returns the least ε ≥ 0 at which the law's δ is at most e^logDelta, to the last digits; +Inf if there
// is none.
func (l *AllocationLaw) Epsilon(logDelta float64) float64 {
	n := len(l.LogP)
	if n == 0 || l.LogDelta(0) <= logDelta {
		return 0
	}
	lo, hi := 0.0, l.LogP[n-1]-l.LogQ[n-1]
	if !(l.LogDelta(hi) <= logDelta) {
		return math.Inf(1)
	}
	for range 80 {
		if mid := (lo + hi) / 2; l.LogDelta(mid) <= logDelta {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
