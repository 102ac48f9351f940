package guarantee

import "math"

// What a sampled audit leaves open is a violation that it could not have seen. Two sizes of
// violations measure it, for an event S of mass p under the input where it is likelier:
//
//   - near: the claimed parameter times a factor, 1.25 unless given. Of a claim of ε = 0 and
//     δ > 0, which no factor enlarges, a total variation of δ₂ (below); of one that allows no
//     difference at all, a privacy loss of 0.1.
//   - gross: one nat of privacy loss more than the claim allows. If the claim allows S no
//     less than q under the other input, S has q/e there. Of a claim with δ > 0 the size is two
//     in δ as well: P(S) ≥ e^{ε+1} Q(S) + δ₂ with δ₂ = min(2δ, (1+δ)/2), so that no
//     such event has a mass below δ₂.

const (
	LargeLoss    = 1    // nats beyond what the claim allows
	nearFromNone = 0.1  // privacy loss that is near a claim of none
	defaultMass  = 0.01 // from which on gross violations are to be seen
)

// Allows is the least probability under the other input that the claim allows to an event
// of mass p in (0, 1]; 0 where it may be impossible there.
func (g Guarantee) Allows(p float64) float64 {
	switch {
	case g.notion == approximateDP:
		return math.Max(0, p-g.delta) * math.Exp(-g.value)
	case g.value == 0:
		return p
	case !(g.FromProbabilities(p, 0) > g.value):
		return 0
	}
	// By halves of the logarithm: q may be e^-ε p. Below the least number there is 0.
	low, high := math.Log(math.SmallestNonzeroFloat64)-1, math.Log(p)
	q := p
	for range 100 {
		mid := low + (high-low)/2
		if x := math.Min(p, math.Exp(mid)); g.FromProbabilities(p, x) > g.value {
			low = mid
		} else {
			high, q = mid, x
		}
	}
	return q
}

// LargeDelta is δ₂ = min(2δ, (1+δ)/2), the δ of a gross violation of an (ε, δ) claim; 0 for
// other notions of privacy. No event of a smaller probability can have a gross violation.
func (g Guarantee) LargeDelta() float64 {
	if g.notion == curveDP {
		points := g.curve.Points()
		return twice(points[len(points)-1].Delta)
	}
	return twice(g.delta)
}

// twice is δ₂ of a δ.
func twice(delta float64) float64 { return math.Min(2*delta, (1+delta)/2) }

// Large is the probability q under the other input of an event that has probability p in (0, 1]
// under the one where it is likelier, and on which the claim is grossly violated: by one nat of
// privacy loss, and with GrossDelta in place of δ. It is not ok where p is below GrossDelta.
func (g Guarantee) Large(p float64) (q float64, ok bool) {
	if g.notion == approximateDP {
		d := g.LargeDelta()
		return (p - d) * math.Exp(-g.value-LargeLoss), p >= d
	}
	if g.notion == curveDP { // of one of its statements, that of which it is the hardest to see
		for _, at := range g.curve.Points() {
			if d := twice(at.Delta); p >= d {
				q, ok = math.Max(q, (p-d)*math.Exp(-at.Epsilon-LargeLoss)), true
			}
		}
		return q, ok
	}
	return g.Allows(p) * math.Exp(-LargeLoss), true
}

// Small is the same for a near violation, by factor > 1 times the claimed parameter; of a claim
// of ε = 0 with δ > 0 by GrossDelta in place of δ, and of one of no loss at all by ε = 0.1. It
// is not ok where an event of probability p cannot have such a violation.
func (g Guarantee) Small(factor, p float64) (q float64, ok bool) {
	switch {
	case g.value == 0 && g.notion == approximateDP && g.delta > 0:
		return p - g.LargeDelta(), p >= g.LargeDelta()
	case g.value == 0:
		return p * math.Exp(-nearFromNone), true
	}
	q = g.With(factor * g.value).Allows(p)
	return q, q > 0
}

// SmallValue is the parameter of a near violation, and its δ.
func (g Guarantee) SmallValue(factor float64) (value, delta float64) {
	switch {
	case g.value > 0:
		return math.Min(factor*g.value, math.MaxFloat64), g.delta
	case g.delta > 0:
		return 0, g.LargeDelta()
	}
	return nearFromNone, 0
}

// WantedProbability is the mass from which gross violations are to be seen unless given: 0.01, and
// every one of them where δ > 0, be the least of them rarer or not; of a curve, of which the last δ is often next
// to none, 0.01 or that of the least.
func (g Guarantee) WantedProbability() float64 {
	d := g.LargeDelta()
	switch {
	case g.notion == curveDP:
		return math.Max(d, defaultMass)
	case d > 0:
		return d
	}
	return defaultMass
}
