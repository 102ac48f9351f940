package confidence

import "testing"

// A count of 10¹² trials exceeds the int of 32-bit processors. Bin(10¹², 10⁻⁹) is within 1e-6 of a Poisson
// distribution with mean 1000, so 30 standard deviations on each side contain both ends.
func TestBinomialRangeOfLargeCounts(t *testing.T) {
	low, high := BinomialRange(1e12, 1e-9, 1e-6)
	if !(50 < low && low < 1000 && 1000 < high && high < 1950) {
		t.Errorf("range [%d, %d], want both ends near 1000", low, high)
	}
}
