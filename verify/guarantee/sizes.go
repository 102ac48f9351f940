package guarantee

import "math"

// A sampled audit states which violations it had the power to detect. Two sizes of violations are defined, for an
// event S with probability p under the input where it is more likely:
//
//   - small: the claimed parameter times a factor, by default 1.25. For a claim with ε = 0 and δ > 0, which no
//     factor enlarges, it is a total variation of δ₂ (below). For a claim that permits no difference at all, it is
//     a privacy loss of 0.1.
//   - large: a privacy loss 1 nat above the claim. If the claim requires a probability of at least q under the
//     other input, S has probability q/e there. For a claim with δ > 0, δ increases as well: P(S) ≥ e^{ε+1} Q(S) +
//     δ₂ with δ₂ = min(2δ, (1+δ)/2). No such event has a probability below δ₂.

const (
	LargeLoss          = 1    // excess of a large violation over the claim, in nats
	smallLoss          = 0.1  // privacy loss of a small violation of a claim of no loss
	defaultProbability = 0.01 // default minimum event probability for large violations
)

// Allows returns the smallest probability under the other input that the claim permits for an event of probability
// p in (0, 1]. It is 0 if the event may be impossible there.
func (g Guarantee) Allows(p float64) float64 {
	switch {
	case g.notion == approximateDP:
		return math.Max(0, p-g.delta) * math.Exp(-g.value)
	case g.value == 0:
		return p
	case !(g.FromProbabilities(p, 0) > g.value):
		return 0
	}
	// Bisect the logarithm of q, because q may be as small as e^-ε p. Below the smallest positive number, q
	// is 0.
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

// LargeDelta returns δ₂ = min(2δ, (1+δ)/2), the δ of a large violation of an (ε, δ) claim, and 0 for other privacy
// definitions. No event with a smaller probability can have a large violation. For a curve it uses the last δ.
func (g Guarantee) LargeDelta() float64 {
	if g.notion == curveDP {
		points := g.curve.Points()
		return largeDelta(points[len(points)-1].Delta)
	}
	return largeDelta(g.delta)
}

// largeDelta returns δ₂ for δ.
func largeDelta(delta float64) float64 { return math.Min(2*delta, (1+delta)/2) }

// Large returns the probability q under the other input of an event with probability p in (0, 1] that violates the
// claim by the large size: 1 nat of privacy loss, with LargeDelta in place of δ. It returns ok = false if p is
// below LargeDelta.
func (g Guarantee) Large(p float64) (q float64, ok bool) {
	if g.notion == approximateDP {
		d := g.LargeDelta()
		return (p - d) * math.Exp(-g.value-LargeLoss), p >= d
	}
	if g.notion == curveDP { // use the statement of the curve for which the violation is hardest to detect
		for _, at := range g.curve.Points() {
			if d := largeDelta(at.Delta); p >= d {
				q, ok = math.Max(q, (p-d)*math.Exp(-at.Epsilon-LargeLoss)), true
			}
		}
		return q, ok
	}
	return g.Allows(p) * math.Exp(-LargeLoss), true
}

// Small returns the probability q under the other input of an event with probability p that violates the claim by
// the small size: factor > 1 times the claimed parameter. For ε = 0 and δ > 0 it is LargeDelta in place of δ, for a
// claim of no loss ε = 0.1. It returns ok = false if an event of probability p cannot have such a violation.
func (g Guarantee) Small(factor, p float64) (q float64, ok bool) {
	switch {
	case g.value == 0 && g.notion == approximateDP && g.delta > 0:
		return p - g.LargeDelta(), p >= g.LargeDelta()
	case g.value == 0:
		return p * math.Exp(-smallLoss), true
	}
	q = g.With(factor * g.value).Allows(p)
	return q, q > 0
}

// SmallValue returns the parameter and the δ of a small violation.
func (g Guarantee) SmallValue(factor float64) (value, delta float64) {
	switch {
	case g.value > 0:
		return math.Min(factor*g.value, math.MaxFloat64), g.delta
	case g.delta > 0:
		return 0, g.LargeDelta()
	}
	return smallLoss, 0
}

// WantedProbability returns the default smallest event probability at which a test should detect large violations:
// 0.01 for δ = 0. For δ > 0 it is the smallest probability at which a large violation is possible. For a curve,
// whose last δ is often near 0, it is the maximum of both.
func (g Guarantee) WantedProbability() float64 {
	d := g.LargeDelta()
	switch {
	case g.notion == curveDP:
		return math.Max(d, defaultProbability)
	case d > 0:
		return d
	}
	return defaultProbability
}
