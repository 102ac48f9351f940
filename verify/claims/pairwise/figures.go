package pairwise

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

const (
	aucPlace    = "Experiments for AUC maximization, second paragraph, the sentences on Figures "
	aucPlaceOne = "Experiments for AUC maximization, second paragraph, the sentence on Figure "
	metricPlace = "Experiments for Metric Learning, last paragraph: results are similar to those for AUC maximisation"
	soundWords  = "with α = ½, w₀ = 0, T₁ = ⌈L/α⌉ + 2 and the noise not fed back, "
)

// figureClaims returns the claims about Figures 1 to 6: the sentences of the paper about them, judged on its data. Rows
// are standardised and of norm 1, which the paper does not state; larger ones make T₁ larger.
func figureClaims() []verify.Claim {
	return slices.Concat(objectiveClaims(), competitiveClaims(), aucClaims(), measureClaims(), sizeClaims())
}

func objectiveClaims() []verify.Claim {
	falling := checks.Shared(objectiveFallsInSize(planted(8), aucTask, true))
	return []verify.Claim{
		{
			ID: "pairwise/experiments/auc", Source: "Figs. 1-2", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aucPlace + "1 and 2: when n is fixed",
			Statement: "the smaller ε, the larger the objective value of OnPairStrC (λ = 10⁻³) and OnPairC (α = 1/√n) for AUC " +
				"maximisation, at n = 90 and 350",
			Check: checks.OnData("cancer", objectiveFalls(fromFile("cancer"), literal, aucTask)),
			Control: verify.Control{Check: objectiveFalls(planted(8), ownSetting, aucTask), Want: checks.Consistent,
				Fault: "none: planted rows, " + soundWords + "ε = 0.5 against 10⁹"},
			Corrected: "pairwise/experiments/auc/corrected",
		},
		{
			ID: "pairwise/experiments/auc/corrected", Source: "Figs. 1-2, corrected", Kind: verify.Experiment,
			Origin: verify.Correction, Place: aucPlace + "1 and 2, at settings of ours under which steps are taken",
			Statement: soundWords + "the objective value of OnPairC for AUC maximisation is in most runs larger at ε = 0.5 " +
				"than at ε = 10⁹, next to no noise, at n = 50",
			Check: checks.OnData("cancer", objectiveFalls(fromFile("cancer"), ownSetting, aucTask)),
			Control: verify.Control{Check: objectiveFalls(planted(8), literal, aucTask), Want: checks.Refuted,
				Fault: "the paper's settings, on planted rows"},
		},
		{
			ID: "pairwise/experiments/auc/objective", Source: "Figs. 1-2", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aucPlace + "1 and 2: the larger the training size",
			Statement: "the larger n, the smaller the mean objective value of OnPairC (α = 1/√n) for AUC maximisation, n = " +
				"150 against 50",
			Check: checks.OnData("pima", objectiveFallsInSize(fromFile("pima"), aucTask, false)),
			Control: verify.Control{Check: falling, Want: checks.Consistent,
				Fault: "none: NonPrivate on planted rows"},
			Corrected: "pairwise/experiments/auc/objective/corrected",
		},
		{
			ID: "pairwise/experiments/auc/objective/strongly", Source: "Fig. 1", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aucPlace + "1 and 2: the larger the training size, of Figure 1",
			Statement: "the larger n, the smaller the mean objective value of OnPairStrC (λ = 10⁻³) for AUC maximisation, n = " +
				"90 against 40",
			Check: checks.OnData("cancer", stronglyFallsInSize(fromFile("cancer"))),
			Control: verify.Control{Check: falling, Want: checks.Consistent,
				Fault: "none: NonPrivate on planted rows, n = 150 against 50"},
			Corrected: "pairwise/experiments/auc/objective/corrected",
		},
		{
			ID: "pairwise/experiments/auc/objective/corrected", Source: "Figs. 1-2, NonPrivate", Kind: verify.Experiment,
			Origin: verify.Correction, Place: aucPlace + "1 and 2, said of NonPrivate with a warm-up of ours, T₁ = ⌈L/λ⌉ + 2",
			Statement: "the objective value of NonPrivate (λ = 0.1) is in most runs smaller at n = 150 than at n = 50",
			Check:     checks.OnData("pima", objectiveFallsInSize(fromFile("pima"), aucTask, true)),
			Control: verify.Control{Check: objectiveFallsInSize(planted(8), aucTask, false), Want: checks.Refuted,
				Fault: "OnPairC at the paper's settings, on planted rows"},
		},
		{
			ID: "pairwise/experiments/metric", Source: "Fig. 5", Kind: verify.Experiment,
			Origin: verify.Stated, Place: metricPlace + ", said of Figure 5",
			Statement: "the smaller ε, the larger the objective value of OnPairC (α = 1/√n) for metric " +
				"learning, at n = 90 and 350",
			Check: checks.OnData("pima", objectiveFalls(fromFile("pima"), literal, metricTask)),
			Control: verify.Control{Check: objectiveFalls(planted(3), ownSetting, metricTask), Want: checks.Consistent,
				Fault: "none: planted rows of dimension 3, " + soundWords + "ε = 0.5 against 10⁹"},
			Corrected: "pairwise/experiments/metric/corrected",
		},
		{
			ID: "pairwise/experiments/metric/corrected", Source: "Fig. 5, corrected", Kind: verify.Experiment,
			Origin: verify.Correction,
			Place:  metricPlace + ", said of Figure 5, at settings of ours under which steps are taken",
			Statement: soundWords + "the objective value of OnPairC for metric learning is in most runs larger at ε = 0.5 " +
				"than at ε = 10⁹, next to no noise, at n = 50",
			Check: checks.OnData("pima", objectiveFalls(fromFile("pima"), ownSetting, metricTask)),
			Control: verify.Control{Check: objectiveFalls(planted(3), literal, metricTask), Want: checks.Refuted,
				Fault: "the paper's settings, on planted rows"},
		},
		{
			ID: "pairwise/experiments/metric/size", Source: "Fig. 5", Kind: verify.Experiment,
			Origin: verify.Stated, Place: metricPlace + ", said of Figure 5",
			Statement: "the larger n, the smaller the mean objective value of OnPairC (α = 1/√n) for metric learning, n = 150 " +
				"against 50",
			Check: checks.OnData("pima", objectiveFallsInSize(fromFile("pima"), metricTask, false)),
			Control: verify.Control{Check: falling, Want: checks.Consistent,
				Fault: "none: NonPrivate for AUC maximisation, on planted rows"},
			Corrected: "pairwise/experiments/auc/objective/corrected",
		},
	}
}

func aucClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/experiments/auc/figure-4/corrected", Source: "Fig. 4, corrected", Kind: verify.Experiment,
			Origin:    verify.Correction,
			Place:     aucPlace + "3 and 4: the larger ε, at settings of ours under which steps are taken",
			Statement: "with α = 8, w₀ = 0 and T₁ = ⌈L/α⌉ + 2 the mean of 1 − AUC of OffPairC at n = 90 does not grow with ε",
			Check:     checks.OnData("pima", fallsInEpsilon(fromFile("pima"), false)),
			Control: verify.Control{Check: fallsInEpsilon(planted(8), true), Want: checks.Refuted,
				Fault: "AUC in the place of 1 − AUC, on planted rows"},
		},
		{
			ID: "pairwise/experiments/auc/epsilon", Source: "Fig. 4", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aucPlace + "3 and 4: the larger the privacy parameter",
			Statement: "the larger ε, the larger the mean AUC of OffPairC (α = 1/√n) at n = 350, ε = 2.5 against 0.5",
			Check:     checks.OnData("pima", growsInEpsilon(fromFile("pima"), false)),
			Control: verify.Control{Check: growsInEpsilon(planted(8), true), Want: checks.Consistent,
				Fault: "none: planted rows, " + soundWords + "ε = 10⁹ against 0.5"},
			Corrected: "pairwise/experiments/auc/figure-4/corrected",
		},
		{
			ID: "pairwise/experiments/auc/size", Source: "Fig. 4", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aucPlace + "3 and 4: the larger the training size",
			Statement: "the larger n, the larger the mean AUC of OffPairC (α = 1/√n, ε = 2.5), n = 350 against 50",
			Check:     checks.OnData("pima", growsInSize(fromFile("pima"), false)),
			Control: verify.Control{Check: growsInSize(planted(8), true), Want: checks.Consistent,
				Fault: "none: NonPrivate on planted rows"},
			Corrected: "pairwise/experiments/auc/size/corrected",
		},
		{
			ID: "pairwise/experiments/auc/size/corrected", Source: "Fig. 4, NonPrivate", Kind: verify.Experiment,
			Origin: verify.Correction, Place: aucPlace + "3 and 4, said of NonPrivate with a warm-up of ours, T₁ = ⌈L/λ⌉ + 2",
			Statement: "the AUC of NonPrivate (λ = 0.1) is in most runs larger at n = 350 than at n = 50",
			Check:     checks.OnData("pima", growsInSize(fromFile("pima"), true)),
			Control: verify.Control{Check: growsInSize(planted(8), false), Want: checks.Refuted,
				Fault: "OffPairC at the paper's settings, on planted rows"},
		},
	}
}
