package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/mean"
)

// unbiasedEffect is the deviation of the factor that the checks of means are set to detect.
const unbiasedEffect = 0.5

// unbiasedCases returns means of two-point distributions, the worst case for a betting interval, and of private
// sampling, whose factor is also computed.
func unbiasedCases() []Case {
	const d, eps = 3, 1.0
	bound := must(bounds.PrivateSamplingBound(d, eps, 1))
	sound := must(mechanism.NewPrivateSampling(d, eps, 1, bound))
	doubled := must(mechanism.NewPrivateSampling(d, eps, 1, 2*bound))
	turned := must(broken.NewRotatedSampling(d, eps, 1, bound, math.Pi/2))
	release := func(m sampler, bound, exact float64) verify.Check {
		x := []float64{0, 0.8, 0}
		cell := mean.UnbiasedCell{
			Place: "x = (0, 0.8, 0)", Target: x, Bound: bound, Samples: 4096,
			Sample: func(r *rand.Rand, dst []float64) error { return m.Sample(r, x, dst) },
		}
		if exact > 0 {
			cell.Exact, cell.ExactError = exact, 1e-9
		}
		return mean.Unbiased{Claimed: 1, Effect: unbiasedEffect, Cells: []mean.UnbiasedCell{cell}}
	}
	return append([]Case{
		{Name: "two points, ±2", isTrue: true, check: scalarMean(twoPoints{1, -2, 2}, 1024)},
		{Name: "rare and large, 0 or 20", isTrue: true, check: scalarMean(twoPoints{1, 0, 20}, 4096)},
		{Name: "private sampling", isTrue: true, check: release(sound, bound, 0)},
		{Name: "private sampling, beside its computed factor", isTrue: true, faults: true, check: release(sound, bound, 1)},
		{Name: "two points, off by the effect", isTrue: false, event: results.Confirmed,
			check: scalarMean(twoPoints{1 + unbiasedEffect, -2, 2}, 1024)},
		{Name: "two points, off by twice the effect", isTrue: false,
			check: scalarMean(twoPoints{1 + 2*unbiasedEffect, -4, 4}, 1024)},
		{Name: "rare and large, off by twice the effect", isTrue: false,
			check: scalarMean(twoPoints{1 + 2*unbiasedEffect, 0, 20}, 4096)},
		{Name: "private sampling at twice its norm", isTrue: false, check: release(doubled, 2*bound, 0)},
		{Name: "private sampling, turned by 90°", isTrue: false, check: release(turned, bound, 0)},
	}, acrossCases()...)
}

// acrossCases returns cases with a mean component orthogonal to x, in a direction that every run draws: along a
// coordinate, in a few coordinates, or in a general direction.
func acrossCases() (cases []Case) {
	for _, c := range []struct {
		d       int
		samples int64
	}{{2, 1024}, {20, 2048}, {784, 4096}} {
		for _, bias := range []struct {
			times float64 // the effect
			words string
			Case
		}{
			{0, "no mean across x", Case{isTrue: true, event: results.Confirmed}},
			{1, "a mean across x of the effect", Case{event: results.Confirmed}},
			{2, "a mean across x of twice the effect", Case{}},
			{5, "a mean across x of five times the effect", Case{}},
		} {
			bias.Name = fmt.Sprintf("d = %d, %s", c.d, bias.words)
			bias.check = drawn(func(r *rand.Rand) (verify.Check, error) {
				return signedNoise(across(r, c.d, bias.times*unbiasedEffect), c.samples), nil
			})
			cases = append(cases, bias.Case)
		}
	}
	return cases
}

// across draws a vector of the given length in R^d, d ≥ 2, orthogonal to the first axis. It has 1, up to 5 or d − 1
// nonzero entries.
func across(r *rand.Rand, d int, length float64) []float64 {
	v := make([]float64, d)
	entries := []int{1, min(5, d-1), d - 1}[r.IntN(3)]
	for _, i := range r.Perm(d - 1)[:entries] {
		v[1+i] = rng.Normal(r)
	}
	floats.Scale(length/floats.Norm(v, 2), v)
	return v
}

// signedNoise claims the mean (1, 0, …, 0). The outputs are this vector plus the bias, ±0.5 in each coordinate.
func signedNoise(bias []float64, samples int64) verify.Check {
	const spread = 0.5
	x := make([]float64, len(bias))
	x[0] = 1
	expected := slices.Clone(bias)
	expected[0]++
	return mean.Unbiased{Claimed: 1, Effect: unbiasedEffect, Cells: []mean.UnbiasedCell{{
		Place: fmt.Sprintf("d = %d", len(x)), Target: x, Samples: samples,
		Bound: floats.Norm(expected, 2) + spread*math.Sqrt(float64(len(x))),
		Sample: func(r *rand.Rand, dst []float64) error {
			var signs uint64
			for i := range dst {
				if i%64 == 0 {
					signs = r.Uint64()
				}
				dst[i] = expected[i] + spread*float64(int(signs&1)*2-1)
				signs >>= 1
			}
			return nil
		},
	}}}
}

type sampler interface {
	Sample(r *rand.Rand, x, dst []float64) error
}

// twoPoints is the distribution on low and high with the given mean.
type twoPoints struct{ mean, low, high float64 }

func (p twoPoints) draw(r *rand.Rand) float64 {
	if r.Float64() < (p.mean-p.low)/(p.high-p.low) {
		return p.high
	}
	return p.low
}

// scalarMean claims the mean 1.
func scalarMean(law twoPoints, samples int64) verify.Check {
	return mean.Unbiased{Claimed: 1, Effect: unbiasedEffect, Cells: []mean.UnbiasedCell{{
		Place: "1", Target: []float64{1}, Bound: math.Max(law.high, -law.low), Samples: samples,
		Sample: func(r *rand.Rand, dst []float64) error { dst[0] = law.draw(r); return nil },
	}}}
}

// Noise distributions with mean 1.
func normalNoise(r *rand.Rand) float64    { return 1 + 0.5*rng.Normal(r) }
func uniformNoise(r *rand.Rand) float64   { return 2 * r.Float64() }
func rareNoise(r *rand.Rand) float64      { return twoPoints{1, 0, 20}.draw(r) }
func logNormalNoise(r *rand.Rand) float64 { return math.Exp(0.5*rng.Normal(r) - 0.125) }

const (
	rateEffect     = 0.15 // relative deviation of a mean that the check is set to detect
	rateResolution = 0.1  // deviation of an exponent
)

// rateCases returns measurements of c·n^a times noise of mean 1. The claims are n^(−1/2), so that true claims hold
// with equality.
func rateCases() []Case {
	bound := func(sense verify.Sense, limit float64) func(*mean.Rate) {
		return func(c *mean.Rate) {
			c.Sense, c.Bound = sense, func(x float64) float64 { return math.Pow(x, -0.5) }
			c.Range = func(x float64) (lo, hi float64) { return 0, limit * math.Pow(x, -0.5) }
		}
	}
	law := func(c *mean.Rate) {
		bound(verify.Equals, 8)(c)
		c.PowerLaw, c.Bound, c.Replicates = true, nil, 4096
	}
	bare := func(sense verify.Sense) func(*mean.Rate) {
		return func(c *mean.Rate) { c.Sense, c.Replicates = sense, 2000 }
	}
	unbounded := math.Inf(1)
	modelled := func(c *mean.Rate) { // by Student's t, at one point
		bound(verify.AtMost, unbounded)(c)
		c.Grid, c.Range, c.Replicates = c.Grid[:1], nil, 32
	}
	// failing adds a rare, large value at the points x ≥ first, and claims O(n^(−1/2)).
	failing := func(probability, value, limit, first float64) func(*mean.Rate) {
		return func(c *mean.Rate) {
			bare(verify.AtMost)(c)
			c.Range = func(float64) (lo, hi float64) { return 0, limit }
			run := c.Run
			c.Run = func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
				if x >= first && r.Float64() < probability {
					return value, nil
				}
				return run(ctx, r, x)
			}
		}
	}
	inRange := func(limit float64) func(*mean.Rate) {
		return func(c *mean.Rate) {
			bound(verify.AtMost, limit)(c)
			c.Bound, c.Replicates = nil, 8000
		}
	}
	few := func(c *mean.Rate) { // so that detection is not certain
		bound(verify.AtMost, 4)(c)
		c.Grid, c.Replicates = c.Grid[:1], 128
	}
	return []Case{
		{Name: "≤ bound, uniform noise", isTrue: true, check: meanOver(1, -0.5, uniformNoise, bound(verify.AtMost, 2))},
		{Name: "= bound, rare and large values", isTrue: true, check: meanOver(1, -0.5, rareNoise, bound(verify.Equals, 20))},
		{Name: "≤ bound, log-normal and unbounded", isTrue: true,
			check: meanOver(1, -0.5, logNormalNoise, bound(verify.AtMost, unbounded))},
		{Name: "≤ bound, above it by the effect", isTrue: false, event: results.Confirmed,
			check: meanOver(1+rateEffect, -0.5, uniformNoise, few)},
		{Name: "≤ bound, above it by the effect, range unknown, normal", isTrue: false, event: results.Confirmed,
			check: meanOver(1+rateEffect, -0.5, normalNoise, modelled)},
		{Name: "≤ bound, above it by twice the effect", isTrue: false,
			check: meanOver(1+2*rateEffect, -0.5, uniformNoise, bound(verify.AtMost, 4))},
		{Name: "= bound, below it by twice the effect", isTrue: false,
			check: meanOver(1-2*rateEffect, -0.5, uniformNoise, bound(verify.Equals, 4))},
		{Name: "≤ bound, twice as much, log-normal and unbounded", isTrue: false,
			check: meanOver(2, -0.5, logNormalNoise, bound(verify.AtMost, unbounded))},
		{Name: "a law", isTrue: true, check: meanOver(1, -0.5, uniformNoise, law)},
		{Name: "a law, exponent off by 0.25", isTrue: false, check: meanOver(1, -0.25, uniformNoise, law)},
		{Name: "bare O(·)", isTrue: true, exact: true, check: meanOver(1, -0.5, logNormalNoise, bare(verify.AtMost))},
		{Name: "bare O(·), values in a range", isTrue: true, event: results.Confirmed,
			check: meanOver(1, -0.5, uniformNoise, inRange(2))},
		{Name: "bare O(·), values in a range, off by the resolution", isTrue: false, event: results.Confirmed,
			check: meanOver(1, -0.5+rateResolution, uniformNoise, inRange(4))},
		{Name: "bare O(·), but for a failure in 10³ runs", isTrue: false, event: results.Confirmed,
			check: meanOver(1, -0.5, uniformNoise, failing(1e-3, 200, 1e4, 0))},
		{Name: "bare O(·), but for a failure in 10⁴ runs", isTrue: false, event: results.Confirmed,
			check: meanOver(1, -0.5, uniformNoise, failing(1e-4, 200, 1e4, 0))},
		{Name: "bare O(·), but for a failure in 10⁵ runs, as large as the range", isTrue: false, event: results.Confirmed,
			check: meanOver(1, -0.5, uniformNoise, failing(1e-5, 1e4, 1e4, 0))},
		{Name: "bare O(·), but for a failure in 10⁴ runs at the last point", isTrue: false, event: results.Confirmed,
			check: meanOver(1, -0.5, uniformNoise, failing(1e-4, 1e3, 1e3, 64))},
		{Name: "bare O(·), off by the resolution", isTrue: false, event: results.Confirmed,
			check: meanOver(1, -0.5+rateResolution, logNormalNoise, bare(verify.AtMost))},
		{Name: "bare O(·), off by twice the resolution", isTrue: false, event: results.Unconfirmed,
			check: meanOver(1, -0.5+2*rateResolution, logNormalNoise, bare(verify.AtMost))},
		{Name: "bare Θ(·), off by the resolution", isTrue: false, event: results.Confirmed,
			check: meanOver(1, -0.5-rateResolution, uniformNoise, bare(verify.Equals))},
	}
}

// meanOver returns a check of the mean c·x^a on the grid 1, 2, …, 64.
func meanOver(c, a float64, noise func(*rand.Rand) float64, claim func(*mean.Rate)) verify.Check {
	check := mean.Rate{
		Quantity: "error", Variable: "n", Grid: []float64{1, 2, 4, 8, 16, 32, 64}, Replicates: 512, Exponent: -0.5,
		Effect: rateEffect, Resolution: rateResolution,
		Run: func(_ context.Context, r *rand.Rand, x float64) (float64, error) {
			return c * math.Pow(x, a) * noise(r), nil
		},
	}
	claim(&check)
	return check
}
