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

// statedEffect is what the checks of stated means and laws are set to see.
const statedEffect = 0.25

// statedCases are means at which two-point laws and rare, large values are hardest, laws of
// every sort, and sensitivities over pairs with equality.
func statedCases() []Case {
	ranged := func(off float64) verify.Check { // in units of half the range
		return statedMean(twoPoints{off, -1, 1}.draw, func(c *mean.Stated) { c.Ranges = [][2]float64{{-1, 1}} })
	}
	rare := func(off float64) verify.Check { // in units of the deviation
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

// roundedOf are true laws, and a true mean, at which rounding or the size of the numbers could refute: single
// precision, ties at a far location, and a range of few digits.
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

// statedMean claims the mean 0.
func statedMean(draw func(*rand.Rand) float64, known func(*mean.Stated)) verify.Check {
	c := mean.Stated{Quantity: "the value", Mean: []float64{0}, Samples: 2048, Effect: statedEffect,
		Sample: func(r *rand.Rand, dst []float64) error { dst[0] = draw(r); return nil }}
	known(&c)
	return c
}

// statedLaw claims a law of what is drawn.
func statedLaw(l distribution.Distribution, draw func(*rand.Rand) any) verify.Check {
	return distribution.Check{Quantity: "the output", Distribution: l, Samples: 1024, Effect: statedEffect / 2,
		Sample: func(r *rand.Rand) (any, error) { return draw(r), nil }}
}

// lawsOf are laws with samples of them, with samples at a distance of the effect, and of twice that.
func lawsOf() (cases []Case) {
	uniform := func(more float64) func(*rand.Rand) any { // so much more in the lower half
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

// pairsOf claims a sensitivity that is relatively too low: that of a sum of values, each times
// its place, with bounds drawn anew in every run.
func pairsOf(low float64) verify.Check {
	return drawn(func(r *rand.Rand) (verify.Check, error) {
		bound, most := logUniform(r, 1e-3, 1e3), between(r, 1, 5)
		space := inputs.Datasets[float64]{Adjacency: inputs.ReplaceOneRecord, Values: []float64{0, bound, -bound},
			MinRecords: most, MaxRecords: most, Draw: func(r *rand.Rand) float64 { return bound * (2*r.Float64() - 1) }}
		return sensitivity.Pairs[[]float64]{
			Quantity: "a weighted sum", Norm: sensitivity.L1, Claimed: 2 * bound * float64(most) * (1 - low), Space: space,
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
