package prestige

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// orderClaims are what the text says of the order in which records update w, and of the labels that do.
func orderClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/alg-1/threshold/readmitted", Source: "Sect. 3.3, Alg. 1", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Sect. 3.3, last sentence of the paragraph after Remark 1: updates extend to " +
				"adverse labels; Algorithm 1, P-Curriculum draws ỹ anew and P-Update moves w",
			Statement: "a record that one epoch admits is admitted by the next, in which D_th is lower",
			Check:     refusedAgain(false, ""),
			Control: verify.Control{Check: refusedAgain(true, stillProof), Want: checks.Holds,
				Fault: "none: the same ỹ and w"},
			Corrected: "prestige/alg-1/threshold/readmitted/corrected",
		},
		{
			ID: "prestige/alg-1/threshold/readmitted/corrected", Source: "Sect. 3.3, Alg. 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, If and Update D_th, for one ỹ and one w",
			Statement: "a record that one epoch admits is admitted by the next as long as its perturbed label and w are the " +
				"same",
			Check: refusedAgain(true, stillProof),
			Control: verify.Control{Check: refusedAgain(false, ""), Want: checks.Refuted,
				Fault: "a new perturbation, and w moved"},
		},
		{
			ID: "prestige/remark-1", Source: "Remark 1, Table 1", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 1, first sentence, and Table 1, Learning Process; Algorithm 1, Shuffle and " +
				"Sequentially pick",
			Statement: "of two records that are admitted the one with the larger z updates w first",
			Check:     pickedOrder(),
			Control: verify.Control{Check: admittingEpoch(1), Want: checks.Holds,
				Fault: "none: the epoch that admits it first"},
			Corrected: "prestige/remark-1/corrected",
		},
		{
			ID: "prestige/remark-1/corrected", Source: "Remark 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, If and Update D_th: an order between epochs, none within",
			Statement: "for one w, a record with a larger z is first admitted in the same epoch or in an earlier one",
			Check:     admittingEpoch(1),
			Control:   verify.Control{Check: admittingEpoch(-1), Want: checks.Refuted, Fault: "the sign of z turned"},
		},
		{
			ID: "prestige/alg-1/reliable", Source: "Sect. 3.3, Alg. 1", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Sect. 3.3, paragraph after Remark 1: z > 1 holds beneficial labels; footnote 2: " +
				"reliable; Algorithm 1, Initialize: a random w",
			Statement: "a label that the first epoch admits is the record's own at least as often as the perturbation leaves it",
			Check:     labelOf(own, ""),
			Control: verify.Control{Check: labelOf(predicted, predictedProof), Want: checks.Holds,
				Fault: "none: the label that w predicts"},
			Corrected: "prestige/alg-1/reliable/corrected",
		},
		{
			ID: "prestige/alg-1/reliable/corrected", Source: "Sect. 3.3, Alg. 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, P-Curriculum and If, at D_th > 0",
			Statement: "a label that the first epoch admits is always the one that the w of the moment predicts, right or wrong",
			Check:     labelOf(predicted, predictedProof),
			Control:   verify.Control{Check: labelOf(own, ""), Want: checks.Refuted, Fault: "the record's own label"},
		},
		{
			ID: "prestige/alg-1/lambda-zero", Source: "Alg. 1, Input, Update η", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Algorithm 1, Input: λ ≥ 0, and Update η: R/(λB√t)",
			Statement: "the step size is finite for every λ that the algorithm takes",
			Check:     finiteStep(0),
			Control:   verify.Control{Check: finiteStep(1e-3), Want: checks.Holds, Fault: "none: λ at least 10⁻³"},
			Corrected: "prestige/alg-1/lambda-zero/corrected",
		},
		{
			ID: "prestige/alg-1/lambda-zero/corrected", Source: "Alg. 1, Input, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, Update η, with λ > 0",
			Statement: "the step size is finite for every λ of the range of Sect. 4.1",
			Check:     finiteStep(1e-3),
			Control:   verify.Control{Check: finiteStep(0), Want: checks.Refuted, Fault: "λ = 0 let in"},
		},
	}
}

const stillProof = "z is the same and D_th has fallen"

// refusedAgain is the probability that a record which the first epoch admits is refused by the second, for one
// record of dimension 1: exactly, over ỹ of both epochs and the move between them.
func refusedAgain(still bool, proof string) verify.Check {
	return formula.Check{
		Quantity: "P(refused in epoch 2 | admitted in epoch 1)", Sense: verify.AtMost, Proof: proof,
		Domain: "x ∈ {¾, 1}, y = ±1, ε_r ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}; " + exampleWords,
		Points: overEpsilon(func(eps float64, add func(formula.Point)) {
			for _, e := range []example{{0.75, 1}, {1, 1}, {1, -1}} {
				p, err := probabilityRefused(e, eps, still)
				add(formula.Point{Place: formula.Placef("ε_r=%g, (x, y) = (%g, %+g)", eps, e.x, e.y), Measured: p, Claimed: 0,
					Show: e.x == 1,
					Err:  err})
			}
		}),
	}
}

func probabilityRefused(e example, eps float64, still bool) (float64, error) {
	sampler, err := mechanism.NewPrivateSampling(1, gradientEpsilon, lawLipschitz, 1)
	if err != nil {
		return 0, err
	}
	response, err := paper.RandomizedResponse(eps)
	if err != nil {
		return 0, err
	}
	labels := []noisyLabel{{e.y, response[0][0]}, {-e.y, response[0][1]}}
	second := paper.Threshold(firstThreshold, decrease, 2)
	admitted, refused := 0.0, 0.0
	for _, first := range labels {
		if !(lawStart*e.x*first.y >= firstThreshold) {
			continue
		}
		admitted += first.mass
		if still {
			if lawStart*e.x*first.y < second {
				refused += first.mass
			}
			continue
		}
		up := upward(sampler, gradientAt(lawStart, example{e.x, first.y}), lawLipschitz)
		for _, move := range []struct {
			word string
			mass float64
		}{{"+", up}, {"-", 1 - up}} {
			for _, again := range labels {
				if position(move.word)*e.x*again.y < second {
					refused += first.mass * move.mass * again.mass
				}
			}
		}
	}
	return refused / admitted, nil
}

// pickedOrder compares z along every order in which Shuffle may leave three admitted records.
func pickedOrder() verify.Check {
	return formula.Check{
		Quantity: "z of a record", Sense: verify.AtMost,
		Domain: "z ∈ {3, 2.5, 2}, all at least D_th = 1.5, in each of the six orders, which Shuffle makes equally likely",
		Points: func(add func(formula.Point)) {
			for _, order := range [][]float64{{3, 2.5, 2}, {3, 2, 2.5}, {2.5, 3, 2}, {2.5, 2, 3}, {2, 3, 2.5}, {2, 2.5, 3}} {
				for k := 1; k < len(order); k++ {
					add(formula.Point{Place: formula.Placef("order %v, pick %d after pick %d", order, k+1, k), Measured: order[k],
						Claimed: order[k-1], Show: true})
				}
			}
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
		Domain: "z from 3 down to −20 in steps of a quarter, D_th = 1.5 at first, μ = 1", Proof: "D_th falls: what a z " +
			"reaches, a larger one does",
		Points: func(add func(formula.Point)) {
			for z := 3.0; z > -20; z -= 0.25 {
				add(formula.Point{Place: formula.Placef("z=%g after z=%g", z, z-0.25), Measured: first(sign * z),
					Claimed: first(sign * (z - 0.25)),
					Show:    z == 1.5})
			}
		},
	}
}

// own and predicted are the label that an admitted one is compared with, for a record at a score.
func own(_, y float64) float64           { return y }
func predicted(score, _ float64) float64 { return math.Copysign(1, score) }

const predictedProof = "z = ỹ·score ≥ D_th > 0"

// labelOf is the probability that an admitted label is the one named, against the probability with which the
// perturbation keeps a label.
func labelOf(named func(score, y float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "P(ỹ is that label | admitted)", Sense: verify.AtLeast, Proof: proof,
		Domain: "scores from −3 to 3 beyond D_th = 1.5, y = ±1, ε_r ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}; at least " +
			"e^ε_r/(e^ε_r+1) is claimed",
		Points: overEpsilon(func(eps float64, add func(formula.Point)) {
			m, err := paper.RandomizedResponse(eps)
			for _, score := range []float64{-3, -1.5, 1.5, 3} {
				for _, y := range []float64{1, -1} {
					admitted, right := 0.0, 0.0
					for _, label := range []noisyLabel{{y, m[0][0]}, {-y, m[0][1]}} {
						if label.y*score >= firstThreshold {
							admitted += label.mass
							if label.y == named(score, y) {
								right += label.mass
							}
						}
					}
					add(formula.Point{Place: formula.Placef("ε_r=%g, score %g, y=%+g", eps, score, y), Measured: right / admitted,
						Claimed: m[0][0],
						Show:    eps == 0.2, Err: err})
				}
			}
		}),
	}
}

// finiteStep compares η_1 with the largest number.
func finiteStep(least float64) verify.Check {
	return formula.Check{
		Quantity: "η_1", Sense: verify.AtMost, Domain: "λ ∈ {0, 10⁻³, 1, 10³} as far as the statement reaches, R = B = 1",
		Points: func(add func(formula.Point)) {
			for _, lambda := range []float64{0, 1e-3, 1, 1e3} {
				if lambda >= least {
					add(formula.Point{Place: formula.Placef("λ=%g", lambda), Measured: bounds.StepSize(lambda, 1, 1, 1),
						Claimed: math.MaxFloat64,
						Show:    true})
				}
			}
		},
	}
}
