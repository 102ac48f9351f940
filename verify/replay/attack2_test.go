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

// twice calls Laplace noise of scale 10 on the same value two times.
func twice(n *primitive.Noise, d data) (v data, err error) {
	return noisy(n, data{parity(d), parity(d)}, 10)
}

// far reports whether 400 Gaussian draws have a norm whose probability is below 0.01.
func far(n *primitive.Noise) (bool, error) {
	z := slices.Repeat(data{3}, 400)
	err := n.Gaussians(z, 1, 0)
	s := 0.0
	for _, x := range z {
		s += (x - 3) * (x - 3)
	}
	return s > 470, err
}

// others holds releases with true claims. Their noise is added to data outside the call's value, or their output
// determines fewer values than the calls release.
var others = []practice{
	{"a noisy threshold", inputs.AddOrRemoveOneRecord, claimed, one(func(n *primitive.Noise, d data) (bool, error) {
		threshold, err := n.Laplace(3, 1, 1)
		return sum(d, 0, 1) > threshold, err
	})},
	{"a query above a noisy threshold", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(2, 0),
		one(func(n *primitive.Noise, d data) (float64, error) {
			threshold, err := n.Laplace(3, 1, 1)
			if err != nil || sum(d, 0, 1) <= threshold {
				return 0, err
			}
			return n.Laplace(sum(d, 0, 1), 1, 1)
		})},
	{"a mask of bits", inputs.AddOrRemoveOneRecord, claimed, one(func(n *primitive.Noise, d data) (int, error) {
		mask, err := n.Response(0, 2, 1)
		return len(d)%2 ^ mask, err
	})},
	{"noise around a prior mean", inputs.AddOrRemoveOneRecord, claimed, one(func(n *primitive.Noise, d data) (float64,
		error) {
		v, err := n.Laplace(5, 1, 1)
		return sum(d, 0, 1) + v - 5, err
	})},
	// v₀ + c·v₁ for small c costs 0.1(1 + c) at most.
	{"another value in the lower digits", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(0.15, 0),
		one(func(n *primitive.Noise, d data) (float64, error) {
			v, err := twice(n, d)
			return v[0] + 1e-9*v[1], err
		})},
	{"another value in the last digits", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(0.15, 0),
		one(func(n *primitive.Noise, d data) (float64, error) {
			v, err := twice(n, d)
			return v[0] + 1e-13*v[1], err
		})},
	{"steps that decay", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(1, gaussianDelta(1, 1.1)),
		one(func(n *primitive.Noise, d data) (w float64, err error) {
			for k := range 3 {
				v, err := n.Gaussian(parity(d), 1, 1)
				if err != nil {
					return 0, err
				}
				w += v * math.Pow(1e-5, float64(2*k))
			}
			return w, nil
		})},
	// The record has a weight in fewer than 1 of 100 runs. A search makes some of these runs.
	{"a weight in rare runs, by the norm of noise", inputs.AddOrRemoveOneRecord,
		privacy.ApproximateDP(math.Log1p(0.02*math.Expm1(2)), 0), one(func(n *primitive.Noise, d data) (float64, error) {
			weighs, err := far(n)
			if err != nil {
				return 0, err
			}
			return n.Laplace(map[bool]float64{true: parity(d)}[weighs], 0.5, 1)
		})},
	// Ten symbols in a bucket: ln((e + 9)/10) = 0.159.
	{"buckets of many symbols", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(0.8, 0),
		one(func(n *primitive.Noise, d data) (int, error) {
			x, err := n.Response(7000*int(parity(d)), 100_000, 1)
			return x / 10, err
		})},
}

// No part of these releases is refuted.
func TestOthersAreNotRefuted(t *testing.T) {
	for _, c := range others {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(2) {
				p := Replay[data]{Subject: c.f, Claim: c.claim, Space: space(c.adjacency), Pairs: 60}
				for _, part := range p.Parts() {
					if f := find(t, p, part, seed); f.Verdict != verify.Inconclusive {
						t.Errorf("%s: %s: %s", part, f.Verdict, f.How)
					}
				}
			}
		})
	}
}

// A call with the same value on one pair does not hide a fault if other pairs show that it depends on the data. Ten
// symbols that are released in full are charged.
func TestFaultsNextToOthersAreFound(t *testing.T) {
	for _, c := range []struct {
		name string
		part Part
		f    mechanism
	}{
		{"a noisy sum, and the number of records", Release, one(func(n *primitive.Noise, d data) (data, error) {
			v, err := n.Laplace(sum(d, 0, 1), 1, 1)
			return data{v, float64(len(d))}, err
		})},
		{"a second query of many records", Flow, one(func(n *primitive.Noise, d data) (float64, error) {
			v, err := n.Laplace(sum(d, 0, 1), 1, 1)
			if err != nil || len(d) < 2 {
				return v, err
			}
			return n.Laplace(sum(d, 0, 1), 1, 1)
		})},
		{"responses of ten symbols", Account, one(func(n *primitive.Noise, d data) (int, error) {
			return n.Response(len(d), 10, 1.2)
		})},
	} {
		p := Replay[data]{Subject: c.f, Claim: claimed, Space: space(inputs.AddOrRemoveOneRecord), Pairs: 60}
		if f := find(t, p, c.part, 1); f.Verdict != verify.Refuted {
			t.Errorf("%s: %s: %s", c.name, f.Verdict, f.Needed)
		}
	}
}
