package limits

import (
	"math"
	"testing"
)

func TestBinomialRange(t *testing.T) {
	for _, n := range []int64{0, 1, 50, 100_000} {
		for _, p := range []float64{0, 1e-4, 0.3, 1} {
			const miss = 0.01
			low, high := BinomialRange(n, p, miss)
			below := math.Exp(logBinomialLower(float64(low-1), float64(n), p, 1-p))
			above := math.Exp(logBinomialUpper(float64(high+1), float64(n), p, 1-p))
			if low > 0 && below > miss || above > miss || low > high {
				t.Errorf("n = %d, p = %v: %d to %d, below %v, above %v", n, p, low, high, below, above)
			}
		}
	}
}
