package mean

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// normals returns a check that normal values with standard deviation 1 and the given means are in ascending order.
func normals(means ...float64) Compare {
	c := Compare{Quantity: "error", Replicates: 400, Run: func(_ context.Context, r *rand.Rand) ([]float64, error) {
		values := make([]float64, len(means))
		for i, m := range means {
			values[i] = m + r.NormFloat64()
		}
		return values, nil
	}}
	for i := range means {
		c.Names = append(c.Names, string(rune('a'+i)))
		if i > 0 {
			c.Orders = append(c.Orders, Order{i - 1, i})
		}
	}
	return c
}

func (c Compare) with(change func(*Compare)) Compare {
	change(&c)
	return c
}

func coarse(run func(context.Context, *rand.Rand) ([]float64, error)) func(context.Context, *rand.Rand) ([]float64, error) {
	return func(ctx context.Context, r *rand.Rand) ([]float64, error) {
		values, err := run(ctx, r)
		for i := range values {
			values[i] = math.Round(values[i] / 100)
		}
		return values, err
	}
}

// The distances make a miss rarer than one in 1000 runs. A false alarm has probability 1e-6 per run. The seed is fixed.
func TestCompareVerdicts(t *testing.T) {
	cases := []struct {
		reason string
		check  Compare
		want   verify.Verdict
		words  string // words of the power
	}{
		{"in order", normals(0, 1), verify.Consistent, "would have been refuted"},
		{"in order, three", normals(0, 1, 2), verify.Consistent, ""},
		{"the wrong way round", normals(1, 0), verify.Refuted, ""},
		{"one of two the wrong way round", normals(0, 1, 0), verify.Refuted, ""},
		{"equal", normals(0, 0), verify.Inconclusive, "order"},
		{"one of two equal", normals(0, 0, 2), verify.Inconclusive, "order"},
		{"ties all along are for neither", normals(0, 0.2).with(func(c *Compare) { c.Run = coarse(c.Run) }), verify.Inconclusive, "need ≥"},
		{"hardly a difference", normals(0, 0.05), verify.Inconclusive, "need ≥"},
		{"never overlapping, 30 runs", normals(0, 30).with(func(c *Compare) { c.Replicates = 30 }), verify.Consistent, ""},
		{"never overlapping, 10 runs", normals(30, 0).with(func(c *Compare) { c.Replicates = 10 }), verify.Inconclusive, "need ≥ 21"},
	}
	for _, c := range cases {
		e := verifytest.Judged(t, c.check, verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1).Derive(c.reason)})
		if e.Verdict != c.want || !strings.Contains(e.Power, c.words) || len(e.Cells) != len(c.check.Orders) {
			t.Errorf("%s: %s, %q, %v in [%v, %v]; want %s, %q", c.reason, e.Verdict, e.Power, e.Measured.X, e.Lower.X, e.Upper.X, c.want, c.words)
		}
	}
}

// If neither value tends to be below the other, an order is refuted with probability at most alpha/2, and confirmed
// with probability at most alpha/2. The test passes at these rates with probability 0.999 per row, and detects three
// times as much with probability 0.99 ([verifytest.WantErrorsAtMost]).
func TestCompareCalibration(t *testing.T) {
	skewed := normals(0, 0).with(func(c *Compare) { // the means differ, the order does not
		c.Run = func(_ context.Context, r *rand.Rand) ([]float64, error) {
			return []float64{math.Exp(3 * r.NormFloat64()), math.Exp(r.NormFloat64())}, nil
		}
	})
	for name, check := range map[string]Compare{"normal": normals(0, 0), "skewed": skewed, "three": normals(0, 0, 0)} {
		t.Run(name, func(t *testing.T) {
			few := check.with(func(c *Compare) { c.Replicates = 100 })
			verifytest.WantErrorsAtMost(t, few, 0.2, verifytest.Refutations(0.5, 1.5), verifytest.Confirmations(0.5, 1.5))
		})
	}
}

// A deviation of the planned size is refuted with the planned power: P(a < b) is Φ(−x/√2)
// for means at distance x. The test detects misses in 6 % of the runs with probability 0.99, and 3 % in the long form
// ([verifytest.Wald]).
func TestComparePower(t *testing.T) {
	check := normals(0, 0).with(func(c *Compare) { c.Replicates = 200 })
	trial, err := check.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: verifytest.Alpha})
	if err != nil {
		t.Fatal(err)
	}
	p := 0.5 - trial.Plan().Effect
	if !(p > 0.2 && p < 0.45) || trial.Plan().Power != verify.TargetPower {
		t.Fatalf("planned %+v", trial.Plan())
	}
	below := check.with(func(c *Compare) {
		c.Run = func(_ context.Context, r *rand.Rand) ([]float64, error) {
			if r.Float64() < p {
				return []float64{0, 1}, nil
			}
			return []float64{1, 0}, nil
		}
	})
	misses := verifytest.Wald{Most: 1 - verify.TargetPower, Fault: testutil.Size(0.06, 0.03)}
	for i := uint64(0); !misses.Decided(); i++ {
		s := verify.Settings{Budget: verify.Standard, Alpha: verifytest.Alpha, Seed: empirical.NewSeed(i)}
		e := verifytest.Judged(t, below, s)
		misses.Add(e.Verdict != verify.Refuted)
	}
	misses.Report(t, "missed")
}

// The evidence does not depend on the number of workers, and a tally survives JSON.
func TestCompareIsDeterministic(t *testing.T) {
	check, s := normals(0, 0.3, 0.1), verify.Settings{Budget: verify.Standard, Alpha: 0.01, Seed: empirical.NewSeed(3)}
	deterministic(t, check, s)
}

func TestCompareErrors(t *testing.T) {
	broken := errors.New("out of order")
	gives := func(values []float64, err error) func(*Compare) {
		return func(c *Compare) {
			c.Run = func(context.Context, *rand.Rand) ([]float64, error) { return values, err }
		}
	}
	cases := []struct {
		reason string
		change func(*Compare)
		names  string
	}{
		{"nothing to run", func(c *Compare) { c.Run = nil }, "Run"},
		{"no orders", func(c *Compare) { c.Orders = nil }, "no orders"},
		{"an order with itself", func(c *Compare) { c.Orders = []Order{{1, 1}} }, "two of the 2 names"},
		{"an order of a third", func(c *Compare) { c.Orders = []Order{{0, 2}} }, "two of the 2 names"},
		{"no replicates", func(c *Compare) { c.Replicates = 0 }, "0 replicates"},
		{"too few values", gives([]float64{1}, nil), "1 values"},
		{"a value that is no number", gives([]float64{1, math.NaN()}, nil), "b: "},
		{"a run that fails", gives(nil, broken), broken.Error()},
	}
	for _, c := range cases {
		_, err := verify.Judge(context.Background(), normals(0, 1).with(c.change), verify.Settings{Budget: verify.Standard, Alpha: 0.01}, verifytest.Pool, nil)
		if err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.names)
		}
	}
}
