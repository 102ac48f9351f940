package privacy

import (
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// TestAnytimeCertifiesDelta checks that a sequential audit also certifies a δ at the claimed ε, close to the true
// one and not above it.
func TestAnytimeCertifiesDelta(t *testing.T) {
	a := Audit[float64, float64]{Pairs: zeroAndOne, Guarantee: ApproximateDP(1, 0.2), Samples: 8000, Anytime: true}
	for _, lost := range []float64{0, 0.2} {
		a.Mechanism = leak[float64]{p: lost, plain: (*rand.Rand).Float64, leak: func(*rand.Rand) float64 { return 7 }}
		if e := verifytest.JudgeAt(t, a, 1); !e.Delta.Set || e.Delta.X > lost || e.Delta.X < 0.7*lost {
			t.Errorf("lost %v: certified δ %v", lost, e.Delta)
		}
	}
}

// TestAnytimeEstimatesLieInTheirIntervals checks that the reported estimate is inside the interval. The estimate uses
// counts and the limit uses bets, so with few samples either may be larger.
func TestAnytimeEstimatesLieInTheirIntervals(t *testing.T) {
	a := Audit[float64, float64]{Pairs: zeroAndOne, Guarantee: ApproximateDP(1, 1e-5), Samples: 300, Anytime: true,
		Mechanism: gaussianShift{}}
	for seed := range uint64(20) {
		e := verifytest.Judged(t, a, verify.Settings{Budget: verify.Standard, Alpha: 0.05, Seed: empirical.NewSeed(seed)})
		for _, c := range append(e.Cells, verify.Cell{Measured: e.Measured, Lower: e.Lower, Upper: e.Upper}, e.Tried.Nearest) {
			if c.Measured.X < c.Lower.X || c.Upper.Set && c.Measured.X > c.Upper.X {
				t.Errorf("seed %d: the estimate %v is outside [%v, %v]", seed, c.Measured.X, c.Lower.X, c.Upper.X)
			}
		}
	}
}

// gaussianShift adds noise of standard deviation 1 to half of its input.
type gaussianShift struct{}

func (gaussianShift) Release(r *rand.Rand, x float64) (float64, error) {
	return x/2 + r.NormFloat64(), nil
}

func TestTheClaimIsAmongItsRungs(t *testing.T) {
	for _, g := range []Guarantee{ApproximateDP(0, 0), ApproximateDP(0, 0.1), ApproximateDP(1e-300, 0), ApproximateDP(590, 0), GaussianDP(2), CurveDP(confidence.Line{Epsilon: 0, Delta: 0.2}, confidence.Line{Epsilon: 1, Delta: 0.01})} {
		if rungs, claim := anytimeRungs(g); rungs[claim] != g.Value() {
			t.Errorf("%v: the claim is not among %v at %d", g, rungs, claim)
		}
	}
}
