package nonconvex

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// experimentClaims returns the claims about the experiments in the paper's order: the loss, the labels, the step
// size, the trends of Figures 1 to 3 and the comparison of Figure 4. The claims named covertype are the right panels
// of the figures; the others need no data.
func experimentClaims() []verify.Claim {
	epsilons := trend{variable: "ε", grid: paperEpsilons, noise: algorithm.NoiseConcentrated}
	sizes := trend{variable: "n", grid: []float64{2500, 5000, 10000, 20000}, noise: algorithm.NoiseConcentrated}
	covertypeSizes := trend{variable: "n", grid: []float64{25000, 50000, 100000, 200000},
		noise: algorithm.NoiseConcentrated}
	withZhang := comparison{ours: algorithm.NoiseConcentrated, theirs: zhang(true)}
	worse := checks.Shared(comparison{ours: algorithm.NoiseStep3, theirs: algorithm.NoiseMoments}.check(synthetic))
	worseThanNone := checks.Shared(comparison{ours: algorithm.NoiseStep3, theirs: nearlyNone}.check(synthetic))
	alike := checks.Shared(effects(2, synthetic))
	rises := checks.Shared(trend{variable: "ε", grid: paperEpsilons, noise: inverted}.check(synthetic))
	risesInSize := checks.Shared(trend{variable: "n", grid: sizes.grid, noise: growing}.check(synthetic))
	return []verify.Claim{
		{
			ID: "nonconvex/experiments/loss/lipschitz", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Experiment Settings, first paragraph, last sentence: normalized so that the loss is 1-Lipschitz",
			Statement: "the smallest Lipschitz constant of the sigmoid loss on rows of norm r is r/4, so the loss is " +
				"1-Lipschitz for rows of norm at most 4. Rows normalized to norm 1 have the constant 0.25, and noise made " +
				"for G = 1 is four times larger than needed",
			Check:    lossConstant(0.25),
			Control:  checks.Faulty(lossConstant(0.2), "the constant 0.2r"),
			Formerly: []string{"nonconvex/experiments/loss/corrected", "nonconvex/settings/privacy/lipschitz"},
		},
		{
			ID: "nonconvex/experiments/labels/corrected", Kind: verify.Identity, Origin: verify.Correction,
			Place: "Experiment Settings, first paragraph: the y_i on the right read as 1",
			Statement: "the rule y_i = 1 if 1/(1 + exp(−⟨θ*, x_i⟩)) > 0.5, and −1 otherwise, gives every row with ⟨θ*, " +
				"x_i⟩ ≠ 0 exactly one label, the sign of ⟨θ*, x_i⟩",
			Check:   labelRule(true),
			Control: checks.Faulty(labelRule(false), "y_i on both sides"),
		},
		{
			ID: "nonconvex/experiments/labels/law", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Experiment Settings, first paragraph: \"that is\" joins Pr(y_i | x_i) and the rule by which y_i is set",
			Statement: "the rule y_i = 1 if 1/(1 + exp(−⟨θ*, x_i⟩)) > 0.5, and −1 otherwise, gives labels with the " +
				"distribution Pr(y_i | x_i) = 1/(1 + exp(−y_i⟨θ*, x_i⟩)). The paper equates the two by \"that is\". Tried " +
				"at |⟨θ*, x_i⟩| = 0.1, 1 and 10",
			Check: labelLaw(0),
			Control: verify.Control{Check: labelLaw(40), Want: checks.Holds, Fault: "none: |⟨θ*, x_i⟩| so large that the " +
				"distribution is the rule"},
			Corrected: "nonconvex/experiments/labels/corrected",
		},
		{
			ID: "nonconvex/experiments/step-size", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Experiment Settings, second paragraph: the step size does not affect privacy and is chosen as in " +
				"TFOCS. The steps of Algorithm 1 are inputs, fixed before the run, and do not affect privacy",
			Statement: "the step size does not affect privacy: x_2 of Algorithm 1 is (ε, 10⁻³)-private at ε = 0.1, 0.5, 2 " +
				"and 5 even if backtracking chooses the step from the data, as in TFOCS. Tried at p = 1 with two " +
				"neighboring data sets of equal gradient at x_1; backtracking halves one of their steps",
			Check: scaledNoise(2),
			Control: verify.Control{Check: scaledNoise(1), Want: checks.Holds,
				Fault: "none: the same step for both data sets"},
			Formerly: []string{"nonconvex/experiments/step-size/corrected"},
		},
		{
			ID: "nonconvex/experiments/iterations", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figure 2, left: Experiments Results, second paragraph, second sentence",
			Statement: "on the synthetic data, the norm of the projected gradient at x_R depends less on T (50 to 400, at " +
				"ε = 2) than on ε (0.1 to 5, at T = 200). On average over runs, the fall with ε exceeds the change with T " +
				"by at least a tenth of the largest norm. Setting: 50 distinct planted rows of norm 1, p = 100, each " +
				"representing n/50 records; closed form with G = 0.25, γ = 1/(2L)",
			Check:   effects(0.1, synthetic),
			Control: checks.Faulty(alike, "ε = 2 in place of 0.1"),
		},
		{
			ID: "nonconvex/experiments/iterations/covertype", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figure 2, right: Experiments Results, second paragraph, second sentence",
			Statement: "on Covertype, the norm of the projected gradient at x_R depends less on T (50 to 400, at ε = 2) " +
				"than on ε (0.1 to 5, at T = 200). On average over runs, the fall with ε exceeds the change with T by at " +
				"least a tenth of the largest norm. Setting: 50 distinct rows scaled to norm 1, each representing n/50 " +
				"records; closed form with G = 0.25, γ = 1/(2L)",
			Check:   onCovertype{effects(0.1, covertype)},
			Control: checks.Faulty(alike, "synthetic data, ε = 2 in place of 0.1"),
		},
		{
			ID: "nonconvex/experiments/trends", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figure 1, left: Experiments Results, first paragraph, first sentence",
			Statement: "on the synthetic data, the norm of the projected gradient at x_R falls from each ε ∈ {0.1, 0.5, " +
				"2, 5} to the next, on average over runs. Setting: T = 200; 50 distinct planted rows of norm 1, p = 100, " +
				"each representing n/50 records; closed form with G = 0.25, γ = 1/(2L)",
			Check:   epsilons.check(synthetic),
			Control: checks.Faulty(rises, "noise that grows with ε"),
		},
		{
			ID: "nonconvex/experiments/trends/size", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figure 3, left: Experiments Results, third paragraph",
			Statement: "on the synthetic data, the norm of the projected gradient at x_R falls from each n ∈ {2500, 5000, " +
				"10000, 20000} to the next, on average over runs. Only the noise depends on n, with a standard deviation ∝ " +
				"1/n. The n of Figure 3 are not in the text. Setting: ε = 2, T = 400; 50 distinct planted rows of norm 1, p " +
				"= 100, each representing n/50 records; closed form with G = 0.25, γ = 1/(2L)",
			Check:   sizes.check(synthetic),
			Control: checks.Faulty(risesInSize, "noise that grows with n"),
		},
		{
			ID: "nonconvex/experiments/trends/covertype", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figure 1, right: Experiments Results, first paragraph, first sentence",
			Statement: "on Covertype, the norm of the projected gradient at x_R falls from each ε ∈ {0.1, 0.5, 2, 5} to " +
				"the next, on average over runs. Setting: T = 200; 50 distinct rows scaled to norm 1, each representing " +
				"n/50 records; closed form with G = 0.25, γ = 1/(2L)",
			Check:   onCovertype{epsilons.check(covertype)},
			Control: checks.Faulty(rises, "synthetic data, noise that grows with ε"),
		},
		{
			ID: "nonconvex/experiments/trends/size/covertype", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figure 3, right: Experiments Results, third paragraph; with an eighth, a quarter, half and all of the " +
				"records",
			Statement: "on Covertype, the norm of the projected gradient at x_R falls from each n ∈ {25000, 50000, " +
				"100000, 200000} to the next, on average over runs. Only the noise depends on n, with a standard deviation " +
				"∝ 1/n. The n of Figure 3 are not in the text. Setting: ε = 2, T = 400; 50 distinct rows scaled to norm 1, " +
				"each representing n/50 records; closed form with G = 0.25, γ = 1/(2L)",
			Check: onCovertype{covertypeSizes.check(covertype)},
			Control: verify.Control{Check: risesInSize, Want: checks.Refuted, Fault: "synthetic data, noise that grows " +
				"with n"},
		},
		{
			ID: "nonconvex/experiments/trends/datasets", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figure 1, both panels: Experiments Results, first paragraph, second sentence",
			Statement: "the norm of the projected gradient at x_R is on average no larger on Covertype than on the " +
				"synthetic data at each ε ∈ {0.1, 0.5, 2, 5}: the mean ratio is at most 1. Setting: 2·10⁵ and 10⁴ records, " +
				"50 distinct rows of norm 1 each; T = 200, closed form with G = 0.25",
			Check: onCovertype{normRatio(covertype, synthetic)},
			Control: checks.Faulty(normRatio(synthetic, manySynthetic),
				"synthetic data, the smaller norm at 10⁴ records and not at 2·10⁵"),
		},
		{
			ID: "nonconvex/experiments/comparison", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figure 4, both panels: Experiments Results, last paragraph, second sentence",
			Statement: "on Covertype, the norm of the projected gradient at x_R is on average no larger under the closed " +
				"form than under the noise of Wang, Ye & Xu: the mean ratio is at most 1. The methods differ only in their " +
				"noise; the moments accountant with integer orders gives the constant of Wang, Ye & Xu. Setting: ε = 0.5 " +
				"and 2, T = 200; 50 distinct rows scaled to norm 1, each representing n/50 records; closed form with G = " +
				"0.25, γ = 1/(2L)",
			Check: onCovertype{comparison{ours: algorithm.NoiseConcentrated,
				theirs: algorithm.NoiseMoments}.check(covertype)},
			Control: checks.Faulty(worse, "synthetic data, line 3 as printed"),
		},
		{
			ID: "nonconvex/experiments/comparison/zhang", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figure 4, both panels: Experiments Results, last paragraph, second sentence; the noise of Zhang et al. " +
				"is printed without T",
			Statement: "on Covertype, the norm of the projected gradient at x_R is on average no larger under the closed " +
				"form than under the noise of Zhang et al. with the factor T: the mean ratio is at most 1. The methods " +
				"differ only in their noise. Setting: ε = 0.5 and 2, T = 200; 50 distinct rows scaled to norm 1, each " +
				"representing n/50 records; closed form with G = 0.25, γ = 1/(2L)",
			Check:   onCovertype{withZhang.check(covertype)},
			Control: checks.Faulty(worseThanNone, "synthetic data, line 3 as printed, against almost no noise"),
		},
		{
			ID: "nonconvex/experiments/comparison/synthetic/subgradient", Kind: verify.Experiment,
			Origin: verify.Observation,
			Place: "Figure 4, on the synthetic data: Experiments Results, last paragraph; the methods differ in the step, " +
				"proximal or subgradient",
			Statement: "on the synthetic data, the norm of the projected gradient at x_R is on average smaller for " +
				"Algorithm 1 than for subgradient descent under the noise of Wang, Ye & Xu: the mean ratio is below 1. The " +
				"noises differ by less than 0.5 %. Setting: ε = 0.5 and 2, T = 200; 50 distinct planted rows of norm 1, p = " +
				"100, each representing n/50 records; closed form with G = 0.25, γ = 1/(2L)",
			Check: comparison{ours: algorithm.NoiseConcentrated, theirs: algorithm.NoiseMoments,
				subgradient: true}.check(synthetic),
			Control: verify.Control{Check: comparison{ours: algorithm.NoiseStep3, theirs: nearlyNone,
				subgradient: true}.check(synthetic), Want: checks.Refuted, Fault: "line 3 as printed, against hardly any " +
				"noise"},
		},
		{
			ID: "nonconvex/experiments/comparison/synthetic/zhang", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Figure 4, on the synthetic data: Experiments Results, last paragraph; the noise of Zhang et al. is " +
				"printed without T",
			Statement: "on the synthetic data, the norm of the projected gradient at x_R is on average no larger under " +
				"the closed form than under the noise of Zhang et al. with the factor T: the mean ratio is at most 1. " +
				"Figure 4 makes this comparison on Covertype. Setting: ε = 0.5 and 2, T = 200; 50 distinct planted rows of " +
				"norm 1, p = 100, each representing n/50 records; closed form with G = 0.25, γ = 1/(2L)",
			Check:   withZhang.check(synthetic),
			Control: checks.Faulty(worseThanNone, "line 3 as printed, against almost no noise"),
		},
	}
}

// lossConstant compares the Lipschitz constant of the sigmoid loss on rows of norm r with a multiple of r.
func lossConstant(times float64) verify.Check {
	return formula.Check{
		Quantity: "largest |f(θ) − f(θ′)|/‖θ − θ′‖₂", Sense: verify.Equals, Domain: "rows of norm r and every θ",
		Proof: "the slope of the sigmoid is σ(m)σ(−m) ≤ 0.25, with equality at m = 0, times the norm of the row",
		Grid:  formula.Grid{formula.Over("r", 0.1, 0.5, 1, 4)},
		At: func(at []float64, add func(formula.Point)) {
			o := erm.Objective{Loss: erm.Sigmoid{}}
			add(formula.Point{Measured: o.Lipschitz(at[0], math.Inf(1)), Claimed: times * at[0], Show: true})
		},
	}
}

// scaledNoise computes the δ of x_2 = x_1 − γ(g + ε_1) if one neighbor has times the γ of the other: N(0, times²)
// against N(0, 1). The likelihood ratio increases with |x|.
func scaledNoise(times float64) verify.Check {
	return formula.Check{
		Quantity: "smallest δ of x_2", Sense: verify.AtMost, Domain: "p = 1, any σ > 0",
		Grid: formula.Grid{formula.Over("ε", paperEpsilons...)},
		At: func(at []float64, add func(formula.Point)) {
			epsilon, smallest := at[0], 0.0
			if times > 1 {
				// ln of the ratio is x²(1 − 1/times²)/2 − ln times.
				edge := math.Sqrt(2 * (epsilon + math.Log(times)) / (1 - 1/(times*times)))
				smallest = 2 * (distuv.UnitNormal.Survival(edge/times) - math.Exp(epsilon)*distuv.UnitNormal.Survival(edge))
			}
			add(formula.Point{Measured: smallest, Claimed: paperDelta, Error: 1e-9, Show: true})
		},
	}
}

// labelRule counts the y ∈ {−1, 1} that satisfy the rule y = 1 ⇔ 1/(1+exp(−z·m)) > 0.5, with z = y as printed, or z =
// 1.
func labelRule(mended bool) verify.Check {
	return formula.Check{
		Quantity: "labels that keep the rule", Sense: verify.Equals,
		Proof: "the expression is above ½ if its exponent is below 0",
		Grid:  formula.Grid{formula.Over("⟨θ*, x⟩", -2, -0.1, 0.1, 2)},
		At: func(at []float64, add func(formula.Point)) {
			kept := 0.0
			for _, y := range []float64{-1, 1} {
				z := y
				if mended {
					z = 1
				}
				if above := (erm.Sigmoid{}).Value(z*at[0]) > 0.5; above == (y == 1) {
					kept++
				}
			}
			add(formula.Point{Measured: kept, Claimed: 1, Show: true})
		},
	}
}

// labelLaw computes the probability of the more likely label, which the rule always sets, at margins from least up.
func labelLaw(least float64) verify.Check {
	return formula.Check{
		Quantity: "probability of the label that the rule sets", Sense: verify.Equals, Contradiction: true,
		Domain: "|⟨θ*, x⟩| of the synthetic data is at most 1: rows and θ* have norm 1",
		Grid:   formula.Grid{formula.Over("|⟨θ*, x⟩|", least+0.1, least+1, least+10)},
		At: func(at []float64, add func(formula.Point)) {
			add(formula.Point{Measured: erm.Sigmoid{}.Value(at[0]), Claimed: 1, Show: true})
		},
	}
}
