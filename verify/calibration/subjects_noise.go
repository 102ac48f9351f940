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

// pairOf is a pair without the words that its type takes.
func pairOf[D any](name string, a, b D) inputs.Pair[D] {
	return inputs.Pair[D]{Name: name, A: a, B: b}
}

// noises are laws of noise besides Laplace and Gauss.
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
				reach := truncated.Reach() // the ratio of the densities is constant but for [0, 1]
				cuts := append(grid(0, 1, 1001), -reach, 1-reach, reach, 1+reach)
				return cells(cuts, func(lo, hi float64) float64 { return truncated.Interval(x, lo, hi) })
			}}.hide(),
		subjectOf[float64, float64]{id: "folded_laplace", mechanism: folded, advertised: epsilon,
			density: folded.LogDensity, probes: []float64{0, top},
			pairs: append(slices.Clone(zeroAndOne), pairOf("1 and 2", 1.0, top))}.hide(),
	}
}

// slightlyAbove is δ with room for what rounding does to the sum of the masses that one of two inputs alone can
// release, which is all of δ.
func slightlyAbove(delta float64) float64 { return delta * (1 + 1e-9) }

// masses are the probabilities of the whole numbers up to reach from x, 0 and 1.
func masses(x, reach int, logDensity func(x, out int) float64) (law []float64) {
	for k := -reach; k <= reach+1; k++ {
		law = append(law, math.Exp(logDensity(x, k)))
	}
	return law
}

// cells are the probabilities of the intervals between cuts.
func cells(cuts []float64, interval func(lo, hi float64) float64) (law []float64) {
	slices.Sort(cuts)
	for i, to := range cuts[1:] {
		law = append(law, interval(cuts[i], to))
	}
	return law
}

// sampled are releases from a random part of the records.
func sampled() []Subject {
	const q, epsilon, people, asked = 0.2, 2.0, 6, 3
	sum := must(mechanism.NewSampledLaplace(q, 1/epsilon))
	answers := must(mechanism.NewSampledResponse(people, asked, epsilon))
	return []Subject{
		subjectOf[[]float64, float64]{id: "sub_laplace", mechanism: sum, advertised: math.Log1p(q * math.Expm1(epsilon)),
			law: func(records []float64) []float64 {
				cuts := append(grid(0, 4, 4001), math.Inf(-1), math.Inf(1)) // the ratio is constant but for [0, 4]
				return cells(cuts, func(lo, hi float64) float64 { return sum.Interval(records, lo, hi) })
			},
			pairs: []inputs.Pair[[]float64]{
				pairOf("all 0 and last 1", fill(4, 0), []float64{0, 0, 0, 1}),
				pairOf("all 1 and last 0", fill(4, 1), []float64{1, 1, 1, 0}),
			}}.hide(),
		subjectOf[[]int, []int]{id: "sub_rr", mechanism: answers, law: answers.Distribution,
			advertised: math.Log1p(float64(asked) / people * math.Expm1(epsilon)),
			pairs: []inputs.Pair[[]int]{
				pairOf("all 0 and one 1", []int{0, 0, 0, 0, 0, 0}, []int{1, 0, 0, 0, 0, 0}),
				pairOf("three and four of six 1", []int{1, 1, 1, 0, 0, 0}, []int{1, 1, 1, 1, 0, 0}),
			}}.hide(),
	}
}

// gradients are a step of DP-SGD in few and in many dimensions. The record that is more or less has a gradient that
// is clipped, in a direction in which every coordinate has a share.
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

// features are a record of d features and a label.
func features(d int, size float64, shape func(float64) float64, label float64) (record []float64) {
	for j := range d {
		record = append(record, size*shape(float64(j)))
	}
	return append(record, label)
}

// alongDifference is the law of the released parameters' coordinate in the direction in which the means of two
// inputs differ, in cells of a thousandth of its deviation: a sufficient statistic, since all else is noise
// of one law.
func alongDifference(m *mechanism.GradientStep, records, a, b [][]float64) []float64 {
	origin, _ := m.Mean(b)
	direction, _ := m.Mean(a)
	at, _ := m.Mean(records)
	floats.Sub(direction, origin)
	floats.Sub(at, origin)
	mean := floats.Dot(at, direction) / floats.Norm(direction, 2) / m.StdDev()
	return cells(grid(-12, 13, 25_001), func(lo, hi float64) float64 { return normalInterval(lo-mean, hi-mean) })
}

// normalInterval is the probability of (lo, hi] under the standard normal law, from its smaller tails.
func normalInterval(lo, hi float64) float64 {
	if lo < 0 {
		lo, hi = -hi, -lo
	}
	return (math.Erfc(lo/math.Sqrt2) - math.Erfc(hi/math.Sqrt2)) / 2
}
