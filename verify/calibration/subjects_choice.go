package calibration

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// choices returns mechanisms that select one or several indices among scores, or a number.
func choices() []Subject {
	const epsilon, scores, k, top = 1.0, 5, 2, 10.0
	flip, quantile := must(mechanism.NewPermuteAndFlip(epsilon/2)), must(mechanism.NewQuantile(0.25, epsilon/2, top))
	noisy, peeling := must(mechanism.NewNoisyTopK(k, 2*k/epsilon)), must(mechanism.NewPeelingTopK(k, epsilon/(2*k)))
	pairs := []inputs.Pair[[]float64]{
		pairOf("1 to 8, and 9 in place of 1", []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{2, 3, 4, 5, 6, 7, 8, 9}),
		// Probability moves from the likeliest interval to a less likely one.
		pairOf("two of 1 and five of 6, and 10 in place of a 1", []float64{1, 1, 6, 6, 6, 6, 6, 10},
			[]float64{1, 6, 6, 6, 6, 6, 10, 10}),
	}
	several := func(id string, m verify.Mechanism[[]float64, []int], law func([]float64) []float64) Subject {
		return subjectOf[[]float64, []int]{id: id, mechanism: m, pairs: allDiffer(scores), advertised: epsilon,
			law: law}.hide()
	}
	return []Subject{
		subjectOf[[]float64, int]{id: "permute_flip", mechanism: flip, pairs: allDiffer(scores), advertised: epsilon,
			law: flip.Distribution}.hide(),
		subjectOf[[]float64, float64]{id: "quantile", mechanism: quantile, pairs: pairs, advertised: epsilon,
			law: func(x []float64) []float64 { return betweenNumbers(quantile, pairs, top, x) }}.hide(),
		several("topk_noisy", noisy, noisy.Distribution),
		several("topk_peel", peeling, peeling.Distribution),
	}
}

// betweenNumbers returns the probabilities of the intervals between the numbers of all inputs. The densities are
// constant on these intervals.
func betweenNumbers(m *mechanism.Quantile, pairs []inputs.Pair[[]float64], top float64,
	numbers []float64) []float64 {
	ends := []float64{0, top}
	for _, p := range pairs {
		ends = slices.Concat(ends, p.A, p.B)
	}
	return cells(ends, func(lo, hi float64) float64 { return (hi - lo) * math.Exp(m.LogDensity(numbers, (lo+hi)/2)) })
}
