package privacy

import (
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

const (
	nearFactor = 1.25
	// sureMass under both inputs makes an event that is nearly sure: no power rests on it.
	sureMass = 0.95
)

// newSight is the sight of an audit with so many searches of a pair, whose numbers of samples are
// for the caller to fill in.
func (t *auditTrial[D, O]) newSight(searches, scores int) *searchPower {
	return &searchPower{Guarantee: t.Guarantee, Searches: searches, Scores: scores, Pairs: len(t.Pairs),
		Refutes: t.refutes}
}

// wanted is the mass from which on gross violations are to be seen.
func (t *auditTrial[D, O]) wanted() float64 {
	if t.EventProbability > 0 {
		return math.Max(t.EventProbability, t.Guarantee.LargeDelta()) // none is rarer
	}
	return t.Guarantee.WantedProbability()
}

// setLeastMass computes from which mass on gross violations will be detected, once the views are
// set.
func (t *auditTrial[D, O]) setLeastMass() {
	for _, v := range t.views {
		for _, c := range v.chosen {
			t.sight.Scores = max(t.sight.Scores, c.witness.Scores)
		}
	}
	t.leastMass = t.sight.LeastMass(t.total)
}

// near is where a near violation is looked for: an event's mass under the input where it is
// likelier and its probability under the other.
type near struct {
	mass, other float64
	pairs       int64 // whose samples certify the event together; 0 where it is to be found yet
}

// nearOf a view is at its event. Where that is not known to tell the inputs apart, is nearly
// sure under both, or too rare for a near violation, it is at half, to be found yet.
func (t *auditTrial[D, O]) nearOf(v view, tells bool) near {
	p, q := v.masses()
	if (tells || v.suspect()) && !(p > sureMass && q > sureMass) {
		if other, ok := t.Guarantee.Small(t.Effect, p); ok {
			return near{p, other, int64(len(v.chosen))}
		}
	}
	return t.blindNear()
}

// blindNear is the near violation that is looked for where no event is known to tell the inputs
// apart.
func (t *auditTrial[D, O]) blindNear() near {
	if other, ok := t.Guarantee.Small(t.Effect, blindMass); ok {
		return near{mass: blindMass, other: other}
	}
	other, _ := t.Guarantee.Small(t.Effect, 1) // δ is a half or more
	return near{mass: 1, other: other}
}

// seesNear reports whether a near violation would be seen by so many samples of each input
// of a pair in all. Where no event tells the inputs apart, one that does is found.
func (t *auditTrial[D, O]) seesNear(v near, total int64) bool {
	if v.pairs > 0 {
		return t.sight.Certifies(v.mass, v.other, t.sight.Certifying(total)*v.pairs)
	}
	return t.sight.Finds(anyDifference, v.mass, v.other, t.sight.Rows(total)) &&
		t.sight.Certifies(v.mass, v.other, t.sight.Certifying(total))
}

// rarest returns the near violation at the rarest event that another run of so many samples may choose in place of the
// chosen one: an event of the same privacy loss, but not below the mass from which power is wanted. Where no near
// violation has that mass, it is the near violation that is given.
func (t *auditTrial[D, O]) rarest(v near, total int64) near {
	if v.pairs == 0 {
		return v
	}
	rarer := v
	rarer.mass = math.Max(v.mass/t.sight.Rarer(v.mass, v.other, t.alpha, total, v.pairs), math.Min(v.mass, t.wanted()))
	if other, ok := t.Guarantee.Small(t.Effect, rarer.mass); ok {
		rarer.other = other
		return rarer
	}
	return v
}

// sizes of what the samples would have shown.
func (t *auditTrial[D, O]) sizes(at near) verify.Sizes {
	return t.sight.sizes(t.Effect, at.mass, t.seesNear(at, t.total), t.leastMass, t.wanted())
}

// refutes tells, quickly, what certify decides where the search takes the event to be of
// masses p and q; it asks for selectionMargin nats more, since the event was selected.
func (t *auditTrial[D, O]) refutes(p, q float64, x, y, n int64) bool {
	g, alpha := t.Guarantee, t.alpha*math.Exp(-selectionMargin)
	if g.IsApproximate() {
		return confidence.Exceeds(x, n, y, n, g.Value(), g.Delta(), alpha*(1-deltaShare))
	}
	low, err := confidence.BinomialLower(x, n, alpha/4)
	if err != nil {
		return false
	}
	if high, err := confidence.BinomialUpper(y, n, alpha/4); err != nil || g.FromProbabilities(low, high) > g.Value() {
		return err == nil
	}
	epsilon := g.Tangent(p, q)
	return confidence.Exceeds(x, n, y, n, epsilon, g.HockeyStick(epsilon), alpha/2)
}

// power enters into the plan what will be detected.
func (t *auditTrial[D, O]) power(p *empirical.Plan) {
	for _, v := range t.views {
		masses := t.Guarantee.FromProbabilities(v.masses())
		if t.sizes(t.nearOf(v, masses > 0)).Enough() {
			p.Effect, p.Power = t.Effect, verify.TargetPower
		}
	}
}
