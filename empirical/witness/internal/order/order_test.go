package order

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The order is that of a comparison sort, for lists on either side of where the way changes.
func TestOf(t *testing.T) {
	for _, n := range []int{0, 1, 10, 511, 512, 5000} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		numbers := make([]float64, n)
		for i := range numbers {
			switch r.IntN(6) {
			case 0:
				numbers[i] = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(5)]
			case 1:
				numbers[i] = math.Float64frombits(r.Uint64())
			case 2:
				numbers[i] = float64(r.IntN(5) - 2)
			default:
				numbers[i] = r.NormFloat64()
			}
		}
		var want []int32
		for i, v := range numbers {
			if !math.IsNaN(v) {
				want = append(want, int32(i))
			}
		}
		slices.SortStableFunc(want, func(i, j int32) int {
			switch u, v := numbers[i], numbers[j]; {
			case u < v:
				return -1
			case u > v:
				return 1
			}
			return 0
		})
		if got := Of(n, func(i int) float64 { return numbers[i] }); !slices.Equal(got, want) {
			t.Errorf("%d numbers: another order than by comparison", n)
		}
	}
}
