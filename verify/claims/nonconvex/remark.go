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
	return []verify.Claim{
		{
			ID: "nonconvex/remark-1/noise", Source: "after Remark 1, Alg. 1, line 3", Kind: verify.Consistency,
			Origin: verify.Stated,
			Place: "third paragraph of Remark 1, the display of σ₂², and Algorithm 1, line 3; the root read over " +
				"log(1/δ) + ε, which the Taylor series after it needs",
			Statement: "the closed form σ² = 2L²T/(n²(√(log(1/δ)+ε) − √log(1/δ))²) is the σ² = 2L²T/(n²ρ²) of line 3",
			Check: noiseRatio{algorithm.NoiseConcentrated, algorithm.NoiseStep3, verify.Equals, 1, paperBudgets, true,
				""}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, mendedStep3, verify.Equals, 1, paperBudgets,
				true, ""}.check(), Want: checks.Holds, Fault: "none: line 3 with ρ"},
			Corrected: "nonconvex/remark-1/noise/corrected",
		},
		{
			ID: "nonconvex/remark-1/noise/corrected", Source: "after Remark 1, line 3 with ρ", Kind: verify.Identity,
			Origin: verify.Correction, Place: "third paragraph of Remark 1, ρ and σ₂²",
			Statement: "the closed form is 2L²T/(n²ρ), with the ρ of line 3, not squared",
			Check: noiseRatio{algorithm.NoiseConcentrated, mendedStep3, verify.Equals, 1, paperBudgets, false,
				"ρ = (√(log(1/δ)+ε) − √log(1/δ))² solves the equation of line 3"}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, algorithm.NoiseStep3, verify.Equals, 1,
				paperBudgets, false, ""}.check(), Want: checks.Refuted, Fault: "ρ²"},
		},
		{
			ID: "nonconvex/remark-1/noise/private", Source: "after Remark 1", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "third paragraph of Remark 1: L read as the Lipschitz constant G",
			Statement: "the closed form, L for G, makes all iterates of Algorithm 1 together (ε, δ)-private",
			Check: stepThree{noise: algorithm.NoiseConcentrated, most: 50,
				release: allIterates}.check(concentratedProof),
			Control: verify.Control{Check: stepThree{noise: algorithm.NoiseConcentrated, most: 50, release: allIterates,
				smoothness: 0.5}.check(""), Want: checks.Refuted, Fault: "half of the noise"},
		},
		{
			ID: "nonconvex/remark-1/noise/smoothness", Source: "after Remark 1, L the smoothness of Assumption 1",
			Kind:   verify.Privacy,
			Origin: verify.Stated, Place: "third paragraph of Remark 1: L, which Assumption 1 makes the smoothness",
			Statement: "the closed form with the smoothness L of Assumption 1 keeps the ε that it is made for: on rows of " +
				"norm at most 1 the sigmoid has L = 1/(6√3), and a gradient G = ¼",
			Check: smoothnessCost(erm.Sigmoid{}.Smoothness(math.Inf(1))),
			Control: verify.Control{Check: smoothnessCost(erm.Sigmoid{}.Lipschitz(1)), Want: checks.Holds,
				Fault: "none: L = G"},
			Corrected: "nonconvex/remark-1/noise/private",
		},
		{
			ID: "nonconvex/remark-1/noise/root", Source: "after Remark 1, the root over log(1/δ) alone", Kind: verify.Privacy,
			Origin: verify.Reading,
			Place: "third paragraph of Remark 1: where the first root of σ₂² ends, one glyph, decides; in the text at " +
				"hand it ends before ε",
			Statement: "with the root over log(1/δ) alone the closed form is 2L²T/(n²ε²), and makes x_R (ε, δ)-private, L for G",
			Check:     stepThree{noise: shortRoot, most: 50, release: lastIterate}.check(""),
			Control: verify.Control{Check: stepThree{noise: algorithm.NoiseConcentrated, most: 50,
				release: lastIterate}.check(""), Want: checks.Holds, Fault: "none: the root over log(1/δ) + ε"},
			Corrected: "nonconvex/remark-1/noise/private",
		},
		{
			ID: "nonconvex/remark-1/noise/approximation", Source: "after Remark 1, σ₂ for σ₁", Kind: verify.Identity,
			Origin: verify.Correction,
			Place: "third paragraph of Remark 1, the approximation that is printed of σ₁²: read as one of σ₂², from which " +
				"the sentence derives it; one subscript decides",
			Statement: "for ε ≤ 0.1·log(1/δ) the closed form exceeds 8L²T·log(1/δ)/(n²ε²) by 5.1 % at most",
			Check: noiseRatio{algorithm.NoiseConcentrated, taylorNoise, verify.AtMost, 1 + 0.1/2 + 0.01/16, smallEpsilons,
				false, taylorProof}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, taylorNoise, verify.AtMost, 1 + 0.1/4,
				smallEpsilons, false, ""}.check(), Want: checks.Refuted, Fault: "2.5 %"},
		},
		{
			ID: "nonconvex/remark-1/noise/approximation/literal", Source: "after Remark 1, σ₁", Kind: verify.Consistency,
			Origin: verify.Stated,
			Place: "third paragraph of Remark 1, the approximation of σ₁², which is the noise of Zhang et al. some lines " +
				"before; one subscript decides",
			Statement: "for ε ≤ 0.1·log(1/δ) the σ₁² = 32·ln(1/δ)·ln(T/δ)/(n²ε²) of Zhang et al. is above " +
				"8L²T·log(1/δ)/(n²ε²), L = 1, or below it by a factor of 1.1 at most: the two are about equal",
			Check: noiseRatio{zhang(false), taylorNoise, verify.AtLeast, 1 / 1.1, smallEpsilons, true, ""}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, taylorNoise, verify.AtLeast, 1 / 1.1,
				smallEpsilons, true, ""}.check(), Want: checks.Holds, Fault: "none: σ₂²"},
			Corrected: "nonconvex/remark-1/noise/approximation",
		},
		{
			ID: "nonconvex/remark-1/noise/practice", Source: "after Remark 1, Experiment Settings", Kind: verify.Consistency,
			Origin: verify.Implied,
			Place: "third paragraph of Remark 1: this case will always hold in practice; Experiment Settings, second " +
				"paragraph",
			Statement: "ε ≪ log(1/δ) in practice: at the ε of the experiments, 0.1 to 5 with δ = 10⁻³, the approximation is " +
				"within 10 % of the closed form",
			Check: noiseRatio{algorithm.NoiseConcentrated, taylorNoise, verify.AtMost, 1.1, paperBudgets, true, ""}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, taylorNoise, verify.AtMost, 1.1,
				smallEpsilons,
				true, ""}.check(), Want: checks.Holds, Fault: "none: ε ≤ 0.1·log(1/δ)"},
			Corrected: "nonconvex/remark-1/noise/approximation",
		},
		{
			ID: "nonconvex/remark-1/comparison", Source: "after Remark 1", Kind: verify.Identity,
			Origin: verify.Stated, Place: "third paragraph of Remark 1, last sentence",
			Statement: "for ε < 1 the closed form adds less noise than the Gaussian mechanism under the advanced composition " +
				"of Lemma 1, δ shared between them",
			Check: noiseRatio{algorithm.NoiseConcentrated, composedNoise, verify.Below, 1, belowOne, false,
				"(√(l+ε)+√l)²/(2·32·ln(2/δ)·ln(2.5T/δ)) ≤ 4(l+1)/(64·ln(2/δ)·ln(2.5T/δ)) < 1, l = ln(1/δ)"}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseStep3, composedNoise, verify.Below, 1, belowOne, false,
				""}.check(), Want: checks.Refuted, Fault: "line 3 as printed, ρ²"},
		},
		{
			ID: "nonconvex/remark-1/comparison/step-3", Source: "Alg. 1, line 3, after Remark 1", Kind: verify.Identity,
			Origin:    verify.Reading,
			Place:     "third paragraph of Remark 1, last sentence, with line 3 of Algorithm 1 for the method",
			Statement: "line 3 as printed adds less noise than the Gaussian mechanism under the advanced composition of Lemma 1",
			Check:     noiseRatio{algorithm.NoiseStep3, composedNoise, verify.Below, 1, belowOne, false, ""}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, composedNoise, verify.Below, 1, belowOne,
				false, ""}.check(), Want: checks.Holds, Fault: "none: the closed form"},
			Corrected: "nonconvex/remark-1/comparison",
		},
		{
			ID: "nonconvex/remark-1/comparison/zhang", Source: "after Remark 1, Fig. 4", Kind: verify.Identity,
			Origin: verify.Implied,
			Place:  "third paragraph of Remark 1, the noise of Zhang et al.; Experiments Results, last paragraph",
			Statement: "the closed form adds less noise than 32·ln(1/δ)·ln(T/δ)/(n²ε²), as the text prints the " +
				"noise of Zhang et al.",
			Check: noiseRatio{algorithm.NoiseConcentrated, zhang(false), verify.Below, 1, paperBudgets, false, ""}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, zhang(true), verify.Below, 1, paperBudgets,
				false, ""}.check(), Want: checks.Holds, Fault: "none: T put in"},
			Corrected: "nonconvex/remark-1/comparison/zhang/corrected",
		},
		{
			ID: "nonconvex/remark-1/comparison/zhang/corrected", Source: "after Remark 1, T put in", Kind: verify.Identity,
			Origin: verify.Correction, Place: "third paragraph of Remark 1, the noise of Zhang et al. with T",
			Statement: "the closed form adds less noise than 32T·ln(1/δ)·ln(T/δ)/(n²ε²), for ε ≤ 4·ln²(1/δ) − ln(1/δ)",
			Check: noiseRatio{algorithm.NoiseConcentrated, zhang(true), verify.Below, 1, paperBudgets, false,
				"(√(l+ε)+√l)² < 4(l+ε) ≤ 16l² ≤ 16·l·ln(T/δ), l = ln(1/δ)"}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, zhang(false), verify.Below, 1, paperBudgets,
				false, ""}.check(), Want: checks.Refuted, Fault: "without T"},
		},
		{
			ID: "nonconvex/remark-1/comparison/zhang/private", Source: "after Remark 1", Kind: verify.Privacy,
			Origin: verify.Implied,
			Place:  "third paragraph of Remark 1: the noise added in each iteration, of an algorithm said to be private",
			Statement: "32·ln(1/δ)·ln(T/δ)/(n²ε²), as printed for Zhang et al., would make the T = 1000 full gradients of " +
				"Algorithm 1 (ε, δ)-private",
			Check: stepThree{noise: zhang(false), most: 5, release: lastIterate}.check(""),
			Control: verify.Control{Check: stepThree{noise: zhang(true), most: 5, release: lastIterate}.check(""),
				Want: checks.Holds, Fault: "none: T put in"},
			Corrected: "nonconvex/remark-1/comparison/zhang/private/corrected",
		},
		{
			ID: "nonconvex/remark-1/comparison/zhang/private/corrected", Source: "after Remark 1, T put in",
			Kind:   verify.Privacy,
			Origin: verify.Correction, Place: "third paragraph of Remark 1, the noise of Zhang et al. with T",
			Statement: "32T·ln(1/δ)·ln(T/δ)/(n²ε²) makes the iterates of Algorithm 1 (ε, δ)-private at T = 1000 and ε ≤ 5",
			Check: stepThree{noise: zhang(true), most: 5,
				release: allIterates}.check("it is more noise than the closed form (remark-1/comparison/zhang/corrected)"),
			Control: verify.Control{Check: stepThree{noise: zhang(false), most: 5, release: allIterates}.check(""),
				Want: checks.Refuted, Fault: "without T"},
		},
		{
			ID: "nonconvex/remark-1/comparison/moments", Source: "after Remark 1, Fig. 4", Kind: verify.Identity,
			Origin: verify.Implied,
			Place: "third paragraph of Remark 1, last sentence; Experiments Results, last paragraph; integer orders, as " +
				"Abadi et al. have them",
			Statement: "the closed form adds less noise than the moments accountant with integer orders up to 32",
			Formerly:  []string{"nonconvex/experiments/comparison/noise"},
			Check: noiseRatio{algorithm.NoiseConcentrated, algorithm.NoiseMoments, verify.Below, 1, momentEpsilons, false,
				""}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, realMoments, verify.Below, 1, momentEpsilons,
				false, ""}.check(), Want: []verify.Verdict{verify.Refuted, verify.Inconclusive}, Fault: "real orders: equal"},
		},
		{
			ID: "nonconvex/remark-1/comparison/moments/real", Source: "after Remark 1, Fig. 4", Kind: verify.Identity,
			Origin:    verify.Reading,
			Place:     "third paragraph of Remark 1, last sentence, for a moments accountant with real orders",
			Statement: "the closed form is the noise of the moments accountant with real orders, no less and no more",
			Check: noiseRatio{algorithm.NoiseConcentrated, realMoments, verify.Equals, 1, paperBudgets, false,
				"min over λ of 2λ(λ+1)/(λε − ln(1/δ)) is 2/ρ, by its derivative"}.check(),
			Control: verify.Control{Check: noiseRatio{algorithm.NoiseConcentrated, composedNoise, verify.Equals, 1, belowOne,
				false, ""}.check(), Want: checks.Refuted, Fault: "advanced composition"},
		},
		{
			ID: "nonconvex/remark-1/minimum", Source: "Remark 1", Kind: verify.Privacy,
			Origin: verify.Reading,
			Place:  "Remark 1, second paragraph: the least projected gradient, read as that of ∇F without noise",
			Statement: "returning the iterate of least ‖∇F(x_k)‖ is not (ε, δ)-private: with the loss of the experiments, p = " +
				"1, T = 2 and three records a neighbour changes which one is returned with certainty",
			Check:   leastGradient(true),
			Control: verify.Control{Check: leastGradient(false), Want: checks.Refuted, Fault: "a uniform R, as in Algorithm 1"},
		},
		{
			ID: "nonconvex/remark-1/minimum/iterates", Source: "Remark 1, g_k = (x_k − x_{k+1})/γ_k", Kind: verify.Privacy,
			Origin: verify.Stated,
			Place:  "Remark 1, second paragraph, with the g_{C,k} of Theorem 2, which has the noise in it",
			Statement: "returning the iterate of least ‖g_k‖, g_k = (x_k − x_{k+1})/γ_k with the noisy x_{k+1} as Theorem 2 " +
				"defines g_R, is not (ε, δ)-private under noise that makes all iterates so",
			Check: leastNoisyStep(verify.Above, algorithm.NoiseConcentrated),
			Control: verify.Control{Check: leastNoisyStep(verify.Above, littleNoise), Want: checks.Holds,
				Fault: "noise that does not cover the iterates, c = 0.01 in eq. (3)"},
			Corrected: "nonconvex/remark-1/minimum/iterates/corrected",
		},
		{
			ID: "nonconvex/remark-1/minimum/iterates/corrected", Source: "Remark 1, corrected", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "Remark 1, second paragraph, and the definition after eq. (4)",
			Statement: "the iterate of least ‖(x_k − x_{k+1})/γ_k‖ is a function of the T + 1 iterates, and (ε, δ)-private " +
				"where T noisy gradients are",
			Check: leastNoisyStep(verify.AtMost, algorithm.NoiseConcentrated),
			Control: verify.Control{Check: leastNoisyStep(verify.AtMost, littleNoise), Want: checks.Refuted,
				Fault: "c = 0.01 in eq. (3)"},
		},
	}
}

// smoothnessCost is what a run of losses with G = ¼ costs under the closed form made with another constant: by
// x_R alone, and by all iterates. Linear losses of slope ¼ are L-smooth for every L and attain both; the sigmoid
// attains the second at T = 1, where two records ±x differ by 2G at x_1 = 0.
func smoothnessCost(constant float64) verify.Check {
	return formula.Check{
		Quantity: "ε that the run costs at δ = 10⁻³", Sense: verify.AtMost,
		Domain: "ε ∈ {0.1, 0.5, 2, 5}, δ = 10⁻³, n = 10⁴, T = 200, G = ¼; x_R alone, and all iterates",
		Points: func(add func(formula.Point)) {
			for _, what := range []struct {
				name string
				releaseDelta
			}{{"x_R alone", lastIterate}, {"all iterates", allIterates}} {
				for _, epsilon := range []float64{0.1, 0.5, 2, 5} {
					b := algorithm.Budget{Epsilon: epsilon, Delta: paperDelta, Steps: 200, Records: syntheticRecords,
						Lipschitz: constant}
					sigma, err := algorithm.NoiseConcentrated(b)
					b.Lipschitz = erm.Sigmoid{}.Lipschitz(1)
					add(formula.Point{
						Place: formula.Placef("ε=%g, %s", epsilon, what.name), Claimed: epsilon, Error: 1e-6, Show: true, Err: err,
						Measured: releaseEpsilon(what.releaseDelta, stepsMu(b, sigma), paperDelta, b.Steps),
					})
				}
			}
		},
	}
}

// leastGradient takes the sigmoid loss on three records of dimension 1, (1, +), (½, −), (½,
// −), whose gradient vanishes at x_1 = 0 alone, against (1, +), (1, +), (½, −), whose
// gradient is largest there. byGradient returns x_1 or x_2 by the least |∇F|, else R
// is uniform. The law of x_2 is taken at 2001 quantiles.
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
		Domain: "records (1, +), (½, −), (½, −) against (1, +), (1, +), (½, −); x_1 = 0, γ = 1, noise in " +
			"closed form at (2, 10⁻³)",
		Proof: "the gradient of the first data is 0 at 0 and nowhere else, that of the second is largest at 0: x_1 is " +
			"returned always, and never, but for an event of probability 0",
		Points: func(add func(formula.Point)) {
			a, err1 := law([]float64{1, 0.5, 0.5}, []float64{1, -1, -1})
			b, err2 := law([]float64{1, 1, 0.5}, []float64{1, 1, -1})
			measured := math.Max(0, a-math.Exp(epsilon)*b)
			add(formula.Point{Place: formula.Placef("P(x_1) = %.4g against %.4g", a, b), Measured: measured, Claimed: delta,
				Show: true, Err: cmp.Or(err1, err2)})
		},
	}
}

// leastNoisyStep holds the δ of all T + 1 iterates, which no function of them exceeds,
// against the δ of the noise.
func leastNoisyStep(sense verify.Sense, noise noiseFormula) verify.Check {
	return formula.Check{
		Quantity: "δ of all T + 1 iterates, the most that a choice among them can show", Sense: sense,
		Domain: "ε ∈ {0.1, 0.5, 2, 5}, δ ∈ {10⁻⁴, 10⁻³}, T ∈ {50, 200, 400, 10⁵}, n = 10⁴, G = 1",
		Proof:  "each g_k is a function of x_k and x_{k+1}: the choice is post-processing",
		Points: func(add func(formula.Point)) {
			for _, b := range paperBudgets() {
				sigma, err := noise(b)
				add(formula.Point{
					Place:    formula.Placef("ε=%g, δ=%g, T=%d", b.Epsilon, b.Delta, b.Steps),
					Measured: gaussianDelta(stepsMu(b, sigma), b.Epsilon), Claimed: b.Delta, Error: gaussianDeltaError,
					Show: b.Steps == 200,
					Err:  err,
				})
			}
		},
	}
}
