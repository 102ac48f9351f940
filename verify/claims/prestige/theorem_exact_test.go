package prestige

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
)

// The computed lower bound is below the mean gap of sampled runs and close to it. At the fixed seed the mean has a
// standard error of 2 %.
func TestLeastGapIsBelowRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const runs, updates = 300, 2000
	i := instance{d: 10, epsilon: 0.8, lambda: 0.01}
	least, slope, err := bounds.GapLowerBoundUnprojected(i.d, i.epsilon, i.lambda, updates)
	if err != nil {
		t.Fatal(err)
	}
	i.slope = slope
	mean := 0.0
	for range runs {
		mean += unprojectedGap(t, i, r, updates) / runs
	}
	if !(mean > 0.95*least && mean < 1.5*least) {
		t.Errorf("mean gap %v, want 0.95 to 1.5 times the computed lower bound %v", mean, least)
	}
}

// unprojectedGap returns the gap of one run of i from w = 0 without projection.
func unprojectedGap(t *testing.T, i instance, r *rand.Rand, updates int) float64 {
	t.Helper()
	sampler, err := mechanism.NewPrivateSampling(i.d, i.epsilon, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	w, g, z, sum := make([]float64, i.d), make([]float64, i.d), make([]float64, i.d), make([]float64, i.d)
	for k := 1; k < updates; k++ {
		i.gradient(w, g)
		if err := sampler.Sample(r, g, z); err != nil {
			t.Fatal(err)
		}
		floats.AddScaled(w, -1/(i.lambda*math.Sqrt(float64(k))), z)
		floats.Add(sum, w)
	}
	floats.Scale(1/float64(updates), sum)
	return i.value(sum)
}
