package nonconvex

import (
	"math"

	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

// The places that the claims share.
const (
	parameters = "Experiment Settings, first and second paragraph (n, p, λ, ε, δ)"
	lineThree  = "; Algorithm 1, line 3"
	closedForm = "; the closed form of σ₂² in the third paragraph of Remark 1"
	figures    = "; captions of Figures 1 and 4 (T = 200)"
)

// settingsClaims returns the claims about the parameters of the experiments, put into the paper's own algorithms and
// bounds, what is told first first: δ = 10⁻³, ε ∈ {0.1, 0.5, 2, 5}, T = 200 in Figures 1 and 4, λ = 0.01; n = 10⁴ and
// p = 100 of the synthetic data, n = 2·10⁵ and p = 54 of Covertype; G = 1 after the normalisation.
//
// "The practical way" that the experiments take is line 3 of Algorithm 1 or the closed form after Remark 1, which
// differ. A claim says which of the two it takes, and takes the one that adds less noise where it does not matter.
// The law of the rows is open: they are planted on the unit sphere.
func settingsClaims() []verify.Claim {
	all := append(settingsNoiseClaims(), settingsPrivacyClaims()...)
	all = append(all, settingsTrainingClaims()...)
	for i := range all {
		if all[i].Origin == "" {
			all[i].Origin = verify.Observation
		}
	}
	return all
}

func settingsNoiseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/settings/noise", Source: "Alg. 1, line 3, at ε = 0.1", Kind: verify.Identity,
			Place: parameters + lineThree + figures,
			Statement: "on the synthetic data at ε = 0.1 the noise that line 3 adds to a gradient is longer than any gradient " +
				"can be, so that noise decides where a step goes",
			Check:   noiseLength(algorithm.NoiseStep3, 0.1),
			Control: verify.Control{Check: noiseLength(algorithm.NoiseStep3, 2), Want: checks.Refuted, Fault: "ε = 2"},
		},
		{
			ID: "nonconvex/settings/noise/closed-form", Source: "after Remark 1, at ε = 0.1", Kind: verify.Identity,
			Place: parameters + closedForm + figures,
			Statement: "on the synthetic data at ε = 0.1 the noise of the closed form is longer than any gradient that it is " +
				"added to",
			Check: noiseLength(algorithm.NoiseConcentrated, 0.1),
			Control: verify.Control{Check: noiseLength(algorithm.NoiseConcentrated, 0.5), Want: checks.Refuted,
				Fault: "ε = 0.5"},
		},
		{
			ID: "nonconvex/settings/bound", Source: "Theorem 2 at the settings", Kind: verify.Rate,
			Place: parameters + lineThree + figures + "; Theorem 2, its constants kept",
			Statement: "with the noise of line 3 the bound of Theorem 2 on the gradient at x_R is below G + λ√p/2, which " +
				"gradients exceed at no parameter, at every ε of the experiments",
			Check: boundOverTrivial(algorithm.NoiseStep3, paperEpsilons()),
			Control: verify.Control{Check: boundOverTrivial(algorithm.NoiseConcentrated, []float64{0.5, 2, 5}),
				Want:  checks.Holds,
				Fault: "none: the closed form from ε = 0.5 on"},
		},
		{
			ID: "nonconvex/settings/steps", Source: "Theorem 2 and Figs. 1, 4", Kind: verify.Identity,
			Origin: verify.Observation,
			Place:  parameters + figures + "; Theorem 2: the constant of T = O(·), read as 1",
			Statement: "T = 200, taken for every ε, differs from the T of Theorem 2, which grows with ε, by a factor of two " +
				"or more at every setting but one: too many steps at ε = 0.1 on the synthetic data, too few elsewhere",
			Check:   stepsOff(2),
			Control: verify.Control{Check: stepsOff(10), Want: checks.Refuted, Fault: "a factor of ten"},
		},
		{
			ID: "nonconvex/settings/comparison", Source: "Fig. 4, the noise", Kind: verify.Identity,
			Place: "Experiments Results, last paragraph; Experiment Settings, third paragraph; Remark 1, third " +
				"paragraph",
			Statement: "the deviation of the closed form is at least 0.995 times that of the moments accountant that Figure 4 " +
				"compares it with: it cannot be what makes one method better than the other",
			Check:   besideMoments(0.995),
			Control: verify.Control{Check: besideMoments(1), Want: checks.Refuted, Fault: "no less noise at all"},
		},
	}
}

func settingsPrivacyClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/settings/privacy", Source: "the closed form, the whole run", Kind: verify.Privacy,
			Place:     parameters + closedForm + "; Assumption 1 (G for its L); the figures are the exact cost at δ = 10⁻³",
			Statement: "with G for L in the closed form the whole run, all iterates seen, costs no more than the stated ε",
			Check:     runCost(algorithm.NoiseConcentrated, 1, 1, paperEpsilons()),
			Control: verify.Control{Check: runCost(algorithm.NoiseConcentrated, 0.5, 1, paperEpsilons()), Want: checks.Refuted,
				Fault: "half of the noise"},
		},
		{
			ID: "nonconvex/settings/privacy/line-3", Source: "Alg. 1, line 3, the whole run", Kind: verify.Privacy,
			Place: parameters + lineThree,
			Statement: "under line 3 with G for L the whole run at ε = 0.1 and 0.5 costs less than a tenth of the stated ε: " +
				"nine tenths of the budget are not used",
			Check: runCost(algorithm.NoiseStep3, 1, 0.1, []float64{0.1, 0.5}),
			Control: verify.Control{Check: runCost(algorithm.NoiseConcentrated, 1, 0.1, []float64{0.1, 0.5}),
				Want:  checks.Refuted,
				Fault: "the closed form"},
		},
		{
			ID: "nonconvex/settings/privacy/lipschitz", Source: "Experiment Settings, rows of norm 1", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: "Experiment Settings, first paragraph: data normalised so that the loss is 1-Lipschitz, read as rows of " +
				"norm 1, where its least constant is ¼",
			Statement: "on rows of norm 1 the whole run under the closed form made for G = 1 costs less than a quarter of the " +
				"stated ε: the noise could be four times smaller",
			Check: runCost(algorithm.NoiseConcentrated, 4, 0.25, paperEpsilons()),
			Control: verify.Control{Check: runCost(algorithm.NoiseConcentrated, 1, 0.25, paperEpsilons()), Want: checks.Refuted,
				Fault: "rows of norm 4, where the constant is 1"},
		},
		{
			ID: "nonconvex/settings/privacy/smoothness", Source: "the closed form with the L of Assumption 1",
			Kind:  verify.Privacy,
			Place: parameters + "; the L of σ₂² in the third paragraph of Remark 1, and of Assumption 1",
			Statement: "with the smoothness L of Assumption 1 in the closed form, which for the sigmoid is 4/(6√3) times G, " +
				"all iterates of the run cost more than the stated ε at every setting",
			Check:   runExcess(smoothnessShare),
			Control: verify.Control{Check: runExcess(1), Want: checks.Refuted, Fault: "G for L"},
		},
		{
			ID: "nonconvex/settings/observers", Source: "Alg. 1, line 5, at the settings", Kind: verify.Privacy,
			Place: parameters + "; Algorithm 1, lines 1 and 5; line 2: each step takes all records, so that none hides " +
				"among others",
			Statement: "hiding the iterates saves less than half of ε: for linear losses the last iterate, their mean or x_R " +
				"alone costs at least half of what all of them cost together",
			Check: observers(0.5, 1),
			Control: verify.Control{Check: observers(0.5, 0.1), Want: checks.Refuted,
				Fault: "a release whose μ is a tenth of that of all iterates"},
		},
		{
			ID: "nonconvex/settings/unused", Source: "Alg. 1, lines 1 and 5, at T = 200", Kind: verify.Identity,
			Place: "Algorithm 1, lines 1, 2 and 5" + figures,
			Statement: "x_R has seen less than half of the noisy gradients that the noise pays for, in the mean over R, and " +
				"never the last one",
			Check:   seenShare(paperSteps, 0.5),
			Control: verify.Control{Check: seenShare(paperSteps, 0.4), Want: checks.Refuted, Fault: "two fifths"},
		},
		{
			ID: "nonconvex/settings/delta", Source: "Experiment Settings, δ = 0.001", Kind: verify.Privacy,
			Place: "third paragraph of Remark 1 (δ = 1/n in practice); Experiment Settings, second paragraph (δ = 0.001) " +
				"and first (n)",
			Statement: "δ = 10⁻³ is above the 1/n that the text calls practice: to publish every record with probability δ " +
				"is (0, δ)-private, and publishes more than one record in the mean",
			Check:   published(paperDelta),
			Control: verify.Control{Check: published(1.0 / 1e6), Want: checks.Refuted, Fault: "δ = 10⁻⁶"},
		},
		{
			ID: "nonconvex/settings/normalise", Source: "Experiment Settings, the normalisation", Kind: verify.Sensitivity,
			Origin: verify.Observation,
			Place: "Experiment Settings, first paragraph: whether the data are normalised row by row or by one factor that " +
				"the largest row sets is not said",
			Statement: "where one factor for all rows is taken from the data, a record replaced by one twice as long moves " +
				"the gradient by more than the 2G/n that the noise covers: the normalisation is a private choice that is not " +
				"paid for",
			Check:   normalised(false),
			Control: verify.Control{Check: normalised(true), Want: checks.Refuted, Fault: "each row by its own norm"},
		},
	}
}

func settingsTrainingClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/settings/progress", Source: "Fig. 1 at ε = 0.1, line 3", Kind: verify.Experiment,
			Place: parameters + lineThree + figures + "; the random first point, Experiment Settings, second " +
				"paragraph",
			Statement: "on synthetic data at ε = 0.1 DP-GD with the noise of line 3 hardly nears stationarity: from the " +
				"random first point to x_R the norm of the projected gradient falls by less than a tenth, in the mean",
			Check:   progress(0.1, someRows, 128),
			Control: verify.Control{Check: progress(5, fewRows, 320), Want: checks.Refuted, Fault: "ε = 5"},
		},
		{
			ID: "nonconvex/settings/regulariser", Source: "Fig. 1 at ε = 0.1, what is plotted", Kind: verify.Experiment,
			Place: parameters + lineThree + figures + "; the displayed problem of the Experiments",
			Statement: "at ε = 0.1 under line 3 the loss's own gradient at x_R is less than a fifth of the λ√p/2 of the " +
				"regulariser: λ alone, and neither ε, n, T nor G, decides the norm that Figure 1 plots there",
			Check:   lossShare(0.1),
			Control: verify.Control{Check: lossShare(5), Want: checks.Refuted, Fault: "ε = 5"},
		},
		{
			ID: "nonconvex/settings/constants", Source: "Fig. 1 at ε = 0.1, the constants", Kind: verify.Experiment,
			Place: parameters + lineThree + figures,
			Statement: "at ε = 0.1 under line 3 the norm at x_R doubles with λ, to a tenth, and stays, to a tenth, where the " +
				"noise is doubled or halved, as by twice or half of G or 1/n, or four times or a quarter of T",
			Check:   factorTwo(0.1),
			Control: verify.Control{Check: factorTwo(5), Want: checks.Refuted, Fault: "ε = 5"},
		},
		{
			ID: "nonconvex/settings/zero", Source: "Figs. 1 and 4, the vector 0", Kind: verify.Experiment,
			Place: parameters + closedForm + figures + "; the displayed problem of the Experiments",
			Statement: "on synthetic data the vector 0, which takes no data, has a smaller projected gradient than x_R of " +
				"DP-GD with the closed form at ε = 0.5, 2 and 5, in the mean: λ/2 = 0.005 is about as large as any entry of the " +
				"gradient there",
			Check:   besideZero(1, manyRows, 96),
			Control: verify.Control{Check: besideZero(10, fewRows, 960), Want: checks.Refuted, Fault: "ten times the norm at 0"},
		},
		{
			ID: "nonconvex/settings/measure", Source: "Figs. 1 and 4, the vertical axis", Kind: verify.Experiment,
			Place: parameters + closedForm + figures + "; the first paragraph of Experiments Results",
			Statement: "on synthetic data x_R errs on at least as many rows at ε = 5 as at ε = 0.5, in the mean, while the " +
				"norm of the projected gradient falls: the smaller norm is that of a vector nearer to 0, not of a better " +
				"classifier",
			Check: errorRise(0.5, algorithm.NoiseConcentrated, 320),
			Control: verify.Control{Check: errorRise(0.1, algorithm.NoiseStep3, 1280), Want: checks.Refuted,
				Fault: "ε = 0.1 and line 3, which guesses, in the place of ε = 0.5"},
		},
	}
}

// budget is that of a run at the settings, the synthetic ones unless covertype.
func budget(epsilon float64, covertype bool) (b algorithm.Budget, dim int) {
	b = algorithm.Budget{Epsilon: epsilon, Delta: paperDelta, Steps: paperSteps, Records: syntheticRecords,
		Lipschitz: 1}
	if covertype {
		b.Records = covertypeRecords
		return b, covertypeDim
	}
	return b, syntheticDim
}

// costOf is the ε at δ = 10⁻³ of all iterates of a run, of which the noise is sigma.
func costOf(b algorithm.Budget, sigma float64) float64 {
	return releaseEpsilon(allIterates, stepsMu(b, sigma), b.Delta, b.Steps)
}

// meanMu is μ of the mean of the iterates over μ of them all, for linear losses: gradient k of T is in T − k of
// them, so that Σ(T−k)/√(T·Σ(T−k)²), as T → ∞ √3/2.
func meanMu(steps int) float64 {
	sum, squares := 0.0, 0.0
	for k := 1; k <= steps; k++ {
		w := float64(steps - k)
		sum, squares = sum+w, squares+w*w
	}
	return sum / math.Sqrt(float64(steps)*squares)
}
