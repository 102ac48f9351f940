package confidence

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// MinEventShare is the smallest share of n1 samples under one input in which an event must happen
// for [EpsilonLower] to refute (ε, δ)-DP with error alpha, if it happens in none of n2 under the
// other: rarer events cannot refute the claim with so many samples. It is 1 where no share
// does, and where an argument is outside its domain.
func MinEventShare(n1, n2 int64, epsilon, delta, alpha float64) float64 {
	if n1 < 1 || n2 < 1 {
		return 1
	}
	k := sort.Search(int(n1), func(k int) bool { return EpsilonLower(int64(k), n1, 0, n2, delta, alpha) > epsilon })
	return float64(k) / float64(n1)
}

// Unlucky are counts of n samples at masses p and q which, seen along the line x = slope·y, are on
// the wrong side by as much as happens with probability miss: where counts on that side are
// the most likely (the first-order reliability method).
func Unlucky(n int64, p, q, slope, miss float64) (x, y int64) {
	of := math.Sqrt(p * (1 - p))
	against := slope * math.Sqrt(q*(1-q))
	z := distuv.UnitNormal.Quantile(1-miss) / math.Max(math.Hypot(of, against), 1e-300)
	x, _ = BinomialRange(n, p, distuv.UnitNormal.Survival(z*of))
	_, y = BinomialRange(n, q, distuv.UnitNormal.Survival(z*against))
	return x, y
}
