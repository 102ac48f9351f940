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

// foundCases returns audits of sums, and checks of means and distributions of coins, at inputs that a search selects.
// True claims hold with equality at many inputs.
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

// foundSamples is the number of samples of a case, and foundPairs the number of pairs that its search tries.
const foundSamples, foundPairs = 2400, 10

// foundPair claims ε = 1 over lists of up to 8 bits.
func foundPair(m verify.Mechanism[[]int64, float64], neighbors inputs.Relation) verify.Check {
	return worstcase.Privacy[[]int64, float64]{
		Audit: privacy.Audit[[]int64, float64]{Mechanism: m, Guarantee: privacy.ApproximateDP(1, 0), Samples: foundSamples},
		Space: inputs.MustPairSpace[[]int64](inputs.Space{Values: inputs.List(inputs.Int(0, 1), 0, 8),
			Neighbors: neighbors}),
		Search: foundPairs,
	}
}

// foundLaw claims that a coin with input p shows heads with probability p. Its true probability is min(p, limit).
func foundLaw(limit float64) verify.Check {
	return worstcase.Input[float64]{Samples: foundSamples, Search: foundPairs, Inputs: foundCoins(),
		At: func(p float64, place string, samples int64) (worstcase.Check, error) {
			return distribution.Check{Quantity: "the coin", Place: place, Distribution: distribution.Bernoulli(p),
				Samples: samples, Sample: func(r *rand.Rand) (any, error) { return r.Float64() < math.Min(p, limit), nil }}, nil
		},
	}
}

// foundCoins returns the inputs of coins, [0, 1].
func foundCoins() worstcase.Inputs[float64] {
	return must(worstcase.SingleInputs[float64](inputs.Space{Values: inputs.Float(0, 1)}))
}

// foundMean claims that a coin with input p has the mean p. Its true mean is min(p, limit).
func foundMean(limit float64) verify.Check {
	return worstcase.Input[float64]{Samples: foundSamples, Search: foundPairs, Inputs: foundCoins(),
		At: func(p float64, place string, samples int64) (worstcase.Check, error) {
			return mean.Stated{Quantity: "the coin " + place, Mean: []float64{p}, Ranges: [][2]float64{{0, 1}}, Samples: samples,
				Sample: func(r *rand.Rand, dst []float64) error {
					dst[0] = 0
					if r.Float64() < math.Min(p, limit) {
						dst[0] = 1
					}
					return nil
				}}, nil
		},
	}
}
