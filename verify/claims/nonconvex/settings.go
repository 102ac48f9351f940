package nonconvex

import (
	"cmp"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// settingsClaims returns observations at the parameters of the experiments: δ = 10⁻³, ε ∈ {0.1, 0.5, 2, 5}, T = 200
// in Figures 1 and 4; n = 10⁴ and p = 100 for the synthetic data, n = 2·10⁵ for Covertype.
func settingsClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/settings/noise", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Experiment Settings, first and second paragraph: n, p, ε, δ; captions of Figures 1 and 4 (T = 200); " +
				"Remark 1, third paragraph, and Algorithm 1, line 3",
			Statement: "the noise added to each gradient is on average longer than G, the bound on every gradient of the " +
				"loss. It is 1.05 G under the closed form and 55 G under line 3 as printed, both made for this G. Setting: " +
				"synthetic data, ε = 0.1, n = 10⁴, p = 100, T = 200, δ = 10⁻³",
			Check:    noiseLength(0.1, algorithm.NoiseConcentrated, algorithm.NoiseStep3),
			Control:  checks.Faulty(noiseLength(0.5, algorithm.NoiseConcentrated), "the closed form at ε = 0.5"),
			Formerly: []string{"nonconvex/settings/noise/closed-form"},
		},
		{
			ID: "nonconvex/settings/comparison", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Figure 4: Experiments Results, last paragraph; Experiment Settings, third paragraph; Remark 1, third " +
				"paragraph",
			Statement: "the noise of the closed form is at most 0.5 % smaller than the noise of the moments accountant " +
				"with integer orders (compared in Figure 4). Setting: ε = 0.5 and 2, δ = 10⁻³",
			Check:    momentsRatio(0.995),
			Control:  checks.Faulty(momentsRatio(1), "equal noise"),
			Formerly: []string{"nonconvex/experiments/comparison/synthetic"},
		},
		{
			ID: "nonconvex/settings/observers", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Algorithm 1, lines 1, 2 and 5: each step takes all records, so no record hides among others; " +
				"Experiment Settings, second paragraph",
			Statement: "hiding the iterates saves at most half of ε under the closed form. The last iterate, the mean of " +
				"the iterates, and x_R with a regularizer that reveals R each cost at least half of the ε of all iterates. " +
				"Setting: worst case over linear losses on R^p, ε ∈ {0.1, 0.5, 2, 5}, δ = 10⁻³, T = 200",
			Check:   observers(1),
			Control: checks.Faulty(observers(0.1), "a release whose μ is a tenth of the μ of all iterates"),
		},
		{
			ID: "nonconvex/settings/delta", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Experiment Settings, second paragraph: δ = 0.001; first paragraph (n); Remark 1, third paragraph (δ = " +
				"1/n in practice)",
			Statement: "the δ = 10⁻³ of the experiments exceeds the 1/n that Remark 1 calls practice, on both data sets. " +
				"Publishing each record with probability 10⁻³ is (0, 10⁻³)-private, and publishes on average 10 of the 10⁴ " +
				"synthetic records and 200 of the 2·10⁵ Covertype records",
			Check:   published(paperDelta),
			Control: checks.Faulty(published(1e-6), "δ = 10⁻⁶"),
		},
		{
			ID: "nonconvex/settings/normalise", Kind: verify.Sensitivity, Origin: verify.Observation,
			Place: "Experiment Settings, first paragraph: the text does not say whether each row has its own factor",
			Statement: "normalizing the data by one factor, taken from the longest row, lets one replaced record move the " +
				"gradient at θ = 0 by 2500 times the 2G/n that the noise covers. Scaling each row by its own norm does not. " +
				"Setting: 10⁴ equal records, one replaced by one twice as long, G = 0.25",
			Check:   normalized(false),
			Control: checks.Faulty(normalized(true), "each row by its own norm"),
		},
	}
}

// settingsBudget returns the budget of a run on the synthetic data at T = 200, G = 1.
func settingsBudget(epsilon float64) algorithm.Budget {
	return algorithm.Budget{Epsilon: epsilon, Delta: paperDelta, Steps: paperSteps, Records: syntheticRecords,
		Lipschitz: 1}
}

// noiseLength computes E‖ε_k‖₂ over G on the synthetic data.
func noiseLength(epsilon float64, noises ...noiseFormula) verify.Check {
	return formula.Check{
		Quantity: "E‖ε_k‖₂ over G, the longest gradient", Sense: verify.Above,
		Domain: "n = 10⁴, p = 100, T = 200, δ = 10⁻³; G cancels; the closed form, then line 3",
		Proof:  "E‖ε_k‖₂ = σ·E‖b‖₂ for b ~ N(0, I), in closed form",
		Grid:   formula.Grid{formula.Over("ε", epsilon)},
		At: func(at []float64, add func(formula.Point)) {
			for _, noise := range noises {
				sigma, err1 := noise(settingsBudget(at[0]))
				ball, err2 := erm.NewL2Ball(syntheticDim, 1)
				add(formula.Point{Place: formula.Placef("σ=%.3g", sigma), Measured: sigma * ball.GaussianWidth(), Claimed: 1,
					Show: true, Err: cmp.Or(err1, err2)})
			}
		},
	}
}

func momentsRatio(claimed float64) verify.Check {
	return formula.Check{
		Quantity: "standard deviation of the closed form, divided by the standard deviation of the moments accountant",
		Sense:    verify.AtLeast,
		Domain:   "δ = 10⁻³, integer orders to 32; n, T and G cancel", Grid: formula.Grid{formula.Over("ε", 0.5, 2)},
		At: func(at []float64, add func(formula.Point)) {
			ours, err1 := algorithm.NoiseConcentrated(settingsBudget(at[0]))
			theirs, err2 := algorithm.NoiseMoments(settingsBudget(at[0]))
			add(formula.Point{Measured: ours / theirs, Claimed: claimed, Show: true, Err: cmp.Or(err1, err2)})
		},
	}
}

// observers compares the ε of a release with half of the ε of all iterates; factor is 1, or larger in a control.
func observers(factor float64) verify.Check {
	return formula.Check{
		Quantity: "ε of the release over ε of all iterates, δ = 10⁻³", Sense: verify.AtLeast,
		Domain: "the closed form, T = 200, linear losses on R^p; x_R with a regularizer that reveals R",
		Grid:   formula.Grid{formula.Over("ε", paperEpsilons...)},
		At: func(at []float64, add func(formula.Point)) {
			b := settingsBudget(at[0])
			sigma, err := algorithm.NoiseConcentrated(b)
			mu := stepsMu(b, sigma)
			all := releaseEpsilon(allIterates, mu, b.Delta, b.Steps)
			last := math.Sqrt(float64(b.Steps-1) / float64(b.Steps))
			for _, o := range []struct {
				name    string
				release releaseDelta
				mu      float64
			}{
				{"the last iterate", allIterates, last * mu}, {"their mean", allIterates, meanMu(b.Steps) * mu},
				{"x_R", lastIterate, mu},
			} {
				add(formula.Point{Place: formula.Placef("%s", o.name), Claimed: 0.5, Show: true, Error: 1e-6, Err: err,
					Measured: releaseEpsilon(o.release, factor*o.mu, b.Delta, b.Steps) / all})
			}
		},
	}
}

// meanMu returns the μ of the mean of the iterates over the μ of all iterates, for linear losses. Gradient k of T
// affects T − k of them, so the ratio is Σ(T−k)/√(T·Σ(T−k)²), which tends to √3/2.
func meanMu(steps int) float64 {
	sum, squares := 0.0, 0.0
	for k := 1; k <= steps; k++ {
		w := float64(steps - k)
		sum, squares = sum+w, squares+w*w
	}
	return sum / math.Sqrt(float64(steps)*squares)
}

func published(delta float64) verify.Check {
	return formula.Check{
		Quantity: "mean number of published records, δn", Sense: verify.Above,
		Proof: "such a release differs for neighbors only by an event of probability δ",
		Grid:  formula.Grid{formula.Over("n", syntheticRecords, covertypeRecords)},
		At: func(at []float64, add func(formula.Point)) {
			add(formula.Point{Measured: delta * at[0], Claimed: 1, Show: true})
		},
	}
}

// normalized compares n equal records of norm 1 with the same records after one is replaced by a record of norm 2.
func normalized(rows bool) verify.Check {
	const n = syntheticRecords
	gradient := func(last float64) (float64, error) {
		values, labels := make([]float64, n), make([]float64, n)
		for i := range values {
			values[i], labels[i] = 1, 1
		}
		values[n-1] = last
		data, err := dataset.NewDense(1, values, labels)
		if err != nil {
			return 0, err
		}
		scale := dataset.ScaleMax
		if rows {
			scale = dataset.ScaleRows
		}
		prepared, err := dataset.Preparation{Scale: scale}.Fit(data)
		if err != nil {
			return 0, err
		}
		if data, err = prepared.Apply(data); err != nil {
			return 0, err
		}
		g := []float64{0}
		algorithm.Gradient(erm.Sigmoid{Falling: true}, data, []float64{0}, g)
		return g[0], nil
	}
	return formula.Check{
		Quantity: "change of ∇F over 2G/n", Sense: verify.Above,
		Domain: "n = 10⁴ equal records in R, one replaced, θ = 0, G = 0.25",
		Points: func(add func(formula.Point)) {
			a, err1 := gradient(1)
			b, err2 := gradient(2)
			add(formula.Point{Place: formula.Placef("a record of norm 2 for one of norm 1"), Claimed: 1, Show: true,
				Measured: math.Abs(a-b) * n / (2 * erm.Sigmoid{}.Lipschitz(1)), Err: cmp.Or(err1, err2)})
		},
	}
}
