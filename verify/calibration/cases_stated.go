package calibration

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// statedEffect is the deviation that the checks of stated means are set to detect. Checks of distributions use half
// of it.
const statedEffect = 0.25

// statedCases returns means of two-point distributions and of rare, large values, which are the worst cases,
// distributions of every sort, and sensitivities over pairs that hold with equality.
func statedCases() []Case {
	ranged := func(off float64) verify.Check { // in units of half the range
		return statedMean(twoPoints{off, -1, 1}.draw, func(c *mean.Stated) { c.Ranges = [][2]float64{{-1, 1}} })
	}
	rare := func(off float64) verify.Check { // in standard deviations
		const high, share = 10, 0.01
		sigma := high * math.Sqrt(share*(1-share))
		draw := func(r *rand.Rand) float64 { return twoPoints{high * share, 0, high}.draw(r) - high*share + off*sigma }
		return statedMean(draw, func(c *mean.Stated) { c.Variances = []float64{sigma * sigma} })
	}
	return append([]Case{
		{Name: "a mean by the range", isTrue: true, check: ranged(0)},
		{Name: "a mean by the range, off by the effect", event: results.Confirmed, check: ranged(statedEffect)},
		{Name: "a mean by the range, off by twice the effect", check: ranged(2 * statedEffect)},
		{Name: "a mean by the variance, rare and large", isTrue: true, check: rare(0)},
		{Name: "a mean by the variance, off by the effect", event: results.Confirmed, check: rare(statedEffect)},
		{Name: "a mean by the variance, off by twice the effect", check: rare(2 * statedEffect)},
		{Name: "pairs, with equality", isTrue: true, exact: true, check: pairsOf(0)},
		{Name: "pairs, claimed too low", exact: true, check: pairsOf(1e-6)},
	}, append(lawsOf(), roundedOf()...)...)
}

// roundedOf returns true claims that rounding could refute: single precision, ties far from 0, and a range with few
// digits.
func roundedOf() []Case {
	const far = 1 << 45
	farCoin := func(r *rand.Rand) float64 { return twoPoints{0, -1, 1}.draw(r) + far }
	return []Case{
		{Name: "a law in single precision", isTrue: true, check: statedLaw(distribution.Uniform(0, 1),
			func(r *rand.Rand) any { return float64(float32(r.Float64())) })},
		{Name: "a law of single numbers far from 0, with ties", isTrue: true, check: statedLaw(distribution.Normal(far, 1),
			func(r *rand.Rand) any { return far + rng.Normal(r) })},
		{Name: "a mean by a range of few digits", isTrue: true, check: statedMean(farCoin, func(c *mean.Stated) {
			c.Mean, c.Ranges = []float64{far}, [][2]float64{{far - 1, far + 1}}
		})},
	}
}

// statedMean returns a claim of the mean 0. known sets the range or the variance.
func statedMean(draw func(*rand.Rand) float64, known func(*mean.Stated)) verify.Check {
	c := mean.Stated{Quantity: "the value", Mean: []float64{0}, Samples: 2048, Effect: statedEffect,
		Sample: func(r *rand.Rand, dst []float64) error { dst[0] = draw(r); return nil }}
	known(&c)
	return c
}

// statedLaw returns a claim that draw has the distribution l.
func statedLaw(l distribution.Distribution, draw func(*rand.Rand) any) verify.Check {
	return distribution.Check{Quantity: "the output", Distribution: l, Samples: 1024, Effect: statedEffect / 2,
		Sample: func(r *rand.Rand) (any, error) { return draw(r), nil }}
}

// lawsOf returns claims of distributions, with true samples and with samples at a distance of one effect and of two.
func lawsOf() (cases []Case) {
	uniform := func(more float64) func(*rand.Rand) any { // additional probability of the lower half
		return func(r *rand.Rand) any {
			if r.Float64() < 2*more {
				return r.Float64() / 2
			}
			return r.Float64()
		}
	}
	coin := func(p float64) func(*rand.Rand) any { return func(r *rand.Rand) any { return r.Float64() < p } }
	integer := func(shift float64) func(*rand.Rand) any {
		return func(r *rand.Rand) any {
			return shift + math.Floor(2*rng.Exponential(r)) - math.Floor(2*rng.Exponential(r))
		}
	}
	word := func(p float64) func(*rand.Rand) any {
		return func(r *rand.Rand) any {
			if r.Float64() < p {
				return "a"
			}
			return "b"
		}
	}
	for _, c := range []struct {
		name             string
		law              distribution.Distribution
		true, off, twice func(*rand.Rand) any
	}{
		{"a continuous law", distribution.Uniform(0, 1), uniform(0), uniform(statedEffect / 2), uniform(statedEffect)},
		{"a coin", distribution.Bernoulli(0.3), coin(0.3), coin(0.3 + statedEffect/2), coin(0.3 + statedEffect)},
		{"a law on integers", distribution.DiscreteLaplace(0, 2), integer(0), integer(1), integer(2)},
		{"a law of strings", distribution.Categories(map[string]float64{"a": 0.4, "b": 0.6}), word(0.4),
			word(0.4 + statedEffect/2),
			word(0.4 + statedEffect)},
	} {
		cases = append(cases, Case{Name: c.name, isTrue: true, check: statedLaw(c.law, c.true)},
			Case{Name: c.name + ", off by the effect", event: results.Confirmed, check: statedLaw(c.law, c.off)},
			Case{Name: c.name + ", off by twice the effect", check: statedLaw(c.law, c.twice)})
	}
	return cases
}

// pairsOf claims the sensitivity of a weighted sum of values, lowered by the relative error low. Every run draws the
// number of values and their bound.
func pairsOf(low float64) verify.Check {
	return drawn(func(r *rand.Rand) (verify.Check, error) {
		bound, n := logUniform(r, 1e-3, 1e3), between(r, 1, 5)
		space := inputs.Datasets[float64]{Adjacency: inputs.ReplaceOneRecord, Values: []float64{0, bound, -bound},
			MinRecords: n, MaxRecords: n, Draw: func(r *rand.Rand) float64 { return bound * (2*r.Float64() - 1) }}
		return sensitivity.Pairs[[]float64]{
			Quantity: "a weighted sum", Norm: sensitivity.L1, Claimed: 2 * bound * float64(n) * (1 - low), Space: space,
			Map: func(x []float64) ([]float64, error) {
				sum := 0.0
				for i, v := range x {
					sum += float64(i+1) * v
				}
				return []float64{sum}, nil
			},
		}, nil
	})
}
