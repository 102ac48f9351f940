package confidence

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

// The expansion for large variances is conservative and close to the exact ends.
func TestBinomialRangeOfManyTrials(t *testing.T) {
	for _, p := range []float64{1e-3, 0.1, 0.5, 0.999} {
		for _, miss := range []float64{0.1, 0.0075, 1e-6} {
			n := int64(1.001 * manyExpected / (p * (1 - p)))
			low, high := BinomialRange(n, p, miss)
			size, limit := float64(n), math.Log(miss)
			if below, above := logBinomialLower(float64(low), size, p, 1-p), logBinomialUpper(float64(high)+1, size, p, 1-p); below > limit || above > limit {
				t.Errorf("n = %d, p = %v: beyond [%d, %d] with log probability %v and %v, more than %v", n, p, low, high, below, above, limit)
			}
			slack := int64(0.003 * math.Sqrt(manyExpected))
			if below := logBinomialLower(float64(low+slack), size, p, 1-p); low > 0 && below <= limit {
				t.Errorf("n = %d, p = %v, miss %v: %d could be %d", n, p, miss, low, low+slack)
			}
			if above := logBinomialUpper(float64(high-slack), size, p, 1-p); high < n && above <= limit {
				t.Errorf("n = %d, p = %v, miss %v: %d could be %d", n, p, miss, high, high-slack)
			}
		}
	}
}
