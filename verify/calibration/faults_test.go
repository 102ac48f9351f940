package calibration

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Faults are mechanisms with one known fault each, and their sound counterparts,
// audited at their advertised privacy. Each is refuted within its samples.
func Faults() ([]Case, error) {
	var f faults
	const eps, delta = 1.0, 1e-5
	number := []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}
	group := []inputs.Pair[[]float64]{
		{Name: "(0, 0) and (1, 0)", A: []float64{0, 0}, B: []float64{1, 0}},
		{Name: "(3, 0) and (3, 1)", A: []float64{3, 0}, B: []float64{3, 1}},
	}
	pure := privacy.ApproximateDP(eps, 0)

	sound, err := mechanism.NewLaplace(1 / eps)
	fault(&f, "sound: Laplace", true, sound, err, number, pure, 20_000)
	half, err := broken.NewHalfScaleLaplace(eps, 1)
	fault(&f, "Laplace at half scale", false, half, err, number, pure, 20_000)
	sum, err := broken.NewSumOfReleases(3, eps, 1)
	fault(&f, "three releases charged once", false, sum, err, number, pure, 20_000)
	abs, err := broken.NewAbsLaplace(eps, 1)
	fault(&f, "absolute value of the noise", false, abs, err, number, pure, 20_000)
	clipped, err := broken.NewClippedLaplace(eps, 1, 2)
	fault(&f, "noise clipped", false, clipped, err, number, pure, 20_000)
	uniform, err := broken.NewUniformNoise(eps, 1)
	fault(&f, "uniform noise", false, uniform, err, number, pure, 20_000)
	seeded, err := broken.NewFixedSeed(eps, 1, 7)
	fault(&f, "fixed seed", false, seeded, err, number, pure, 20_000)
	zero, err := broken.NewZeroCount(eps, 1)
	fault(&f, "noise skipped on a zero count", false, zero, err, number, pure, 20_000)
	gauss, err := broken.NewPureGaussian(eps, 1)
	fault(&f, "Gaussian sold as pure ε", false, gauss, err, number, pure, 60_000)

	histogram, err := mechanism.NewNoisyHistogram(1 / eps)
	fault(&f, "sound: noisy histogram", true, histogram, err, group, pure, 8_000)
	reused, err := broken.NewReusedNoise(eps, 1)
	fault(&f, "noise reused over coordinates", false, reused, err, group, pure, 8_000)
	empty, err := broken.NewEmptyGroup(eps, 1)
	fault(&f, "noise skipped on an empty group", false, empty, err, group, pure, 8_000)

	utilities := []inputs.Pair[[]float64]{{Name: "utilities (1, 0, 0) and (0, 1, 1)", A: []float64{1, 0, 0},
		B: []float64{0, 1, 1}}}
	exponential, err := mechanism.NewExponential(eps, 1)
	fault(&f, "sound: exponential mechanism", true, exponential, err, utilities, pure, 20_000)
	full, err := broken.NewFullExponential(eps, 1)
	fault(&f, "exponential mechanism without the factor 2", false, full, err, utilities, pure, 20_000)

	const rate = 0.1
	records := []inputs.Pair[[]float64]{{Name: "a record of 0 and of 1", A: []float64{0, 1}, B: []float64{1, 1}}}
	batch, err := broken.NewFullBatch(eps, 1)
	fault(&f, "subsampling claimed, full batch used", false, batch, err, records,
		privacy.ApproximateDP(math.Log1p(rate*math.Expm1(eps)), 0), 20_000)

	exact, err := mechanism.NewGaussian(math.Sqrt(2*math.Log(1.25/delta)) / eps)
	f.byDensity("sound: classical Gaussian, by its density", true, exact, err, eps, delta)
	short, err := broken.NewShortGaussian(eps, delta, 1)
	f.byDensity("Gaussian without the √2, by its density", false, short, err, eps, delta)
	return f.cases, f.err
}

// faults collects cases and the first error.
type faults struct {
	cases []Case
	err   error
}

func fault[D, O any](f *faults, name string, isTrue bool, m verify.Mechanism[D, O], err error,
	pairs []inputs.Pair[D], g privacy.Guarantee, samples int64) {
	if err != nil && f.err == nil {
		f.err = err
	}
	f.cases = append(f.cases, Case{Name: name, True: isTrue, Check: untypedAudit(m, pairs, g, samples)})
}

// byDensity integrates the densities at 0 and 1 over the cells of a fine grid: some
// 3e7 samples a side would be needed to see so small a fault, the density shows it
// at once. Cells merge outcomes, so that the loss can only look smaller.
func (f *faults) byDensity(name string, isTrue bool, m *mechanism.Gaussian, err error, eps, delta float64) {
	if err != nil {
		if f.err == nil {
			f.err = err
		}
		return
	}
	f.cases = append(f.cases, Case{Name: name, True: isTrue, Check: privacy.Exact{
		Domain: "inputs 0 and 1, densities on a grid of step 2⁻¹⁰",
		Pairs: func() ([]privacy.DistributionPair, error) {
			s := subjectOf[float64, float64]{density: m.LogDensity, delta: delta, probes: grid(-60, 61, 121*1024+1), even: true}
			return []privacy.DistributionPair{{Place: "0 and 1", P: s.atProbes(0), Q: s.atProbes(1), Epsilon: eps, Delta: delta}}, nil
		},
	}})
}
