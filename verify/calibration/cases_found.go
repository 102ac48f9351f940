package calibration

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// foundCases are audits of sums, and means and laws of coins, at the inputs that a search finds: the claims hold with
// equality at many of them.
func foundCases() []Case {
	laplace := must(mechanism.NewLaplace(1))
	sum := func(noise func(records []int64) float64) verify.Mechanism[[]int64, float64] {
		return releaseFunc[[]int64, float64](func(r *rand.Rand, records []int64) (float64, error) {
			total := 0.0
			for _, x := range records {
				total += float64(x)
			}
			y, err := laplace.Release(r, 0)
			return total + noise(records)*y, err
		})
	}
	always := func(scale float64) func([]int64) float64 { return func([]int64) float64 { return scale } }
	onceWithout := func(records []int64) float64 {
		if len(records) == 0 {
			return 0
		}
		return 1
	}
	more, replaced := inputs.AddOrRemoveOne(), inputs.ReplaceOne()
	return []Case{
		{Name: "a record more", isTrue: true, check: foundPair(sum(always(1)), more)},
		{Name: "a record more, at twice ε", check: foundPair(sum(always(0.5)), more)},
		{Name: "a record more, no noise on empty data", check: foundPair(sum(onceWithout), more)},
		{Name: "a record replaced", isTrue: true, check: foundPair(sum(always(1)), replaced)},
		{Name: "a record replaced, at twice ε", check: foundPair(sum(always(0.5)), replaced)},
		{Name: "a mean at all inputs", isTrue: true, check: foundMean(1)},
		{Name: "a mean at all inputs, off near one end", check: foundMean(0.7)},
		{Name: "a law at all inputs", isTrue: true, check: foundLaw(1)},
		{Name: "a law at all inputs, another one near one end", check: foundLaw(0.7)},
	}
}

// foundSamples are within a search over so many pairs.
const foundSamples, foundPairs = 2400, 10

// foundPair claims ε = 1 over lists of bits.
func foundPair(m verify.Mechanism[[]int64, float64], neighbours inputs.Relation) verify.Check {
	return worstcase.Privacy[[]int64, float64]{
		Audit: privacy.Audit[[]int64, float64]{Mechanism: m, Guarantee: privacy.ApproximateDP(1, 0), Samples: foundSamples},
		Space: inputs.MustPairSpace[[]int64](inputs.Space{Values: inputs.List(inputs.Int(0, 1), 0, 8),
			Neighbors: neighbours}),
		Search: foundPairs,
	}
}

// foundLaw claims that a coin shows heads with the probability of its input, which it does up to the most.
func foundLaw(most float64) verify.Check {
	return worstcase.Input[float64]{Samples: foundSamples, Search: foundPairs, Inputs: foundCoins(),
		At: func(p float64, place string, samples int64) (worstcase.Check, error) {
			return distribution.Check{Quantity: "the coin", Place: place, Distribution: distribution.Bernoulli(p),
				Samples: samples, Sample: func(r *rand.Rand) (any, error) { return r.Float64() < math.Min(p, most), nil }}, nil
		},
	}
}

// foundCoins are the inputs of coins.
func foundCoins() worstcase.Inputs[float64] {
	return must(worstcase.SingleInputs[float64](inputs.Space{Values: inputs.Float(0, 1)}))
}

// foundMean claims that a coin has the mean of its input, which it has up to the most.
func foundMean(most float64) verify.Check {
	return worstcase.Input[float64]{Samples: foundSamples, Search: foundPairs, Inputs: foundCoins(),
		At: func(p float64, place string, samples int64) (worstcase.Check, error) {
			return mean.Stated{Quantity: "the coin " + place, Mean: []float64{p}, Ranges: [][2]float64{{0, 1}}, Samples: samples,
				Sample: func(r *rand.Rand, dst []float64) error {
					dst[0] = 0
					if r.Float64() < math.Min(p, most) {
						dst[0] = 1
					}
					return nil
				}}, nil
		},
	}
}
