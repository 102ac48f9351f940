package accountant

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// Every extreme question returns an ordered bracket or an error with a reason, and neither NaN nor a hang.
func TestExtremes(t *testing.T) {
	coarsest := Precision{MaxPoints: testutil.Size(1<<11, 1<<14)}
	sgm := func(q, sigma float64, n int64) event.Event {
		return event.Repeat(n, event.Poisson(q, event.Gaussian(sigma)))
	}
	for _, c := range []struct {
		reason string
		event  event.Event
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
		{"unsampled, little noise", event.Gaussian(1e-3)},
		{"unsampled, much noise", event.Gaussian(1e3)},
		{"huge pure loss", event.Pure(1e4)},
		{"huge pure loss composed", event.Repeat(1000, event.Pure(1e4))},
		{"tiny pure loss composed", event.Repeat(10_000_000, event.Pure(1e-6))},
		{"huge Laplace", event.Laplace(1e-4)},
		{"sampled huge Laplace", event.Repeat(10, event.Poisson(0.1, event.Laplace(1e-4)))},
		{"tiny Laplace", event.Repeat(10_000_000, event.Laplace(1e4))},
		{"response without privacy", event.RandomizedResponse(0, 2)},
		{"many categories", event.Repeat(100, event.RandomizedResponse(3, 1_000_000_000))},
		{"wide discrete Laplace", event.Repeat(10, event.DiscreteLaplace(1e-3).WithSensitivity(1000))},
		{"incommensurate responses", event.Compose(event.Repeat(7, event.Pure(1)), event.Repeat(11, event.Pure(math.Sqrt2)), event.Repeat(13, event.Pure(math.Pi)))},
		{"exponential mechanism", event.Repeat(1000, event.Exponential(1e-3))},
		{"failing for sure", event.Approximate(1, 1)},
		{"nothing", event.Compose()},
		{"no repetition", event.Repeat(0, event.Gaussian(1))},
		{"both kinds of tails", event.Compose(event.Gaussian(0.1), event.Repeat(1_000_000, event.Poisson(1e-5, event.Gaussian(0.6))))},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			for _, adj := range []event.Adjacency{event.AddRemove, event.ReplaceOne} {
				for _, delta := range testutil.Size([]float64{0, 1e-300, 1e-5, 1}, []float64{0, 1e-300, 1e-15, 1e-5, 0.5, 0.999, 1}) {
					start := time.Now()
					rs, err := Epsilons(c.event, adj, delta, Options{Precision: coarsest})
					checkResults(t, rs, err, math.Inf(1))
					slow(t, start, "δ =", delta)
				}
				for _, eps := range testutil.Size([]float64{0, 1, 1e4}, []float64{0, 1e-3, 1, 100, 1e4}) {
					start := time.Now()
					rs, err := Deltas(c.event, adj, eps, Options{Precision: coarsest})
					checkResults(t, rs, err, 1)
					slow(t, start, "ε =", eps)
				}
			}
		})
	}
}

// slow only logs, because no test depends on speed.
func slow(t *testing.T, start time.Time, what ...any) {
	if d := time.Since(start); d > time.Second {
		t.Log(append(what, "took", d)...)
	}
}

func checkResults(t *testing.T, rs []Result, err error, limit float64) {
	t.Helper()
	if err != nil {
		t.Errorf("refused as a whole: %v", err)
		return
	}
	for _, r := range rs {
		if !(0 <= r.Lower && r.Lower <= r.Estimate && r.Estimate <= r.Upper && r.Upper <= limit) {
			t.Errorf("%s: [%v, %v, %v] is not a bracket", r.Method, r.Lower, r.Estimate, r.Upper)
		}
		if len(r.Assumptions) < 2 {
			t.Errorf("%s states no assumptions", r.Method)
		}
		// All methods bracket the same value, so all brackets intersect.
		if best := rs[0]; !(r.Lower <= best.Upper && best.Lower <= r.Upper) {
			t.Errorf("%s [%v, %v] does not meet best [%v, %v]", r.Method, r.Lower, r.Upper, best.Lower, best.Upper)
		}
	}
}

func TestRefusals(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		reason string
		event  event.Event
	}{
		{"zero event", event.Event{}},
		{"no noise", event.Gaussian(0)},
		{"NaN noise", event.Gaussian(nan)},
		{"infinite noise", event.Laplace(math.Inf(1))},
		{"negative rate", event.DiscreteLaplace(-1)},
		{"negative loss", event.Pure(-1)},
		{"NaN loss", event.RandomizedResponse(nan, 2)},
		{"one category", event.RandomizedResponse(1, 1)},
		{"rate above one", event.Poisson(1.1, event.Gaussian(1))},
		{"NaN rate", event.Poisson(nan, event.Gaussian(1))},
		{"negative count", event.Repeat(-1, event.Gaussian(1))},
		{"no batches", event.FixedBatches(0, event.Gaussian(1))},
		{"no sensitivity", event.Gaussian(1).WithSensitivity(0)},
		{"half an integer step", event.DiscreteLaplace(1).WithSensitivity(0.5)},
		{"delta0 above one", event.Approximate(1, 2)},
		{"no privacy at all", event.Gaussian(1e-9)},
		{"fault deep in the tree", event.Compose(event.Gaussian(1), event.Repeat(3, event.Poisson(0.5, event.Compose(event.Laplace(-1)))))},
		{"one sample for several mechanisms", event.Poisson(0.5, event.Compose(event.Gaussian(1), event.Laplace(1)))},
		{"sampled zCDP", event.Poisson(0.5, event.Concentrated(1))},
	} {
		if _, err := Epsilons(c.event, event.AddRemove, 1e-5, Options{}); !errors.Is(err, event.ErrDomain) {
			t.Errorf("%s: error %v, want ErrDomain", c.reason, err)
		}
	}
	for _, delta := range []float64{-1, 1.5, nan} {
		if _, err := Epsilons(event.Gaussian(1), event.AddRemove, delta, Options{}); !errors.Is(err, event.ErrDomain) {
			t.Errorf("δ = %v: error %v", delta, err)
		}
	}
	if _, err := Deltas(event.Gaussian(1), event.AddRemove, nan, Options{}); !errors.Is(err, event.ErrDomain) {
		t.Errorf("ε = NaN: error %v", err)
	}
	if _, err := Epsilons(event.Gaussian(1), event.Adjacency(7), 1e-5, Options{}); !errors.Is(err, event.ErrDomain) {
		t.Errorf("unknown adjacency: error %v", err)
	}
	if _, err := Epsilons(event.Gaussian(1), event.AddRemove, 1e-5, Options{Methods: []string{"magic"}}); !errors.Is(err, event.ErrDomain) {
		t.Errorf("unknown method: error %v", err)
	}
	if _, err := Epsilons(event.Laplace(1), event.AddRemove, 1e-5, Options{Methods: []string{"gaussian-exact"}}); !errors.Is(err, ErrNotApplicable) {
		t.Errorf("inapplicable method asked for by name: error %v", err)
	}
}
