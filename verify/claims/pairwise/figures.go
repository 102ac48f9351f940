package pairwise

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

const (
	aucText       = "Experiments for AUC maximization, second paragraph"
	metricText    = "Experiments for Metric Learning, last paragraph (results are similar to those for AUC maximization)"
	ownParameters = "α = 1/2, w₀ = 0, T₁ = ⌈L/α⌉ + 2 and the noise kept apart from the iterates (all ours; then steps " +
		"are taken)"
	ownWords = "planted rows, α = 1/2 and T₁ = ⌈L/α⌉ + 2, ε = 10⁹ against 0.5"
)

// figureClaims returns the statements about Figures 1 to 6, tested on the paper's data sets. Rows are standardized by
// the constants of the training rows and scaled to norm 1; the paper states neither. Larger rows make T₁ larger. If
// objective values at two n are compared, there are no test rows, and all rows are standardized together.
func figureClaims() []verify.Claim {
	return slices.Concat(objectiveClaims(), aucClaims(), accuracyClaims(), measureClaims())
}

// objectiveClaims returns the claims about the objective values of Figures 1, 2 and 5.
func objectiveClaims() []verify.Claim {
	inMetric := []larger{{false, place{90, 0.5}, place{90, 2.5}}, {false, place{350, 0.5}, place{350, 2.5}},
		{false, place{50, 2.5}, place{150, 2.5}}}
	inEpsilon := append([]larger{{true, place{90, 0.5}, place{90, 2.5}}}, inMetric[:2]...)
	return []verify.Claim{
		{
			ID: "pairwise/experiments/auc", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Figs. 1-2: " + aucText + ", when n is fixed. Ours are c = 1 and the rows, standardized by the " +
				"training rows and of norm 1. No step is taken, so the two means are equal: the figures must come from " +
				"parameters other than the printed ones",
			Statement: "the mean objective value is larger at ε = 0.5 than at ε = 2.5, as the text says about Figures 1 " +
				"and 2. Setting: OnPairStrC at n = 90, OnPairC at n = 90 and 350; " + printedParameters,
			Check: checks.OnData("cancer", printedObjectives(fromFile("cancer"), aucTask, inEpsilon...)),
			Control: verify.Control{Check: ownObjectives(planted(8), aucTask), Want: checks.Consistent,
				Fault: "none: " + ownWords},
			Corrected: "pairwise/experiments/auc/corrected",
		},
		{
			ID: "pairwise/experiments/auc/corrected", Kind: verify.Experiment, Origin: verify.Correction,
			Place: "Figs. 1-2, corrected: " + aucText + ", when n is fixed",
			Statement: "in most runs the objective value is larger at ε = 0.5 than at ε = 10⁹ (almost no noise), as the " +
				"text says about Figures 1 and 2. Setting: OnPairC for AUC maximization, n = 50; " + ownParameters,
			Check: checks.OnData("cancer", ownObjectives(fromFile("cancer"), aucTask)),
			Control: checks.Faulty(printedObjectives(planted(8), aucTask, inEpsilon...),
				"the paper's settings, on planted rows"),
		},
		{
			ID: "pairwise/experiments/auc/objective", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Figs. 1-2: " + aucText + ", the larger the training size; no run takes a step, so the mean objective " +
				"value is the same at every size; the preparation of all rows together is ours",
			Statement: "the mean objective value is smaller for more rows, as the text says about Figures 1 and 2. " +
				"Setting: OnPairC at n = 150 against n = 50, OnPairStrC at n = 90 against n = 40; all rows standardized " +
				"together; " + printedParameters,
			Check: checks.OnData("cancer", printedObjectives(fromFile("cancer"), aucTask, larger{false, place{50, 2.5},
				place{150, 2.5}},
				larger{true, place{40, 2.5}, place{90, 2.5}})),
			Control: verify.Control{Check: largerAUC(planted(8)), Want: checks.Consistent,
				Fault: "none: the AUC of NonPrivate, with steps, on planted rows"},
			Formerly: []string{"pairwise/experiments/auc/objective/strongly"},
		},
		{
			ID: "pairwise/experiments/metric", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 5: " + metricText,
			Statement: "the mean objective value is larger at ε = 0.5 than at 2.5, and smaller at n = 150 than at 50, " +
				"as \"similar\" says of Figure 5. Setting: OnPairC for metric learning. ε is compared at n = 90 and 350; " +
				"n at ε = 2.5, with all rows standardized together; " + printedParameters,
			Check: checks.OnData("pima", printedObjectives(fromFile("pima"), metricTask, inMetric...)),
			Control: verify.Control{Check: ownObjectives(planted(3), metricTask), Want: checks.Consistent,
				Fault: "none: " + ownWords},
			Corrected: "pairwise/experiments/metric/corrected",
			Formerly:  []string{"pairwise/experiments/metric/size"},
		},
		{
			ID: "pairwise/experiments/metric/corrected", Kind: verify.Experiment, Origin: verify.Correction,
			Place: "Fig. 5, corrected: " + metricText,
			Statement: "in most runs the objective value is larger at ε = 0.5 than at ε = 10⁹ (almost no noise), as the " +
				"text says about Figure 5. Setting: OnPairC for metric learning, n = 50; " + ownParameters,
			Check: checks.OnData("pima", ownObjectives(fromFile("pima"), metricTask)),
			Control: checks.Faulty(printedObjectives(planted(3), metricTask, inMetric...),
				"the paper's settings, on planted rows"),
		},
		{
			ID: "pairwise/experiments/auc/figure-2", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 2: " + aucText + ", the sentence on Figure 2 (comparable with the baseline); with its own T₁ " +
				"NonPrivate has the outputs of OnPairC (settings/baseline), and the sentence holds trivially",
			Statement: "OnPairC is \"comparable\" to NonPrivate, as the text says about Figure 2. In at least half of " +
				"the runs the objective values differ by at most 0.1. Setting: n = 150, within the paper's 50 to 350. " +
				"OnPairC has the printed parameters (α = 1/√n, ε = 2.5, T₁ of line 2, rows of norm 1). NonPrivate takes " +
				"steps (λ = 0.1, T₁ = ⌈L/λ⌉ + 2; the paper has λ = 10⁻³). The 0.1, this λ and this T₁ are ours",
			Check: checks.OnData("pima", competitiveObjective(fromFile("pima"), aucTask.online)),
			Control: verify.Control{Check: competitiveObjective(planted(8), aucTask.withoutNoise),
				Want: checks.Consistent, Fault: "none: planted rows, α = 1/2 and T₁ = ⌈L/α⌉ + 2, ε = 10⁹"},
			Corrected: "pairwise/experiments/auc/corrected",
		},
	}
}

// aucClaims returns the claims about the AUC of Figure 4.
func aucClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/experiments/auc/figure-4", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 4: " + aucText + ", the larger the privacy parameter and the training size; both means are " +
				"exactly 0.5, as w and −w are equally likely",
			Statement: "the mean AUC of OffPairC is larger at ε = 2.5 than at 0.5, and larger at n = 350 than at 50, as " +
				"the text says about Figure 4. Setting: n = 350 and ε = 2.5, respectively; the printed parameters (α = " +
				"1/√n; T₁ of line 2; rows of norm 1)",
			Check:     checks.OnData("pima", symmetricAUC(fromFile("pima"))),
			Control:   verify.Control{Check: growsInEpsilon, Want: checks.Consistent, Fault: "none: " + ownWords},
			Corrected: "pairwise/experiments/auc/figure-4/corrected",
			Formerly:  []string{"pairwise/experiments/auc/epsilon", "pairwise/experiments/auc/size"},
		},
		{
			ID: "pairwise/experiments/auc/figure-4/corrected", Kind: verify.Experiment, Origin: verify.Correction,
			Place: "Fig. 4, corrected: " + aucText + ", the larger the privacy parameter",
			Statement: "the mean of 1 − AUC of OffPairC at n = 90 does not grow with ε, from 0.5 to 2500, as the text " +
				"says about Figure 4. Setting, ours, so that steps are taken: α = 8, w₀ = 0, T₁ = ⌈L/α⌉ + 2",
			Check:   checks.OnData("pima", fallsInEpsilon(fromFile("pima"), false)),
			Control: checks.Faulty(fallsInEpsilon(planted(8), true), "AUC in place of 1 − AUC, on planted rows"),
		},
	}
}

// accuracyClaims returns the claims about the nearest neighbors of Figure 6.
func accuracyClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/experiments/metric/accuracy/epsilon", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 6: " + metricText + ", the larger the privacy parameter; the two means are equal, as the " +
				"direction of the matrix is uniform at both ε",
			Statement: "the mean accuracy of the three nearest neighbors under the matrix of OffPairC is larger at ε = " +
				"2.5 than at 0.5, as \"similar\" says of Figure 6. Setting: the printed parameters (α = 1/√n; T₁ of line " +
				"2; rows of norm 1), n = 100",
			Check:     checks.OnData("pima", sameDirection(fromFile("pima"))),
			Control:   verify.Control{Check: growsInEpsilon, Want: checks.Consistent, Fault: "none: the AUC on " + ownWords},
			Corrected: "pairwise/experiments/metric/corrected",
		},
		{
			ID: "pairwise/experiments/metric/accuracy", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 6: " + metricText + ", and competitive with the baseline; with its own T₁ NonPrivate is not " +
				"better (settings/baseline)",
			Statement: "OffPairC performs \"competitively\", as the last sentence says. In at least half of the runs " +
				"the three nearest neighbors are at most 0.1 less accurate under its matrix than under NonPrivate's. " +
				"Setting: n = 100, within the paper's 50 to 350. OffPairC has the printed parameters (α = 1/√n, ε = 2.5, " +
				"T₁ of line 2, rows of norm 1). NonPrivate takes steps (λ = 0.1, T₁ = ⌈L/λ⌉ + 2; the paper has λ = 10⁻³). " +
				"The 0.1, this λ and this T₁ are ours",
			Check: checks.OnData("pima", competitiveAccuracy(fromFile("pima"))),
			Control: verify.Control{Check: competitiveAccuracy(alternating(3)), Want: checks.Consistent,
				Fault: "none: labels that alternate, which no learner predicts"},
			Corrected: "pairwise/experiments/metric/corrected",
			Formerly:  []string{"pairwise/experiments/metric/figure-5"},
		},
	}
}
