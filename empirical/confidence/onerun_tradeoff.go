package confidence

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// TradeOff is the null hypothesis of f-DP: a symmetric, convex trade-off function f.
type TradeOff interface {
	// MinProbability returns the smallest probability, under a neighboring input, of an event whose probability is r
	// in [0, 1]. It is the inverse of 1 − f, convex and increasing, rounded down.
	MinProbability(r float64) float64
}

// GaussianTradeOff is the trade-off function of Gaussian DP with the given μ ≥ 0.
type GaussianTradeOff float64

// MinProbability returns Φ(Φ⁻¹(r) − μ).
func (mu GaussianTradeOff) MinProbability(r float64) float64 {
	if !(r > 0) {
		return 0
	}
	z := mathext.NormalQuantile(math.Min(r, 1-1e-15)) // closer to 1 the quantile is infinite by rounding
	x := z - float64(mu)
	// Both functions have an error of a few roundings, which the tails multiply by about z² and x².
	return math.Erfc(-x/math.Sqrt2) / 2 * (1 - 1e-14*(4+z*z+x*x))
}

// Lines is the trade-off function of all mechanisms that are (ε, δ)-DP at each of these points.
type Lines []Line

// Line is one point (ε, δ) with ε ≥ 0 and 0 ≤ δ ≤ 1.
type Line struct{ Epsilon, Delta float64 }

// MinProbability returns the largest of (r − δ)·e^(−ε), 1 − δ − e^ε·(1 − r) and 0.
func (l Lines) MinProbability(r float64) float64 {
	minimum := 0.0
	for _, line := range l {
		t := math.Exp(line.Epsilon)
		minimum = max(minimum, (r-line.Delta)/t, 1-line.Delta-t*(1-r)-1e-15*t)
	}
	return minimum * (1 - 1e-14)
}

// TradeOffRefuted reports whether every mechanism with this trade-off function, with respect to one canary, makes
// at least Right right guesses with probability below alpha (Mahloujifar, Melis & Chaudhuri 2024, Algorithm 1).
//
// Let W of k guesses on m canaries be right, c = Right, and let A_s be the event W ≥ c − s. A change of one coin
// turns a right guess into a wrong one and keeps the guesses. With r_s = E[W; A_s]/m and h_s = E[k − W; A_s]/m,
// convexity over the canaries gives h_{s+1} ≥ g(r_s) with g = MinProbability. The increments of r and h are W and k
// − W times the same probabilities, hence
//
//	r_{s+1} = r_s + i/(k − i)·(h_{s+1} − h_s),  i = c − s − 1,
//
// from r_0 ≥ αc/m and h_0 ≤ α(k − c)/m. Since i/(k − i) decreases, r_s increases in every h, and lower bounds of h
// give lower bounds of r, including rounding. The mechanism is refuted once r + h, which equals P(A_s)·k/m, exceeds
// k/m. It is not refuted once h stops increasing, so few steps are needed.
//
// With inclusion probability p, guesses of one kind satisfy r_s ≤ p(1 − f(h_{s+1}/(1 − p))), hence g(r) = (1 −
// p)·MinProbability(r/p).
func (g Guesses) TradeOffRefuted(null TradeOff, alpha float64) bool {
	k, c, m := float64(g.Guessed), float64(g.Right), float64(g.Canaries)
	const down = 1 - 1e-15
	r, h := alpha*c/m, alpha*(k-c)/m
	for i := c - 1; i >= 0; i-- {
		next := g.minProbability(null, r)
		if !(next > h) {
			return false
		}
		r = math.Min(1, r+i/(k-i)*(next-h)) * down
		h = next
		if r+h > k/m*(1+1e-12) {
			return true
		}
	}
	return false
}

func (g Guesses) minProbability(null TradeOff, r float64) float64 {
	if g.Chance == 0 {
		return null.MinProbability(r)
	}
	return (1 - g.Chance) * null.MinProbability(math.Min(1, r/g.Chance))
}

// TradeOffP returns a p-value: the smallest alpha at which the trade-off function is refuted, rounded up.
func (g Guesses) TradeOffP(null TradeOff) float64 {
	low, high := -690.0, 0.0 // bracket of log alpha; the upper end is refuted or 0
	for high-low > 1e-9 {
		if middle := (low + high) / 2; g.TradeOffRefuted(null, math.Exp(middle)) {
			high = middle
		} else {
			low = middle
		}
	}
	return math.Min(1, math.Exp(high)*roundedUp)
}

// mostMu is larger than every μ that can be certified.
const maxMu = 60

// MuLower returns a lower confidence bound of μ for a Gaussian-DP mechanism: the largest μ that is refuted at
// alpha, rounded down, or 0 if μ = 0 is not refuted. It does not bound ε for other mechanisms. It returns ErrDomain
// outside the domain of Guesses or unless 0 < alpha < 1.
func (g Guesses) MuLower(alpha float64) (float64, error) {
	if err := g.check(alpha); err != nil {
		return 0, err
	}
	return largest(maxMu, func(mu float64) bool { return g.TradeOffRefuted(GaussianTradeOff(mu), alpha) }), nil
}
