package prestige

import (
	"math"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// orderClaims returns the statements about the order in which records update w, and about the labels of these records.
func orderClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/remark-1", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 1: first sentence, \"earlier\" read as an earlier epoch, and Table 1, Learning Process; " +
				"Algorithm 1, If and Update D_th; within an epoch the order is the shuffled one",
			Statement: "for one w and one perturbed label, a record with a larger z is admitted no later than a record " +
				"with a smaller z. Setting: D_th = 1.5, μ = 1",
			Check:    admittingEpoch(1),
			Control:  checks.Faulty(admittingEpoch(-1), "the opposite sign of z"),
			Formerly: []string{"prestige/remark-1/corrected"},
		},
		{
			ID: "prestige/alg-1/reliable", Kind: verify.Identity, Origin: verify.Implied,
			Place: "Sect. 3.3: paragraph after Remark 1, z > 1 holds beneficial labels, and footnote 2, reliable; " +
				"Algorithm 1, P-Curriculum and If, at D_th > 0",
			Statement: "a perturbed label that the first epoch admits is always the label that the current w predicts, " +
				"whether or not it is the record's own",
			Check:    labelOf(predicted, "z = ỹ·score ≥ D_th > 0"),
			Control:  checks.Faulty(labelOf(own, ""), "the record's own label"),
			Formerly: []string{"prestige/alg-1/reliable/corrected"},
		},
	}
}

// admittingEpoch compares the first epoch that admits z with that of a smaller z.
func admittingEpoch(sign float64) verify.Check {
	first := func(z float64) float64 {
		for epoch := 1; epoch <= paperEpochs; epoch++ {
			if z >= paper.Threshold(firstThreshold, decrease, epoch) {
				return float64(epoch)
			}
		}
		return paperEpochs + 1
	}
	return formula.Check{
		Quantity: "first epoch that admits a record", Sense: verify.AtMost,
		Domain: "z from 3 down to −20 in steps of 0.25, D_th = 1.5 in the first epoch, μ = 1",
		Proof:  "D_th does not depend on z: an epoch that admits z admits every larger one",
		Points: func(add func(formula.Point)) {
			for z := 3.0; z > -20; z -= 0.25 {
				add(formula.Point{Place: formula.Placef("z=%g after z=%g", z, z-0.25), Measured: first(sign * z),
					Claimed: first(sign * (z - 0.25)),
					Show:    z == 1.5})
			}
		},
	}
}

// own and predicted return the label with which an admitted label is compared, for a record with the given score.
func own(_, y float64) float64           { return y }
func predicted(score, _ float64) float64 { return math.Copysign(1, score) }

// labelOf compares the probability that an admitted label equals named(score, y) with the probability that the
// perturbation keeps a label.
func labelOf(named func(score, y float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "P(ỹ is that label | admitted)", Sense: verify.AtLeast, Proof: proof,
		Grid: formula.Grid{formula.Over("ε_r", epsilons...), formula.Over("score", -3, -1.5, 1.5, 3),
			formula.Over("y", 1, -1)},
		Domain: "D_th = 1.5; at least e^ε_r/(e^ε_r+1) is claimed",
		At: func(at []float64, add func(formula.Point)) {
			score, y := at[1], at[2]
			m, err := paper.RandomizedResponse(at[0])
			admitted, right := 0.0, 0.0
			for _, label := range []noisyLabel{{y, m[0][0]}, {-y, m[0][1]}} {
				if label.y*score >= firstThreshold {
					admitted += label.mass
					if label.y == named(score, y) {
						right += label.mass
					}
				}
			}
			add(formula.Point{Measured: right / admitted, Claimed: m[0][0], Show: at[0] == 0.2, Err: err})
		},
	}
}
