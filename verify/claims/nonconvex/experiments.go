package nonconvex

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// experimentClaims returns the claims of the experiments in the order of the paper: the loss, the labels, the step
// size, the trends of Figures 1 to 3 and the comparison of Figure 4.
//
// Readings, fixed before anything is run: nonconvex/experiments/comparison is on Covertype, …/synthetic needs no
// data; both have …/zhang, with T put into the noise of Zhang et al. The methods differ in their noise alone; in
// …/synthetic/subgradient in the step too. …/covertype are the right panels of the figures.
func experimentClaims() []verify.Claim {
	better := comparison{ours: algorithm.NoiseConcentrated, theirs: algorithm.NoiseMoments}
	worse := checks.Shared(comparison{ours: algorithm.NoiseStep3, theirs: algorithm.NoiseMoments}.check(synthetic))
	worseThanNone := checks.Shared(comparison{ours: algorithm.NoiseStep3, theirs: nearlyNone}.check(synthetic))
	alike := checks.Shared(effects(2, synthetic))
	rises := checks.Shared(trend{variable: "ε", grid: []float64{0.1, 0.5, 2, 5}, noise: inverted}.check(synthetic))
	risesInSize := checks.Shared(trend{variable: "n", grid: []float64{2500, 5000, 10000, 20000},
		noise: growing}.check(synthetic))
	return []verify.Claim{
		{
			ID: "nonconvex/experiments/loss", Source: "Experiments", Kind: verify.Experiment,
			Origin: verify.Implied,
			Place: "Experiments, the displayed problem: its loss 1/(1 + exp(−y_i θᵀx_i)), which rises with the margin " +
				"(one sign decides)",
			Statement: "gradient descent on the loss as printed, 1/(1+exp(−y⟨θ, x⟩)), errs on less than half " +
				"of the synthetic rows",
			Check: trainedError(erm.Sigmoid{}),
			Control: verify.Control{Check: trainedError(erm.Sigmoid{Falling: true}), Want: checks.Holds,
				Fault: "none: 1/(1+exp(y⟨θ, x⟩))"},
			Corrected: "nonconvex/experiments/loss/corrected",
		},
		{
			ID: "nonconvex/experiments/loss/corrected", Source: "Experiments, the sign corrected", Kind: verify.Experiment,
			Origin:    verify.Correction,
			Place:     "Experiments, the displayed problem, with the sign that a loss of the margin has",
			Statement: "gradient descent on 1/(1+exp(y⟨θ, x⟩)) errs on less than half of the synthetic rows",
			Check:     trainedError(erm.Sigmoid{Falling: true}),
			Control:   verify.Control{Check: trainedError(erm.Sigmoid{}), Want: checks.Refuted, Fault: "the sign as printed"},
		},
		{
			ID: "nonconvex/experiments/loss/lipschitz", Source: "Experiment Settings", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Experiment Settings, first paragraph, last sentence: normalised so that the loss " +
				"is 1-Lipschitz, read as rows of norm at most 1, where its least constant is ¼",
			Statement: "on rows of norm at most 1 the loss is 1-Lipschitz",
			Check:     lossConstant(1),
			Control:   verify.Control{Check: lossConstant(0.2), Want: checks.Refuted, Fault: "the constant 0.2"},
		},
		{
			ID: "nonconvex/experiments/labels", Source: "Experiment Settings, the labels", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Experiment Settings, first paragraph: y_i = 1 where 1/(1 + exp(−y_i⟨θ*, x_i⟩)) > ½",
			Statement: "the rule that sets y_i where an expression in y_i itself is above ½ fixes one label for every row",
			Check:     labelRule(false),
			Control: verify.Control{Check: labelRule(true), Want: checks.Holds,
				Fault: "none: 1 for the y_i in the expression"},
			Corrected: "nonconvex/experiments/labels/corrected",
		},
		{
			ID: "nonconvex/experiments/labels/corrected", Source: "Experiment Settings, the labels", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Experiment Settings, first paragraph: the y_i on the right read as 1",
			Statement: "y_i = 1 where 1/(1 + exp(−⟨θ*, x_i⟩)) > ½ and −1 elsewhere fixes one label, the sign of ⟨θ*, x_i⟩",
			Check:     labelRule(true),
			Control:   verify.Control{Check: labelRule(false), Want: checks.Contradictory, Fault: "y_i on both sides"},
		},
		{
			ID: "nonconvex/experiments/labels/law", Source: "Experiment Settings, the law of the labels",
			Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Experiment Settings, first paragraph: \"that is\" joins Pr(y_i | x_i) and the rule by which y_i is set",
			Statement: "labels set by the rule have the law Pr(y_i | x_i) = 1/(1 + exp(−y_i⟨θ*, x_i⟩)): the rule gives the " +
				"more likely label as often as the law does",
			Check: labelLaw(0),
			Control: verify.Control{Check: labelLaw(40), Want: checks.Holds, Fault: "none: |⟨θ*, x_i⟩| so large that the law " +
				"is the rule"},
			Corrected: "nonconvex/experiments/labels/corrected",
		},
		{
			ID: "nonconvex/experiments/step-size", Source: "Experiment Settings", Kind: verify.Privacy,
			Origin: verify.Stated,
			Place: "Experiment Settings, second paragraph: the step size does not affect privacy, and is chosen as TFOCS " +
				"does",
			Statement: "the step size does not affect privacy: x_2 keeps (ε, 10⁻³) where backtracking, as in TFOCS, halves " +
				"the step for one of two neighbours whose gradients at x_1 are equal",
			Check:     scaledNoise(2),
			Control:   verify.Control{Check: scaledNoise(1), Want: checks.Holds, Fault: "none: the same step for both"},
			Corrected: "nonconvex/experiments/step-size/corrected",
		},
		{
			ID: "nonconvex/experiments/step-size/corrected", Source: "Experiment Settings, corrected", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "Algorithm 1, input: the step sizes are given before the run",
			Statement: "a step size that does not depend on the data does not affect privacy: equal gradients give equal laws",
			Check:     scaledNoise(1),
			Control:   verify.Control{Check: scaledNoise(2), Want: checks.Refuted, Fault: "half of the step for one neighbour"},
		},
		{
			ID: "nonconvex/experiments/iterations", Source: "Fig. 2", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Experiments Results, second paragraph, second sentence; Figure 2",
			Statement: "on synthetic data the norm of the projected gradient changes less from T = 50 to 400 at ε = 2 than " +
				"from ε = 0.1 to 5 at T = 200, by a tenth of the largest norm in the mean",
			Check:   effects(0.1, synthetic),
			Control: verify.Control{Check: alike, Want: checks.Refuted, Fault: "ε = 2 in the place of 0.1"},
		},
		{
			ID: "nonconvex/experiments/iterations/covertype", Source: "Fig. 2, right", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Experiments Results, second paragraph, second sentence; Figure 2, right",
			Statement: "on Covertype the norm of the projected gradient changes less from T = 50 to 400 at ε = 2 than from " +
				"ε = 0.1 to 5 at T = 200, by a tenth of the largest norm in the mean",
			Check: onCovertype{effects(0.1, covertype)},
			Control: verify.Control{Check: alike, Want: checks.Refuted,
				Fault: "synthetic data, ε = 2 in the place of 0.1"},
		},
		{
			ID: "nonconvex/experiments/iterations/bounds", Source: "Experiments Results on Fig. 2", Kind: verify.Rate,
			Origin: verify.Stated,
			Place:  "Experiments Results, second paragraph: since all the upper bounds are independent of T",
			Statement: "the upper bounds are independent of T: there is a K such that E‖g_R‖₂ ≤ K·(p·ln(1/δ))^¼/√(nε) " +
				"whatever T is, where F is constant",
			Check:     anySteps(true, ""),
			Control:   verify.Control{Check: anySteps(false, stepsProof), Want: checks.Holds, Fault: "none: the T of Theorem 2"},
			Corrected: "nonconvex/experiments/iterations/bounds/corrected",
		},
		{
			ID: "nonconvex/experiments/iterations/bounds/corrected", Source: "Theorem 2, its T", Kind: verify.Rate,
			Origin: verify.Correction, Place: "Theorem 2, its T, and eq. (4)",
			Statement: "at T = ⌈nε/√(p·ln(1/δ))⌉ E‖g_R‖₂ ≤ √((8LΔ + 8cG²)/3)·(p·ln(1/δ))^¼/√(nε) where F is constant",
			Check:     anySteps(false, stepsProof),
			Control:   verify.Control{Check: anySteps(true, ""), Want: checks.Refuted, Fault: "a larger T"},
		},
		{
			ID: "nonconvex/experiments/trends", Source: "Fig. 1", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Experiments Results, first paragraph, first sentence; Figure 1, left",
			Statement: "on synthetic data the norm of the projected gradient falls from each ε ∈ {0.1, 0.5, 2, 5} to the " +
				"next, T = 200, in the mean",
			Check: trend{variable: "ε", grid: []float64{0.1, 0.5, 2, 5},
				noise: algorithm.NoiseConcentrated}.check(synthetic),
			Control: verify.Control{Check: rises, Want: checks.Refuted, Fault: "noise that grows with ε"},
		},
		{
			ID: "nonconvex/experiments/trends/size", Source: "Fig. 3", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Experiments Results, third paragraph; Figure 3, left",
			Statement: "on synthetic data the norm of the projected gradient falls from each n ∈ {2500, 5000, 10000, 20000} " +
				"to the next, ε = 2, T = 400, in the mean",
			Check: trend{variable: "n", grid: []float64{2500, 5000, 10000, 20000},
				noise: algorithm.NoiseConcentrated}.check(synthetic),
			Control: verify.Control{Check: risesInSize, Want: checks.Refuted, Fault: "noise that grows with n"},
		},
		{
			ID: "nonconvex/experiments/trends/covertype", Source: "Fig. 1, right", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Experiments Results, first paragraph, first sentence; Figure 1, right",
			Statement: "on Covertype the norm of the projected gradient falls from each ε ∈ {0.1, 0.5, 2, 5} to the next, " +
				"T = 200, in the mean",
			Check: onCovertype{trend{variable: "ε", grid: []float64{0.1, 0.5, 2, 5},
				noise: algorithm.NoiseConcentrated}.check(covertype)},
			Control: verify.Control{Check: rises, Want: checks.Refuted, Fault: "synthetic data, noise that grows with ε"},
		},
		{
			ID: "nonconvex/experiments/trends/size/covertype", Source: "Fig. 3, right", Kind: verify.Experiment,
			Origin: verify.Stated,
			Place: "Experiments Results, third paragraph; Figure 3, right, whose n are not in the text: these are an " +
				"eighth of the 2·10⁵ records, a quarter, half and all",
			Statement: "on Covertype the norm of the projected gradient falls from each n ∈ {25000, 50000, 100000, 200000} to " +
				"the next, ε = 2, T = 400, in the mean",
			Check: onCovertype{trend{variable: "n", grid: []float64{25000, 50000, 100000, 200000},
				noise: algorithm.NoiseConcentrated}.check(covertype)},
			Control: verify.Control{Check: risesInSize, Want: checks.Refuted, Fault: "synthetic data, noise that grows with n"},
		},
		{
			ID: "nonconvex/experiments/trends/datasets", Source: "Fig. 1, left and right", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Experiments Results, first paragraph, second sentence; Figure 1, both panels",
			Statement: "the norm of the projected gradient on Covertype, 2·10⁵ records, is at most that on the synthetic " +
				"data, 10⁴ records, at each ε ∈ {0.1, 0.5, 2, 5}, T = 200, in the mean of the ratios",
			Check: onCovertype{beside(covertype, synthetic)},
			Control: verify.Control{Check: beside(synthetic, manySynthetic), Want: checks.Refuted,
				Fault: "synthetic data, 10⁴ records said to have the smaller norm beside 2·10⁵"},
		},
		{
			ID: "nonconvex/experiments/comparison", Source: "Fig. 4", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Experiments Results, last paragraph, second sentence; Figure 4, both panels",
			Statement: "on Covertype at ε = 0.5 and 2 the norm of the projected gradient under the closed form is at most " +
				"that under the noise of Wang, Ye & Xu, whose constant the moments accountant gives, in the mean of the ratios",
			Check: onCovertype{better.check(covertype)},
			Control: verify.Control{Check: worse, Want: checks.Refuted,
				Fault: "synthetic data, line 3 as printed"},
		},
		{
			ID: "nonconvex/experiments/comparison/zhang", Source: "Fig. 4, Zhang et al. with T", Kind: verify.Experiment,
			Origin: verify.Reading,
			Place: "Experiments Results, last paragraph, second sentence; Figure 4, both panels; for Zhang et al., with the " +
				"T that their noise lacks in print",
			Statement: "on Covertype at ε = 0.5 and 2 the norm of the projected gradient under the closed form is at most " +
				"that under the noise of Zhang et al. with T put in, in the mean of the ratios",
			Check: onCovertype{comparison{ours: algorithm.NoiseConcentrated, theirs: zhangWithSteps}.check(covertype)},
			Control: verify.Control{Check: worseThanNone, Want: checks.Refuted,
				Fault: "synthetic data, line 3 as printed, against hardly any noise"},
		},
		{
			ID: "nonconvex/experiments/comparison/synthetic", Source: "Fig. 4, on the synthetic data", Kind: verify.Experiment,
			Origin: verify.Reading,
			Place: "Experiments Results, last paragraph: our method is better, on the other data set; the methods differ " +
				"in their noise alone",
			Statement: "on synthetic data at ε = 0.5 and 2 the norm of the projected gradient under the closed form is at " +
				"most that under the noise of Wang, Ye & Xu, in the mean of the ratios",
			Check:   better.check(synthetic),
			Control: verify.Control{Check: worse, Want: checks.Refuted, Fault: "line 3 as printed"},
		},
		{
			ID:     "nonconvex/experiments/comparison/synthetic/subgradient",
			Source: "Fig. 4, the methods as their papers have them", Kind: verify.Experiment,
			Origin: verify.Reading,
			Place: "Experiments Results, last paragraph: the methods differ in the step as well, each as its paper has " +
				"it",
			Statement: "on synthetic data at ε = 0.5 and 2 the norm of the projected gradient of Algorithm 1 under the closed " +
				"form is at most that of gradient descent by the subgradient of the regulariser under the noise of Wang, Ye & " +
				"Xu, in the mean of the ratios, at nearly equal noise",
			Check: comparison{ours: algorithm.NoiseConcentrated, theirs: algorithm.NoiseMoments,
				subgradient: true}.check(synthetic),
			Control: verify.Control{Check: comparison{ours: algorithm.NoiseStep3, theirs: nearlyNone,
				subgradient: true}.check(synthetic), Want: checks.Refuted, Fault: "line 3 as printed, against hardly any noise"},
		},
		{
			ID: "nonconvex/experiments/comparison/synthetic/zhang", Source: "Fig. 4, Zhang et al. with T",
			Kind:   verify.Experiment,
			Origin: verify.Reading,
			Place:  "Experiments Results, last paragraph, for Zhang et al., with the T that their noise lacks in print",
			Statement: "on synthetic data at ε = 0.5 and 2 the norm of the projected gradient under the closed form is at " +
				"most that under the noise of Zhang et al. with T put in, in the mean of the ratios",
			Check: comparison{ours: algorithm.NoiseConcentrated, theirs: zhangWithSteps}.check(synthetic),
			Control: verify.Control{Check: worseThanNone, Want: checks.Refuted,
				Fault: "line 3 as printed, against hardly any noise"},
		},
	}
}

func zhangWithSteps(b algorithm.Budget) (float64, error) { return algorithm.NoiseZhang(b, true) }

// trainedError is the error rate after 400 steps without noise.
func trainedError(loss erm.Loss) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		data, _, err := synthetic(s)
		if err != nil {
			return nil, err
		}
		space, err := erm.NewSpace(data.Dim())
		if err != nil {
			return nil, err
		}
		var last []float64
		c := algorithm.Config{
			Loss: loss, Iterations: 400, Start: make([]float64, data.Dim()), StepSize: algorithm.Constant(paperGamma()),
			Observe: func(_ int, _, _, next []float64) { last = append(last[:0], next...) },
		}
		if _, err := algorithm.PGD(ctx, s.Stream("run"), data, space, 0, c); err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "error rate on the training rows", Sense: verify.Below,
			Domain: "50 planted rows of dimension 100 and norm 1, 400 steps, γ = 1/(2L), no noise, λ = 0",
			Points: formula.ListedPoints(formula.Point{Place: formula.Placef("loss %s", loss.Name()),
				Measured: erm.ErrorRate(last, data),
				Claimed:  0.5, Show: true}),
		}.Prepare(ctx, s)
	})
}

func lossConstant(claimed float64) verify.Check {
	return formula.Check{
		Quantity: "largest |f(θ) − f(θ′)|/‖θ − θ′‖₂", Sense: verify.AtMost,
		Domain: "rows of norm r ∈ {0.1, 0.5, 1} and every θ",
		Proof:  "the slope of the sigmoid is σ(m)σ(−m) ≤ ¼, times the norm of the row",
		Points: func(add func(formula.Point)) {
			for _, norm := range []float64{0.1, 0.5, 1} {
				o := erm.Objective{Loss: erm.Sigmoid{}}
				add(formula.Point{Place: formula.Placef("‖x‖=%g", norm), Measured: o.Lipschitz(norm, math.Inf(1)), Claimed: claimed,
					Show: true})
			}
		},
	}
}

// scaledNoise is the δ of x_2 = x_1 − γ(g + ε_1) whose γ is times as large under one
// neighbour: N(0, times²) against N(0, 1), whose likelihood ratio grows with |x|.
func scaledNoise(times float64) verify.Check {
	return formula.Check{
		Quantity: "least δ of x_2", Sense: verify.AtMost, Domain: "p = 1, ε ∈ {0.1, 0.5, 2, 5}, any σ > 0",
		Points: func(add func(formula.Point)) {
			for _, epsilon := range []float64{0.1, 0.5, 2, 5} {
				least := 0.0
				if times > 1 {
					// ln of the ratio is x²(1 − 1/times²)/2 − ln times.
					edge := math.Sqrt(2 * (epsilon + math.Log(times)) / (1 - 1/(times*times)))
					least = 2 * (distuv.UnitNormal.Survival(edge/times) - math.Exp(epsilon)*distuv.UnitNormal.Survival(edge))
				}
				add(formula.Point{Place: formula.Placef("ε=%g", epsilon), Measured: least, Claimed: paperDelta, Error: 1e-9,
					Show: true})
			}
		},
	}
}

const stepsProof = "bounds.Smooth.DescentSquare"

// anySteps takes records whose losses cancel, so that g_R is the noise and E‖g_R‖₂ =
// σE‖b‖₂, at T = ⌈v⌉ or so much more that K = factor, ten and a hundred times as much
// is exceeded.
func anySteps(more bool, proof string) verify.Check {
	const dim, n, epsilon = 4, 16000.0, 1.0
	smooth := bounds.Smooth{Smoothness: erm.Sigmoid{}.Smoothness(math.Inf(1)), Lipschitz: erm.Sigmoid{}.Lipschitz(1),
		Range: 0.5, Constant: bounds.ConcentratedConstant}
	return formula.Check{
		Quantity: "E‖g_R‖₂ of Algorithm 1, exact", Sense: verify.AtMost, Proof: proof,
		Domain: "p = 4, n = 16000, ε = 1, δ = 10⁻³, c = 11.66, G = ¼, no regulariser; T = ⌈v⌉, or (4K/√(cG²))² times as much",
		Points: func(add func(formula.Point)) {
			v := bounds.DescentRatio(n, epsilon, paperDelta, dim)
			ball, err1 := erm.NewL2Ball(dim, 1)
			for _, times := range []float64{1, 10, 100} {
				steps := math.Ceil(v)
				k := times * smooth.DescentBound(v, steps) * math.Sqrt(v)
				if more {
					steps *= math.Ceil(16 * k * k / (smooth.Constant * smooth.Lipschitz * smooth.Lipschitz))
				}
				sigma, err2 := algorithm.NoiseTheorem1(algorithm.Budget{Epsilon: epsilon, Delta: paperDelta, Steps: int(steps),
					Records: n, Lipschitz: smooth.Lipschitz}, smooth.Constant)
				add(formula.Point{
					Place: formula.Placef("K=%.3g, T=%g", k, steps), Measured: sigma * ball.GaussianWidth(), Claimed: k / math.Sqrt(v),
					Show: true,
					Err:  cmp.Or(err1, err2),
				})
			}
		},
	}
}

// labelRule counts the y ∈ {−1, 1} that keep the rule y = 1 ⇔ 1/(1+exp(−z·m)) > ½, with z = y as printed, or 1.
func labelRule(mended bool) verify.Check {
	return formula.Check{
		Quantity: "labels that keep the rule", Sense: verify.Equals, Contradiction: true,
		Domain: "⟨θ*, x⟩ ∈ {−2, −0.1, 0.1, 2}", Proof: "the expression is above ½ where its exponent is below 0",
		Points: func(add func(formula.Point)) {
			for _, margin := range []float64{-2, -0.1, 0.1, 2} {
				kept := 0.0
				for _, y := range []float64{-1, 1} {
					z := y
					if mended {
						z = 1
					}
					if above := (erm.Sigmoid{}).Value(z*margin) > 0.5; above == (y == 1) {
						kept++
					}
				}
				add(formula.Point{Place: formula.Placef("⟨θ*, x⟩=%g", margin), Measured: kept, Claimed: 1, Show: true})
			}
		},
	}
}

// labelLaw is the probability of the more likely label, which the rule sets always, at margins from least up.
func labelLaw(least float64) verify.Check {
	return formula.Check{
		Quantity: "probability of the label that the rule sets", Sense: verify.Equals, Contradiction: true,
		Domain: "|⟨θ*, x⟩| from 0.1 to 10; the rows of norm 1 and θ* of norm 1 have 1 at most",
		Points: func(add func(formula.Point)) {
			for _, margin := range []float64{0.1, 1, 10} {
				add(formula.Point{Place: formula.Placef("|⟨θ*, x⟩|=%g", least+margin),
					Measured: erm.Sigmoid{}.Value(least + margin),
					Claimed:  1, Show: true})
			}
		},
	}
}
