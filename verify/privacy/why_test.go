package privacy

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/why"
)

func TestScratch(t *testing.T) {
	half, _ := broken.NewHalfScaleLaplace(1, 1)
	abs, _ := broken.NewAbsLaplace(1, 1)
	uni, _ := broken.NewUniformNoise(1, 1)
	clip, _ := broken.NewClippedLaplace(1, 1, 3)
	pure, _ := broken.NewPureGaussian(1, 1)
	fixed, _ := broken.NewFixedSeed(1, 1, 1)
	zero, _ := broken.NewZeroCount(1, 1)
	sum, _ := broken.NewSumOfReleases(2, 1, 1)
	lap, _ := mechanism.NewLaplace(1)
	for name, m := range map[string]verify.Mechanism[float64, float64]{"half": half, "abs": abs, "uniform": uni, "clip": clip, "pure": pure, "fixed": fixed, "zero": zero, "sum": sum, "laplace": lap} {
		for _, any := range []bool{false, true} {
			e, err := verify.Judge(context.Background(), Audit[float64, float64]{Mechanism: m, Guarantee: ApproximateDP(1, 0), Samples: 100000, Anytime: any, Pairs: []neighbours.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}, {Name: "0 and 0.5", A: 0, B: 0.5}}}, verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}, empirical.NewPool(1), nil)
			t.Log(name, any, e.Verdict, err, e.Witness)
			if e.Why != nil {
				for _, l := range e.Why.Lines() {
					t.Log("    ", l)
				}
			}
		}
	}
	reused, _ := broken.NewReusedNoise(1, 1)
	empty, _ := broken.NewEmptyGroup(1, 1)
	hist := vec(func(r *rand.Rand, x []float64) []float64 {
		out := make([]float64, len(x))
		for i := range out {
			v, _ := lap.Release(r, x[i])
			out[i] = v
		}
		return out
	})
	for name, m := range map[string]verify.Mechanism[[]float64, []float64]{"reused": reused, "empty": empty, "hist": hist} {
		e, err := verify.Judge(context.Background(), Audit[[]float64, []float64]{Mechanism: m, Guarantee: ApproximateDP(1, 0), Samples: 100000, Pairs: []neighbours.Pair[[]float64]{{Name: "x", A: []float64{1, 0, 3}, B: []float64{0, 1, 3}}}}, verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}, empirical.NewPool(1), nil)
		t.Log(name, e.Verdict, err, e.Witness)
		if e.Why != nil {
			for _, l := range e.Why.Lines() {
				t.Log("    ", l)
			}
		}
	}
	_ = why.HalfScale
}

type vec func(r *rand.Rand, x []float64) []float64

func (v vec) Release(r *rand.Rand, x []float64) ([]float64, error) { return v(r, x), nil }
