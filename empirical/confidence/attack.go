package confidence

import (
	"fmt"
	"math"
)

// Attack holds the counts of an event with which an attacker distinguishes two neighboring inputs. The event must
// be fixed before the outputs are observed. It occurred in Hits of Runs independent releases for one input, and in
// FalseHits of OtherRuns releases for the other input.
//
// The limits are Buehler's (1957), as for [EpsilonLower]. Outcomes are ranked in one fixed order, by an approximate
// limit. The limit of the observed outcome is the value below which every pair (p, q) that the trade-off function f
// permits gives a probability of at most alpha to the outcomes that rank at least as high. f permits all pairs with
// p ≤ 1 − f(q). For a symmetric f these include both orders of the inputs, for the event and its complement, at one
// alpha.
type Attack struct {
	Hits      int64 `json:"hits"`
	Runs      int64 `json:"runs"`
	FalseHits int64 `json:"false_hits"`
	OtherRuns int64 `json:"other_runs"`
}

func (a Attack) check(alpha float64) error {
	switch {
	case !validCounts(a.Hits, a.Runs, a.FalseHits, a.OtherRuns):
		return fmt.Errorf("an event in %d of %d runs and in %d of %d: need 0 ≤ event ≤ runs and "+
			"at least one run for each input: %w",
			a.Hits, a.Runs, a.FalseHits, a.OtherRuns, ErrDomain)
	case !(alpha >= leastAlpha && alpha < 1):
		return fmt.Errorf("alpha = %v: need %v ≤ alpha < 1: %w", alpha, leastAlpha, ErrDomain)
	}
	return nil
}

// EpsilonLower returns the largest ε at which the counts refute (ε, delta)-DP, rounded down, or 0 if there is none.
// With probability at least 1 − alpha it does not exceed the true ε. It requires 0 ≤ delta ≤ 1 and 1e-300 ≤ alpha <
// 1, and returns ErrDomain otherwise.
func (a Attack) EpsilonLower(delta, alpha float64) (float64, error) {
	if !(delta >= 0 && delta <= 1) {
		return 0, fmt.Errorf("delta = %v: need 0 ≤ delta ≤ 1: %w", delta, ErrDomain)
	}
	return a.lower(approximateChain(delta), alpha)
}

// MuLower returns the largest μ at which the counts refute μ-Gaussian DP. It does not bound ε for other mechanisms.
func (a Attack) MuLower(alpha float64) (float64, error) { return a.lower(gaussianChain, alpha) }

// TradeOffRefuted reports whether the counts refute a trade-off function. If the function holds, this occurs with
// probability at most alpha. The result is false for arguments outside their domain.
func (a Attack) TradeOffRefuted(null TradeOff, alpha float64) bool {
	if a.check(alpha) != nil {
		return false
	}
	family := gaussianChain
	if l, ok := null.(Lines); ok && len(l) == 1 {
		family = approximateChain(l[0].Delta)
	}
	region := a.region(family, alpha)
	return region != nil && region.rare(null, alpha)
}

func (a Attack) lower(family tradeOffFamily, alpha float64) (float64, error) {
	if err := a.check(alpha); err != nil {
		return 0, err
	}
	region := a.region(family, alpha)
	if region == nil {
		return 0, nil
	}
	refuted := func(value float64) bool { return region.rare(family.member(value), alpha) }
	return largestWithin(limitTolerance, family.maxValue, refuted), nil
}

// coarse is the relative tolerance of the limit. A smaller tolerance inspects more pieces of the boundary.
const limitTolerance = 1e-5

// chain is a family of trade-off functions. A function permits everything that functions with smaller values
// permit.
type tradeOffFamily struct {
	member   func(value float64) TradeOff
	maxValue float64
}

var gaussianChain = tradeOffFamily{func(mu float64) TradeOff { return GaussianTradeOff(mu) }, maxMu}

func approximateChain(delta float64) tradeOffFamily {
	return tradeOffFamily{func(epsilon float64) TradeOff { return Lines{{epsilon, delta}} }, maxEpsilon}
}

// distance returns the smallest half deviance of the counts from the pairs that a trade-off function permits, or 0
// if the function permits the observed shares. Along the boundary the half deviance is convex in p from 0 up to the
// share: n₁ kl decreases in p, and n₂ kl is convex and increasing in q, which is convex in p. An inexact minimum
// only loses power.
func (c countPair) distance(null TradeOff) float64 {
	share, other := c.x/c.n1, c.y/c.n2
	if !(null.MinProbability(share) > other) {
		return 0
	}
	at := func(logit float64) float64 {
		p := expit(logit)
		d := PoissonDeviance(c.x, c.n1*p) + PoissonDeviance(c.n1-c.x, c.n1*expit(-logit))
		if q := null.MinProbability(p); q > other {
			d += PoissonDeviance(c.y, c.n2*q) + PoissonDeviance(c.n2-c.y, c.n2*(1-q))
		}
		return d
	}
	const widest, steps = 60, 50
	high := math.Log(c.x / (c.n1 - c.x))
	return goldenLeast(high-widest, high, steps, at)
}

// goldenLeast returns the smallest value of a unimodal function by golden-section search.
func goldenLeast(low, high float64, steps int, at func(float64) float64) float64 {
	const ratio = 0.6180339887498949
	left, right := high-ratio*(high-low), low+ratio*(high-low)
	atLeft, atRight := at(left), at(right)
	for range steps {
		if atLeft < atRight {
			high, right, atRight = right, left, atLeft
			left = high - ratio*(high-low)
			atLeft = at(left)
		} else {
			low, left, atLeft = left, right, atRight
			right = low + ratio*(high-low)
			atRight = at(right)
		}
	}
	return math.Min(atLeft, atRight)
}

// attackRegion is the set of outcomes that rank at least as high as the observed one. For each count y of false
// hits, starting at first, it contains the outcomes with at least least[y−first] hits. An outcome in the region
// stays in it with more hits or fewer false hits.
type attackRegion struct {
	n1, n2     float64
	first      float64
	thresholds []float64
	box        jointBox
}

// rankSlack keeps the observed outcome, and all outcomes that rank equally high up to rounding, in the region.
const rankSlack = 1e-9

// region returns the region of the observed outcome, or nil if the outcome is not evidence against any member of
// the family.
func (a Attack) region(family tradeOffFamily, alpha float64) *attackRegion {
	observed := countPair{float64(a.Hits), float64(a.Runs), float64(a.FalseHits), float64(a.OtherRuns)}
	if a.Hits == 0 || a.FalseHits == a.OtherRuns {
		return nil
	}
	half, shifted := orderHalf(alpha), observed.shifted()
	value, nearest := 0.0, shifted.distance(family.member(0))
	switch {
	case !(nearest > 0):
		return nil
	case nearest < half: // rank outcomes that refute no member by their distance from the smallest one
		half = nearest
	default:
		value = largest(family.maxValue, func(v float64) bool { return shifted.distance(family.member(v)) >= half })
	}
	null := family.member(value)
	gamma := gammaShare * alpha
	g := &attackRegion{n1: observed.n1, n2: observed.n2, box: newJointBox(a.Hits, a.Runs, a.FalseHits, a.OtherRuns, gamma)}
	from, _ := BinomialRange(a.OtherRuns, g.box.qLow, gamma)
	_, to := BinomialRange(a.OtherRuns, g.box.qHigh, gamma)
	g.first = float64(from)
	ranks := func(x, y float64) bool {
		c := countPair{x, g.n1, y, g.n2}
		return x == observed.x && y == observed.y || c.shifted().distance(null) >= half*(1-rankSlack)
	}
	x := 0.0
	for y := from; y <= to; y++ {
		x = leastFrom(x, g.n1, func(x float64) bool { return ranks(x, float64(y)) })
		if y == a.FalseHits {
			x = math.Min(x, observed.x) // the observed outcome ranks as high as itself
		}
		g.thresholds = append(g.thresholds, x)
	}
	for i := len(g.thresholds) - 2; i >= 0; i-- { // correct decreases caused by rounding
		g.thresholds[i] = math.Min(g.thresholds[i], g.thresholds[i+1])
	}
	return g
}

// leastFrom returns the smallest x ≥ from at which a monotone property holds, or n + 1 if it never does.
func leastFrom(from, n float64, holds func(float64) bool) float64 {
	step := 1.0
	low := from // the property does not hold below low
	for x := from; x <= n; x += step {
		if holds(x) {
			return low + float64(searchCount(int64(x-low), func(i int64) bool { return holds(low + float64(i)) }))
		}
		low = x + 1
		step *= 2
		if x < n && x+step > n {
			step = n - x
		}
	}
	return n + 1
}
