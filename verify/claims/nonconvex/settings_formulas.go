package nonconvex

import (
	"cmp"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

// noiseLength is E‖ε_k‖₂ over G on the synthetic data.
func noiseLength(noise noiseFormula, epsilon float64) verify.Check {
	return formula.Check{
		Quantity: "E‖ε_k‖₂ over G, the longest gradient", Sense: verify.Above,
		Domain: "n = 10⁴, p = 100, T = 200, δ = 10⁻³; G cancels",
		Proof:  "E‖ε_k‖₂ = σ·E‖b‖₂ for b ~ N(0, I), in closed form",
		Points: func(add func(formula.Point)) {
			b, dim := budget(epsilon, false)
			sigma, err1 := noise(b)
			ball, err2 := erm.NewL2Ball(dim, 1)
			add(formula.Point{Place: formula.Placef("ε=%g, σ=%.3g", epsilon, sigma), Measured: sigma * ball.GaussianWidth(),
				Claimed: 1,
				Show:    true, Err: cmp.Or(err1, err2)})
		},
	}
}

// boundOverTrivial takes G = 1, which rows of norm 4 reach, and L = 16/(6√3) there; F^r is within 1 + λ‖x_1‖₁/2 of
// its least value.
func boundOverTrivial(noise noiseFormula, epsilons []float64) verify.Check {
	return formula.Check{
		Quantity: "bound over G + λ√p/2", Sense: verify.Below, Void: true,
		Domain: "synthetic data, T = 200, δ = 10⁻³, G = 1, the ε of the experiments as far as the statement reaches",
		Points: func(add func(formula.Point)) {
			for _, epsilon := range epsilons {
				b, dim := budget(epsilon, false)
				sigma, err := noise(b)
				regulariser := paperLambda * math.Sqrt(float64(dim))
				smooth := bounds.Smooth{Smoothness: 16 * erm.Sigmoid{}.Smoothness(math.Inf(1)), Range: 1 + regulariser}
				bound := math.Sqrt(smooth.GradientSquare(float64(b.Steps), float64(dim)*sigma*sigma))
				add(formula.Point{Place: formula.Placef("ε=%g", epsilon), Measured: bound / (1 + regulariser), Claimed: 1,
					Show: true,
					Err:  err})
			}
		},
	}
}

// stepsOff is T = 200 over the T of Theorem 2, or its inverse.
func stepsOff(factor float64) verify.Check {
	return formula.Check{
		Quantity: "T = 200 over nε/√(p·ln(1/δ)), or its inverse if that is larger", Sense: verify.AtLeast,
		Domain: "the synthetic data at ε ∈ {0.1, 2, 5} and Covertype at ε ∈ {0.1, 0.5, 2, 5}",
		Points: func(add func(formula.Point)) {
			for _, covertype := range []bool{false, true} {
				for _, epsilon := range paperEpsilons() {
					b, dim := budget(epsilon, covertype)
					v := bounds.DescentRatio(float64(b.Records), epsilon, b.Delta, float64(dim))
					if !covertype && epsilon == 0.5 {
						continue
					}
					off := float64(b.Steps) / v
					add(formula.Point{Place: formula.Placef("n=%d, p=%d, ε=%g, T of Theorem 2 %.4g", b.Records, dim, epsilon, v),
						Measured: math.Max(off, 1/off), Claimed: factor, Show: true})
				}
			}
		},
	}
}

func besideMoments(claimed float64) verify.Check {
	return formula.Check{
		Quantity: "deviation of the closed form over that of the moments accountant", Sense: verify.AtLeast,
		Domain: "ε ∈ {0.5, 2}, δ = 10⁻³, integer orders to 32; n, T and G cancel",
		Points: func(add func(formula.Point)) {
			for _, epsilon := range []float64{0.5, 2} {
				b, _ := budget(epsilon, false)
				ours, err1 := algorithm.NoiseConcentrated(b)
				theirs, err2 := algorithm.NoiseMoments(b)
				add(formula.Point{Place: formula.Placef("ε=%g", epsilon), Measured: ours / theirs, Claimed: claimed, Show: true,
					Err: cmp.Or(err1, err2)})
			}
		},
	}
}

// runCost is the exact ε of all iterates where the noise is times as large as the losses need.
func runCost(noise noiseFormula, times, share float64, epsilons []float64) verify.Check {
	return formula.Check{
		Quantity: "ε of all iterates at δ = 10⁻³", Sense: verify.AtMost,
		Domain: "the ε of the experiments as far as the statement reaches, T = 200; n and G cancel",
		Points: func(add func(formula.Point)) {
			for _, epsilon := range epsilons {
				b, _ := budget(epsilon, false)
				sigma, err := noise(b)
				add(formula.Point{Place: formula.Placef("stated ε=%g", epsilon), Measured: costOf(b, times*sigma),
					Claimed: share * epsilon, Error: 1e-6, Show: true, Err: err})
			}
		},
	}
}

// smoothnessShare is L/G of the sigmoid, 4/(6√3).
var smoothnessShare = erm.Sigmoid{}.Smoothness(math.Inf(1)) / erm.Sigmoid{}.Lipschitz(1)

// runExcess is the exact ε of all iterates where the noise of the closed form is share of what it must be.
func runExcess(share float64) verify.Check {
	return formula.Check{
		Quantity: "ε of all iterates at δ = 10⁻³ over the stated ε", Sense: verify.Above,
		Domain: "ε ∈ {0.1, 0.5, 2, 5}, T = 200; n cancels; linear losses of slope G are L-smooth, and attain it",
		Points: func(add func(formula.Point)) {
			for _, epsilon := range paperEpsilons() {
				b, _ := budget(epsilon, false)
				sigma, err := algorithm.NoiseConcentrated(b)
				cost := costOf(b, share*sigma)
				add(formula.Point{Place: formula.Placef("stated ε=%g, cost %.3g", epsilon, cost), Measured: cost / epsilon,
					Claimed: 1,
					Error:   1e-6, Show: true, Err: err})
			}
		},
	}
}

// observers compares what they learn with what all iterates tell; factor is 1, or a fault.
func observers(share, factor float64) verify.Check {
	return formula.Check{
		Quantity: "ε of the release over ε of all iterates, δ = 10⁻³", Sense: verify.AtLeast,
		Domain: "the closed form, ε ∈ {0.1, 0.5, 2, 5}, T = 200, linear losses on R^p; x_R with a regulariser that tells R",
		Points: func(add func(formula.Point)) {
			for _, epsilon := range paperEpsilons() {
				b, _ := budget(epsilon, false)
				sigma, err := algorithm.NoiseConcentrated(b)
				mu, all := stepsMu(b, sigma), costOf(b, sigma)
				last := math.Sqrt(float64(b.Steps-1) / float64(b.Steps))
				for _, o := range []struct {
					name    string
					release releaseDelta
					mu      float64
				}{
					{"the last iterate", allIterates, last * mu}, {"their mean", allIterates, meanMu(b.Steps) * mu},
					{"x_R", lastIterate, mu},
				} {
					add(formula.Point{Place: formula.Placef("%s, ε=%g", o.name, epsilon), Claimed: share, Show: true, Error: 1e-6,
						Err:      err,
						Measured: releaseEpsilon(o.release, factor*o.mu, b.Delta, b.Steps) / all})
				}
			}
		},
	}
}

// seenShare is the mean of R − 1 over T.
func seenShare(steps int, claimed float64) verify.Check {
	return formula.Check{
		Quantity: "noisy gradients that x_R has seen, over T, in the mean", Sense: verify.Below, Domain: "T = 200",
		Points: func(add func(formula.Point)) {
			sum := 0.0
			for r := 1; r <= steps; r++ {
				sum += float64(r - 1)
			}
			add(formula.Point{Place: formula.Placef("T=%d", steps), Measured: sum / float64(steps) / float64(steps),
				Claimed: claimed,
				Show:    true})
		},
	}
}

func published(delta float64) verify.Check {
	return formula.Check{
		Quantity: "records published in the mean, δn", Sense: verify.Above, Domain: "both data sets",
		Proof: "such a release differs for neighbours by an event of probability δ alone",
		Points: func(add func(formula.Point)) {
			for _, n := range []float64{syntheticRecords, covertypeRecords} {
				add(formula.Point{Place: formula.Placef("n=%g", n), Measured: delta * n, Claimed: 1, Show: true})
			}
		},
	}
}

// normalised takes n equal records of norm 1, and the same with one of norm 2.
func normalised(rows bool) verify.Check {
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
		Quantity: "change of ∇F over 2G/n", Sense: verify.Above, Domain: "n = 10⁴ equal records in R, one replaced, θ = " +
			"0, G = ¼",
		Points: func(add func(formula.Point)) {
			a, err1 := gradient(1)
			b, err2 := gradient(2)
			add(formula.Point{Place: formula.Placef("a record of norm 2 for one of norm 1"), Claimed: 1, Show: true,
				Measured: math.Abs(a-b) * n / (2 * erm.Sigmoid{}.Lipschitz(1)), Err: cmp.Or(err1, err2)})
		},
	}
}
