package nonconvex

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func remarkClaims() []verify.Claim {
	equal := func(right noiseFormula) verify.Check {
		c := noiseRatio(algorithm.NoiseConcentrated, right, verify.Equals, 1, paperBudgets, "")
		c.Contradiction = true
		return c
	}
	below := func(left, right noiseFormula, budgets formula.Grid, proof string) verify.Check {
		return noiseRatio(left, right, verify.Below, 1, budgets, proof)
	}
	approximation := func(sense verify.Sense, claimed float64, budgets formula.Grid) verify.Check {
		return noiseRatio(algorithm.NoiseConcentrated, taylorNoise, sense, claimed, budgets,
			"√(l+ε) ≤ √l + ε/(2√l), so that the ratio of the variances (√(l+ε)+√l)²/(4l) is at most 1 + ε/(2l) + ε²/(16l²)")
	}
	return []verify.Claim{
		{
			ID: "nonconvex/remark-1/noise", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Remark 1, third paragraph: the display of σ₂², with the root over log(1/δ) + ε, and Algorithm 1, line " +
				"3; the closed form is 2L²T/(n²ρ), so line 3 has one square too many",
			Statement: "the closed form σ² = 2L²T/(n²(√(log(1/δ)+ε) − √log(1/δ))²) after Remark 1 equals the σ² = " +
				"2L²T/(n²ρ²) of line 3 of Algorithm 1, with the ρ of line 3",
			Check:     equal(algorithm.NoiseStep3),
			Control:   verify.Control{Check: equal(mendedStep3), Want: checks.Holds, Fault: "none: line 3 with ρ"},
			Corrected: "nonconvex/remark-1/noise/private",
		},
		{
			ID: "nonconvex/remark-1/noise/private", Kind: verify.Privacy, Origin: verify.Correction,
			Place: "Remark 1, third paragraph: L read as the Lipschitz constant G",
			Statement: "with the Lipschitz constant G for L, the closed form after Remark 1, 2G²T/(n²ρ), makes all " +
				"iterates of Algorithm 1 together (ε, δ)-private for every ε and δ. Line 3 defines ρ",
			Check:   runDelta(algorithm.NoiseConcentrated, 1, everywhere, concentratedProof),
			Control: checks.Faulty(runDelta(algorithm.NoiseConcentrated, 0.5, everywhere, ""), "half of the noise"),
			Formerly: []string{
				"nonconvex/alg-1/step-3/corrected", "nonconvex/remark-1/noise/corrected", "nonconvex/settings/privacy",
			},
		},
		{
			ID: "nonconvex/remark-1/noise/smoothness", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Remark 1, third paragraph, and Algorithm 1, line 3: L, the smoothness by Assumption 1. Linear losses " +
				"have L = 0 and get no noise. On rows of norm R the ratio L/G is 0.385R, so the noise is larger than needed " +
				"on rows of norm 4",
			Statement: "if L is the smoothness, as Assumption 1 defines it, the closed form makes all iterates of " +
				"Algorithm 1 together (ε, 10⁻³)-private for every loss of Assumption 1, at the ε of the experiments. Tried " +
				"with the sigmoid's constants on rows of norm 1, L = 1/(6√3) and G = 0.25",
			Check: smoothnessCost(erm.Sigmoid{}.Smoothness(math.Inf(1))),
			Control: verify.Control{Check: smoothnessCost(erm.Sigmoid{}.Lipschitz(1)), Want: checks.Holds,
				Fault: "none: L = G"},
			Corrected: "nonconvex/remark-1/noise/private",
			Formerly:  []string{"nonconvex/alg-1/step-3/smoothness", "nonconvex/settings/privacy/smoothness"},
		},
		{
			ID: "nonconvex/remark-1/noise/approximation", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 1, third paragraph: the approximation by the Taylor series, and the practice that follows it",
			Statement: "the closed form after Remark 1 exceeds its approximation 8L²T·log(1/δ)/(n²ε²) by at most 5.1 % " +
				"for ε ≤ 0.1·log(1/δ). The practice in Remark 1, ε = 0.1 to 0.5 and δ = 1/n, is in this range for n ≥ e⁵",
			Check:   approximation(verify.AtMost, 1+0.1/2+0.01/16, smallEpsilons),
			Control: checks.Faulty(approximation(verify.AtMost, 1+0.1/4, smallEpsilons), "2.5 %"),
		},
		{
			ID: "nonconvex/remark-1/noise/practice", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Remark 1, third paragraph: this case will always hold in practice; Experiment Settings, second " +
				"paragraph",
			Statement: "at the ε = 2 and 5 of the experiments, δ = 10⁻³, the closed form exceeds the approximation by " +
				"more than a tenth. Remark 1 says that ε/log(1/δ) ≪ 1 always holds, since practice takes ε = 0.1 to 0.5",
			Check: approximation(verify.AtLeast, 1.1, budgets([]float64{2, 5}, []float64{1e-3})),
			Control: checks.Faulty(approximation(verify.AtLeast, 1.1, budgets([]float64{0.1, 0.5}, []float64{1e-3})),
				"ε = 0.1 and 0.5"),
		},
		{
			ID: "nonconvex/remark-1/comparison", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 1, third paragraph: last sentence; line 3 as printed, with ρ², adds more noise",
			Statement: "for ε < 1 the closed form, with G for L, adds less noise than the Gaussian mechanism under the " +
				"advanced composition of Lemma 1. The mechanism and the composition share δ equally",
			Check: below(algorithm.NoiseConcentrated, composedNoise, belowOne,
				"(√(l+ε)+√l)²/(2·32·ln(2/δ)·ln(2.5T/δ)) ≤ 4(l+1)/(64·ln(2/δ)·ln(2.5T/δ)) < 1, l = ln(1/δ)"),
			Control:  checks.Faulty(below(algorithm.NoiseStep3, composedNoise, belowOne, ""), "line 3 as printed, ρ²"),
			Formerly: []string{"nonconvex/remark-1/comparison/step-3"},
		},
		{
			ID: "nonconvex/remark-1/comparison/zhang", Kind: verify.Identity, Origin: verify.Implied,
			Place: "Remark 1, third paragraph: the noise of Zhang et al., which is printed without T; Experiments Results, " +
				"last paragraph",
			Statement: "at the ε and δ of the experiments, the closed form with G = 1 for L adds less noise than " +
				"32T·ln(1/δ)·ln(T/δ)/(n²ε²), the noise of Zhang et al. with the factor T inserted",
			Check: below(algorithm.NoiseConcentrated, zhang(true), paperBudgets, "(√(l+ε)+√l)² < 4(l+ε) ≤ 16l² ≤ "+
				"16·l·ln(T/δ), l = ln(1/δ): with T the noise of Zhang et al. is the larger one, hence private"),
			Control: checks.Faulty(below(algorithm.NoiseConcentrated, zhang(false), paperBudgets, ""), "without T"),
			Formerly: []string{
				"nonconvex/remark-1/comparison/zhang/corrected", "nonconvex/remark-1/comparison/zhang/private",
				"nonconvex/remark-1/comparison/zhang/private/corrected",
			},
		},
		{
			ID: "nonconvex/remark-1/comparison/moments", Kind: verify.Identity, Origin: verify.Implied,
			Place: "Remark 1, third paragraph: last sentence; Experiments Results, last paragraph; integer orders, as in " +
				"Abadi et al.",
			Statement: "the closed form adds less noise than the moments accountant of Abadi et al. with integer orders " +
				"up to 32, for ε ∈ {0.5, 2, 5} and δ ∈ {10⁻³, 10⁻⁴}. With real orders the two are equal " +
				"(remark-1/comparison/moments/real)",
			Check: below(algorithm.NoiseConcentrated, algorithm.NoiseMoments, momentEpsilons, ""),
			Control: verify.Control{Check: below(algorithm.NoiseConcentrated, realMoments, momentEpsilons, ""),
				Want: []verify.Verdict{verify.Refuted, verify.Inconclusive}, Fault: "real orders: equal"},
			Formerly: []string{"nonconvex/experiments/comparison/noise"},
		},
		{
			ID: "nonconvex/remark-1/comparison/moments/real", Kind: verify.Identity, Origin: verify.Reading,
			Place: "Remark 1, third paragraph: last sentence, for a moments accountant with real orders",
			Statement: "the closed form has exactly the variance that the moments accountant with real orders gives for " +
				"full batches, at every ε and δ",
			Check: noiseRatio(algorithm.NoiseConcentrated, realMoments, verify.Equals, 1, paperBudgets,
				"min over λ of 2λ(λ+1)/(λε − ln(1/δ)) is 2/ρ, by its derivative"),
			Control: checks.Faulty(noiseRatio(algorithm.NoiseConcentrated, composedNoise, verify.Equals, 1, belowOne,
				""), "advanced composition"),
		},
		{
			ID: "nonconvex/remark-1/minimum", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Remark 1, second paragraph: the smallest projected gradient, at ∇F without noise",
			Statement: "returning the iterate with the smallest noiseless gradient ‖∇F(x_k)‖ is not (2, 10⁻³)-private, " +
				"even if the noise makes all iterates private. With probability 1 a neighbor changes which iterate is " +
				"returned. Setting: sigmoid loss, p = 1, T = 2, γ = 1, three records",
			Check: leastGradient(true),
			Control: verify.Control{Check: leastGradient(false), Want: checks.Refuted, Fault: "a uniform R, as in " +
				"Algorithm 1"},
		},
		{
			ID: "nonconvex/remark-1/minimum/iterates", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Remark 1, second paragraph: with the g_{C,k} of Theorem 2, which contains the noise",
			Statement: "returning the iterate with the smallest ‖g_k‖ is (ε, δ)-private if all T + 1 iterates are. The " +
				"choice is post-processing: g_k = (x_k − x_{k+1})/γ_k contains the noise, as Theorem 2 defines g_R",
			Check:    leastNoisyStep(algorithm.NoiseConcentrated),
			Control:  checks.Faulty(leastNoisyStep(littleNoise), "c = 0.01 in eq. (3)"),
			Formerly: []string{"nonconvex/remark-1/minimum/iterates/corrected"},
		},
	}
}

// smoothnessCost computes the ε of a run of losses with G = 0.25 under the closed form with another constant for G,
// for x_R and for all iterates. Linear losses of slope 0.25 are L-smooth for every L and attain both; the sigmoid
// attains the second at T = 1, where two records ±x differ by 2G at x_1 = 0.
func smoothnessCost(constant float64) verify.Check {
	return formula.Check{
		Quantity: "ε that the run costs at δ = 10⁻³", Sense: verify.AtMost,
		Domain: "δ = 10⁻³, n = 10⁴, T = 200, G = 0.25; x_R, and all iterates",
		Grid:   formula.Grid{formula.Over("ε", paperEpsilons...)},
		At: func(at []float64, add func(formula.Point)) {
			b := settingsBudget(at[0])
			b.Lipschitz = constant
			sigma, err := algorithm.NoiseConcentrated(b)
			b.Lipschitz = erm.Sigmoid{}.Lipschitz(1)
			for _, what := range []struct {
				name string
				releaseDelta
			}{{"x_R", lastIterate}, {"all iterates", allIterates}} {
				add(formula.Point{Place: formula.Placef("%s", what.name), Claimed: at[0], Error: 1e-6, Show: true, Err: err,
					Measured: releaseEpsilon(what.releaseDelta, stepsMu(b, sigma), paperDelta, b.Steps)})
			}
		},
	}
}

// leastGradient computes the δ of the returned iterate for the sigmoid loss on three records of dimension 1: (1, +),
// (0.5, −), (0.5, −), whose gradient vanishes only at x_1 = 0, against (1, +), (1, +), (0.5, −), whose gradient is
// largest there. If byGradient, it returns x_1 or x_2 by the smallest |∇F|, else R is uniform. The distribution of
// x_2 is represented by 2001 quantiles.
func leastGradient(byGradient bool) verify.Check {
	const epsilon, delta, quantiles = 2, 1e-3, 2001
	law := func(values, labels []float64) (first float64, err error) {
		if !byGradient {
			return 0.5, nil
		}
		data, err := dataset.NewDense(1, values, labels)
		if err != nil {
			return 0, err
		}
		b := algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: 2, Records: 3, Lipschitz: 0.25}
		sigma, err := algorithm.NoiseConcentrated(b)
		if err != nil {
			return 0, err
		}
		const gamma = 1
		start, g := []float64{0}, []float64{0}
		algorithm.Gradient(erm.Sigmoid{}, data, start, g)
		least, x := math.Abs(g[0]), []float64{0}
		mean := -gamma * g[0]
		for q := range quantiles {
			x[0] = mean + gamma*sigma*distuv.UnitNormal.Quantile((float64(q)+0.5)/quantiles)
			algorithm.Gradient(erm.Sigmoid{}, data, x, g)
			if least <= math.Abs(g[0]) {
				first += 1.0 / quantiles
			}
		}
		return first, nil
	}
	return formula.Check{
		Quantity: "δ at ε = 2 of the event that x_1 is returned", Sense: verify.Above,
		Domain: "records (1, +), (½, −), (½, −) against (1, +), (1, +), (½, −); x_1 = 0, γ = 1, noise in closed form at " +
			"(2, 10⁻³)",
		Proof: "the gradient is 0 only at 0 for the first data, and largest at 0 for the second. So x_1 is always " +
			"returned for the first and, except with probability 0, never for the second",
		Points: func(add func(formula.Point)) {
			a, err1 := law([]float64{1, 0.5, 0.5}, []float64{1, -1, -1})
			b, err2 := law([]float64{1, 1, 0.5}, []float64{1, 1, -1})
			measured := math.Max(0, a-math.Exp(epsilon)*b)
			add(formula.Point{Place: formula.Placef("P(x_1) = %.4g against %.4g", a, b), Measured: measured, Claimed: delta,
				Show: true, Err: cmp.Or(err1, err2)})
		},
	}
}

// leastNoisyStep compares the δ of all T + 1 iterates, an upper bound for every function of them, with the δ of the
// noise.
func leastNoisyStep(noise noiseFormula) verify.Check {
	return formula.Check{
		Quantity: "δ of all T + 1 iterates, which bounds the δ of a choice among them", Sense: verify.AtMost,
		Domain: "n = 10⁴, G = 1", Proof: "each g_k is a function of x_k and x_{k+1}: the choice is post-processing",
		Grid: paperBudgets,
		At: func(at []float64, add func(formula.Point)) {
			b := budgetAt(at)
			sigma, err := noise(b)
			add(formula.Point{Measured: gaussianDelta(stepsMu(b, sigma), b.Epsilon), Claimed: b.Delta,
				Error: gaussianDeltaError, Show: b.Steps == 200, Err: err})
		},
	}
}
