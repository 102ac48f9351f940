package mean

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// Means far on the violating side are not consistent, even if few replicates or a coarse effect cannot refute them.
// True claims are consistent.
func TestFarMeanIsNoSupport(t *testing.T) {
	for _, c := range []struct {
		reason           string
		mean, bound, low float64
		effect           float64
		want             verify.Verdict
	}{
		{"two thirds below, too few to refute", 0.11, 0.35, 0, 0.33, verify.Inconclusive},
		{"well above", 0.9, 0.35, 0, 0.33, verify.Consistent},
		{"of the other sign than a tiny bound", -0.05, 1e-6, -1, 1e6, verify.Inconclusive},
		{"of the bound's sign", 0.05, 1e-6, -1, 1e6, verify.Consistent},
	} {
		t.Run(c.reason, func(t *testing.T) {
			check := Rate{
				Quantity: "a mean", Variable: "n", Grid: []float64{1}, Replicates: 320, Sense: verify.AtLeast, Effect: c.effect,
				Run: func(_ context.Context, r *rand.Rand, _ float64) (float64, error) {
					return c.mean + 0.01*(r.Float64()-0.5), nil
				},
				Bound: func(float64) float64 { return c.bound },
				Range: func(float64) (lo, hi float64) { return c.low, 1 },
			}
			e := verifytest.Judged(t, check, verify.Settings{Budget: verify.Quick, Alpha: 1e-9, Seed: empirical.NewSeed(1)})
			if e.Verdict != c.want {
				t.Errorf("%s: measured %v [%v, %v] against %v, want %s", e.Verdict, e.Measured.X, e.Lower.X, e.Upper.X, c.bound, c.want)
			}
		})
	}
}

// Replicates from RunN are judged like replicates from Run.
func TestRateInBatches(t *testing.T) {
	for _, c := range []struct {
		exponent float64
		want     verify.Verdict
	}{{-0.5, verify.Consistent}, {-1, verify.Refuted}} {
		check := Rate{
			Quantity: "a mean", Variable: "n", Grid: doubling(1, 6), Replicates: 20_000, Sense: verify.AtMost, Exponent: c.exponent, PowerLaw: true,
			RunN: func(r *rand.Rand, x float64, out []float64) error {
				for i := range out {
					out[i] = rateLaw(1, -0.5)(x) * uniformNoise(r)
				}
				return nil
			},
			Range: func(float64) (lo, hi float64) { return 0, 2 },
		}
		e, err := verify.Judge(context.Background(), check, verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}, empirical.NewPool(1), nil)
		if err != nil || e.Verdict != c.want {
			t.Errorf("x^%v: %s, %v", c.exponent, e.Verdict, err)
		}
	}
}
