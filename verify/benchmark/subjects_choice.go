package benchmark

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/release"
	"github.com/dpverify/dpverify/verify/neighbours"
)

// choices release a place among scores or numbers, or several.
func (b *builder) choices() {
	const epsilon, scores, k = 1.0, 5, 2
	flip, err := release.NewPermuteAndFlip(epsilon / 2)
	add(b, flip, err, subjectOf[[]float64, int]{id: "permute_flip", pairs: allDiffer(scores), advertised: epsilon,
		law: flip.Law})

	const top = 10.0
	quantile, err := release.NewQuantile(0.5, epsilon/2, top)
	pairs := []neighbours.Pair[[]float64]{
		pairOf("1 to 9, and 9 in place of 1", count(1, 9), append(count(2, 9), 9)),
		pairOf("five of 1 and four of 9, and the reverse", slices.Concat(fill(5, 1), fill(4, 9)),
			slices.Concat(fill(4, 1), fill(5, 9))),
	}
	add(b, quantile, err, subjectOf[[]float64, float64]{id: "quantile", pairs: pairs, advertised: epsilon,
		law: func(numbers []float64) []float64 { return betweenNumbers(quantile, pairs, top, numbers) }})

	noisy, err := release.NewNoisyTopK(k, 2*k/epsilon)
	add(b, noisy, err, subjectOf[[]float64, []int]{id: "topk_noisy", pairs: allDiffer(scores), advertised: epsilon,
		law: noisy.Law})
	peeling, err := release.NewPeelingTopK(k, epsilon/(2*k))
	add(b, peeling, err, subjectOf[[]float64, []int]{id: "topk_peel", pairs: allDiffer(scores), advertised: epsilon,
		law: peeling.Law})
}

// count are the whole numbers from, …, to.
func count(from, to int) (out []float64) {
	for v := from; v <= to; v++ {
		out = append(out, float64(v))
	}
	return out
}

// betweenNumbers are the probabilities of the intervals between numbers that any input has, on which the
// densities are constant.
func betweenNumbers(m *release.Quantile, pairs []neighbours.Pair[[]float64], top float64, numbers []float64) []float64 {
	ends := []float64{0, top}
	for _, p := range pairs {
		ends = slices.Concat(ends, p.A, p.B)
	}
	return cells(ends, func(lo, hi float64) float64 { return (hi - lo) * math.Exp(m.LogDensity(numbers, (lo+hi)/2)) })
}
