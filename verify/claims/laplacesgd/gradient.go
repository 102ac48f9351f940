package laplacesgd

import (
	"cmp"
	"context"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func gradientClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "laplace-sgd/eq-4", Source: "eq. (4)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Sect. 3.3, eq. (4), its second equality sign",
			Statement: "−e^(−m)/(1+e^(−m)) = −1/(1+e^m), m = y⟨w, x⟩ the margin",
			Check:     slopes(firstForm, ordinaryMargins, "numerator and denominator multiplied by e^m"),
			Control: verify.Control{Check: slopes(func(m float64) float64 { return firstForm(-m) }, ordinaryMargins, ""),
				Want: checks.Refuted, Fault: "the sign of the exponent"},
		},
		{
			ID: "laplace-sgd/eq-4/derivative", Source: "eq. (4)", Kind: verify.Identity,
			Origin:    verify.Stated,
			Place:     "Sect. 3.3, eq. (4), its first equality sign; ℓ by Sect. 3.2, the line after eq. (2)",
			Statement: "−1/(1+e^m) is the derivative of log(1+e^(−m))",
			Check:     slopes(differenceQuotient, ordinaryMargins, "the chain rule; the quotient is there to catch a slip"),
			Control: verify.Control{Check: slopes(func(m float64) float64 { return -differenceQuotient(m) }, ordinaryMargins,
				""),
				Want: checks.Refuted, Fault: "the sign of the gradient"},
		},
		{
			ID: "laplace-sgd/eq-4/objective", Source: "eqs. (2) and (4)", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 3.3, the sentence before eq. (4), which calls it the gradient of the " +
				"objective function; eq. (2), whose λ/2‖w‖² it leaves out",
			Statement: "eq. (4) is the gradient of the objective function (2) of one record",
			Check:     objectiveSlopes(0),
			Control: verify.Control{Check: objectiveSlopes(1), Want: checks.Holds,
				Fault: "none: λw added, as eqs. (3), (5), (6) and (8) do"},
			Corrected: "laplace-sgd/eq-4/objective/corrected",
		},
		{
			ID: "laplace-sgd/eq-4/objective/corrected", Source: "eqs. (2) and (4), with λw", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Sect. 3.3, eq. (3), the bracket, of eq. (2) with n = 1",
			Statement: "λw and (4) together are the gradient of the objective function (2) of one record",
			Check:     objectiveSlopes(1),
			Control:   verify.Control{Check: objectiveSlopes(0), Want: checks.Contradictory, Fault: "(4) alone"},
		},
		{
			ID: "laplace-sgd/eq-6", Source: "eq. (6)", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Sect. 3.4, eqs. (6) and (8), single-point SGD being mini-batch SGD at b = 1",
			Statement: "for batches of b = 1, update (6) with noise Z_t and update (8) with Z_t/b are the same",
			Check:     updates(laplacesgd.UpdateSingle, []int{1}, "1/b = 1"),
			Control: verify.Control{Check: updates(laplacesgd.UpdateSingle, []int{2, 5}, ""), Want: checks.Contradictory,
				Fault: "b > 1"},
		},
		{
			ID: "laplace-sgd/eq-6/batch", Source: "eqs. (6) and (8)", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 3.4, eq. (6), printed with a sum over a batch B_t where the line before it " +
				"says single-point: the batch may be a slip for one record",
			Statement: "(6) and (8), both printed with a batch of b records, are the same update for every b",
			Check:     updates(laplacesgd.UpdateSingle, []int{1, 2, 5, 10, 50}, ""),
			Control: verify.Control{Check: updates(laplacesgd.UpdateSingle, []int{1}, "1/b = 1"), Want: checks.Holds,
				Fault: "none: b = 1"},
			Corrected: "laplace-sgd/eq-6",
		},
	}
}

func ordinaryMargins(yield func(float64) bool) {
	for m := -700.0; m <= 700; m += 1.75 {
		if !yield(m) {
			return
		}
	}
	for _, m := range []float64{-1e-300, 0, 1e-300, 1e-8} {
		if !yield(m) {
			return
		}
	}
}

// firstForm is the first form of (4) without yx, as it is printed.
func firstForm(m float64) float64 { return -math.Exp(-m) / (1 + math.Exp(-m)) }

// differenceQuotient is the derivative of the loss at m, to about 1e-8 of itself.
func differenceQuotient(m float64) float64 {
	const h = 1e-4
	return (erm.Logistic{}.Value(m+h) - erm.Logistic{}.Value(m-h)) / (2 * h)
}

// slopes compares a form of the slope with the library's, which is written for both tails.
func slopes(form func(float64) float64, margins func(func(float64) bool), proof string) verify.Check {
	return formula.Check{
		Quantity: "slope of the loss", Sense: verify.Equals, Domain: "margins from −700 to 700 in steps of 1.75, and near 0",
		Proof: proof,
		Points: func(add func(formula.Point)) {
			for m := range margins {
				add(formula.Point{Place: formula.Placef("m=%g", m), Measured: form(m), Claimed: erm.Logistic{}.Derivative(m),
					Error: 1e-6, Show: math.Mod(m, 350) == 0})
			}
		},
	}
}

// objectiveSlopes compares the slope of (2) in one dimension, at one record x = y = 1, with (4) and share·λw.
func objectiveSlopes(share float64) verify.Check {
	return formula.Check{
		Quantity: "slope of the objective (2)", Sense: verify.Equals, Contradiction: true,
		Domain: "d = 1, one record x = y = 1, λ ∈ {10⁻⁴, 0.1}, w ∈ {−118, −1, 1, 118}; ‖w*‖ ≤ √(2 ln 2/λ) is 118 at 10⁻⁴",
		Proof:  "the derivative of λw²/2 is λw; the quotient is there to catch a slip",
		Points: func(add func(formula.Point)) {
			one, err := dataset.NewDense(1, []float64{1}, []float64{1})
			for _, lambda := range []float64{paperLambda, 0.1} {
				for _, w := range []float64{-118, -1, 1, 118} {
					const h = 1e-3
					var slope float64
					if err == nil {
						f := laplacesgd.Objective(lambda)
						slope = (f.Value([]float64{w + h}, one) - f.Value([]float64{w - h}, one)) / (2 * h)
					}
					add(formula.Point{Place: formula.Placef("λ=%g, w=%g", lambda, w), Measured: slope, Show: true, Error: 1e-6,
						Err:     err,
						Claimed: firstForm(w) + share*lambda*w})
				}
			}
		},
	}
}

// updates runs the implementation twice on the same stream, with one line and with (8),
// and compares the first weight.
func updates(line laplacesgd.Update, batches []int, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "first weight after a pass over 50 records", Sense: verify.Equals,
			Domain: "d ∈ {2, 5, 15}, α ∈ {0.01, 1, 10}, noise of Algorithm 1", Proof: proof, Contradiction: true,
			Points: func(add func(formula.Point)) {
				for _, d := range []int{2, 5, 15} {
					for _, alpha := range alphas {
						for _, b := range batches {
							first, err1 := firstWeight(ctx, s, d, alpha, b, line)
							second, err2 := firstWeight(ctx, s, d, alpha, b, laplacesgd.UpdateBatch)
							add(formula.Point{Place: formula.Placef("b=%d, d=%d, α=%g", b, d, alpha), Show: d == 5, Measured: first,
								Claimed: second, Err: cmp.Or(err1, err2)})
						}
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

func firstWeight(ctx context.Context, s verify.Settings, d int, alpha float64, b int,
	line laplacesgd.Update) (float64, error) {
	data, _, err := dataset.Sphere(s.Common("rows"), 50, d, 0.001)
	if err != nil {
		return 0, err
	}
	c := laplacesgd.Config{Lambda: 1e-4, Rate: laplacesgd.Rate{Scale: 1}, Batch: b, Epochs: 1}
	result, err := laplacesgd.Private(ctx, s.Common("run"), data, c, laplacesgd.Privacy{Alpha: alpha, Update: line})
	if err != nil {
		return 0, err
	}
	return result.W[0], nil
}
