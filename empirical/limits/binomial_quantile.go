package limits

import (
	"math"
	"sort"
)

// BinomialRange is where a count of n trials of probability p stays: below low, and above
// high, it is with probability at most miss each. n ≥ 0, 0 ≤ p ≤ 1, 0 < miss < 1.
func BinomialRange(n int64, p, miss float64) (low, high int64) {
	size, rest, limit := float64(n), 1-p, math.Log(miss)
	// P(X < k) rises in k, P(X > k) falls.
	least := sort.Search(int(n)+1, func(k int) bool { return logBinomialLower(float64(k), size, p, rest) > limit })
	most := sort.Search(int(n), func(k int) bool { return logBinomialUpper(float64(k)+1, size, p, rest) <= limit })
	return int64(least), int64(most)
}
