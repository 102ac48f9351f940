package privacy

import (
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// blindMass is where a near violation is looked for if no event tells the inputs apart.
const blindMass = 0.5

// likelyEvent is what is sure of a given event: its mass under the likelier input, at least, and whether it is nearly
// sure
// under both.
type likelyEvent struct {
	Mass       float64
	NearlySure bool
}

// givenPower is what given events can see, and what they are asked to.
type givenPower struct {
	*searchPower
	Events []likelyEvent
	Effect float64 // of a near violation
	Wanted float64 // mass from which on gross violations are to be seen
}

// Near is the near violation that is the easiest to see, by its masses: on the likeliest event that is not
// nearly sure under both inputs; at half where all are. It is none where an event has not the mass for it.
func (p givenPower) Near() (mass, other float64, some bool) {
	mass = -1
	for _, e := range p.Events {
		if e.NearlySure || e.Mass <= mass {
			continue
		}
		mass = e.Mass
		other, some = p.Guarantee.Small(p.Effect, mass)
	}
	if mass >= 0 {
		return mass, other, some
	}
	mass = math.Max(blindMass, p.Guarantee.LargeDelta())
	other, _ = p.Guarantee.Small(p.Effect, mass)
	return mass, math.Max(0, other), true
}

// SeesNear is false where the events are too rare for a near violation.
func (p givenPower) SeesNear(n int64) bool {
	mass, other, some := p.Near()
	return some && mass > 0 && p.Certifies(mass, other, n)
}

// Sizes of what n samples of each input show.
func (p givenPower) Sizes(n int64) verify.Sizes {
	mass, _, _ := p.Near()
	return p.sizes(p.Effect, mass, p.SeesNear(n), p.LeastMass(n), p.Wanted)
}

// sizes of violations that samples show: a near one, of this effect, at a mass, and gross ones from the mass least up.
func (s *searchPower) sizes(effect, mass float64, detected bool, least verify.Number, wanted float64) verify.Sizes {
	z := verify.Sizes{
		SmallProbability: mass, SmallDetected: detected, Large: guarantee.LargeLoss, LargeDelta: s.Guarantee.LargeDelta(),
		LargeProbability: least, WantedProbability: wanted, Probability: verify.TargetPower,
	}
	z.Small, z.SmallDelta = s.Guarantee.SmallValue(effect)
	return z
}

// Enough reports whether n samples of each input are.
func (p givenPower) Enough(n int64) bool { return p.SeesNear(n) && p.SeesFrom(p.Wanted, n) }

// weakestSizes are the sizes of whoever lacks most.
func weakestSizes(all []verify.Sizes) verify.Sizes {
	lack := func(s verify.Sizes) float64 {
		switch {
		case !s.LargeProbability.Set:
			return math.Inf(1)
		case !s.SmallDetected:
			return 1e6 + s.LargeProbability.X/s.WantedProbability
		}
		return s.LargeProbability.X / s.WantedProbability
	}
	worst := all[0]
	for _, s := range all[1:] {
		if lack(s) > lack(worst) {
			worst = s
		}
	}
	return worst
}
