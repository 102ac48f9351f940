package privacy

import (
	"math"

	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/sizes"
	"github.com/dpverify/dpverify/verify/privacy/internal/sight"
	"github.com/dpverify/dpverify/verify/privacy/notion"
)

// cellPower is what a cell of given events can see, and what it is asked to.
type cellPower struct {
	sight  *sight.Sight
	events []given
	effect float64
	wanted float64 // mass from which on gross violations are to be seen
}

// powerOf a cell. A gross violation has at least the mass of the rarest of its events: rarer
// ones need not be seen.
func (t *privacyTrial[D, O]) powerOf(c Cell[D, O], events []given) cellPower {
	g := ApproximateDP(c.Epsilon, c.Delta)
	all := func(total int64) int64 { return total }
	p := cellPower{events: events, effect: t.Effect, wanted: 1, sight: &sight.Sight{Guarantee: g, Rows: all,
		Certifying: all,
		Refutes: func(_, _ float64, x, y, n int64) bool {
			return limits.Exceeds(x, n, y, n, c.Epsilon, c.Delta, t.share())
		}}}
	for _, e := range events {
		p.wanted = math.Min(p.wanted, e.mass)
	}
	p.wanted = math.Max(p.wanted, g.WantedMass())
	return p
}

// near is the near violation that is the easiest to see: on the likeliest event that is not
// nearly sure under both inputs; at half where all are.
func (p cellPower) near() near {
	g := p.sight.Guarantee
	out := near{mass: -1}
	for _, e := range p.events {
		if e.nearlySure || e.mass <= out.mass {
			continue
		}
		out = near{mass: e.mass}
		if other, ok := g.Near(p.effect, e.mass); ok {
			out.other, out.pairs = other, 1
		}
	}
	if out.mass >= 0 {
		return out
	}
	mass := math.Max(blindMass, g.GrossDelta())
	other, _ := g.Near(p.effect, mass)
	return near{mass, math.Max(0, other), 1}
}

// seesNear is false where the events are too rare for a near violation.
func (p cellPower) seesNear(n int64) bool {
	at := p.near()
	return at.pairs > 0 && at.mass > 0 && p.sight.Certifies(at.mass, at.other, n)
}

// sizes of what n samples of each input show.
func (p cellPower) sizes(n int64) verify.Sizes {
	g := p.sight.Guarantee
	s := verify.Sizes{
		NearMass: p.near().mass, NearSeen: p.seesNear(n), Gross: notion.GrossLoss, GrossDelta: g.GrossDelta(),
		GrossMass: p.sight.LeastMass(n), WantedMass: p.wanted, Probability: sizes.Power,
	}
	s.Near, s.NearDelta = g.NearValue(p.effect)
	return s
}

// enough reports whether n samples of each input are.
func (p cellPower) enough(n int64) bool { return p.seesNear(n) && p.sight.SeesFrom(p.wanted, n) }

// weakest are the sizes of the cell that lacks most.
func (t *privacyTrial[D, O]) weakest() verify.Sizes {
	lack := func(s verify.Sizes) float64 {
		switch {
		case !s.GrossMass.Set:
			return math.Inf(1)
		case !s.NearSeen:
			return 1e6 + s.GrossMass.X/s.WantedMass
		}
		return s.GrossMass.X / s.WantedMass
	}
	worst := t.sizes[0]
	for _, s := range t.sizes[1:] {
		if lack(s) > lack(worst) {
			worst = s
		}
	}
	return worst
}
