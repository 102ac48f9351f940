package privacy

import (
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// blindMass is the event probability for a small violation if no event distinguishes the inputs.
const blindMass = 0.5

// likelyEvent is a given event: a lower limit on its probability under the likelier input, and whether it is nearly
// certain under both.
type likelyEvent struct {
	Mass       float64
	NearlySure bool
}

// givenPower is the power of a test of given events, with the required sizes.
type givenPower struct {
	*searchPower
	Events []likelyEvent
	Effect float64 // factor of a small violation
	Wanted float64 // smallest event probability at which large violations must be detected
}

// Near returns the probabilities of the small violation that is easiest to detect: on the likeliest event that is
// not nearly certain under both inputs, or at probability 1/2 if all are. It returns some = false if that event is
// too rare for a small violation.
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

// SeesNear reports whether n samples per input detect the small violation. It is false if the events are too rare
// for one.
func (p givenPower) SeesNear(n int64) bool {
	mass, other, some := p.Near()
	return some && mass > 0 && p.Certifies(mass, other, n)
}

// Sizes returns the violations that n samples per input detect.
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

// Enough reports whether n samples per input suffice.
func (p givenPower) Enough(n int64) bool { return p.SeesNear(n) && p.SeesFrom(p.Wanted, n) }

// weakestSizes returns the sizes of the cell with the least power.
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
