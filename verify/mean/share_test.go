package mean

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// The limits of a check share its alpha: two for each sampled cell, point or order. A factor of 2 is too small for a
// test that counts errors, so the shares are compared.
func TestLimitsShareAlpha(t *testing.T) {
	const alpha = 1e-3
	target := []float64{1, 0}
	cell := vector(1<<12, target, around(target, 0.5))
	computed := UnbiasedCell{Place: "computed", Target: target, Bound: 2, Exact: 1, ExactError: 1e-9}
	compare := Compare{
		Quantity: "value", Names: []string{"a", "b", "c"}, Orders: []Order{{0, 1}, {1, 2}}, Replicates: 8,
		Run: func(context.Context, *rand.Rand) ([]float64, error) { return []float64{0, 1, 2}, nil },
	}
	for _, c := range []struct {
		reason string
		check  verify.Check
		limits float64
	}{
		{"three sampled cells and a computed one", unbiased(cell, cell, cell, computed), 6},
		{"the points of a rate", noisyRate(rateLaw(1, 1), uniformNoise), 2 * float64(len(noisyRate(rateLaw(1, 1), uniformNoise).Grid))},
		{"two orders", compare, 4},
	} {
		t.Run(c.reason, func(t *testing.T) {
			trial, err := c.check.Prepare(context.Background(), verify.Settings{Budget: verify.Quick, Alpha: alpha, Seed: empirical.NewSeed(1)})
			if err != nil {
				t.Fatal(err)
			}
			var share float64
			switch t := trial.(type) {
			case *unbiasedTrial:
				share = t.judge.share()
			case *rateTrial:
				share = t.judge.share()
			case *compareTrial:
				share = compareJudge{t.design, t.settings.Alpha}.share()
			}
			if got := share * c.limits; !(math.Abs(got-alpha) <= 1e-12*alpha) {
				t.Errorf("the %v limits spend %v together, want %v", c.limits, got, alpha)
			}
		})
	}
}
