package privacy

import (
	"math"

	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/sizes"
)

// sight is the power of a design: whether a violation of a known size is detected by a search and
// a certificate of so many samples.
//
// A violation at an event of mass p, of probability q under the other input, is seen if the
// search chooses the event and the certificate of its counts refutes the claim. Both are put
// to counts that are as unlucky as the errors below allow ([limits.Unlucky]):
//
//   - A search of s rows finds the event if its counts stand out
//     ([witness.Line.StandsOut]). There are two searches, on samples of their own; each misses
//     with at most foldMiss. Where there is one, it misses with at most oneMiss.
//   - The certificate of n samples fails with at most certMiss. The event that is chosen may be
//     another than that of the violation, which looked better in the search: the certificate is
//     asked for selectionMargin nats more.
//
// Where both searches find it, both certificates have to fail for the violation to be missed:
// with at most foldMiss² + 2·foldMiss·certMiss + certMiss < 0.01, and oneMiss + certMiss < 0.01
// where there is one search. Given events are not searched for; they fail with at most givenMiss.
type sight struct {
	guarantee  Guarantee
	searches   int // 0: the events are given
	scores     int // that the scan goes through
	pairs      int
	rows       func(total int64) int64 // of a search, where there are so many samples of each input
	certifying func(total int64) int64
	// refutes reports whether a certificate of n samples refutes the claim at counts x and y
	// of an event that the search takes to be of masses p and q.
	refutes func(p, q float64, x, y, n int64) bool
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

// certifies reports whether the certificate sees a violation at a known event.
func (d *sight) certifies(p, q float64, n int64) bool {
	miss := certMiss
	if d.searches == 0 {
		miss = givenMiss
	}
	x, y := limits.Unlucky(n, p, q, d.at(p).line.Slope, miss)
	return d.refutes(p, q, x, y, n)
}

// finds reports whether the search finds the event of a violation of a statement.
func (d *sight) finds(line witness.Line, p, q float64, rows int64) bool {
	switch {
	case d.searches == 0:
		return true
	case d.scores == witness.NotCovered:
		return false
	}
	miss := oneMiss
	if d.searches > 1 {
		miss = foldMiss
	}
	x, y := limits.Unlucky(rows, p, q, line.Slope, miss)
	n := float64(rows)
	_, out := line.StandsOut(float64(x), n, float64(y), n, d.scores*d.pairs)
	return out
}

// gross is what is known of gross violations at a mass.
type gross struct {
	other float64 // the probability under the other input
	ok    bool    // the mass can have one
	line  witness.Line
}

// at computes it once for every mass.
func (d *sight) at(mass float64) gross {
	g, known := d.known[mass]
	if !known {
		g.other, g.ok = d.guarantee.Gross(mass)
		g.line = lineOf(d.guarantee, mass)
		if d.known == nil {
			d.known = make(map[float64]gross)
		}
		d.known[mass] = g
	}
	return g
}

// lineOf is an (ε, δ) statement that the claim implies, that which a gross violation at an
// event of the mass breaks most.
func lineOf(g Guarantee, mass float64) witness.Line {
	epsilon := g.Value()
	if !g.IsApproximate() {
		q, _ := g.Gross(mass)
		epsilon = g.Tangent(mass, q)
	}
	return witness.Line{Slope: math.Exp(epsilon), Offset: g.HockeyStick(epsilon)}
}

// seesGross reports whether a gross violation at an event of mass p is found and certified.
func (d *sight) seesGross(p float64, total int64) bool {
	g := d.at(p)
	return !g.ok || d.finds(g.line, p, g.other, d.rows(total)) && d.certifies(p, g.other, d.certifying(total))
}

// massStep is the ratio of the masses that are tried.
const massStep = math.Sqrt2

// seesFrom reports whether gross violations are seen at a mass and at all above it.
func (d *sight) seesFrom(mass float64, total int64) bool {
	return d.seesWithin(mass, 1, total) && d.seesGross(1, total)
}

// seesWithin reports whether gross violations are seen at all masses from low on and below high.
func (d *sight) seesWithin(low, high float64, total int64) bool {
	for mass := low; mass < high; mass *= massStep {
		if !d.seesGross(mass, total) {
			return false
		}
	}
	return true
}

// leastMass is the mass m₀ from which on gross violations are seen, to a twentieth, and not
// below floor; absent where they are at none.
func (d *sight) leastMass(total int64) verify.Number {
	if !d.seesGross(1, total) {
		return verify.Number{}
	}
	low, high := math.Max(d.guarantee.GrossDelta(), 1/float64(max(total, 1))), 1.0
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
var anyDifference = witness.Line{Slope: 1}

// enoughRows is how many rows of each input a search keeps at most: usual, or as many as find
// gross violations of a mass, and a near one, if they are no more than most.
func (d *sight) enoughRows(mass float64, at near, usual, most int64) int64 {
	need := sizes.Least(usual, func(rows int64) bool {
		for p := mass; p <= 1; p *= massStep {
			if g := d.at(p); g.ok && !d.finds(g.line, p, g.other, rows) {
				return false
			}
		}
		return d.finds(anyDifference, at.mass, at.other, rows)
	})
	if need == 0 || need > most {
		need = most
	}
	return max(usual, need)
}
