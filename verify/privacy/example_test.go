package privacy_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// noisyCount releases the number of records plus geometric noise of a scale (Ghosh, Roughgarden
// & Sundararajan 2009).
type noisyCount struct{ scale float64 }

func (m noisyCount) Release(r *rand.Rand, records int) (int, error) {
	geometric := func() int { return int(math.Floor(r.ExpFloat64() * m.scale)) }
	return records + geometric() - geometric(), nil
}

// A count with geometric noise of scale 1 is 1-DP. With half the noise it is not: the audit finds
// an event on one part of the samples and certifies the privacy loss on the others.
func ExampleAudit() {
	for _, scale := range []float64{1, 0.5} {
		check := privacy.Audit[int, int]{
			Mechanism: noisyCount{scale},
			Pairs:     []inputs.Pair[int]{{Name: "one record and none", A: 1, B: 0}},
			Guarantee: privacy.ApproximateDP(1, 0),
			Samples:   100_000,
		}
		settings := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
		e, err := verify.Judge(context.Background(), check, settings, empirical.NewPool(1), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("scale %g: %s\n", scale, e.Verdict)
		if e.Verdict == verify.Refuted {
			fmt.Printf("certified: %s ≥ %.2f, claimed ≤ %g\n", e.Quantity, e.Lower.X, e.Claimed.X)
		}
	}
	// Output:
	// scale 1: consistent
	// scale 0.5: refuted
	// certified: privacy loss ε ≥ 1.95, claimed ≤ 1
}
