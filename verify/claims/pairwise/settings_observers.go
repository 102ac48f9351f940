package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func observerClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/observers/all", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Experiments, Alg. 1, Theorem 1: ε, δ and n, and Algorithm 1, lines 11 to 13. If only the last " +
				"output is released, and kept apart from the iteration, it spends at most a tenth",
			Statement: "the accounting of Theorem 1 is not tight. All outputs of OnPairStrC together, fed back into the " +
				"iteration or kept apart, spend at most a quarter of the stated ε. Setting: λ = 8 (ours; T₁ = 36, so that " +
				"steps are taken), the exact ε at δ = 1/n, n = 40, 90, ε = 0.5, 1.5, 2.5",
			Check:    spentEpsilon(allOutputs, 1, 0.25, spentProof),
			Control:  checks.Faulty(spentEpsilon(allOutputs, 3, 0.25, ""), "a third of the standard deviation"),
			Formerly: []string{"pairwise/settings/observers/last", "pairwise/settings/observers/mean"},
		},
		{
			ID: "pairwise/settings/observers/offline", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Experiments, Alg. 3, Theorem 5: ε, δ and n, and Algorithm 3, line 9, whose 8 log n could be 4 log(n/T₁)",
			Statement: "the noise of line 9 is larger than its privacy requires. The output of OffPairStrC spends at " +
				"most a twentieth of the stated ε. Setting: λ = 8 (ours; T₁ = 36, so that steps are taken), the exact ε " +
				"at δ = 1/n, n = 40, 90, ε = 0.5, 1.5, 2.5",
			Check:   spentEpsilon(offlineOutput, 1, 0.05, spentProof),
			Control: checks.Faulty(spentEpsilon(offlineOutput, 5, 0.05, ""), "a fifth of the standard deviation"),
		},
	}
}

const spentProof = "the worst path by recursion, in one direction; Gaussian noise composes to Gaussian noise"

// allOutputs returns the largest μ of all outputs of OnPairStrC together, over the position of the record and both
// readings of line 13.
func allOutputs(warmup, n int, epsilon float64) float64 {
	return math.Sqrt(2 * pairwise.Budget(epsilon, 1/float64(n)) * wholeSpent(warmup, n))
}

// offlineOutput returns the μ of the output of OffPairStrC.
func offlineOutput(warmup, n int, epsilon float64) float64 {
	return averageMove(warmup, n) / pairwise.OfflineStdDev(1, 1, epsilon, 1/float64(n), n)
}

// spentEpsilon compares the exact ε of outputs, with the noise divided by a factor, with the stated ε.
func spentEpsilon(outputs func(warmup, n int, epsilon float64) float64, factor, share float64,
	proof string) verify.Check {
	return formula.Check{
		Quantity: "exact ε of the outputs over the stated ε", Sense: verify.AtMost, Proof: proof,
		Domain: "λ = 8, T₁ = 36, δ = 1/n, rows of norm 1, every place of the record",
		Grid:   formula.Grid{formula.Over("n", strongSizes...), formula.Over("ε", paperEpsilons...)},
		At: func(at []float64, add func(formula.Point)) {
			warmup := pairwise.WarmupSteps(pairwise.WarmupPaper, aucLoss.Smoothness(1, 1)+8, 8)
			spent, err := accountant.GDP{Mu: factor * outputs(warmup, int(at[0]), at[1])}.Epsilon(1 / at[0])
			add(formula.Point{Measured: spent.Upper / at[1], Claimed: share, Show: true, Err: err})
		},
	}
}
