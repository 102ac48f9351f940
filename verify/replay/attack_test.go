package replay

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// scores returns the scores of five candidates, each with sensitivity 1.
func scores(d data) data {
	out := make(data, 5)
	for _, v := range d {
		for i := range out {
			if math.Abs(v) > float64(i) {
				out[i]++
			}
		}
	}
	return out
}

func largest(v data) int { return slices.Index(v, slices.Max(v)) }

// noisy releases each value by a separate call.
func noisy(n *primitive.Noise, v data, scale float64) (data, error) {
	out := slices.Clone(v)
	for i := range out {
		var err error
		if out[i], err = n.Laplace(out[i], scale, 1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sounds holds 1-private releases whose proof is not the sum of their calls, or that do not output all released
// values. No part may be refuted.
var sounds = []struct {
	name      string
	adjacency inputs.Adjacency
	f         mechanism
}{
	{"report noisy max, a call each", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) (int, error) {
		v, err := noisy(n, scores(d), 2)
		if err != nil {
			return 0, err
		}
		return largest(v), nil
	})},
	{"report noisy max, one vector that declares each entry", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise,
		d data) (int, error) {
		v := scores(d)
		err := n.Laplaces(v, 2, 5)
		return largest(v), err
	})},
	{"sparse vector, stopped at the first", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) ([]bool,
		error) {
		threshold, err := n.Laplace(3, 2, 1)
		if err != nil {
			return nil, err
		}
		var out []bool
		for _, s := range scores(d) {
			v, err := n.Laplace(s, 4, 1)
			if err != nil {
				return nil, err
			}
			if out = append(out, v > threshold); v > threshold {
				break
			}
		}
		return out, nil
	})},
	{"a median of noisy values", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) (bool, error) {
		v, err := noisy(n, data{sum(d, 0, 1), sum(d, 0, 1), sum(d, 0, 1)}, 3)
		if err != nil {
			return false, err
		}
		slices.Sort(v)
		return v[1] > 2, nil
	})},
	{"responses of sorted records, counted", inputs.ReplaceOneRecord, one(func(n *primitive.Noise, d data) ([]int,
		error) {
		var out []int
		for _, v := range slices.Sorted(slices.Values(d)) {
			y, err := n.Response(min(4, int(math.Abs(v))), 5, 1)
			if err != nil {
				return nil, err
			}
			out = append(out, y)
		}
		slices.Sort(out)
		return out, nil
	})},
	{"own coins for a response", inputs.ReplaceOneRecord, func(_ *primitive.Noise, r *rand.Rand, d data) (any,
		error) {
		return (len(d) > 0 && d[0] > 0) == (r.Float64() < 0.7), nil
	}},
	{"own coins for noise", inputs.AddOrRemoveOneRecord, func(_ *primitive.Noise, r *rand.Rand, d data) (any,
		error) {
		return sum(d, 0, 1) + rng.Exponential(r) - rng.Exponential(r), nil
	}},
	{"own coins for batches", inputs.AddOrRemoveOneRecord, func(n *primitive.Noise, r *rand.Rand, d data) (any,
		error) {
		order := r.Perm(len(d))
		var first data
		for _, i := range order[:len(d)/2] {
			first = append(first, d[i])
		}
		return n.Laplace(sum(first, 0, 1), 1, 1)
	}},
	{"public coins for a start value", inputs.AddOrRemoveOneRecord, func(n *primitive.Noise, r *rand.Rand, d data) (any,
		error) {
		w := []float64{0, 0}
		if err := n.Public(w, func(r *rand.Rand) { w[0], w[1] = r.Float64(), r.Float64() }); err != nil {
			return nil, err
		}
		v, err := n.Laplace(sum(d, 0, 1)*w[0], 1, 1)
		return []float64{v, w[1]}, err
	}},
	{"float32 gradients, clipped to norm 1", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise,
		d data) ([]float64, error) {
		var g [2]float32
		for _, v := range d {
			x, y := float32(v), float32(v*v/3+0.1)
			norm := float32(math.Sqrt(float64(x*x + y*y)))
			g[0], g[1] = g[0]+x/norm, g[1]+y/norm
		}
		out := data{float64(g[0]), float64(g[1])}
		return out, n.L2Laplace(out, 1, 1)
	})},
	{"gradients clipped as float32, averaged as float64", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise,
		d data) ([]float64, error) {
		var out data = data{0, 0}
		for _, v := range d {
			x, y := float32(v), float32(v*v/7+0.3)
			norm := float32(math.Sqrt(float64(x*x + y*y)))
			out[0], out[1] = out[0]+float64(x/norm)/3, out[1]+float64(y/norm)/3
		}
		return out, n.L2Laplace(out, 1./3, 1./3)
	})},
	{"noise drawn before the data are read", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) (float64,
		error) {
		z, err := n.Laplace(0, 1, 1)
		return sum(d, 0, 1) + z, err
	})},
	{"noise drawn before, and used with a query after", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise,
		d data) ([]float64, error) {
		z, err := n.Laplace(0, 2, 1)
		if err != nil {
			return nil, err
		}
		count := math.Max(1, math.Round(float64(len(d))+z))
		s, err := n.Laplace(sum(d, 0, 1)/count, 2/count, 1/count)
		return []float64{count, s}, err
	})},
	{"correlated noise, of two sums", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) ([]float64,
		error) {
		z := data{0, 0}
		err := n.Laplaces(z, 2, 2)
		return []float64{sum(d, 0, 1) + z[0], float64(len(d)) + z[0] + z[1]}, err
	})},
	{"noise that is drawn again until it is small", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise,
		d data) (float64, error) {
		for {
			if z, err := n.Laplace(0, 1, 1); err != nil || math.Abs(z) < 2 {
				return sum(d, 0, 1) + z, err
			}
		}
	})},
	{"drawn again until it is not negative", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) (float64,
		error) {
		for {
			if v, err := n.Laplace(sum(d, 0, 1), 2, 1); err != nil || v >= 0 {
				return v, err
			}
		}
	})},
	{"calls of one worker", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) (v float64, err error) {
		done := make(chan bool)
		go func() {
			v, err = n.Laplace(sum(d, 0, 1), 1, 1)
			done <- true
		}()
		<-done
		return v, err
	})},
	{"NaN and negative zeros", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) (any, error) {
		bit, err := n.Response(min(1, len(d)), 2, 1)
		return []any{bit, math.NaN(), math.Copysign(0, float64(bit)-0.5), inf, "λ𝜀\x00\"", nil}, err
	})},
	{"keys in no order", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) (map[string]float64, error) {
		out := map[string]float64{}
		for key, v := range map[string]float64{"sum": sum(d, 0, 1), "count": float64(len(d))} {
			var err error
			if out[key], err = n.Laplace(v, 2, 1); err != nil {
				return nil, err
			}
		}
		return out, nil
	})},
	{"calls of several goroutines", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) ([]float64, error) {
		out := make([]float64, 4)
		var all sync.WaitGroup
		var mu sync.Mutex
		errs := make([]error, 4)
		for i := range out {
			all.Go(func() {
				mu.Lock()
				defer mu.Unlock()
				out[i], errs[i] = n.Laplace(scores(d)[i]+100*float64(i), 4, 1)
			})
		}
		all.Wait()
		return out, cmp.Or(errs...)
	})},
	{"bins of a histogram, a call each", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) ([]float64,
		error) {
		bins := make(data, 4)
		for _, v := range d {
			bins[min(3, int(math.Abs(v)))]++
		}
		return noisy(n, bins, 1)
	})},
	{"stopped by a released value", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) (int, error) {
		for k := range 20 {
			// Geometrically decreasing noise: each answer costs, and the first one decides.
			v, err := n.Laplace(sum(d, 0, 1)/20, 1, 0.05)
			if err != nil || v > 0.5 {
				return k, err
			}
		}
		return 20, nil
	})},
	{"a choice, and one query of the chosen item", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise,
		d data) ([]float64, error) {
		at, err := n.Exponential(scores(d), 0.5, 1)
		if err != nil {
			return nil, err
		}
		v, err := n.Laplace(scores(d)[at], 2, 1)
		return []float64{float64(at), v}, err
	})},
	{"integer noise on half-integers", inputs.AddOrRemoveOneRecord, one(func(n *primitive.Noise, d data) ([]float64,
		error) {
		v := []int{int(2 * sum(d, 0, 1))}
		err := n.DiscreteLaplace(v, 2, 2)
		return []float64{float64(v[0]) / 2}, err
	})},
}

// No part of a sound release is refuted, on 60 pairs of a search (200 with long tests).
func TestSoundFormsOfOtherProofs(t *testing.T) {
	for _, c := range sounds {
		t.Run(c.name, func(t *testing.T) {
			p := Replay[data]{Subject: c.f, Claim: claimed, Space: space(c.adjacency), Pairs: testutil.Size[int64](60, 200)}
			for _, part := range p.Parts() {
				f := find(t, p, part, 3)
				if f.Verdict != verify.Inconclusive {
					t.Errorf("%s: %s: %s", part, f.Verdict, f.How)
				}
			}
		})
	}
}

// Findings that remain after re-examination: the output determines the released values, and their cost exceeds the
// claim. A ratio or a sum of released values does not determine them.
func TestBillsThatRemain(t *testing.T) {
	for _, c := range []struct {
		name string
		f    mechanism
	}{
		{"integer noise on two counts", one(func(n *primitive.Noise, d data) ([]int, error) {
			v, err := noisy(n, data{sum(d, 0, 1), float64(len(d))}, 1)
			if err != nil {
				return nil, err
			}
			return []int{int(math.Round(v[0])), int(math.Round(v[1]))}, nil
		})},
		{"the largest, and all values", one(func(n *primitive.Noise, d data) (data, error) {
			return noisy(n, scores(d),
				2)
		})},
		{"a histogram with empty bins", one(func(n *primitive.Noise, d data) (data, error) {
			bins := make(data, 4)
			for _, v := range d {
				bins[min(3, int(math.Abs(v)))]++
			}
			return noisy(n, bins, 0.9)
		})},
		{"two choices", one(func(n *primitive.Noise, d data) ([]int, error) {
			x, err := n.Response(min(1, len(d)), 2, 1)
			if err != nil {
				return nil, err
			}
			y, err := n.Response(min(1, len(d)), 2, 1)
			return []int{x, y}, err
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Replay[data]{Subject: c.f, Claim: claimed, Space: space(inputs.AddOrRemoveOneRecord), Pairs: 10}
			if f := find(t, p, Account, 1); f.Verdict != verify.Refuted {
				t.Errorf("%s: %s", f.Verdict, f.Needed)
			}
		})
	}
}
