package distinguisher

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// numbers returns numbers of every kind: equal ones, numbers that differ only in their last bits, and NaN.
func numbersOf(kind string, n int) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	numbers := make([]float64, n)
	for i := range numbers {
		switch kind {
		case "normal":
			numbers[i] = r.NormFloat64()
		case "whole":
			numbers[i] = float64(r.IntN(50) - 20)
		case "few": // as many different ones as are found among a few, NaN and both zeros
			numbers[i] = float64(r.IntN(maxFew) - 20)
			if r.IntN(3) == 0 {
				numbers[i] = []float64{math.Copysign(0, -1), math.NaN()}[r.IntN(2)]
			}
		case "many": // one more
			numbers[i] = float64(r.IntN(maxFew+1) - 20)
		case "one":
			numbers[i] = 2.5
		case "close":
			numbers[i] = math.Float64frombits(math.Float64bits(1) + r.Uint64N(1000))
			if i == 0 {
				numbers[i] = -1
			}
		default:
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
	}
	return numbers
}

// The order equals the order of a comparison sort, for lists on both sides of each change of method, and
// independently of earlier lists.
func TestOf(t *testing.T) {
	var s radixSorter
	for _, kind := range []string{"mixed", "normal", "whole", "few", "many", "one", "close"} {
		for _, n := range []int{5000, 0, 1, 10, 511, 512} {
			numbers := numbersOf(kind, n)
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
			if got := s.Of(numbers); !slices.Equal(got, want) {
				t.Errorf("%d %s numbers: another order than by comparison", n, kind)
			}
		}
	}
}

func BenchmarkOf(b *testing.B) {
	for _, kind := range []string{"normal", "whole", "close"} {
		b.Run(kind, func(b *testing.B) {
			numbers := numbersOf(kind, 90_000)
			var s radixSorter
			b.ReportAllocs()
			for b.Loop() {
				s.Of(numbers)
			}
		})
	}
}
