package mean_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/mean"
)

// The mean of n fair coins is within 1/√(4n) of 1/2 in expectation, at every n: an
// upper bound with its constant, for errors that are at least 0.
func ExampleRate() {
	check := mean.Rate{
		Quantity: "E|mean − 1/2|", Variable: "n",
		Grid:       []float64{64, 128, 256, 512, 1024, 2048},
		Replicates: 4000,
		Run: func(_ context.Context, r *rand.Rand, n float64) (float64, error) {
			heads := 0
			for range int(n) {
				heads += int(r.Uint64() & 1)
			}
			return math.Abs(float64(heads)/n - 0.5), nil
		},
		Sense:   verify.AtMost,
		Bound:   func(n float64) float64 { return 1 / math.Sqrt(4*n) },
		Trivial: func(float64) float64 { return 0.5 },
		Range:   func(float64) (lo, hi float64) { return 0, 0.5 },
	}
	settings := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
	e, err := verify.Judge(context.Background(), check, settings, empirical.NewPool(2), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, ratio to the bound %.1f at worst\n%s\n", e.Verdict, e.Ratio.X, e.Power)
	// Output:
	// consistent, ratio to the bound 0.8 at worst
	// a mean above its bound by 5 % of it would have been detected at each point
}
