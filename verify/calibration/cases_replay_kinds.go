package calibration

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify/replay"
)

// oneNumber returns a number as a list, and the error.
func oneNumber(v float64, err error) ([]float64, error) { return []float64{v}, err }

// releaseKinds returns the kinds of releases.
func releaseKinds() []releaseKind {
	return []releaseKind{
		{name: "sum of clipped records, Laplace, its sensitivity", part: replay.Sensitivity, lowered: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				return oneNumber(n.Laplace(clippedSum(d, p.bound), p.scale, p.share*p.bound))
			}},
		{name: "sum of clipped records and its negative, Gaussian, one replaced, its sensitivity",
			part: replay.Sensitivity, replaced: true, lowered: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				s := clippedSum(d, p.bound)
				v := []float64{s, -s}
				return v, n.Gaussians(v, p.scale, p.share*2*math.Sqrt2*p.bound)
			}},
		{name: "sum over a Poisson sample, its sensitivity", part: replay.Sensitivity, lowered: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				members, err := n.Poisson(len(d), 0.5, nil)
				if err != nil {
					return nil, err
				}
				return oneNumber(n.Gaussian(sampledSum(d, members, p.bound), p.scale, p.share*p.bound))
			}},
		{name: "exponential mechanism on counts, its sensitivity", part: replay.Sensitivity, lowered: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				index, err := n.Exponential(countsAbove(d, p.bound), 1, p.share)
				return oneNumber(float64(index), err)
			}},
		{name: "several queries, their account", part: replay.Account, lowered: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				v := make([]float64, p.calls)
				for i := range v {
					v[i] = clippedSum(d, p.bound)
				}
				return noisyValues(n, v, p.scale, p.bound)
			}, claimed: func(p releaseParameters) float64 { return p.share * float64(p.calls) * p.bound / p.scale }},
		{name: "a step for each query, from the last, their account", part: replay.Account, lowered: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				w := 0.0
				for range p.calls {
					g, err := n.Laplace(clippedSum(d, p.bound)-w, p.scale, p.bound)
					if err != nil {
						return nil, err
					}
					w += g / 8
				}
				return []float64{w}, nil
			}, claimed: func(p releaseParameters) float64 { return p.share * float64(p.calls) * p.bound / p.scale }},
		{name: "report noisy max by Laplace calls, its account", part: replay.Account, sound: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				v, err := noisyValues(n, countsAbove(d, p.bound), p.scale, 1)
				if err != nil {
					return nil, err
				}
				return []float64{float64(slices.Index(v, slices.Max(v)))}, nil
			}, claimed: func(p releaseParameters) float64 { return 2 / p.scale }},
		{name: "sparse vector by Laplace calls, its account", part: replay.Account, sound: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) (out []float64, err error) {
				threshold, err := n.Laplace(2, p.scale, 1)
				for _, s := range countsAbove(d, p.bound) {
					if err != nil {
						return nil, err
					}
					var v float64
					if v, err = n.Laplace(s, 2*p.scale, 1); v > threshold {
						return append(out, 1), err
					}
					out = append(out, 0)
				}
				return out, err
			}, claimed: func(p releaseParameters) float64 { return 2 / p.scale }},
		{name: "bins of a histogram by a call each, their account", part: replay.Account, sound: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				bins := make([]float64, 5)
				for _, v := range d {
					bins[min(4, int(math.Abs(v)/p.bound))]++
				}
				return noisyValues(n, bins, p.scale, 1)
			}, claimed: func(p releaseParameters) float64 { return 1 / p.scale }},
		{name: "sum over a Poisson sample, one replaced, its account", part: replay.Account, replaced: true, sound: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				members, err := n.Poisson(len(d), 0.5, nil)
				if err != nil {
					return nil, err
				}
				return oneNumber(n.Laplace(sampledSum(d, members, p.bound), p.scale, 2*p.bound))
			}, claimed: func(p releaseParameters) float64 { return math.Log1p(math.Expm1(2*p.bound/p.scale) / 2) }},
		{name: "sum over half of the records, one replaced, its account", part: replay.Account, replaced: true, sound: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				order, err := permuted(n, len(d))
				if err != nil {
					return nil, err
				}
				return oneNumber(n.Laplace(sampledSum(d, order[:len(d)/2], p.bound), p.scale, 2*p.bound))
			}, claimed: func(p releaseParameters) float64 { return math.Log1p(math.Expm1(2*p.bound/p.scale) / 2) }},
		{name: "a query more where a count is large, its flow", part: replay.Flow,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				count, err := n.Laplace(float64(len(d)), p.scale, 1)
				if p.broken {
					count = float64(len(d))
				}
				if err != nil || count < 1.5 {
					return []float64{count}, err
				}
				return oneNumber(n.Laplace(clippedSum(d, p.bound), p.scale, p.bound))
			}},
		{name: "noise of the scale of the data, its flow", part: replay.Flow,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				bound := p.bound
				if p.broken {
					bound = slices.Max(append([]float64{bound}, d...))
				}
				return oneNumber(n.Laplace(clippedSum(d, bound), bound, bound))
			}},
		{name: "a sum over a count, its release", part: replay.Release,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				v, err := noisyValues(n, []float64{clippedSum(d, p.bound), float64(len(d))}, p.scale, math.Max(1, p.bound))
				if err != nil {
					return nil, err
				}
				if p.broken {
					v[1] = float64(len(d))
				}
				return []float64{v[0] / math.Max(1, v[1])}, nil
			}},
		{name: "coins for batches in any order, its release", part: replay.Release, replaced: true,
			release: func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error) {
				order, err := permuted(n, len(d))
				if err != nil {
					return nil, err
				}
				v := make([]float64, len(d))
				for i, from := range order {
					v[i] = clippedSum(d[from:from+1], p.bound)
				}
				out, err := noisyValues(n, v, p.scale, 2*p.bound)
				if p.broken {
					out[0] += 1e-3 * clippedSum(d, p.bound)
				}
				return out, err
			}},
	}
}
