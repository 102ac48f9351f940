package privacy

import (
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

const (
	smallFactor = 1.25
	// nearlyCertain is the probability above which an event is nearly certain. An event that is nearly certain
	// under both inputs does not count towards power.
	nearlyCertain = 0.95
)

// newSight returns the power of an audit with the given number of searches per pair. The caller sets the numbers of
// samples.
func (t *auditTrial[D, O]) newSight(searches, scores int) *searchPower {
	return &searchPower{Guarantee: t.Guarantee, Searches: searches, Scores: scores, Pairs: len(t.Pairs),
		Refutes: t.refutes}
}

// wanted returns the smallest event probability at which large violations must be detected.
func (t *auditTrial[D, O]) wanted() float64 {
	if t.EventProbability > 0 {
		return math.Max(t.EventProbability, t.Guarantee.LargeDelta()) // no rarer event can have a large violation
	}
	return t.Guarantee.WantedProbability()
}

// setMinProbability computes the smallest event probability at which large violations are detected. The views must be
// set.
func (t *auditTrial[D, O]) setMinProbability() {
	for _, v := range t.views {
		for _, c := range v.chosen {
			t.sight.Scores = max(t.sight.Scores, c.witness.Scores)
		}
	}
	t.minProbability = t.sight.MinProbability(t.total)
}

// smallViolation is the event at which the audit must detect a small violation: its probability under the input where
// it is more likely and under the other.
type smallViolation struct {
	mass, other float64
	pairs       int64 // number of pairs whose samples certify the event together; 0 if the event is still to be found
}

// smallViolationOf returns the event for a small violation in a view: the event of the view. If that event does not
// distinguish the inputs, is nearly certain under both, or is too rare for a small violation, it returns an unknown
// event of probability 1/2.
func (t *auditTrial[D, O]) smallViolationOf(v view, tells bool) smallViolation {
	p, q := v.masses()
	if (tells || v.suspect()) && !(p > nearlyCertain && q > nearlyCertain) {
		if other, ok := t.Guarantee.Small(t.Effect, p); ok {
			return smallViolation{p, other, int64(len(v.chosen))}
		}
	}
	return t.unknownSmallViolation()
}

// unknownSmallViolation returns the event for a small violation if no event is known to distinguish the inputs.
func (t *auditTrial[D, O]) unknownSmallViolation() smallViolation {
	if other, ok := t.Guarantee.Small(t.Effect, unknownProbability); ok {
		return smallViolation{mass: unknownProbability, other: other}
	}
	other, _ := t.Guarantee.Small(t.Effect, 1) // δ ≥ 1/2
	return smallViolation{mass: 1, other: other}
}

// detectsSmall reports whether a small violation would be detected with the given total of samples per input. An
// unknown event must also be found by the search.
func (t *auditTrial[D, O]) detectsSmall(v smallViolation, total int64) bool {
	if v.pairs > 0 {
		return t.sight.Certifies(v.mass, v.other, t.sight.Certifying(total)*v.pairs)
	}
	return t.sight.Finds(anyDifference, v.mass, v.other, t.sight.Rows(total)) &&
		t.sight.Certifies(v.mass, v.other, t.sight.Certifying(total))
}

// rarest returns the small violation at the rarest event that another run with as many samples may choose instead.
// That event has the same privacy loss and at least the probability from which power is required. If no small
// violation has that probability, rarest returns v.
func (t *auditTrial[D, O]) rarest(v smallViolation, total int64) smallViolation {
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

// sizes returns the violations that the samples would have shown.
func (t *auditTrial[D, O]) sizes(at smallViolation) verify.Sizes {
	return t.sight.sizes(t.Effect, at.mass, t.detectsSmall(at, t.total), t.minProbability, t.wanted())
}

// refutes is a fast version of certify for an event whose probabilities the search estimates as p and q. It
// requires selectionMargin nats more, because the event was selected.
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

// power adds the detectable effect to the plan.
func (t *auditTrial[D, O]) power(p *empirical.Plan) {
	for _, v := range t.views {
		masses := t.Guarantee.FromProbabilities(v.masses())
		if t.sizes(t.smallViolationOf(v, masses > 0)).Enough() {
			p.Effect, p.Power = t.Effect, verify.TargetPower
		}
	}
}
