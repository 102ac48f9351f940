package curricula

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// statementClaims returns the claims about the noise of Algorithm 1 with constant F and about composition (Sect. 2.3).
func statementClaims() []verify.Claim {
	added := checks.Pair(verify.Claim{
		ID: "curricula/alg-1/constant", Kind: verify.Identity, Origin: verify.Stated,
		Place: "Sect. 4.1, second paragraph: F constant is the DP-SGD of reference [1]",
		Statement: "at a constant F, the noise that Algorithm 1 adds to the mean gradient of 600 samples has the same " +
			"standard deviation as the noise of DP-SGD (Abadi et al. 2016)",
		Check: noiseDeviation(curricula.ScalePrinted),
	}, verify.Claim{
		Place: "Algorithm 1, line \"Add noise\": with the noise on the sum of a batch, which is then divided by its size",
		Statement: "with noise of standard deviation FC on the sum over a batch of 600, Algorithm 1 at a constant F " +
			"adds noise of standard deviation FC/600 to the mean gradient, as DP-SGD (Abadi et al. 2016) does",
		Check: noiseDeviation(curricula.ScaleMean),
	}, "noise on the sum", "noise on the mean")
	return append(added, verify.Claim{
		ID: "curricula/renyi-composition", Kind: verify.Consistency, Origin: verify.Stated,
		Place: "Sect. 2.3, second paragraph: a tighter analysis than adding up the budgets",
		Statement: "at the settings of Table 2, the ε from Rényi divergences is below the sum of the ε of all steps. " +
			"Each step has an equal share of δ",
		Check:   tighterThanSum(1),
		Control: checks.Faulty(tighterThanSum(1e-4), "a ten-thousandth of the sum"),
	})
}

// printedShapes calls visit with each decreasing schedule of Table 2 and its printed ε.
func printedShapes(visit func(s curricula.Schedule, epsilon float64)) {
	for i, pair := range shapes {
		visit(pair[0], printedEpsilons[i][0])
	}
}

// tighterThanSum compares the ε from Rényi divergences with share times the sum of the ε of the steps.
func tighterThanSum(share float64) verify.Check {
	return formula.Check{
		Quantity: "ε at δ = 1e-5", Sense: verify.Below,
		Domain: "the decreasing schedules of Table 2, Poisson sampling at 0.01, 100 steps an epoch, T = 20",
		Points: func(add func(formula.Point)) {
			printedShapes(func(s curricula.Schedule, _ float64) {
				m := s.Multipliers(epochs, curricula.FromZero)
				whole, failed := rdp(m)
				sum := 0.0
				for _, f := range m {
					own, err := accountant.LossEpsilon(event.Poisson(rate, event.Gaussian(f)), event.AddRemove,
						delta/(epochs*steps), accountant.Precision{Width: 0.01})
					failed, sum = cmp.Or(failed, err), sum+steps*own.Lower
				}
				add(formula.Point{Place: formula.Placef("%s", s.Name), Measured: whole.Upper, Claimed: share * sum, Show: true,
					Err: failed})
			})
		},
	}
}

// noiseDeviation compares the noise of a run on 600 zero gradients with FC/600 times the same standard normal draw,
// which is the noise of Abadi et al. 2016. The draw is the noise of a batch of one sample.
func noiseDeviation(scale curricula.Scale) verify.Check {
	return formula.Check{
		Quantity: "noise, divided by that of Abadi et al.", Sense: verify.Equals,
		Domain: "batches of 600, the same draws",
		Proof:  "the noise is the same draw times a constant",
		Grid:   formula.Grid{formula.Over("multiplier", 1, 2, 5)},
		At: func(at []float64, add func(formula.Point)) {
			length := func(batch int, multiplier float64) (float64, error) {
				s := curricula.Samples{K: 1, X: slices.Repeat([][]float64{{0}}, batch), Y: make([]int, batch)}
				g, err := observed(linear{1}, s, curricula.Config{Epochs: 1, Batch: batch, Rate: 0.15, Clip: 1, Scale: scale,
					Clipping: curricula.ClipExample}, &noise{multiplier, rand.New(rand.NewPCG(1, 1))})
				return floats.Norm(g, 2), err
			}
			draw, err1 := length(1, 1)
			here, err2 := length(600, at[0])
			add(formula.Point{Place: formula.Placef("b = 600"), Measured: here / (at[0] / 600 * draw), Claimed: 1,
				Error: 1e-9,
				Show:  true, Err: cmp.Or(err1, err2)})
		},
	}
}
