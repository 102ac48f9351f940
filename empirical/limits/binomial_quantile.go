package limits

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// manyExpected is the variance from which on the ends of a BinomialRange come from an
// expansion: the exact tail sums take as many terms as the standard deviation is large.
const manyExpected = 1e6

// BinomialRange is a range of a count of n trials of probability p: it is below low with
// probability at most miss, and above high with probability at most miss. n ≥ 0, 0 ≤ p ≤ 1, 0
// < miss < 1. Where the variance exceeds 10⁶ the ends are those of Cornish and Fisher (1938),
// with a margin of a thousandth of a standard deviation and one count.
func BinomialRange(n int64, p, miss float64) (low, high int64) {
	size, rest, limit := float64(n), 1-p, math.Log(miss)
	if variance := size * p * rest; variance > manyExpected && miss > 1e-9 {
		deviation, z := math.Sqrt(variance), distuv.UnitNormal.Quantile(1-miss)
		skew := (rest - p) * (z*z - 1) / 6
		margin := z*deviation + deviation/1000 + 1
		return int64(math.Max(0, math.Floor(size*p+skew-margin))), int64(math.Min(size, math.Ceil(size*p+skew+margin)))
	}
	// P(X < k) rises in k, P(X > k) falls.
	least := sort.Search(int(n)+1, func(k int) bool { return logBinomialLower(float64(k), size, p, rest) > limit })
	most := sort.Search(int(n), func(k int) bool { return logBinomialUpper(float64(k)+1, size, p, rest) <= limit })
	return int64(least), int64(most)
}
