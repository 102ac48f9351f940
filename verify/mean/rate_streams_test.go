package mean

import (
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// Checks of every kind of mean use each random stream once, even if their cells have the same name.
func TestMeanStreamsAreUsedOnce(t *testing.T) {
	rate := noisyRate(func(x float64) float64 { return 1 / x }, func(r *rand.Rand) float64 { return r.Float64() })
	// All six points have the same name, because a name has six digits.
	rate.Grid = []float64{1000, 1000.0001, 1000.0002, 1000.0003, 1000.0004, 1000.0005}
	twice := vector(2000, []float64{1, 2}, rarely([]float64{1, 2}, 0.5))
	verifytest.StreamsOnce(t, map[string]verify.Check{"unbiased": unbiased(twice, twice), "rate": rate, "compare": normals(0, 1, 2)})
}
