package laplacesgd

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

func gradientClaims() []verify.Claim {
	full := []batch{{d: 1, b: 1, size: 1}, {d: 2, b: 1, size: 1}, {d: 5, b: 1, size: 1}, {d: 2, b: 2, size: 2},
		{d: 2, b: 10, size: 10}}
	return []verify.Claim{
		{
			ID: "laplace-sgd/eq-4", Kind: verify.Identity, Origin: verify.Stated,
			Place: "eq. (4): Sect. 3.3, both equality signs; ℓ by Sect. 3.2, the line after eq. (2), and y ∈ {−1, 1} by " +
				"its first paragraph",
			Statement: "with the margin m = y⟨w, x⟩, y ∈ {−1, 1}, the two forms of eq. (4) are equal: " +
				"−e^(−m)/(1+e^(−m)) = −1/(1+e^m). They are the derivative of the logistic loss log(1+e^(−m)) in m",
			Check:    slopes(1),
			Control:  checks.Faulty(slopes(-1), "the sign of the exponent"),
			Formerly: []string{"laplace-sgd/eq-4/derivative", "laplace-sgd/labels/program/corrected"},
		},
		{
			ID: "laplace-sgd/sensitivity", Kind: verify.Sensitivity, Origin: verify.Implied,
			Place: "eqs. (6)-(8): Sect. 3.4, the 2 in the noise's 2/α and the 1/b before Z_t; ‖x‖ ≤ 1 by Sect. 3.2, first " +
				"paragraph",
			Statement: "replacing the value of one record moves the gradient of its loss by at most 2, and the average " +
				"over a batch of b by at most 2/b, at every w. This includes a short last batch whose sum is divided by " +
				"b, as eq. (8) prints. Setting: ‖x‖ ≤ 1, y ∈ {−1, 1}",
			Check:    movement(append(full, batch{d: 2, b: 5, size: 3}, batch{d: 2, b: 50, size: 1}), 2),
			Control:  checks.Faulty(movement(full[1:3], 1.9), "1.9/b claimed"),
			Formerly: []string{"laplace-sgd/sensitivity/last-batch"},
		},
	}
}

// slopes compares both forms of the slope, the first at sign times the margin, and a difference quotient of the loss
// with the slope of package erm, which is accurate in both tails. The relative error of the quotient is about 1e-8.
func slopes(sign float64) verify.Check {
	margins := []float64{-1e-300, 1e-300, 1e-8}
	for m := -700.0; m <= 700; m += 1.75 {
		margins = append(margins, m)
	}
	return formula.Check{
		Quantity: "slope of the loss", Sense: verify.Equals, Domain: "margins from −700 to 700 in steps of 1.75, and " +
			"near 0",
		Proof: "numerator and denominator multiplied by e^m; the chain rule",
		Points: func(add func(formula.Point)) {
			for _, m := range margins {
				const h = 1e-4
				loss := erm.Logistic{}
				for _, form := range []struct {
					name  string
					slope float64
				}{
					{"first form", -math.Exp(-sign*m) / (1 + math.Exp(-sign*m))}, {"second form", -1 / (1 + math.Exp(m))},
					{"difference quotient", (loss.Value(m+h) - loss.Value(m-h)) / (2 * h)},
				} {
					add(formula.Point{Place: formula.Placef("%s, m=%g", form.name, m), Measured: form.slope,
						Claimed: loss.Derivative(m), Error: 1e-6, Show: math.Mod(m, 350) == 0})
				}
			}
		},
	}
}

// batch is a batch of size ≤ b records of dimension d.
type batch struct{ d, b, size int }

// longest is the radius of the ball of w in the search. It is large enough to attain the supremum to 1 %, for which two
// nearly opposite rows must both have a negative margin.
const longest = 100

const movementProof = "‖∇ℓ‖ = σ(−m)‖x‖ < 1, so two of them are less than 2 apart; at d = 1 by the maximum over the " +
	"line (bounds.LogisticGradientSensitivity); the other records of a batch cancel"

// movement searches for the largest movement of a batch's sum divided by b, and compares it with per/b.
func movement(batches []batch, per float64) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		check := sensitivity.Check{Quantity: "the gradient averaged over a batch", Norm: sensitivity.L2,
			Adjacency: inputs.ReplaceOneRecord, Proof: movementProof, Evaluations: 100_000}
		for _, c := range batches {
			divisor := float64(c.b)
			supremum, err := bounds.LogisticGradientSensitivity(c.d)
			if err != nil {
				return nil, err
			}
			check.Cells = append(check.Cells, sensitivity.Cell{
				Place: formula.Placef("b=%d, %s, d=%d", c.b, verify.Plural(c.size, "record"), c.d)(), OutputLength: c.d,
				N: c.size,
				Map: func(_ *rand.Rand, in sensitivity.Input, dst []float64) error {
					return batchGradient(in, divisor, dst)
				},
				Records: sensitivity.Records{Ball: sensitivity.Ball{Dim: c.d, Norm: sensitivity.L2, Radius: 1},
					Labels: []float64{-1, 1}},
				Shared:  sensitivity.Ball{Dim: c.d, Norm: sensitivity.L2, Radius: longest},
				Claimed: per / divisor, Tight: verify.Num(supremum / divisor),
			})
		}
		return check, nil
	})
}

func batchGradient(in sensitivity.Input, divisor float64, dst []float64) error {
	values, labels := make([]float64, 0, len(in.Records)*len(dst)), make([]float64, len(in.Records))
	rows := make([]int, len(in.Records))
	for i, record := range in.Records {
		values = append(values, record.X...)
		labels[i], rows[i] = record.Y, i
	}
	data, err := dataset.NewDense(len(dst), values, labels)
	if err != nil {
		return err
	}
	laplacesgd.BatchGradient(data, rows, in.Shared, divisor, dst)
	return nil
}
