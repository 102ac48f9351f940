package pld

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// AllocationLaw is a pair of positive measures, given by atoms in increasing order of their privacy loss LogP − LogQ.
// Its curve Σ (p − γq)⁺ + Infinite bounds the curve of a pair of probability distributions at all γ ≥ 0, including
// rounding. Compositions bound the composition. The measures need not have total one.
type AllocationLaw struct {
	LogP, LogQ []float64 // logarithms of probabilities, finite
	Infinite   float64   // probability of infinite loss under P, 0 in lower bounds
	// Rounding bounds the relative change of probabilities. The distributions of both orders differ from one pair by at
	// most this.
	Rounding float64
}

// add appends an atom.
func (l *AllocationLaw) add(logP, logQ float64) {
	l.LogP, l.LogQ = append(l.LogP, logP), append(l.LogQ, logQ)
}

// sort returns the atoms in increasing order of loss.
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

// LogDelta returns log δ at a finite ε, at most 0. Its rounding error is about 1e-15 times the probability of losses
// above ε.
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

// Epsilon returns the smallest ε ≥ 0 at which δ is at most e^logDelta, to full precision, or +Inf if there is none.
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
