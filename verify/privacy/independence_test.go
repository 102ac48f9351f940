package privacy

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// drifting releases its input with Laplace noise and a public counter of its calls: it is 1-DP.
type drifting struct{ calls *atomic.Int64 }

func (d drifting) Release(r *rand.Rand, x float64) (float64, error) {
	return x + r.ExpFloat64() - r.ExpFloat64() + 1e-3*float64(d.calls.Add(1)), nil
}

// shared releases its input with one noise value for a whole batch, and jitter.
type shared struct{ drifting }

func (shared) ReleaseN(r *rand.Rand, x float64, out []float64) error {
	z := r.ExpFloat64() - r.ExpFloat64()
	for i := range out {
		out[i] = x + z + 0.05*r.NormFloat64()
	}
	return nil
}

// TestDependentOutputs checks that no mode returns a verdict for a mechanism with dependent outputs.
func TestDependentOutputs(t *testing.T) {
	for _, anytime := range []bool{false, true} {
		for _, m := range []verify.Mechanism[float64, float64]{drifting{new(atomic.Int64)}, shared{}} {
			a := Audit[float64, float64]{Mechanism: m, Pairs: zeroAndOne, Guarantee: ApproximateDP(1, 0), Samples: 20_000,
				Anytime: anytime}
			_, err := a.Prepare(context.Background(), verify.Settings{Alpha: 1e-6})
			if err == nil || !strings.Contains(err.Error(), "outputs are not independent: ") {
				t.Errorf("%T, anytime %v: %v", m, anytime, err)
			}
		}
	}
	_, err := FloatingPoint[float64, float64]{Mechanism: shared{}, Pairs: zeroAndOne, Guarantee: ApproximateDP(1, 0),
		Samples: 20_000}.Prepare(context.Background(), verify.Settings{Alpha: 1e-6})
	if err == nil || !strings.Contains(err.Error(), "outputs are not independent: ") {
		t.Errorf("precision: %v", err)
	}
}
