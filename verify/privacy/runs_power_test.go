package privacy

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// rarely returns Laplace noise of ε = 1 that is replaced by 100 with probability p on the input 1, and p·e^−2 on 0.
func rarely(p float64) releaseFunc[float64, float64] {
	return func(r *rand.Rand, x float64) (float64, error) {
		if r.Float64() < p*math.Exp(2*x-2) {
			return 100, nil
		}
		return x + r.ExpFloat64() - r.ExpFloat64(), nil
	}
}

// A project whose loss is ε + 1 at an event of the wanted probability is not consistent: its first runs keep too few
// rows to find the event. With 20 seeds, 11 projects were consistent after run 6 when the power assumed 20 runs of rows.
// The control has the same runs without a violation, and a larger wanted probability. It is consistent.
func TestRunsAreNotConsistentWithALargeViolation(t *testing.T) {
	for _, c := range []struct {
		violation, mass float64
		consistent      bool
	}{{0.01, 0.01, false}, {0, 0.1, true}} {
		for seed := range uint64(3) {
			p := project[float64, float64]{alpha: 0.05, seed: 1000 + seed, audit: Audit[float64, float64]{Mechanism: rarely(c.violation),
				Pairs: zeroOne(), Guarantee: ApproximateDP(1, 0), Samples: 20_000, EventProbability: c.mass}}
			consistent := false
			for range 7 {
				consistent = consistent || p.next(t, "v").Verdict == verify.Consistent
			}
			if consistent != c.consistent {
				t.Errorf("violation at probability %v, wanted %v, seed %d: consistent %v", c.violation, c.mass, seed, consistent)
			}
		}
	}
}
