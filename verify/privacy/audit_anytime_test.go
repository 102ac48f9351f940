package privacy

import (
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical/limits"
)

// Beside the certified ε, betting certifies a δ at the claimed ε: close to what is lost, and not
// more.
func TestAnytimeCertifiesDelta(t *testing.T) {
	a := Audit[float64, float64]{Pairs: zeroAndOne, Guarantee: ApproximateDP(1, 0.2), Samples: 8000, Anytime: true}
	for _, lost := range []float64{0, 0.2} {
		a.Mechanism = leak[float64]{p: lost, plain: (*rand.Rand).Float64, leak: func(*rand.Rand) float64 { return 7 }}
		if e := judgeHidden(t, a, 1); !e.Delta.Set || e.Delta.X > lost || e.Delta.X < 0.7*lost {
			t.Errorf("lost %v: certified δ %v", lost, e.Delta)
		}
	}
}

func TestTheClaimIsAmongItsRungs(t *testing.T) {
	for _, g := range []Guarantee{ApproximateDP(0, 0), ApproximateDP(0, 0.1), ApproximateDP(1e-300, 0), ApproximateDP(590, 0), GaussianDP(2), CurveDP(limits.Line{Epsilon: 0, Delta: 0.2}, limits.Line{Epsilon: 1, Delta: 0.01})} {
		if rungs, claim := anytimeRungs(g); rungs[claim] != g.Value() {
			t.Errorf("%v: the claim is not among %v at %d", g, rungs, claim)
		}
	}
}
