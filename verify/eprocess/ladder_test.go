package eprocess_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/mean"
)

// The factor of a check that makes no bets has a mean of at most 1 under the claim. The claims hold with equality. In
// the controls they are false, and the mean factor is large.
func TestMeanFactorOfTheLadder(t *testing.T) {
	repeats := testutil.Size(400, 20_000)
	normal := func(shift float64) func(*rand.Rand, []float64) error {
		return func(r *rand.Rand, dst []float64) error { dst[0] = shift + r.NormFloat64(); return nil }
	}
	coin := func(p float64) func(*rand.Rand, []float64) error {
		return func(r *rand.Rand, dst []float64) error {
			dst[0] = 0
			if r.Float64() < p {
				dst[0] = 1
			}
			return nil
		}
	}
	stated := func(m mean.Stated) verify.Check { m.Quantity, m.Samples, m.Effect = "the output", 128, 0.5; return m }
	for _, c := range []struct {
		name  string
		check verify.Check
		sound bool
	}{
		{"variance", stated(mean.Stated{Mean: []float64{0}, Sample: normal(0), Variances: []float64{1}}), true},
		{"variance, false", stated(mean.Stated{Mean: []float64{0}, Sample: normal(1), Variances: []float64{1}}), false},
		{"range", stated(mean.Stated{Mean: []float64{0.5}, Sample: coin(0.5), Ranges: [][2]float64{{0, 1}}}), true},
		{"range, false", stated(mean.Stated{Mean: []float64{0.5}, Sample: coin(0.8), Ranges: [][2]float64{{0, 1}}}), false},
	} {
		var sum, squares float64
		for i := range repeats {
			var factor float64
			check := eprocess.Check{Check: c.check, Claim: "a", Version: "v", Weight: 1, RunID: "1", Start: 1,
				Add: func(n eprocess.Outcome) { factor = math.Exp(n.LogFactors[0]) }}
			_, err := verify.Judge(context.Background(), check, verify.Settings{Budget: verify.Standard, Alpha: 1e-6,
				Seed: empirical.NewSeed(uint64(i))}, empirical.NewPool(1), nil)
			if err != nil {
				t.Fatal(err)
			}
			sum, squares = sum+factor, squares+factor*factor
		}
		n := float64(repeats)
		m := sum / n
		if low := m - 4*math.Sqrt(max(0, squares/n-m*m)/n); c.sound && !(low <= 1) || !c.sound && !(m > 100) {
			t.Errorf("%s: mean factor %.3g, at least %.3g", c.name, m, low)
		}
	}
}
