package trace

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
)

// A release is concurrent where its calls come from several goroutines, be it that of Run or not, however deep the
// calls are.
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
		apart      [3]bool // of three calls, those from a goroutine of their own
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
			call := func() error { out, err = deep(n, c.depth); return err }
			for _, other := range c.apart {
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
			if call.Place != "tape_test.go:19" {
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
