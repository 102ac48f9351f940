package calibration

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
)

// The first two moments of the canary's score agree with its formula, within five standard errors (false alarms below
// 1e-6 each).
func TestCanaryScore(t *testing.T) {
	m := canaryScore{steps: 4, multiplier: 2}
	r := rand.New(rand.NewPCG(1, 2))
	const n = 4000
	for input := range 2 {
		var sum, squares float64
		for range n {
			x, err := m.Release(r, input)
			if err != nil {
				t.Fatal(err)
			}
			x = (x - 4*float64(input)) / 4
			sum, squares = sum+x, squares+x*x
		}
		if mean, variance := sum/n, squares/n; math.Abs(mean) > 5/math.Sqrt(n) || math.Abs(variance-1) > 5*math.Sqrt(2.0/n) {
			t.Errorf("input %d: standardized mean %v and variance %v", input, mean, variance)
		}
	}
}

// Every false claim is refuted before the maximum number of samples. In the long form the medians meet their targets.
func TestStopping(t *testing.T) {
	rows, err := Stopping(context.Background(), Options{Alpha: 0.05, Runs: testutil.Size(1, 20), Seed: empirical.NewSeed(1),
		Pool: empirical.NewPool(1)})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if !(r.Oracle.X > 0 && r.Median.X < stoppingSamples) {
			t.Errorf("%s: median %v, with known densities %v", r.Case, r.Median.X, r.Oracle.X)
		}
		if testutil.Size(0, 1) == 1 && r.Wanted.Set && r.Median.X > r.Wanted.X {
			t.Errorf("%s: median %v, want at most %v", r.Case, r.Median.X, r.Wanted.X)
		}
	}
}
