package replay

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// A release is concurrent if its calls come from several goroutines, including the goroutine of Run, at any recursion
// depth.
func TestGoroutines(t *testing.T) {
	var deep func(n *primitive.Noise, depth int) (float64, error)
	deep = func(n *primitive.Noise, depth int) (float64, error) {
		if depth > 0 {
			return deep(n, depth-1)
		}
		return n.Laplace(0, 1, 1)
	}
	apart := func(f func() error) (err error) {
		var one sync.WaitGroup
		one.Go(func() { err = f() })
		one.Wait()
		return err
	}
	for _, c := range []struct {
		name       string
		apart      [3]bool // the calls (of three) that come from their own goroutine
		depth      int
		concurrent bool
	}{
		{"its own", [3]bool{}, 0, false},
		{"its own, deep", [3]bool{}, 200, false},
		{"the last from another", [3]bool{2: true}, 0, true},
		{"the last from another, deep", [3]bool{2: true}, 200, true},
		{"the first from another", [3]bool{0: true}, 0, true},
		{"each from one of its own", [3]bool{true, true, true}, 0, true},
	} {
		m := Mechanism[data, float64](func(n *primitive.Noise, _ *rand.Rand, d data) (out float64, err error) {
			for i, other := range c.apart {
				call := func() error { out, err = deep(n, i*c.depth); return err }
				if other {
					err = apart(call)
				} else {
					err = call()
				}
			}
			return out, err
		})
		run, err := m.Run(1, nil, nil)
		if err != nil || run.Concurrent != c.concurrent {
			t.Errorf("%s: concurrent %v, error %v", c.name, run.Concurrent, err)
		}
		for _, call := range run.Calls {
			if call.Place != "tape_test.go:22" {
				t.Errorf("%s: a call at %s", c.name, call.Place)
			}
		}
	}
	all := Mechanism[data, float64](func(n *primitive.Noise, _ *rand.Rand, d data) (out float64, err error) {
		err = apart(func() error {
			for range 3 {
				out, err = n.Laplace(0, 1, 1)
			}
			return err
		})
		return out, err
	})
	if run, err := all.Run(1, nil, nil); err != nil || run.Concurrent {
		t.Errorf("all from one goroutine that is not its own: concurrent %v, error %v", run.Concurrent, err)
	}
}

// Calls from several goroutines are left open, even if the same fault is refuted on one goroutine.
func TestGoroutinesAreLeftOpen(t *testing.T) {
	for _, c := range []struct {
		apart bool
		want  verify.Verdict
		says  string
	}{{false, verify.Refuted, "differ by 5"}, {true, verify.Inconclusive, "several goroutines"}} {
		m := one(func(n *primitive.Noise, d data) (out data, err error) {
			out = data{sum(d, -inf, inf), float64(len(d))}
			for i := range out {
				var other sync.WaitGroup
				call := func() { out[i], err = n.Laplace(out[i], 1, 1) }
				if c.apart {
					other.Go(call)
				} else {
					call()
				}
				other.Wait()
			}
			return out, err
		})
		p := Replay[data]{Given: []inputs.Pair[data]{{A: data{5}, B: data{}}}, Subject: m}
		f := find(t, p, Sensitivity, 1)
		if f.Verdict != c.want || !strings.Contains(f.Counterexample.Label+f.Needed, c.says) {
			t.Errorf("apart %v: %s: %s%s, want %s and %q", c.apart, f.Verdict, f.Counterexample.Label, f.Needed, c.want,
				c.says)
		}
	}
}

// A call that declares anything else, or has another number of values, does not fit.
func TestFits(t *testing.T) {
	a := primitive.Call{Kind: primitive.Laplace, Norm: primitive.L1, Scale: 2, Sensitivity: 1, Value: data{1, 2}}
	for what, change := range map[string]func(*primitive.Call){
		"the kind":        func(c *primitive.Call) { c.Kind = primitive.DiscreteLaplace },
		"the norm":        func(c *primitive.Call) { c.Norm = primitive.L2 },
		"the scale":       func(c *primitive.Call) { c.Scale = 2.00001 },
		"the sensitivity": func(c *primitive.Call) { c.Sensitivity = 1.00001 },
		"the values":      func(c *primitive.Call) { c.Value = data{1} },
	} {
		b := a
		if change(&b); Fits(a, b) || Fits(b, a) {
			t.Errorf("%s: another one fits", what)
		}
	}
	b := a
	b.Value, b.Scale = data{7, 8}, 2*(1+1e-12)
	if !Fits(a, b) {
		t.Error("other values of as many, and a scale that is rounded, do not fit")
	}
}
