package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func privacyClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/thm-1", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Theorem 1: also Offline Private Pairwise Learning, first sentence; the theorems cover ε up to 1 while " +
				"the experiments use up to 2.5, for which the privacy also holds",
			Statement: "all outputs of Algorithm 1 together are (ε, δ)-DP, whether the noisy output is fed back or kept " +
				"apart. Setting: 0 < ε ≤ 1 and 0 < δ < 1, and the ε (up to 2.5) and δ of the experiments",
			Check: onlinePrivacy(1, wholeProof),
			Control: verify.Control{Check: onlinePrivacy(3, ""), Want: checks.Refuted, Fault: "a third of the standard " +
				"deviation"},
			Formerly: []string{"pairwise/thm-1/experiments", "pairwise/settings/epsilon",
				"pairwise/experiments/setting/epsilon"},
		},
		{
			ID: "pairwise/thm-3/privacy", Kind: verify.Privacy, Origin: verify.Stated, Place: "Theorem 3, first sentence",
			Statement: "Algorithm 2, which is Algorithm 1 with the constants of its own line 4, is (ε, δ)-DP for 0 < ε " +
				"≤ 1 and 0 < δ < 1. Setting: n = 1000, α = cL/√n, c ∈ {5, 10, 100}, at which steps are taken",
			Check: regularizedPrivacy(1),
			Control: verify.Control{Check: regularizedPrivacy(3), Want: checks.Refuted, Fault: "a third of the standard " +
				"deviation"},
		},
		{
			ID: "pairwise/thm-5/privacy", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Theorem 5, first sentence: and the sentence above eq. (13), whose condition α = O(1/√n) is not " +
				"needed for the privacy of Algorithm 4",
			Statement: "Algorithms 3 and 4 are (ε, δ)-DP for 0 < ε ≤ 1 and 0 < δ < 1, and at the ε (up to 2.5) and δ of " +
				"the experiments",
			Check: offlinePrivacy(1, "Lemma 4 summed up, and Theorem A.1 of Dwork & Roth (2014); the ε and δ of the "+
				"experiments are all there"),
			Control: verify.Control{Check: offlinePrivacy(5, ""), Want: checks.Refuted, Fault: "a fifth of the standard " +
				"deviation"},
			Formerly: []string{"pairwise/thm-5/privacy/experiments"},
		},
	}
}

// theoremLevels have ε ≤ 1, as in the theorems; wholeLevels add the levels of the experiments.
var (
	theoremLevels = levels(1e-3, 0.1, 0.5, 1)
	wholeLevels   = all(theoremLevels, experimentLevels)
)

const wholeProof = "the steps spend at most ρ together (alg-1/output), and Lemma 3 turns ρ into (ε, δ)"

// wholeSpent returns the share of ρ that a run spends, the larger one of the two readings of line 13.
func wholeSpent(warmup, n int) float64 {
	return math.Max(worstSpent(fedBack, printedVariance, warmup, n), worstSpent(keptApart, printedVariance, warmup, n))
}

// privacyOf compares the exact δ of Gaussian noise at μ with the claimed one.
func privacyOf(l level, mu float64, show bool) formula.Point {
	return formula.Point{
		Place:    formula.Placef("ε=%g, δ=%.3g", l.epsilon, l.delta),
		Measured: gaussianDelta(mu, l.epsilon), Claimed: l.delta, Error: deltaError, Show: show,
	}
}

func onlinePrivacy(factor float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "exact δ at ε of all outputs of the worst pair", Sense: verify.AtMost, Proof: proof,
		Domain: "ε ∈ {10⁻³, 0.1, 0.5, 1} with δ from 10⁻³⁰ to 0.999, and the experiments; every position of the " +
			"differing record up to 350 steps, both readings of line 13",
		Grid: formula.Grid{formula.Over("T₁", 16, 36), formula.Over("n − T₁", 1, 24, 334)},
		At: func(at []float64, add func(formula.Point)) {
			share := wholeSpent(int(at[0]), int(at[0]+at[1]))
			for l := range wholeLevels {
				mu := factor * math.Sqrt(2*share*pairwise.Budget(l.epsilon, l.delta))
				add(privacyOf(l, mu, l.delta == 1e-6 && at[0] == 16))
			}
		},
	}
}

// regularizedPrivacy computes the privacy of a run with the T₁ of Algorithm 2 at n = 1000.
func regularizedPrivacy(factor float64) verify.Check {
	return formula.Check{
		Quantity: "exact δ at ε of all outputs of the worst pair", Sense: verify.AtMost, Proof: wholeProof,
		Domain: "ε ∈ {10⁻³, 0.1, 0.5, 1} with δ from 10⁻³⁰ to 0.999; n = 1000, α = cL/√n, every position of the " +
			"differing record up to 350 steps, both readings of line 13",
		Grid: formula.Grid{formula.Over("c", 5, 10, 100)},
		At: func(at []float64, add func(formula.Point)) {
			alpha := at[0] / math.Sqrt(1000)
			share := wholeSpent(pairwise.WarmupSteps(pairwise.WarmupPaper, 1+alpha, alpha), 1000)
			for l := range theoremLevels {
				add(privacyOf(l, factor*math.Sqrt(2*share*pairwise.Budget(l.epsilon, l.delta)), l.delta == 1e-6))
			}
		},
	}
}

func offlinePrivacy(factor float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "exact δ at ε of the worst pair", Sense: verify.AtMost, Proof: proof,
		Domain: "ε ∈ {10⁻³, 0.1, 0.5, 1} with δ from 10⁻³⁰ to 0.999, and the experiments; every position of the " +
			"differing record",
		Grid: formula.Grid{formula.Over("T₁", 16, 36), formula.Over("n − T₁", 1, 24, 334)},
		At: func(at []float64, add func(formula.Point)) {
			n := int(at[0] + at[1])
			worst := averageMove(int(at[0]), n)
			for l := range wholeLevels {
				mu := factor * worst / pairwise.OfflineStdDev(1, 1, l.epsilon, l.delta, n)
				add(privacyOf(l, mu, l.delta == 1e-6 && at[0] == 16))
			}
		},
	}
}
