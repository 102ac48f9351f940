package privacy

import (
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// unknownProbability is the event probability for a small violation if no event distinguishes the inputs.
const unknownProbability = 0.5

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
	mass = math.Max(unknownProbability, p.Guarantee.LargeDelta())
	other, _ = p.Guarantee.Small(p.Effect, mass)
	return mass, math.Max(0, other), true
}

// DetectsSmall reports whether n samples per input detect the small violation. It is false if the events are too rare
// for one.
func (p givenPower) DetectsSmall(n int64) bool {
	mass, other, some := p.Near()
	return some && mass > 0 && p.Certifies(mass, other, n)
}

// Sizes returns the violations that n samples per input detect.
func (p givenPower) Sizes(n int64) verify.Sizes {
	mass, _, _ := p.Near()
	return p.sizes(p.Effect, mass, p.DetectsSmall(n), p.MinProbability(n), p.Wanted)
}

// sizes returns the sizes of a small violation of the given effect at an event probability, with whether it is
// detected, and of large violations, which are detected at event probabilities of at least from.
func (s *searchPower) sizes(effect, mass float64, detected bool, from verify.Number, wanted float64) verify.Sizes {
	z := verify.Sizes{
		SmallProbability: mass, SmallDetected: detected, Large: guarantee.LargeLoss, LargeDelta: s.Guarantee.LargeDelta(),
		LargeProbability: from, WantedProbability: wanted, Probability: verify.TargetPower,
	}
	z.Small, z.SmallDelta = s.Guarantee.SmallValue(effect)
	return z
}

// Enough reports whether n samples per input suffice.
func (p givenPower) Enough(n int64) bool { return p.DetectsSmall(n) && p.DetectsFrom(p.Wanted, n) }

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
