package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Guarantee is an (ε, δ) guarantee and the number of composed mechanisms that have it.
type Guarantee struct {
	Epsilon, Delta float64
	Count          float64
}

// These are closed-form composition theorems. Each function returns an upper bound of ε at a total δ, or +Inf if delta
// does not exceed the sum of the mechanisms' δ. The exact results are OptimalComposition and HeterogeneousComposition.

// BasicComposition returns Σεᵢ if delta ≥ Σδᵢ (Dwork et al. 2006).
func BasicComposition(parts []Guarantee, delta float64) float64 {
	eps, lost := 0.0, 0.0
	for _, g := range parts {
		eps += g.Count * g.Epsilon
		lost += g.Count * g.Delta
	}
	if !(delta >= lost) {
		return math.Inf(1)
	}
	return eps
}

// AdvancedComposition returns √(2 log(1/δ′) Σεᵢ²) + Σεᵢ(e^εᵢ − 1) at delta = δ′ + Σδᵢ (Dwork, Rothblum & Vadhan 2010,
// Theorem III.3; the same proof covers unequal ε).
func AdvancedComposition(parts []Guarantee, delta float64) float64 {
	square, drift, lost := 0.0, 0.0, 0.0
	for _, g := range parts {
		square += g.Count * g.Epsilon * g.Epsilon
		drift += g.Count * g.Epsilon * math.Expm1(g.Epsilon)
		lost += g.Count * g.Delta
	}
	rest := delta
	if lost > 0 {
		rest = (delta-lost)*(1-4*unit) - 8*unit*lost
	}
	if !(rest > 0) {
		return math.Inf(1)
	}
	return math.Sqrt(math.Max(0, -2*math.Log(rest)*square)) + drift
}

// AdvancedCompositionKOV returns the minimum of three bounds: Σεᵢ; Σ εᵢ·tanh(εᵢ/2) + √(2 Σεᵢ² · log(1/δ̃)); and the
// second bound with log(e + √Σεᵢ²/δ̃) as the logarithm. δ̃ satisfies 1 − delta = (1 − δ̃) Π(1 − δᵢ) (Kairouz, Oh &
// Viswanath 2015, Theorems 3.4 and 3.5).
func AdvancedCompositionKOV(parts []Guarantee, delta float64) float64 {
	sum, square, drift, logKept := 0.0, 0.0, 0.0, 0.0
	for _, g := range parts {
		sum += g.Count * g.Epsilon
		square += g.Count * g.Epsilon * g.Epsilon
		drift += g.Count * g.Epsilon * math.Tanh(g.Epsilon/2)
		logKept += g.Count * math.Log1p(-g.Delta)
	}
	rest := -math.Expm1(math.Log1p(-delta) - logKept)
	if logKept != 0 && delta < 1 {
		rest += 8 * unit * (math.Log1p(-delta) + logKept) // both logarithms are negative
	}
	switch {
	case rest < 0 || math.IsNaN(rest):
		return math.Inf(1)
	case rest == 0:
		return sum
	}
	plain := drift + math.Sqrt(math.Max(0, -2*square*math.Log(rest)))
	shifted := drift + math.Sqrt(2*square*math.Log(math.E+math.Sqrt(square)/rest))
	return math.Min(sum, math.Min(plain, shifted))
}

// guarantees returns the (ε, δ) of a profile's terms for these theorems. ok is false if a term has none.
func (p *profile) guarantees() (parts []Guarantee, ok bool) {
	for _, t := range p.terms {
		g := Guarantee{Epsilon: pureEpsilon(t.leaf), Count: t.count}
		if t.kind == event.KindApproximate {
			g.Delta = t.b
		}
		if math.IsInf(g.Epsilon, 1) {
			return nil, false
		}
		parts = append(parts, g)
	}
	return parts, true
}

// optimal returns functions that compute the exact composition of the terms' guarantees.
func (p *profile) optimal() (epsilonAt, deltaAt func(float64) (Bracket, error), err error) {
	parts, ok := p.guarantees()
	if !ok {
		return nil, nil, ErrNotApplicable
	}
	if len(parts) == 1 && parts[0].Epsilon > 0 {
		o := OptimalComposition{parts[0].Epsilon, parts[0].Delta, int64(math.Min(parts[0].Count, maxKOV+1))}
		if err := o.validate(); err != nil {
			return nil, nil, err
		}
		return o.Epsilon, o.Delta, nil
	}
	counts, logKept := map[float64]float64{}, 0.0
	for _, g := range parts {
		counts[g.Epsilon] += g.Count
		logKept += g.Count * math.Log1p(-g.Delta)
	}
	h, err := enumerateComposition(counts, logKept)
	if err != nil {
		return nil, nil, err
	}
	return h.Epsilon, h.Delta, nil
}
