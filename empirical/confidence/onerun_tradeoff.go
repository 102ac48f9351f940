package confidence

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// A TradeOff is the null hypothesis of f-DP: a symmetric, convex trade-off function f.
type TradeOff interface {
	// MinProbability is the least probability, under a neighbouring input, of an event of probability r, in [0, 1]: the
	// inverse
	// of 1 − f, convex and rising, rounded down.
	MinProbability(r float64) float64
}

// GaussianTradeOff is that of Gaussian privacy with this μ ≥ 0.
type GaussianTradeOff float64

// MinProbability is Φ(Φ⁻¹(r) − μ).
func (mu GaussianTradeOff) MinProbability(r float64) float64 {
	if !(r > 0) {
		return 0
	}
	z := mathext.NormalQuantile(math.Min(r, 1-1e-15)) // what is nearer to 1 by rounding has no quantile
	x := z - float64(mu)
	// Both functions are within some roundings, of which the tails make a relative z² and x².
	return math.Erfc(-x/math.Sqrt2) / 2 * (1 - 1e-14*(4+z*z+x*x))
}

// Lines are the trade-off function of all that is (ε, δ)-DP at every one of these.
type Lines []Line

// Line is one (ε, δ), ε ≥ 0, 0 ≤ δ ≤ 1.
type Line struct{ Epsilon, Delta float64 }

// MinProbability is the largest of (r − δ)·e^(−ε), 1 − δ − e^ε·(1 − r) and 0.
func (l Lines) MinProbability(r float64) float64 {
	least := 0.0
	for _, at := range l {
		t := math.Exp(at.Epsilon)
		least = max(least, (r-at.Delta)/t, 1-at.Delta-t*(1-r)-1e-15*t)
	}
	return least * (1 - 1e-14)
}

// TradeOffRefuted tells whether every mechanism with this trade-off function, for one canary more or less, makes
// so many right guesses with probability below alpha (Mahloujifar, Melis & Chaudhuri 2024, Algorithm 1).
//
// Let W be right of k guesses on m canaries, c = Right, and A_s the event W ≥ c − s. Changing one coin makes a right
// guess a wrong one and leaves what was guessed: so, for r_s = E[W; A_s]/m and h_s = E[k − W; A_s]/m, h_{s+1} ≥
// g(r_s) with g = Least, by its convexity over the canaries. The two grow by W and by k − W times the same
// masses, hence
//
//	r_{s+1} = r_s + i/(k − i)·(h_{s+1} − h_s),  i = c − s − 1,
//
// from r_0 ≥ αc/m and h_0 ≤ α(k − c)/m. As i/(k − i) falls, r_s rises in every h, so that
// lower bounds of h give lower bounds of r, rounding included. The mechanism is refuted once r + h, which
// is P(A_s)·k/m, exceeds k/m; it is not from where h stands still, so that few of the steps are needed.
//
// With a chance p the guesses of one kind have r_s ≤ p(1 − f(h_{s+1}/(1 − p))), hence g(r) = (1 − p)·Least(r/p).
func (g Guesses) TradeOffRefuted(null TradeOff, alpha float64) bool {
	k, c, m := float64(g.Guessed), float64(g.Right), float64(g.Canaries)
	const down = 1 - 1e-15
	r, h := alpha*c/m, alpha*(k-c)/m
	for i := c - 1; i >= 0; i-- {
		next := g.least(null, r)
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

func (g Guesses) least(null TradeOff, r float64) float64 {
	if g.Chance == 0 {
		return null.MinProbability(r)
	}
	return (1 - g.Chance) * null.MinProbability(math.Min(1, r/g.Chance))
}

// TradeOffP is the least alpha at which the trade-off function is refuted, rounded up: a p-value.
func (g Guesses) TradeOffP(null TradeOff) float64 {
	least, most := -690.0, 0.0 // of log alpha: the second is refuted, or 1
	for most-least > 1e-9 {
		if middle := (least + most) / 2; g.TradeOffRefuted(null, math.Exp(middle)) {
			most = middle
		} else {
			least = middle
		}
	}
	return math.Min(1, math.Exp(most)*roundedUp)
}

// mostMu is beyond every μ that is certified.
const mostMu = 60

// MuLower is the largest μ that is refuted at alpha, rounded down: a lower confidence bound of the μ
// of mechanisms whose privacy is Gaussian. It is no bound of the ε of others. 0 where even μ = 0 is not
// refuted.
func (g Guesses) MuLower(alpha float64) (float64, error) {
	if err := g.check(alpha); err != nil {
		return 0, err
	}
	return largest(mostMu, func(mu float64) bool { return g.TradeOffRefuted(GaussianTradeOff(mu), alpha) }), nil
}
