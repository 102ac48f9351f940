package replay

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// releases passes f of the data to one call of Laplace noise with the given sensitivity.
func releases(sensitivity float64, f func(d data) []float64) mechanism {
	return one(func(n *primitive.Noise, d data) ([]float64, error) {
		v := f(d)
		return v, n.Laplaces(v, sensitivity, sensitivity)
	})
}

// TestRounding checks that an excess that rounding explains is not a finding, and a larger one is.
func TestRounding(t *testing.T) {
	third := func(k float64) func(data) []float64 {
		return func(d data) []float64 { return []float64{k * d[0] / 3} }
	}
	for _, c := range []struct {
		reason      string
		sensitivity float64
		f           func(data) []float64
		a, b        data
		want        verify.Verdict
	}{
		{"0.1+0.2 is above 0.3 by the last bit", 0.3, func(d data) []float64 { return []float64{0.1*d[0] + 0.2*d[0]} },
			data{1}, data{0}, verify.Inconclusive},
		{"a sum of large numbers loses digits", 1, func(d data) []float64 { return []float64{1e7/3 + d[0] - 1e7/7} },
			data{1.1}, data{0.1}, verify.Inconclusive},
		{"a third is rounded", 1, third(3), data{0.1}, data{1.1}, verify.Inconclusive},
		{"an excess that float32 explains", 1, third(3), data{0}, data{1 + 3e-7}, verify.Inconclusive},
		{"an excess of 1e-4 is not rounding", 1, third(3), data{0}, data{1 + 1e-4}, verify.Refuted},
		{"integers are exact, even large ones", 1, func(d data) []float64 { return []float64{1e13 + d[0]} },
			data{0}, data{2}, verify.Refuted},
		{"an integer distance equal to the sensitivity", 1, func(d data) []float64 { return []float64{1e13 + d[0]} },
			data{0}, data{1}, verify.Inconclusive},
		{"a sensitivity that was rounded below an integer", 0.7 + 0.2 + 0.1, func(d data) []float64 { return d },
			data{0}, data{1}, verify.Inconclusive},
		{"NaN and a number", 1, func(d data) []float64 { return []float64{math.Sqrt(d[0])} }, data{1}, data{0.5},
			verify.Inconclusive},
	} {
		p := Replay[data]{Subject: releases(c.sensitivity, c.f), Given: []inputs.Pair[data]{{A: c.a, B: c.b}}}
		if f := find(t, p, Sensitivity, 1); f.Verdict != c.want {
			t.Errorf("%s: %s, want %s: %s", c.reason, f.Verdict, c.want, f.Power+f.Counterexample.Label)
		}
	}
	if m := apart(primitive.L2, []float64{math.NaN(), 1}, []float64{0, 1}, 1); !m.broken(1) {
		t.Errorf("distance between NaN and 0: %v", m)
	}
	if m := apart(primitive.L1, []float64{math.NaN(), inf}, []float64{math.NaN(), inf}, 1); m.distance != 0 {
		t.Errorf("distance between NaN and NaN: %v", m)
	}
}

// TestOpen checks that undecidable releases are inconclusive, with the reason.
func TestOpen(t *testing.T) {
	state := 0.0
	for _, c := range []struct {
		reason string
		part   Part
		m      mechanism
		a, b   data
		says   string
	}{
		{"a private response made from raw coins", Release, one(func(n *primitive.Noise, d data) (bool, error) {
			u, err := n.Uniform()
			return (d[0] == 1) == (u < 0.7), err
		}), data{1}, data{0}, "raw coins are drawn at replay_test.go"},
		{"calls after raw coins", Flow, one(func(n *primitive.Noise, d data) (float64, error) {
			if u, err := n.Index(10); err != nil || u > len(d) {
				return 0, err
			}
			return n.Laplace(1, 1, 1)
		}), data{1, 1, 1, 1, 1, 1}, data{}, "raw coins"},
		{"state kept between runs", Sensitivity, one(func(n *primitive.Noise, d data) (float64, error) {
			state++
			return n.Laplace(state, 1, 5)
		}), data{1}, data{0}, "differs from the recording: call 1, laplace"},
		{"an order of another number of records", Release, batches(1), data{1, 2}, data{1, 2, 3}, "neighbors of equal size"},
		{"noise from another generator", Release, one(func(n *primitive.Noise, d data) ([]float64, error) {
			state++
			v, err := n.Laplace(1, 1, 1)
			return []float64{v, state}, err
		}), data{1}, data{0}, "draws randomness outside its generator"},
		{"no call of a primitive", Release, one(func(_ *primitive.Noise, d data) (float64, error) {
			return d[0],
				nil
		}),
			data{1}, data{0}, "no primitive is called"},
		{"coins outside the primitives", Release, func(n *primitive.Noise, r *rand.Rand, d data) (any, error) {
			v, err := n.Laplace(1, 1, 1)
			return []any{v, (d[0] == 1) == (r.Float64() < 0.999)}, err
		}, data{1}, data{0}, "after 1 call"},
		{"public coins, one for each record", Release, one(
			func(n *primitive.Noise, d data) (float64, error) {
				w := make(data, len(d))
				return sum(d, 0, 1), n.Public(w, func(*rand.Rand) {})
			}), data{1}, data{}, "1 public numbers are drawn in one run and 0 in the other"},
		{"parallel composition that the search does not recognize", Account, one(func(n *primitive.Noise,
			d data) ([]float64,
			error) {
			v := []float64{float64(len(d)) / 2, float64(len(d)) / 2}
			for i := range v {
				var err error
				if v[i], err = n.Laplace(v[i], 1, 1); err != nil {
					return nil, err
				}
			}
			return v, nil
		}), data{1}, data{}, "each call concerns other records"},
		{"a sample reduces the cost", Account, one(func(n *primitive.Noise, d data) (float64, error) {
			members, err := n.Poisson(len(d), 0.5, nil)
			if err != nil {
				return 0, err
			}
			return n.Laplace(float64(len(members)), 0.9, 1)
		}), data{1}, data{}, "a proof"},
		{"a random order may reduce the cost", Account, one(func(n *primitive.Noise, d data) (float64, error) {
			if err := n.Permute([]int{0, 1}); err != nil {
				return 0, err
			}
			return n.Laplace(sum(d, 0, 1), 0.5, 1)
		}), data{1}, data{}, "by how much they reduce the cost"},
		{"the part release after a break of the flow", Release, twins[4].faulty, twins[4].a, twins[4].b,
			"see the part flow"},
	} {
		p := Replay[data]{Subject: c.m, Claim: claimed, Given: []inputs.Pair[data]{{A: c.a, B: c.b}}}
		if f := find(t, p, c.part, 1); f.Verdict != verify.Inconclusive || !strings.Contains(f.Needed, c.says) {
			t.Errorf("%s: %s: %s, want inconclusive and %q", c.reason, f.Verdict, f.Needed+f.Counterexample.Label, c.says)
		}
	}
}

// Different calls break the flow even if one of the calls draws coins. Only coins in both runs leave it undecided.
func TestCoinsInOneRunAlone(t *testing.T) {
	for _, coins := range []func(n *primitive.Noise) error{
		func(n *primitive.Noise) error { return n.Permute([]int{0, 1}) },
		func(n *primitive.Noise) error { _, err := n.Poisson(2, 0.5, nil); return err },
		func(n *primitive.Noise) error { _, err := n.Uniform(); return err },
	} {
		p := Replay[data]{Given: []inputs.Pair[data]{{A: data{1}, B: data{0}}}, Subject: one(func(n *primitive.Noise,
			d data) (float64, error) {
			if d[0] == 1 {
				if err := coins(n); err != nil {
					return 0, err
				}
			}
			return n.Laplace(1, 1, 1)
		})}
		if f := find(t, p, Flow, 1); f.Verdict != verify.Refuted {
			t.Errorf("%s: %s", f.Verdict, f.Needed)
		}
	}
}

// TestBadInput checks that each invalid input gives an error that names it.
func TestBadInput(t *testing.T) {
	call := func(c primitive.Call) mechanism {
		return one(func(n *primitive.Noise, d data) (float64, error) {
			c.Value = data{1}
			return 0, n.Release(c, data{0}, func(*rand.Rand) error { return nil })
		})
	}
	given := []inputs.Pair[data]{{A: data{1}, B: data{0}}}
	for _, c := range []struct {
		names string
		p     Replay[data]
	}{
		{"no mechanism", Replay[data]{Given: given}},
		{"no pairs", Replay[data]{Subject: twins[0].sound}},
		{"-1 pairs", Replay[data]{Subject: twins[0].sound, Given: given, Pairs: -1}},
		{"equal inputs", Replay[data]{Subject: twins[0].sound, Given: []inputs.Pair[data]{{A: data{1}, B: data{1}}}}},
		{"NaN", Replay[data]{Subject: twins[0].sound, Given: given, Claim: privacy.GaussianDP(math.NaN())}},
		{`"zipf"`, Replay[data]{Subject: call(primitive.Call{Kind: "zipf", Scale: 1, Sensitivity: 1}), Given: given}},
		{"the sensitivity -1", Replay[data]{Subject: call(primitive.Call{Kind: "laplace", Scale: 1, Sensitivity: -1,
			Norm: "l1"}),
			Given: given}},
		{"the scale 0", Replay[data]{Subject: call(primitive.Call{Kind: "laplace", Sensitivity: 1, Norm: "l1"}),
			Given: given}},
		{"the sensitivity NaN", Replay[data]{Subject: call(primitive.Call{Kind: "pure", Scale: 1, Sensitivity: math.NaN(),
			Norm: "l2"}),
			Given: given}},
		{"the scale -1", Replay[data]{Subject: call(primitive.Call{Kind: "gaussian", Scale: -1, Sensitivity: 1,
			Norm: "l2"}),
			Given: given}},
		{`want "l2"`, Replay[data]{Subject: call(primitive.Call{Kind: "gaussian", Scale: 1, Sensitivity: 1, Norm: "l1"}),
			Given: given}},
		{"the rate 2", Replay[data]{Subject: call(primitive.Call{Kind: "poisson", Scale: 2}), Given: given}},
		{"changes its input", Replay[data]{Given: given, Subject: one(func(n *primitive.Noise, d data) (float64, error) {
			d[0]++
			return 0, nil
		})}},
	} {
		_, err := c.p.Find(context.Background(), settings(1), Sensitivity)
		if err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("error %v, want one that names %q", err, c.names)
		}
	}
	short := &tape{most: 3, frames: map[uintptr]frame{}}
	for n := primitive.Watched(rand.New(rand.NewPCG(1, 1)), short); len(short.calls) < 3; {
		if _, err := n.Uniform(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the error persists if the mechanism ignores it
		if _, err := short.Replay(primitive.Call{Kind: primitive.Uniform, Value: data{2}},
			data{0}); err != errCalls || short.err != errCalls {
			t.Errorf("a fourth call: error %v", err)
		}
	}
	if _, err := (Replay[data]{Subject: twins[0].sound, Given: given}).Find(context.Background(), settings(1),
		Account); err == nil {
		t.Error("an account without a claim is none")
	}
}

// TestCouplings checks that every record keeps its coin, and that an additional record is in the sample.
func TestCouplings(t *testing.T) {
	mask := Call{Call: primitive.Call{Kind: primitive.Poisson, Value: data{3}}, Released: data{1, 0, 0}}
	order := Call{Call: primitive.Call{Kind: primitive.Permutation, Value: data{3}}, Released: data{2, 0, 1}}
	for _, c := range []struct {
		by   coupling
		call Call
		want data
	}{
		{coupling{-1, -1}, mask, data{1, 0, 0}},
		{coupling{0, -1}, mask, data{0, 0}},
		{coupling{-1, 3}, mask, data{1, 0, 0, 1}},
		{coupling{0, 2}, mask, data{0, 0, 1}}, // the record that replaces the first has its coin
		{coupling{0, 2}, order, data{1, 2, 0}},
		{coupling{2, 0}, order, data{0, 1, 2}},
		{coupling{1, 1}, order, data{2, 0, 1}},
	} {
		if got := c.by.apply([]Call{c.call})[0].Released; !same(got, c.want) {
			t.Errorf("%s by %v: %v, want %v", c.call.Kind, c.by, got, c.want)
		}
	}
	if n := len(couplings(3, 3)); n != 7 {
		t.Errorf("%d couplings of 3 with 3", n)
	}
	if couplings(3, 5) != nil || couplings(100, 100) != nil {
		t.Error("couplings where none can be known, or too many")
	}
	mask.Released = data{1, 0, 0}
	if coupled := (coupling{0, 2}).apply([]Call{mask}); !same(mask.Released, data{1, 0, 0}) || &coupled[0] == &mask {
		t.Error("the coupling changes what was recorded")
	}
}
