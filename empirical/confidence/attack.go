package confidence

import (
	"fmt"
	"math"
	"sort"
)

// An Attack has the counts of an event that was fixed before the outputs were seen, by which an attacker tells two
// neighbouring inputs apart: it happened in Hits of Runs independent releases of one input, and in FalseHits of
// OtherRuns of the other.
//
// What it shows of a trade-off function f is Buehler's (1957) limit, as that of [EpsilonLower] is: outcomes are put
// in one fixed order, by an approximate limit, and the limit of the observed one is the value below which every
// pair of probabilities (p, q) that f allows gives the outcomes that rank at least as high a probability of at
// most alpha. What f allows is all of p ≤ 1 − f(q): of a symmetric f that are both orders of the inputs, on the event
// and on its complement, at one alpha.
type Attack struct {
	Hits      int64 `json:"hits"`
	Runs      int64 `json:"runs"`
	FalseHits int64 `json:"false_hits"`
	OtherRuns int64 `json:"other_runs"`
}

func (a Attack) check(alpha float64) error {
	switch {
	case !validCounts(a.Hits, a.Runs, a.FalseHits, a.OtherRuns):
		return fmt.Errorf("an event in %d of %d runs and in %d of %d: need 0 ≤ event ≤ runs, and a run of either: %w",
			a.Hits, a.Runs, a.FalseHits, a.OtherRuns, ErrDomain)
	case !(alpha >= leastAlpha && alpha < 1):
		return fmt.Errorf("alpha = %v: need %v ≤ alpha < 1: %w", alpha, leastAlpha, ErrDomain)
	}
	return nil
}

// EpsilonLower is the largest ε of which the counts refute (ε, delta)-DP, rounded down; 0 where there is none: with
// probability at least 1 − alpha the true one is not below it. 0 ≤ delta ≤ 1; 1e-300 ≤ alpha < 1.
func (a Attack) EpsilonLower(delta, alpha float64) (float64, error) {
	if !(delta >= 0 && delta <= 1) {
		return 0, fmt.Errorf("delta = %v: need 0 ≤ delta ≤ 1: %w", delta, ErrDomain)
	}
	return a.lower(approximateChain(delta), alpha)
}

// MuLower is the same of the μ of Gaussian privacy. It is no bound of the ε of other mechanisms.
func (a Attack) MuLower(alpha float64) (float64, error) { return a.lower(gaussianChain, alpha) }

// TradeOffRefuted tells whether the counts refute a trade-off function: one that keeps it gives them with
// probability at most alpha. Not for arguments outside their domain.
func (a Attack) TradeOffRefuted(null TradeOff, alpha float64) bool {
	if a.check(alpha) != nil {
		return false
	}
	of := gaussianChain
	if l, ok := null.(Lines); ok && len(l) == 1 {
		of = approximateChain(l[0].Delta)
	}
	region := a.region(of, alpha)
	return region != nil && region.rare(null, alpha)
}

func (a Attack) lower(of chain, alpha float64) (float64, error) {
	if err := a.check(alpha); err != nil {
		return 0, err
	}
	region := a.region(of, alpha)
	if region == nil {
		return 0, nil
	}
	return largestWithin(coarse, of.most, func(value float64) bool { return region.rare(of.at(value), alpha) }), nil
}

// coarse is how near to the limit it is told: each step towards it looks at more of the boundary.
const coarse = 1e-5

// chain is a family of trade-off functions of which each allows what those of smaller values do.
type chain struct {
	at   func(value float64) TradeOff
	most float64
}

var gaussianChain = chain{func(mu float64) TradeOff { return GaussianTradeOff(mu) }, mostMu}

func approximateChain(delta float64) chain {
	return chain{func(epsilon float64) TradeOff { return Lines{{epsilon, delta}} }, mostEpsilon}
}

// distance is the least half deviance of the counts from what a trade-off function allows; 0 where it allows
// their shares. Along the boundary it is convex in p from 0 up to the share: n₁ kl falls in p, and n₂ kl is convex
// and rises in q, which is convex in p. Any other value would cost power alone.
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

// goldenLeast is the least value of a function of one valley, by the golden section.
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

// attackRegion are outcomes that rank at least as high as the observed one: of each count y of the false hits, from
// the first on, those with at least so many hits. It grows in the hits and falls in the false ones.
type attackRegion struct {
	n1, n2 float64
	first  float64
	least  []float64
	box    jointBox
}

// rankSlack keeps the observed outcome, and all that rank as high but for rounding, among those of its region.
const rankSlack = 1e-9

// region of the observed outcome; nil where it is no evidence against any of the chain.
func (a Attack) region(of chain, alpha float64) *attackRegion {
	observed := countPair{float64(a.Hits), float64(a.Runs), float64(a.FalseHits), float64(a.OtherRuns)}
	if a.Hits == 0 || a.FalseHits == a.OtherRuns {
		return nil
	}
	half, shifted := orderHalf(alpha), observed.shifted()
	value, nearest := 0.0, shifted.distance(of.at(0))
	switch {
	case !(nearest > 0):
		return nil
	case nearest < half: // outcomes that reach nothing rank by how far they are from the least
		half = nearest
	default:
		value = largest(of.most, func(v float64) bool { return shifted.distance(of.at(v)) >= half })
	}
	null := of.at(value)
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
			x = math.Min(x, observed.x) // which ranks as itself
		}
		g.least = append(g.least, x)
	}
	for i := len(g.least) - 2; i >= 0; i-- { // rounding must not let it fall
		g.least[i] = math.Min(g.least[i], g.least[i+1])
	}
	return g
}

// leastFrom is the least x ≥ from at which a property holds that is kept as x grows; n + 1 where it never does.
func leastFrom(from, n float64, holds func(float64) bool) float64 {
	step := 1.0
	low := from // all below do not have it
	for x := from; x <= n; x += step {
		if holds(x) {
			return low + float64(sort.Search(int(x-low), func(i int) bool { return holds(low + float64(i)) }))
		}
		low = x + 1
		step *= 2
		if x < n && x+step > n {
			step = n - x
		}
	}
	return n + 1
}
