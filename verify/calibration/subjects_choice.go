package calibration

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify/inputs"
)

// choices release a place among scores or numbers, or several.
func (b *builder) choices() {
	const epsilon, scores, k = 1.0, 5, 2
	flip, err := mechanism.NewPermuteAndFlip(epsilon / 2)
	add(b, flip, err, subjectOf[[]float64, int]{id: "permute_flip", pairs: allDiffer(scores), advertised: epsilon,
		law: flip.Distribution})

	const top = 10.0
	quantile, err := mechanism.NewQuantile(0.25, epsilon/2, top)
	pairs := []inputs.Pair[[]float64]{
		pairOf("1 to 8, and 9 in place of 1", []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{2, 3, 4, 5, 6, 7, 8, 9}),
		// The likeliest interval loses what a less likely one gains.
		pairOf("two of 1 and five of 6, and 10 in place of a 1", []float64{1, 1, 6, 6, 6, 6, 6, 10},
			[]float64{1, 6, 6, 6, 6, 6, 10, 10}),
	}
	add(b, quantile, err, subjectOf[[]float64, float64]{id: "quantile", pairs: pairs, advertised: epsilon,
		law: func(numbers []float64) []float64 { return betweenNumbers(quantile, pairs, top, numbers) }})

	noisy, err := mechanism.NewNoisyTopK(k, 2*k/epsilon)
	add(b, noisy, err, subjectOf[[]float64, []int]{id: "topk_noisy", pairs: allDiffer(scores), advertised: epsilon,
		law: noisy.Distribution})
	peeling, err := mechanism.NewPeelingTopK(k, epsilon/(2*k))
	add(b, peeling, err, subjectOf[[]float64, []int]{id: "topk_peel", pairs: allDiffer(scores), advertised: epsilon,
		law: peeling.Distribution})
}

// betweenNumbers are the probabilities of the intervals between numbers that any input has, on which the
// densities are constant.
func betweenNumbers(m *mechanism.Quantile, pairs []inputs.Pair[[]float64], top float64,
	numbers []float64) []float64 {
	ends := []float64{0, top}
	for _, p := range pairs {
		ends = slices.Concat(ends, p.A, p.B)
	}
	return cells(ends, func(lo, hi float64) float64 { return (hi - lo) * math.Exp(m.LogDensity(numbers, (lo+hi)/2)) })
}
