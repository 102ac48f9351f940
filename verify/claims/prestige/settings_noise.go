package prestige

import (
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

const setWords = "the six data sets of Table 2, budget 1.6"

// differenceError is the relative error of the difference of two densities that are nearly equal.
const differenceError = 1e-6

// spending is a training algorithm with the ε of one of its private gradients.
type spending struct {
	name    string
	epsilon float64
}

func (r reading) learners(s set) []spending {
	return []spending{{"PRESTIGE", (1 - paper.PrestigeLabelShare) * r(s)}, {"DJW", r(s)}}
}

// mass returns the probability by which the half-space of a gradient of norm L exceeds the opposite one.
func (l spending) mass(s set) (float64, error) {
	m, err := mechanism.NewPrivateSampling(int(s.dims), l.epsilon, 1, 1)
	if err != nil {
		return 0, err
	}
	top, bottom := m.HalfSpaceDensity(1)
	return (top - bottom) / 2, nil
}

// informative computes the expected number of private gradients of a run that depend on their record. A private
// gradient is a mixture: with the probability that mass returns it depends on the record, else it is uniform on the
// sphere.
func informative(budget reading) verify.Check {
	return formula.Check{
		Quantity: "expected number of updates that depend on their record", Sense: verify.Below,
		Domain: setWords + ", gradients of norm L, the largest; PRESTIGE, and DJW with all of ε",
		Proof:  "n·T_max·tanh(ε/2) is at most half of the budget",
		Points: overSets(func(s set, add func(formula.Point)) {
			for _, l := range budget.learners(s) {
				mass, err := l.mass(s)
				add(formula.Point{Place: formula.Placef("%s, %s: ε = %.3g of an update", s.words(), l.name, l.epsilon),
					Measured: s.updates() * mass, Claimed: 1, Error: differenceError, Show: true, Err: err})
			}
		}),
	}
}

// rotation compares P(Q = 1) with 0.5. For a gradient of norm L, the longest, it is the probability of the gradient's
// half-space.
func rotation(budget reading) verify.Check {
	return formula.Check{
		Quantity: "P(Q = 1) − 0.5 at ‖g‖ = L", Sense: verify.Below,
		Domain: setWords + ", and ε = 1.6 per update; PRESTIGE, and DJW with all of ε",
		Proof: "P(Q = 1) − 0.5 = e^ε/(e^ε+1) − 0.5 = tanh(ε/2)/2 is largest at the largest budget and does not depend " +
			"on d",
		Points: overSets(func(s set, add func(formula.Point)) {
			for _, l := range budget.learners(s) {
				mass, err := l.mass(s)
				add(formula.Point{Place: formula.Placef("%s, %s: ε = %.3g of an update", s.words(), l.name, l.epsilon),
					Measured: mass / 2, Claimed: 1e-5, Error: differenceError, Show: true, Err: err})
			}
			for k, l := range reading(everyUpdate).learners(s) {
				mass, err := l.mass(s)
				add(formula.Point{Place: formula.Placef("%s, %s: ε = %.3g of an update", s.words(), l.name, l.epsilon),
					Measured: mass / 2, Claimed: []float64{0.29, 0.34}[k], Error: differenceError, Show: s.name == "A7A",
					Err: err})
			}
		}),
	}
}

// stepOverDiameter compares the length of the last update, which is the shortest, with 2R.
func stepOverDiameter(lambda float64) verify.Check {
	return formula.Check{
		Quantity: "length of the last update, divided by the diameter 2R", Sense: verify.Above,
		Domain: "A7A and Diabetes, at most n·T_max updates",
		Proof:  "‖ηG‖ = R/(λ√t) decreases in t",
		Points: overSets(func(s set, add func(formula.Point)) {
			if s.name != "A7A" && s.name != "Diabetes" {
				return
			}
			const bound = 1 // it cancels
			length := bounds.StepSize(lambda, 1, bound, s.updates()) * bound
			add(formula.Point{Place: formula.Placef("%s, λ = %g, update %.0f", s.words(), lambda, s.updates()),
				Measured: length / 2,
				Claimed:  1, Show: true})
		}),
	}
}
