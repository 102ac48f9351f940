package calibration

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// faults returns mechanisms with one known fault each, and sound controls, audited at their advertised privacy. Each
// faulty mechanism is refuted within its samples.
func faults() []Case {
	const eps, delta, rate = 1.0, 1e-5, 0.1
	group := []inputs.Pair[[]float64]{
		pairOf("(0, 0) and (1, 0)", []float64{0, 0}, []float64{1, 0}), pairOf("(3, 0) and (3, 1)", []float64{3, 0}, []float64{3, 1}),
	}
	utilities := []inputs.Pair[[]float64]{pairOf("utilities (1, 0, 0) and (0, 1, 1)", []float64{1, 0, 0}, []float64{0, 1, 1})}
	records := []inputs.Pair[[]float64]{pairOf("a record of 0 and of 1", []float64{0, 1}, []float64{1, 1})}
	number := func(name string, isTrue bool, m verify.Mechanism[float64, float64], samples int64) Case {
		return audit(name, isTrue, m, zeroAndOne, eps, samples)
	}
	return []Case{
		number("sound: Laplace", true, must(mechanism.NewLaplace(1/eps)), 20_000),
		number("Laplace at half scale", false, must(broken.NewHalfScaleLaplace(eps, 1)), 20_000),
		audit("three releases charged once", false, must(broken.NewSumOfReleases(3, eps, 1)), zeroAndOne, eps, 20_000),
		number("absolute value of the noise", false, must(broken.NewAbsLaplace(eps, 1)), 20_000),
		number("noise clipped", false, must(broken.NewClippedLaplace(eps, 1, 2)), 20_000),
		number("uniform noise", false, must(broken.NewUniformNoise(eps, 1)), 20_000),
		number("fixed seed", false, must(broken.NewFixedSeed(eps, 1, 7)), 20_000),
		number("noise skipped on a zero count", false, must(broken.NewZeroCount(eps, 1)), 20_000),
		number("Gaussian sold as pure ε", false, must(broken.NewPureGaussian(eps, 1)), 60_000),
		audit("sound: noisy histogram", true, must(mechanism.NewNoisyHistogram(1/eps)), group, eps, 8_000),
		audit("noise reused over coordinates", false, must(broken.NewReusedNoise(eps, 1)), group, eps, 8_000),
		audit("noise skipped on an empty group", false, must(broken.NewEmptyGroup(eps, 1)), group, eps, 8_000),
		audit("sound: exponential mechanism", true, must(mechanism.NewExponential(eps, 1)), utilities, eps, 20_000),
		audit("exponential mechanism without the factor 2", false, must(broken.NewFullExponential(eps, 1)), utilities, eps, 20_000),
		audit("subsampling claimed, full batch used", false, must(broken.NewFullBatch(eps, 1)), records, math.Log1p(rate*math.Expm1(eps)), 20_000),
		byDensity("sound: classical Gaussian, by its density", true, must(mechanism.NewGaussian(math.Sqrt(2*math.Log(1.25/delta))/eps)), eps, delta),
		byDensity("Gaussian without the √2, by its density", false, must(broken.NewShortGaussian(eps, delta, 1)), eps, delta),
	}
}

func audit[D, O any](name string, isTrue bool, m verify.Mechanism[D, O], pairs []inputs.Pair[D], eps float64, samples int64) Case {
	return Case{Name: name, isTrue: isTrue, check: untypedAudit(m, pairs, privacy.ApproximateDP(eps, 0), samples)}
}

// byDensity returns a check of the densities at 0 and 1 on a fine grid. Samples would need about 3e7 draws per input
// to detect such a small fault. The cells merge outcomes, which can only reduce the loss.
func byDensity(name string, isTrue bool, m *mechanism.Gaussian, eps, delta float64) Case {
	s := subjectOf[float64, float64]{density: m.LogDensity, delta: delta, probes: grid(-60, 61, 121*1024+1), even: true}
	return Case{Name: name, isTrue: isTrue, check: pairClaim("inputs 0 and 1, densities on a grid of step 2⁻¹⁰",
		privacy.DistributionPair{Place: "0 and 1", P: s.atProbes(0), Q: s.atProbes(1), Epsilon: eps, Delta: delta})}
}
