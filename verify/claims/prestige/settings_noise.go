package prestige

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

const setWords = "the six data sets of Table 2, budget 1.6"

// differenceError is the relative error of the difference of two densities that are nearly equal.
const differenceError = 1e-6

// informative counts the updates of a run that are not drawn as if there were no record: a private
// gradient is uniform on the sphere but for the mass by which its half-space is heavier.
func informative(of reading) verify.Check {
	return formula.Check{
		Quantity: "expected number of updates that depend on their record", Sense: verify.Below,
		Domain: setWords + ", gradients of norm L, the largest; PRESTIGE, and DJW with all of ε",
		Proof:  "n·T_max·tanh(ε/2) is below half of the budget",
		Points: overSets(func(s set, add func(formula.Point)) {
			_, gradient := of.of(s)
			for _, learner := range []struct {
				name    string
				epsilon float64
			}{{"PRESTIGE", gradient}, {"DJW", of(s)}} {
				m, err := mechanism.NewPrivateSampling(int(s.dims), learner.epsilon, 1, 1)
				mass := 0.0
				if err == nil {
					top, bottom := m.HalfSpaceDensity(1)
					mass = (top - bottom) / 2
				}
				add(formula.Point{Place: formula.Placef("%s, %s: ε = %.3g of an update", s.words(), learner.name, learner.epsilon),
					Measured: s.updates() * mass, Claimed: 1, Error: differenceError, Show: true, Err: err})
			}
		}),
	}
}

// leastError is the information that a run lets through, as a bound on its error.
func leastError(of reading) verify.Check {
	return formula.Check{
		Quantity: "least expected error rate", Sense: verify.AtLeast, Domain: setWords + ", PRESTIGE and DJW",
		Proof: "Pinsker's inequality over all gradients and labels; a run without data errs on half of the rows",
		Points: overSets(func(s set, add func(formula.Point)) {
			label, gradient := of.of(s)
			prestige, err1 := bounds.ErrorLowerBoundLocal(s.updates(), gradient, label)
			djw, err2 := bounds.ErrorLowerBoundLocal(s.updates(), of(s), 0)
			add(formula.Point{Place: formula.Placef("%s, PRESTIGE", s.words()), Measured: prestige, Claimed: 0.498, Show: true,
				Err: err1})
			add(formula.Point{Place: formula.Placef("%s, DJW", s.words()), Measured: djw, Claimed: 0.498, Show: true, Err: err2})
		}),
	}
}

// admission is by how much likelier a label is admitted that w predicts: both are where ỹ is the
// sign of the score.
func admission(of reading) verify.Check {
	return formula.Check{
		Quantity: "P(admitted | w predicts y) − P(admitted | w contradicts y)", Sense: verify.Below, Domain: setWords,
		Proof: "where |score| ≥ |D_th| a record is admitted if ỹ has the sign of the score",
		Points: overSets(func(s set, add func(formula.Point)) {
			label, _ := of.of(s)
			m, err := paper.RandomizedResponse(label)
			add(formula.Point{Place: formula.Placef("%s, ε_r = %.3g", s.words(), label), Measured: m[0][0] - m[1][0],
				Claimed: 1e-5,
				Error:   differenceError, Show: true, Err: err})
		}),
	}
}

// rotation is by how much the half-space of a gradient of norm L, the longest, is likelier than ½: there Q = 1.
func rotation(of reading) verify.Check {
	return formula.Check{
		Quantity: "P(Q = 1) − ½ = P(⟨G, g⟩ > 0) − ½ at ‖g‖ = L", Sense: verify.Below,
		Domain: setWords + "; PRESTIGE, and DJW with all of ε",
		Proof: "e^ε/(e^ε+1) − ½ = tanh(ε/2)/2 is largest at the largest budget, and a shorter gradient leaves the first " +
			"coin fairer",
		Points: overSets(func(s set, add func(formula.Point)) {
			_, gradient := of.of(s)
			for _, learner := range []struct {
				name    string
				epsilon float64
			}{{"PRESTIGE", gradient}, {"DJW", of(s)}} {
				m, err := mechanism.NewPrivateSampling(int(s.dims), learner.epsilon, 1, 1)
				top, bottom := 0.0, 0.0
				if err == nil {
					top, bottom = m.HalfSpaceDensity(1)
				}
				add(formula.Point{Place: formula.Placef("%s, %s: ε = %.3g of an update", s.words(), learner.name, learner.epsilon),
					Measured: (top - bottom) / 4, Claimed: 1e-5, Error: differenceError, Show: true, Err: err})
			}
		}),
	}
}

// noiseOverGradient is B/L, in norm and by coordinate.
func noiseOverGradient(of reading) verify.Check {
	return formula.Check{
		Quantity: "length of a private gradient, divided by L", Sense: verify.AtLeast, Domain: setWords,
		Points: overSets(func(s set, add func(formula.Point)) {
			_, gradient := of.of(s)
			b, err := bounds.PrivateSamplingBound(int(s.dims), gradient, 1)
			add(formula.Point{Place: formula.Placef("%s, by coordinate", s.words()), Measured: b / math.Sqrt(s.dims),
				Claimed: 1e5,
				Show:    true, Err: err})
			add(formula.Point{Place: formula.Placef("%s, in norm", s.words()), Measured: b, Claimed: 1e6, Show: true, Err: err})
		}),
	}
}

// signalOverNoise is the largest sum of mean steps over the root mean square of the summed noise.
func signalOverNoise(of reading) verify.Check {
	return withDrawnRuns(of, formula.Check{
		Quantity: "longest sum of mean steps, divided by the summed noise", Sense: verify.AtMost,
		Domain: setWords + ", all n·T_max updates made, gradients of norm L that all point one way",
		Proof: "a step is R/(λ√t) long and its mean L/B of that; Σ1/√t ≤ 2√T, and the noise has the second moment Σ1/t ≥ " +
			"ln T less that of the mean",
		Points: overSets(func(s set, add func(formula.Point)) {
			_, gradient := of.of(s)
			b, err := bounds.PrivateSamplingBound(int(s.dims), gradient, 1)
			ratio := 2 * math.Sqrt(s.updates()) / b / math.Sqrt(math.Log(s.updates())*(1-1/(b*b)))
			add(formula.Point{Place: formula.Placef("%s", s.words()), Measured: ratio, Claimed: 1e-4, Show: true, Err: err})
		}),
	})
}

// stepOverDiameter is the length of the last, the shortest, update over 2R.
func stepOverDiameter(lambda float64) verify.Check {
	return formula.Check{
		Quantity: "length of the last update, divided by the diameter 2R", Sense: verify.Above,
		Domain: "A7A and Diabetes, at most n·T_max updates",
		Proof:  "‖ηG‖ = R/(λ√t) falls in t",
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

// boundOverTrivial is Theorem 1's bound over 2LR.
func boundOverTrivial(of reading) verify.Check {
	return formula.Check{
		Quantity: "c(ε_s, λ)k(d)/√T, divided by 2LR", Sense: verify.AtLeast, Domain: setWords + ", λ from 10⁻³ to 10³ in " +
			"powers of ten",
		Points: overSets(func(s set, add func(formula.Point)) {
			_, gradient := of.of(s)
			for _, lambda := range localsgd.Lambdas {
				add(formula.Point{Place: formula.Placef("%s, λ = %g", s.words(), lambda), Claimed: 1000, Show: lambda == 1,
					Measured: paper.Rate(int(s.dims), gradient, lambda, 1, 1, s.updates()) / 2})
			}
		}),
	}
}
