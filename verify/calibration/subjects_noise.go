package calibration

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify/inputs"
)

// pairOf returns a named pair of inputs.
func pairOf[D any](name string, a, b D) inputs.Pair[D] {
	return inputs.Pair[D]{Name: name, A: a, B: b}
}

// noises returns mechanisms with noise other than Laplace and Gaussian.
func noises() []Subject {
	const epsilon, sigma, delta, cut, top = 1.0, 1.0, 1e-3, 0.01, 2.0
	stairs := must(mechanism.NewStaircase(epsilon, 1/(1+math.Exp(epsilon/2))))
	discrete, truncated := must(mechanism.NewDiscreteGaussian(sigma)), must(mechanism.NewTruncatedLaplace(epsilon, cut))
	folded := must(mechanism.NewFoldedLaplace(1/epsilon, top))
	counts := func(x int) []float64 { return masses(x, 40, discrete.LogDensity) }
	return []Subject{
		subjectOf[float64, float64]{id: "staircase", mechanism: stairs, pairs: zeroAndOne, advertised: epsilon,
			density: stairs.LogDensity, probes: []float64{-0.5, 1.5}}.hide(),
		subjectOf[int, int]{id: "discrete_gauss", mechanism: discrete, delta: delta, law: counts,
			pairs:      []inputs.Pair[int]{pairOf("counts 0 and 1", 0, 1)},
			advertised: bounds.MinEpsilon(counts(0), counts(1), delta)}.hide(),
		subjectOf[float64, float64]{id: "trunc_laplace", mechanism: truncated, pairs: zeroAndOne,
			advertised: epsilon, delta: slightlyAbove(cut),
			law: func(x float64) []float64 {
				reach := truncated.Reach() // the ratio of the densities is constant except on [0, 1]
				cuts := append(grid(0, 1, 1001), -reach, 1-reach, reach, 1+reach)
				return cells(cuts, func(lo, hi float64) float64 { return truncated.Interval(x, lo, hi) })
			}}.hide(),
		subjectOf[float64, float64]{id: "folded_laplace", mechanism: folded, advertised: epsilon,
			density: folded.LogDensity, probes: []float64{0, top},
			pairs: append(slices.Clone(zeroAndOne), pairOf("1 and 2", 1.0, top))}.hide(),
	}
}

// slightlyAbove returns δ with a tolerance for rounding in the probability that only one of the inputs can release,
// which is the whole δ.
func slightlyAbove(delta float64) float64 { return delta * (1 + 1e-9) }

// masses returns the probabilities of the integers from −reach to reach + 1, given the input x.
func masses(x, reach int, logDensity func(x, out int) float64) (law []float64) {
	for k := -reach; k <= reach+1; k++ {
		law = append(law, math.Exp(logDensity(x, k)))
	}
	return law
}

// cells sorts the cuts and returns the probabilities of the intervals between them.
func cells(cuts []float64, interval func(lo, hi float64) float64) (law []float64) {
	slices.Sort(cuts)
	for i, high := range cuts[1:] {
		law = append(law, interval(cuts[i], high))
	}
	return law
}

// sampled returns mechanisms that use a random subset of the records.
func sampled() []Subject {
	const q, epsilon, people, sampleSize = 0.2, 2.0, 6, 3
	sum := must(mechanism.NewSampledLaplace(q, 1/epsilon))
	answers := must(mechanism.NewSampledResponse(people, sampleSize, epsilon))
	return []Subject{
		subjectOf[[]float64, float64]{id: "sub_laplace", mechanism: sum, advertised: math.Log1p(q * math.Expm1(epsilon)),
			law: func(records []float64) []float64 {
				cuts := append(grid(0, 4, 4001), math.Inf(-1), math.Inf(1)) // the ratio is constant except on [0, 4]
				return cells(cuts, func(lo, hi float64) float64 { return sum.Interval(records, lo, hi) })
			},
			pairs: []inputs.Pair[[]float64]{
				pairOf("all 0 and last 1", fill(4, 0), []float64{0, 0, 0, 1}),
				pairOf("all 1 and last 0", fill(4, 1), []float64{1, 1, 1, 0}),
			}}.hide(),
		subjectOf[[]int, []int]{id: "sub_rr", mechanism: answers, law: answers.Distribution,
			advertised: math.Log1p(float64(sampleSize) / people * math.Expm1(epsilon)),
			pairs: []inputs.Pair[[]int]{
				pairOf("all 0 and one 1", []int{0, 0, 0, 0, 0, 0}, []int{1, 0, 0, 0, 0, 0}),
				pairOf("three and four of six 1", []int{1, 1, 1, 0, 0, 0}, []int{1, 1, 1, 1, 0, 0}),
			}}.hide(),
	}
}

// gradients returns a step of DP-SGD in 50 and in 500 dimensions. The gradient of the additional record is clipped
// and has components in all coordinates.
func gradients() (list []Subject) {
	const multiplier, delta = 1.0, 1e-3
	for _, d := range []int{50, 500} {
		step := must(mechanism.NewGradientStep(make([]float64, d), 1, multiplier, 0.5))
		others := [][]float64{features(d, 0.01, math.Sin, 1), features(d, 0.02, math.Sin, -1)}
		with := append(slices.Clone(others), features(d, 3, math.Cos, 1))
		list = append(list, subjectOf[[][]float64, []float64]{id: fmt.Sprintf("gradient_%d", d), mechanism: step,
			advertised: must(accountant.GDP{Mu: 1 / multiplier}.Epsilon(delta)).Upper, delta: delta,
			pairs: []inputs.Pair[[][]float64]{pairOf("a record more or less", with, others)},
			law:   func(records [][]float64) []float64 { return alongDifference(step, records, with, others) }}.hide())
	}
	return list
}

// features returns a record of d features and a label.
func features(d int, size float64, shape func(float64) float64, label float64) (record []float64) {
	for j := range d {
		record = append(record, size*shape(float64(j)))
	}
	return append(record, label)
}

// alongDifference returns the distribution of the released parameters along the difference of the means at a and b,
// in cells of 0.001 standard deviations. This coordinate is a sufficient statistic, because the other components have
// the same noise for both inputs.
func alongDifference(m *mechanism.GradientStep, records, a, b [][]float64) []float64 {
	origin, _ := m.Mean(b)
	direction, _ := m.Mean(a)
	center, _ := m.Mean(records)
	floats.Sub(direction, origin)
	floats.Sub(center, origin)
	mean := floats.Dot(center, direction) / floats.Norm(direction, 2) / m.StdDev()
	return cells(grid(-12, 13, 25_001), func(lo, hi float64) float64 { return normalInterval(lo-mean, hi-mean) })
}

// normalInterval returns the probability of (lo, hi] under the standard normal distribution, from the tail with less
// cancellation.
func normalInterval(lo, hi float64) float64 {
	if lo < 0 {
		lo, hi = -hi, -lo
	}
	return (math.Erfc(lo/math.Sqrt2) - math.Erfc(hi/math.Sqrt2)) / 2
}
