package replay

import (
	"math"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// practice is a release with a true claim, although its calls cost at least as much in sum.
type practice struct {
	name      string
	adjacency inputs.Adjacency
	claim     privacy.Guarantee
	f         mechanism
}

// distributed adds the noise of each of 25 clients to its share of the sum, and releases only the total.
func distributed(n *primitive.Noise, d data) (total float64, err error) {
	for i := range 25 {
		share := 0.0
		if i < len(d) {
			share = clip(d[i], 0, 1)
		}
		v, err := n.Gaussian(share, 4./5, 1)
		if err != nil {
			return 0, err
		}
		total += v
	}
	return total, nil
}

var practices = []practice{
	{"noise of many clients, only the total is released", inputs.ReplaceOneRecord, privacy.GaussianDP(0.26),
		one(distributed)},
	{"a value minus its noisy copy", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(0.01, 0),
		one(func(n *primitive.Noise, d data) (float64, error) {
			copied, err := n.Laplace(1+sum(d, 0, 1), 1, 1)
			if err != nil {
				return 0, err
			}
			return n.Laplace(sum(d, 0, 1)-copied, 1, 1)
		})},
	{"a noisy maximum and its value", inputs.AddOrRemoveOneRecord, claimed, one(func(n *primitive.Noise, d data) (data,
		error) {
		v, err := noisy(n, scores(d), 4)
		if err != nil {
			return nil, err
		}
		at := largest(v)
		answer, err := n.Laplace(scores(d)[at], 2, 1)
		return data{float64(at), answer}, err
	})},
	{"sparse vector, with an answer", inputs.AddOrRemoveOneRecord, claimed, one(func(n *primitive.Noise, d data) (data,
		error) {
		threshold, err := n.Laplace(2, 4, 1)
		if err != nil {
			return nil, err
		}
		for i, s := range scores(d) {
			v, err := n.Laplace(s, 8, 1)
			if err != nil {
				return nil, err
			}
			if v > threshold {
				answer, err := n.Laplace(s, 2, 1)
				return data{float64(i), answer}, err
			}
		}
		return data{-1, 0}, nil
	})},
	{"a quantile by the exponential mechanism", inputs.AddOrRemoveOneRecord, claimed, one(func(n *primitive.Noise,
		d data) (float64, error) {
		edges := data{-5, -1, 0, 1, 5}
		utility := make(data, len(edges))
		for i, e := range edges {
			below := 0.0
			for _, v := range d {
				if v < e {
					below++
				}
			}
			utility[i] = -math.Abs(below - float64(len(d))/2)
		}
		at, err := n.Exponential(utility, 1, 1)
		return edges[at], err
	})},
	{"prefix sums by a tree", inputs.ReplaceOneRecord, claimed, one(func(n *primitive.Noise, d data) (data, error) {
		var levels [3]data // of 4, 2 and 1 records
		for k := range levels {
			for from := 0; from < 4; from += 4 >> k {
				v, err := n.Laplace(sum(d[min(from, len(d)):min(from+4>>k, len(d))], 0, 1), 3, 1)
				if err != nil {
					return nil, err
				}
				levels[k] = append(levels[k], v)
			}
		}
		return data{levels[2][0], levels[1][0], levels[1][0] + levels[2][2], levels[0][0]}, nil
	})},
	{"bins above a threshold", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(1, 1e-5), one(func(n *primitive.Noise,
		d data) (map[int]float64, error) {
		out, bins := map[int]float64{}, make(data, 4)
		for _, v := range d {
			bins[min(3, int(math.Abs(v)))]++
		}
		for i := range bins {
			v, err := n.Laplace(bins[i], 1, 1)
			if err != nil {
				return nil, err
			}
			if v > 13 {
				out[i] = v
			}
		}
		return out, nil
	})},
	{"draws that are discarded", inputs.AddOrRemoveOneRecord, claimed, one(func(n *primitive.Noise, d data) (float64,
		error) {
		if _, err := noisy(n, data{sum(d, 0, 1), float64(len(d))}, 0.5); err != nil {
			return 0, err
		}
		return n.Laplace(sum(d, 0, 1), 1, 1)
	})},
	{"the last of many iterates", inputs.AddOrRemoveOneRecord, privacy.GaussianDP(0.6), one(func(n *primitive.Noise,
		d data) (w float64, err error) {
		for range 8 { // each step keeps one eighth of the previous average
			g, err := n.Gaussian(sum(d, 0, 1), 2, 1)
			if err != nil {
				return 0, err
			}
			w = w/8 + g
		}
		return w, nil
	})},
	{"a vote of responses", inputs.AddOrRemoveOneRecord, claimed, one(func(n *primitive.Noise, d data) (bool, error) {
		votes := 0
		for range 3 {
			y, err := n.Response(min(1, len(d)), 2, 0.5)
			if err != nil {
				return false, err
			}
			votes += y
		}
		return votes >= 2, nil
	})},
	{"the parity of responses", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(0.3, 0), one(func(n *primitive.Noise,
		d data) (int, error) {
		parity := 0
		for range 2 {
			y, err := n.Response(min(1, len(d)), 2, 1)
			if err != nil {
				return 0, err
			}
			parity ^= y
		}
		return parity, nil
	})},
	{"propose, test, release", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(1, 1e-3), one(func(n *primitive.Noise,
		d data) (data, error) {
		distance, err := n.Laplace(float64(len(d)), 2, 1)
		if err != nil || distance < 14 {
			return data{}, err
		}
		v, err := n.Laplace(sum(d, 0, 1), 2, 1)
		return data{v}, err
	})},
	{"a coarse Gaussian value", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(1, 1e-2), one(func(n *primitive.Noise,
		d data) (float64, error) {
		v, err := n.Gaussian(sum(d, 0, 1), 1, 1)
		return 40 * math.Round((v-1000)/40), err
	})},
	{"two samples before their calls", inputs.AddOrRemoveOneRecord,
		privacy.ApproximateDP(2*math.Log1p(0.3*math.Expm1(2)), 0),
		one(func(n *primitive.Noise, d data) (out data, err error) {
			var samples [2][]int
			for k := range samples {
				if samples[k], err = n.Poisson(len(d), 0.3, nil); err != nil {
					return nil, err
				}
			}
			for _, members := range samples {
				v, err := n.Laplace(float64(len(members)), 0.5, 1)
				if err != nil {
					return nil, err
				}
				out = append(out, v)
			}
			return out, nil
		})},
	{"two estimates and their mean", inputs.AddOrRemoveOneRecord, claimed, one(func(n *primitive.Noise, d data) (float64,
		error) {
		v, err := noisy(n, data{sum(d, 0, 1), sum(d, 0, 1)}, 1.2)
		if err != nil {
			return 0, err
		}
		return (v[0] + slices.Max(v)) / 2, nil
	})},
}

// Releases as written in practice, with true claims, are not refuted.
func TestPracticeIsNotRefuted(t *testing.T) {
	for _, c := range practices {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(1) {
				p := Replay[data]{Subject: c.f, Claim: c.claim, Space: space(c.adjacency), Pairs: 20}
				if f := find(t, p, Account, seed); f.Verdict != verify.Inconclusive {
					t.Errorf("%s: %s", f.Verdict, f.How)
				}
			}
		})
	}
}
