package accountant

import (
	"errors"
	"math"
	"testing"
	"time"
)

// Every extreme is answered with an ordered bracket or refused with a reason:
// never NaN, never a hang.
func TestExtremes(t *testing.T) {
	sgm := func(q, sigma float64, n int64) Event { return Repeat(n, Poisson(q, Gaussian(sigma))) }
	for _, c := range []struct {
		reason string
		event  Event
	}{
		{"never sampled", sgm(0, 1, 1000)},
		{"always sampled", sgm(1, 1, 1000)},
		{"almost always sampled", sgm(1-1e-12, 1, 10)},
		{"hardly ever sampled", sgm(1e-9, 1, 1000)},
		{"hardly ever sampled, little noise", sgm(1e-9, 1e-3, 10)},
		{"little noise", sgm(0.01, 1e-3, 10)},
		{"little noise, many steps", sgm(0.01, 1e-3, 10_000_000)},
		{"much noise", sgm(0.01, 1e3, 10)},
		{"much noise, many steps", sgm(0.01, 1e3, 10_000_000)},
		{"many steps", sgm(0.001, 2, 10_000_000)},
		{"tiny steps", sgm(1e-9, 1e3, 10_000_000)},
		{"unsampled, little noise", Gaussian(1e-3)},
		{"unsampled, much noise", Gaussian(1e3)},
		{"huge pure loss", Pure(1e4)},
		{"huge pure loss composed", Repeat(1000, Pure(1e4))},
		{"tiny pure loss composed", Repeat(10_000_000, Pure(1e-6))},
		{"huge Laplace", Laplace(1e-4)},
		{"sampled huge Laplace", Repeat(10, Poisson(0.1, Laplace(1e-4)))},
		{"tiny Laplace", Repeat(10_000_000, Laplace(1e4))},
		{"response without privacy", RandomizedResponse(0, 2)},
		{"many categories", Repeat(100, RandomizedResponse(3, 1_000_000_000))},
		{"wide discrete Laplace", Repeat(10, DiscreteLaplace(1e-3).WithSensitivity(1000))},
		{"incommensurate responses", Compose(Repeat(7, Pure(1)), Repeat(11, Pure(math.Sqrt2)), Repeat(13, Pure(math.Pi)))},
		{"exponential mechanism", Repeat(1000, Exponential(1e-3))},
		{"failing for sure", Approximate(1, 1)},
		{"nothing", Compose()},
		{"no repetition", Repeat(0, Gaussian(1))},
		{"both kinds of tails", Compose(Gaussian(0.1), Repeat(1_000_000, Poisson(1e-5, Gaussian(0.6))))},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			for _, adj := range []Adjacency{AddRemove, ReplaceOne} {
				for _, delta := range []float64{0, 1e-300, 1e-15, 1e-5, 0.5, 0.999, 1} {
					start := time.Now()
					rs, err := Epsilons(c.event, adj, delta, Options{Precision: Precision{MaxPoints: 1 << 15}})
					checkResults(t, rs, err, math.Inf(1))
					slow(t, start, "δ =", delta)
				}
				for _, eps := range []float64{0, 1e-3, 1, 100, 1e4} {
					start := time.Now()
					rs, err := Deltas(c.event, adj, eps, Options{Precision: Precision{MaxPoints: 1 << 15}})
					checkResults(t, rs, err, 1)
					slow(t, start, "ε =", eps)
				}
			}
		})
	}
}

// slow only logs: no test depends on speed.
func slow(t *testing.T, start time.Time, what ...any) {
	if d := time.Since(start); d > time.Second {
		t.Log(append(what, "took", d)...)
	}
}

func checkResults(t *testing.T, rs []Result, err error, most float64) {
	t.Helper()
	if err != nil {
		t.Errorf("refused as a whole: %v", err)
		return
	}
	for _, r := range rs {
		if !(0 <= r.Lower && r.Lower <= r.Estimate && r.Estimate <= r.Upper && r.Upper <= most) {
			t.Errorf("%s: [%v, %v, %v] is no bracket", r.Method, r.Lower, r.Estimate, r.Upper)
		}
		if len(r.Assumptions) < 2 {
			t.Errorf("%s states no assumptions", r.Method)
		}
		// All methods speak of the same truth, so all brackets meet.
		if best := rs[0]; !(r.Lower <= best.Upper && best.Lower <= r.Upper) {
			t.Errorf("%s [%v, %v] does not meet best [%v, %v]", r.Method, r.Lower, r.Upper, best.Lower, best.Upper)
		}
	}
}

func TestRefusals(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		reason string
		event  Event
	}{
		{"zero event", Event{}},
		{"no noise", Gaussian(0)},
		{"NaN noise", Gaussian(nan)},
		{"infinite noise", Laplace(math.Inf(1))},
		{"negative rate", DiscreteLaplace(-1)},
		{"negative loss", Pure(-1)},
		{"NaN loss", RandomizedResponse(nan, 2)},
		{"one category", RandomizedResponse(1, 1)},
		{"rate above one", Poisson(1.1, Gaussian(1))},
		{"NaN rate", Poisson(nan, Gaussian(1))},
		{"negative count", Repeat(-1, Gaussian(1))},
		{"no batches", FixedBatches(0, Gaussian(1))},
		{"no sensitivity", Gaussian(1).WithSensitivity(0)},
		{"half an integer step", DiscreteLaplace(1).WithSensitivity(0.5)},
		{"delta0 above one", Approximate(1, 2)},
		{"no privacy at all", Gaussian(1e-9)},
		{"fault deep in the tree", Compose(Gaussian(1), Repeat(3, Poisson(0.5, Compose(Laplace(-1)))))},
		{"one sample for several mechanisms", Poisson(0.5, Compose(Gaussian(1), Laplace(1)))},
		{"sampled zCDP", Poisson(0.5, Concentrated(1))},
	} {
		if _, err := Epsilons(c.event, AddRemove, 1e-5, Options{}); !errors.Is(err, ErrDomain) {
			t.Errorf("%s: error %v, want ErrDomain", c.reason, err)
		}
	}
	for _, delta := range []float64{-1, 1.5, nan} {
		if _, err := Epsilons(Gaussian(1), AddRemove, delta, Options{}); !errors.Is(err, ErrDomain) {
			t.Errorf("δ = %v: error %v", delta, err)
		}
	}
	if _, err := Deltas(Gaussian(1), AddRemove, nan, Options{}); !errors.Is(err, ErrDomain) {
		t.Errorf("ε = NaN: error %v", err)
	}
	if _, err := Epsilons(Gaussian(1), Adjacency(7), 1e-5, Options{}); !errors.Is(err, ErrDomain) {
		t.Errorf("unknown adjacency: error %v", err)
	}
	if _, err := Epsilons(Gaussian(1), AddRemove, 1e-5, Options{Methods: []string{"magic"}}); !errors.Is(err, ErrDomain) {
		t.Errorf("unknown method: error %v", err)
	}
	if _, err := Epsilons(Laplace(1), AddRemove, 1e-5, Options{Methods: []string{"gaussian-exact"}}); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("inapplicable method asked for by name: error %v", err)
	}
}
