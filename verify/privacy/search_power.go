package privacy

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// searchPower is the power of a design: whether a violation of a known size is detected by a search and
// a certificate of so many samples.
//
// A violation at an event of mass p, of probability q under the other input, is seen if the
// search chooses the event and the certificate of its counts refutes the claim. Both are put
// to counts that are as unlucky as the errors below allow ([confidence.Unlucky]):
//
//   - A search of s rows finds the event if its counts stand out
//     ([distinguisher.Line.StandsOut]). There are two searches, on samples of their own; each misses
//     with at most foldMiss. Where there is one, it misses with at most oneMiss.
//   - The certificate of n samples fails with at most certMiss. The event that is chosen may be
//     another than that of the violation, which looked better in the search: the certificate is
//     asked for selectionMargin nats more.
//
// Where both searches find it, both certificates have to fail for the violation to be missed:
// with at most foldMiss² + 2·foldMiss·certMiss + certMiss < 0.01, and oneMiss + certMiss < 0.01
// where there is one search. Given events are not searched for; they fail with at most givenMiss.
type searchPower struct {
	Guarantee  guarantee.Guarantee
	Searches   int // 0: the events are given
	Scores     int // that the scan goes through
	Pairs      int
	Rows       func(total int64) int64 // of a search, where there are so many samples of each input
	Certifying func(total int64) int64
	// Refutes reports whether a certificate of n samples refutes the claim at counts x and y
	// of an event that the search takes to be of masses p and q.
	Refutes func(p, q float64, x, y, n int64) bool
	known   map[float64]gross
}

const (
	selectionMargin = 1.5 // nats of evidence, for an event that was selected
	foldMiss        = 0.04
	oneMiss         = 0.002
	certMiss        = 0.0075
	// givenMiss is that of an event that is given.
	givenMiss = 0.001
)

// Certifies reports whether the certificate sees a violation at a known event.
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

// gross is what is known of gross violations at a mass.
type gross struct {
	other float64 // the probability under the other input
	ok    bool    // the mass can have one
	line  distinguisher.Line
}

// at computes it once for every mass.
func (d *searchPower) at(mass float64) gross {
	g, known := d.known[mass]
	if !known {
		g.other, g.ok = d.Guarantee.Large(mass)
		g.line = impliedLine(d.Guarantee, mass)
		if d.known == nil {
			d.known = make(map[float64]gross)
		}
		d.known[mass] = g
	}
	return g
}

// impliedLine is an (ε, δ) statement that the claim implies, that which a gross violation at an
// event of the mass breaks most.
func impliedLine(g guarantee.Guarantee, mass float64) distinguisher.Line {
	epsilon := g.Value()
	if !g.IsApproximate() {
		q, _ := g.Large(mass)
		epsilon = g.Tangent(mass, q)
	}
	return distinguisher.Line{Slope: math.Exp(epsilon), Offset: g.HockeyStick(epsilon)}
}

// seesGross reports whether a gross violation at an event of mass p is found and certified.
func (d *searchPower) seesGross(p float64, total int64) bool {
	g := d.at(p)
	return !g.ok || d.Finds(g.line, p, g.other, d.Rows(total)) && d.Certifies(p, g.other, d.Certifying(total))
}

// massStep is the ratio of the masses that are tried.
const massStep = math.Sqrt2

// SeesFrom reports whether gross violations are seen at a mass and at all above it.
func (d *searchPower) SeesFrom(mass float64, total int64) bool {
	return d.seesWithin(mass, 1, total) && d.seesGross(1, total)
}

// seesWithin reports whether gross violations are seen at all masses from low on and below high.
func (d *searchPower) seesWithin(low, high float64, total int64) bool {
	for mass := low; mass < high; mass *= massStep {
		if !d.seesGross(mass, total) {
			return false
		}
	}
	return true
}

// LeastMass is the mass m₀ from which on gross violations are seen, to a twentieth, and not
// below floor; absent where they are at none.
func (d *searchPower) LeastMass(total int64) verify.Number {
	if !d.seesGross(1, total) {
		return verify.Number{}
	}
	low, high := math.Max(d.Guarantee.LargeDelta(), 1/float64(max(total, 1))), 1.0
	if low >= high || d.seesWithin(low, high, total) {
		return verify.Num(math.Min(low, high))
	}
	for high > 1.05*low {
		if mid := math.Sqrt(low * high); d.seesWithin(mid, high, total) { // from high on it is known
			high = mid
		} else {
			low = mid
		}
	}
	return verify.Num(high)
}

// anyDifference is the statement that no event tells the inputs apart.
var anyDifference = distinguisher.Line{Slope: 1}

// EnoughRows is how many rows of each input a search keeps at most: usual, or as many as find
// gross violations of a mass, and a near one, if they are no more than most.
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

// Rarer returns a factor u ≥ 1: a search takes an event of mass p/u for better than one of mass p, with the same
// privacy loss, with probability at most 1 − [verify.TargetPower]. q is the probability of the latter under the other
// input,
// and each of so many pairs draws total samples. The factor is infinite if the search has too few rows to tell.
//
// Let σ/√(np) be the standard error of the estimated loss of an event of mass p from n samples. The limit that
// certification is expected to find is z standard errors of n samples below the loss, where z is the quantile of
// 1 − alpha, and the search subtracts k of its r rows. The rarer event therefore loses
// (z/√n + k/√r)(√u − 1)σ/√p. By chance it gains c√(u − 1)σ/√(rp), where c is the quantile of the power, for the two
// events are nested and only the rows between them tell them apart. The two are equal at √u = (1 + ρ²)/(1 − ρ²) with
// ρ = c/(z√(r/n) + k).
func (d *searchPower) Rarer(p, q, alpha float64, total, pairs int64) float64 {
	z, c := distuv.UnitNormal.Quantile(1-alpha), distuv.UnitNormal.Quantile(verify.TargetPower)
	// The search moves p and q each by standard errors of its own, the error of the loss is that of both.
	of, against := math.Sqrt((1-p)/p), math.Sqrt((1-q)/q)
	k := distinguisher.CountErrors * (of + against) / math.Hypot(of, against)
	rho := c / (z*math.Sqrt(float64(d.Rows(total))/float64(d.Certifying(total)*pairs)) + k)
	if !(rho < 1) {
		return math.Inf(1)
	}
	root := (1 + rho*rho) / (1 - rho*rho)
	return root * root
}

// searchObjective is what a search maximises, by the counts of an event in samples of either input: the certified
// parameter,
// quickly; of bets, the speed of refutation.
func searchObjective(g guarantee.Guarantee, alpha float64, bets bool) func(x, nx, y, ny float64) float64 {
	if g.IsApproximate() && bets {
		// How fast a bet against the claim grows: the distance from the claim's line in
		// standard deviations.
		e := math.Exp(g.Value())
		return func(x, nx, y, ny float64) float64 {
			p, q := x/nx, y/ny
			return (p - e*q - g.Delta()) / math.Sqrt(p*(1-p)+e*e*q*(1-q)+1/math.Min(nx, ny))
		}
	} else if g.IsApproximate() {
		return confidence.NewEpsilonFast(g.Delta(), alpha).Lower
	}
	z := math.Sqrt(2 * math.Log(4/alpha)) // of limits by a Gaussian tail bound
	return func(x, nx, y, ny float64) float64 {
		p := (x - z*math.Sqrt(x*(1-x/nx)) - z*z/2) / nx
		q := (y + z*math.Sqrt(y*(1-y/ny)) + z*z/2) / ny
		if !(p > q && q < 1) {
			return p - q
		}
		return g.FromProbabilities(p, q)
	}
}
