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

// Rounding a number in [0, 1] to 1 with itself as the probability is unbiased; rounding it to
// the nearest of 0 and 1 is not.
func ExampleUnbiased() {
	const x = 0.7
	atRandom := func(r *rand.Rand, dst []float64) error {
		dst[0] = 0
		if r.Float64() < x {
			dst[0] = 1
		}
		return nil
	}
	toNearest := func(_ *rand.Rand, dst []float64) error {
		dst[0] = math.Round(x)
		return nil
	}
	for _, release := range []func(*rand.Rand, []float64) error{atRandom, toNearest} {
		check := mean.Unbiased{
			Cells:   []mean.UnbiasedCell{{Place: "x = 0.7", Target: []float64{x}, Sample: release, Bound: 1, Samples: 200_000}},
			Claimed: 1, Effect: 0.05,
		}
		settings := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
		e, err := verify.Judge(context.Background(), check, settings, empirical.NewPool(2), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: the mean is %.1f times x\n", e.Verdict, e.Measured.X)
	}
	// Output:
	// consistent: the mean is 1.0 times x
	// refuted: the mean is 1.4 times x
}
