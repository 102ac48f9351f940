package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/relation"
)

// paperLambda is λ of the experiments, which is the α of the algorithms for strongly convex losses.
const paperLambda = 1e-3

func settingClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/experiments/setting", Source: "Experiments", Kind: verify.Experiment,
			Statement: "the experiments of OnPairStrC and OffPairStrC, λ = 10⁻³ and n from 40 to 90, take gradient steps: T₁ " +
				"is below n, for rows of norm 1",
			Check: warmupEnds(paperLambda, 4, []float64{40, 90}, ""),
			Twin: verify.Twin{Check: warmupEnds(8, 4, []float64{40, 90}, settingProof), Want: checks.Holds,
				Fault: "none: λ = 8"},
			Corrected: "pairwise/experiments/setting/corrected",
		},
		{
			ID: "pairwise/experiments/setting/corrected", Source: "Experiments, corrected", Kind: verify.Experiment,
			Statement: "with λ = 8 and rows of norm 1, T₁ = 36 is below every n from 40 on",
			Check:     warmupEnds(8, 4, []float64{40, 50, 90, 350}, settingProof),
			Twin: verify.Twin{Check: warmupEnds(paperLambda, 4, []float64{40, 90}, ""), Want: checks.Vacuous,
				Fault: "λ = 10⁻³"},
		},
		{
			ID: "pairwise/experiments/setting/convex", Source: "Experiments, Theorem 3", Kind: verify.Experiment,
			Statement: "the experiments of OnPairC and OffPairC, n from 50 to 350, take gradient steps with α = " +
				"1/√n, for rows of norm 1",
			Check: convexWarmupEnds(1, ""),
			Twin: verify.Twin{Check: convexWarmupEnds(40, "T₁ is computed at each n of the experiments"),
				Want: checks.Holds, Fault: "none: α = 40/√n"},
		},
		{
			ID: "pairwise/experiments/setting/epsilon", Source: "Experiments, Theorems 1, 3, 5", Kind: verify.Consistency,
			Statement: "the ε of the experiments, 0.5, 1.5 and 2.5, are within 0 < ε ≤ 1, where the theorems speak of privacy",
			Check:     withinOne(paperEpsilons, ""),
			Twin: verify.Twin{Check: withinOne([]float64{0.5, 1}, "the points are all there are"), Want: checks.Holds,
				Fault: "none: ε ∈ {0.5, 1}"},
			Corrected: "pairwise/thm-1/experiments",
		},
	}
}

const settingProof = "T₁ depends on L/α alone, and n > T₁ for the least n"

// warmupEnds compares T₁ at α = λ with n; L is that of the loss without the ridge.
func warmupEnds(lambda, smooth float64, sizes []float64, proof string) verify.Check {
	return relation.Check{
		Quantity: "T₁", Sense: verify.Below, Void: true, Domain: "the λ named, L = 4 + λ for the AUC loss on rows of norm 1",
		Proof: proof,
		Points: func(add func(relation.Point)) {
			for _, n := range sizes {
				t1 := pairwise.WarmupSteps(pairwise.WarmupPaper, smooth+lambda, lambda)
				add(relation.Point{At: relation.At("λ=%g, n=%g", lambda, n), Measured: float64(t1), Claimed: n, Show: true})
			}
		},
	}
}

func convexWarmupEnds(c float64, proof string) verify.Check {
	return relation.Check{
		Quantity: "T₁", Sense: verify.Below, Void: true, Domain: "α = c/√n, L = 4 + α, n ∈ {50, 100, …, 350}", Proof: proof,
		Points: func(add func(relation.Point)) {
			for n := 50.0; n <= 350; n += 50 {
				alpha := c / math.Sqrt(n)
				t1 := pairwise.WarmupSteps(pairwise.WarmupPaper, 4+alpha, alpha)
				add(relation.Point{At: relation.At("α=%.3g, n=%g", alpha, n), Measured: float64(t1), Claimed: n, Show: true})
			}
		},
	}
}

func withinOne(epsilons []float64, proof string) verify.Check {
	return relation.Check{
		Quantity: "ε", Sense: verify.AtMost, Void: true, Domain: "the ε of the experiments", Proof: proof,
		Points: func(add func(relation.Point)) {
			for _, eps := range epsilons {
				add(relation.Point{At: relation.At("ε=%g", eps), Measured: eps, Claimed: 1, Show: true})
			}
		},
	}
}
