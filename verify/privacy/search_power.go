package privacy

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// searchPower is the power of a design: whether a search and a certificate detect a violation of a known size.
//
// A violation at an event with probability p, and q under the other input, is detected if the search chooses the
// event and the certificate of its counts refutes the claim. Both are evaluated at unlucky counts
// ([confidence.Unlucky]) with the following error probabilities:
//
//   - A search of s rows finds the event if its counts stand out ([distinguisher.Line.StandsOut]). There are two
//     searches on separate samples, each of which misses with probability at most foldMiss. A single search misses
//     with at most oneMiss.
//   - The certificate of n samples fails with probability at most certMiss. The chosen event may differ from the
//     event of the violation and look better in the search, so the certificate must have selectionMargin nats
//     more.
//
// If both searches find the event, the violation is missed only if both certificates fail: with probability at most
// foldMiss² + 2·foldMiss·certMiss + certMiss < 0.01, and oneMiss + certMiss < 0.01 for one search. Given events are
// not searched; they fail with probability at most givenMiss.
type searchPower struct {
	Guarantee  guarantee.Guarantee
	Searches   int // 0 if the events are given
	Scores     int // number of scanned scores
	Pairs      int
	Rows       func(total int64) int64 // search rows for a total of samples per input
	Certifying func(total int64) int64
	// Refutes reports whether a certificate of n samples refutes the claim at counts x and y of an event
	// whose probabilities the search estimates as p and q.
	Refutes func(p, q float64, x, y, n int64) bool
	known   map[float64]largeViolation
}

const (
	selectionMargin = 1.5 // nats of evidence to compensate for selecting the event
	foldMiss        = 0.04
	oneMiss         = 0.002
	certMiss        = 0.0075
	// givenMiss is the error probability for a given event.
	givenMiss = 0.001
)

// Certifies reports whether the certificate detects a violation at a known event.
func (d *searchPower) Certifies(p, q float64, n int64) bool {
	miss := certMiss
	if d.Searches == 0 {
		miss = givenMiss
	}
	x, y := confidence.Unlucky(n, p, q, d.at(p).line.Slope, miss)
	return d.Refutes(p, q, x, y, n)
}

// Finds reports whether the search finds the event of a violation of a statement.
func (d *searchPower) Finds(line distinguisher.Line, p, q float64, rows int64) bool {
	switch {
	case d.Searches == 0:
		return true
	case d.Scores == distinguisher.NotCovered:
		return false
	}
	miss := oneMiss
	if d.Searches > 1 {
		miss = foldMiss
	}
	x, y := confidence.Unlucky(rows, p, q, line.Slope, miss)
	n := float64(rows)
	_, out := line.StandsOut(float64(x), n, float64(y), n, d.Scores*d.Pairs)
	return out
}

// largeViolation is a large violation at an event probability.
type largeViolation struct {
	other float64 // probability under the other input
	ok    bool    // an event of this probability can have a large violation
	line  distinguisher.Line
}

// at returns the large violation at an event probability. It computes each one once.
func (d *searchPower) at(mass float64) largeViolation {
	g, known := d.known[mass]
	if !known {
		g.other, g.ok = d.Guarantee.Large(mass)
		g.line = impliedLine(d.Guarantee, mass)
		if d.known == nil {
			d.known = make(map[float64]largeViolation)
		}
		d.known[mass] = g
	}
	return g
}

// impliedLine returns the implied (ε, δ) statement that a large violation at an event of the given probability
// violates most.
func impliedLine(g guarantee.Guarantee, mass float64) distinguisher.Line {
	epsilon := g.Value()
	if !g.IsApproximate() {
		q, _ := g.Large(mass)
		epsilon = g.Tangent(mass, q)
	}
	return distinguisher.Line{Slope: math.Exp(epsilon), Offset: g.HockeyStick(epsilon)}
}

// detectsLarge reports whether a large violation at an event of probability p is found and certified.
func (d *searchPower) detectsLarge(p float64, total int64) bool {
	g := d.at(p)
	return !g.ok || d.Finds(g.line, p, g.other, d.Rows(total)) && d.Certifies(p, g.other, d.Certifying(total))
}

// massStep is the ratio of successive tested probabilities.
const massStep = math.Sqrt2

// probabilityPrecision is the ratio to which MinProbability is precise.
const probabilityPrecision = 1.05

// DetectsFrom reports whether large violations are detected at an event probability and at all larger ones. It applies
// the same test as a verdict, [searchPower.MinProbability], with the precision of that test as a margin. If it is true
// of a total, the verdict's test therefore also passes at all larger totals.
func (d *searchPower) DetectsFrom(mass float64, total int64) bool {
	least := d.MinProbability(total)
	return least.Set && least.X <= math.Max(mass/probabilityPrecision, d.Guarantee.LargeDelta())*(1+1e-9)
}

// detectsWithin reports whether large violations are detected at all event probabilities in [low, high).
func (d *searchPower) detectsWithin(low, high float64, total int64) bool {
	for mass := low; mass < high; mass *= massStep {
		if !d.detectsLarge(mass, total) {
			return false
		}
	}
	return true
}

// MinProbability returns the smallest event probability m₀ from which large violations are detected, to a relative
// precision of probabilityPrecision. It is unset if there is none.
func (d *searchPower) MinProbability(total int64) verify.Number {
	if !d.detectsLarge(1, total) {
		return verify.Number{}
	}
	low, high := math.Max(d.Guarantee.LargeDelta(), 1/float64(max(total, 1))), 1.0
	if low >= high || d.detectsWithin(low, high, total) {
		return verify.Num(math.Min(low, high))
	}
	for high > probabilityPrecision*low {
		if mid := math.Sqrt(low * high); d.detectsWithin(mid, high, total) { // [high, 1] is already known
			high = mid
		} else {
			low = mid
		}
	}
	return verify.Num(high)
}

// anyDifference is the statement that both inputs have the same output distribution.
var anyDifference = distinguisher.Line{Slope: 1}

// EnoughRows returns the maximum number of search rows per input. It is usual, or the number that suffices to find
// large violations from a probability mass on and the given small one, at most most.
func (d *searchPower) EnoughRows(mass, near, other float64, usual, most int64) int64 {
	need := verify.SmallestSize(usual, func(rows int64) bool {
		for p := mass; p <= 1; p *= massStep {
			if g := d.at(p); g.ok && !d.Finds(g.line, p, g.other, rows) {
				return false
			}
		}
		return d.Finds(anyDifference, near, other, rows)
	})
	if need == 0 || need > most {
		need = most
	}
	return max(usual, need)
}

// Rarer returns a factor u ≥ 1. With probability at most 1 − [verify.TargetPower], a search prefers an event of
// probability p/u to one of probability p with the same privacy loss. The event of probability p has probability q
// under the other input, and each of the pairs draws total samples. The factor is infinite if the search has too
// few rows to distinguish the two events.
//
// Let σ/√(np) be the standard error of the estimated loss of an event of probability p from n samples. The expected
// certified limit is z standard errors below the loss, where z is the 1 − alpha quantile, and the search subtracts
// k standard errors of its r rows. The rarer event therefore loses (z/√n + k/√r)(√u − 1)σ/√p. By chance it gains
// c√(u − 1)σ/√(rp), where c is the quantile of the power, because the two events are nested and differ only in the
// rows between them. The two are equal at √u = (1 + ρ²)/(1 − ρ²) with ρ = c/(z√(r/n) + k).
func (d *searchPower) Rarer(p, q, alpha float64, total, pairs int64) float64 {
	z, c := distuv.UnitNormal.Quantile(1-alpha), distuv.UnitNormal.Quantile(verify.TargetPower)
	// The search moves p and q each by standard errors of its own; the error of the loss combines both.
	of, against := math.Sqrt((1-p)/p), math.Sqrt((1-q)/q)
	k := distinguisher.CountErrors * (of + against) / math.Hypot(of, against)
	rho := c / (z*math.Sqrt(float64(d.Rows(total))/float64(d.Certifying(total)*pairs)) + k)
	if !(rho < 1) {
		return math.Inf(1)
	}
	root := (1 + rho*rho) / (1 - rho*rho)
	return root * root
}

// searchObjective returns the function of an event's counts that a search maximizes: a fast approximation of the
// certified parameter, or for a sequential audit the speed of refutation.
func searchObjective(g guarantee.Guarantee, alpha float64, bets bool) func(x, nx, y, ny float64) float64 {
	if g.IsApproximate() && bets {
		// The growth rate of a bet against the claim increases with the distance from the claim's line
		// in standard deviations.
		e := math.Exp(g.Value())
		return func(x, nx, y, ny float64) float64 {
			p, q := x/nx, y/ny
			return (p - e*q - g.Delta()) / math.Sqrt(p*(1-p)+e*e*q*(1-q)+1/math.Min(nx, ny))
		}
	} else if g.IsApproximate() {
		return confidence.NewEpsilonFast(g.Delta(), alpha).Lower
	}
	z := math.Sqrt(2 * math.Log(4/alpha)) // Gaussian tail bound
	return func(x, nx, y, ny float64) float64 {
		p := (x - z*math.Sqrt(x*(1-x/nx)) - z*z/2) / nx
		q := (y + z*math.Sqrt(y*(1-y/ny)) + z*z/2) / ny
		if !(p > q && q < 1) {
			return p - q
		}
		return g.FromProbabilities(p, q)
	}
}
