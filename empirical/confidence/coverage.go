package confidence

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MinEventShare returns the smallest share of n1 samples for one input in which an event must occur so that
// [EpsilonLower] refutes (ε, δ)-DP with error alpha, if the event occurs in none of the n2 samples for the other
// input. Rarer events cannot refute the claim with these sample sizes. MinEventShare returns 1 if no share suffices
// or an argument is outside its domain.
func MinEventShare(n1, n2 int64, epsilon, delta, alpha float64) float64 {
	if n1 < 1 || n2 < 1 {
		return 1
	}
	k := searchCount(n1, func(k int64) bool { return EpsilonLower(k, n1, 0, n2, delta, alpha) > epsilon })
	return float64(k) / float64(n1)
}

// Unlucky returns unfavorable counts of two events with probabilities p and q in n samples each. Relative to the
// line x = slope·y the counts are on the wrong side by a deviation that occurs with probability miss. Unlucky
// returns the most likely such counts (first-order reliability method).
func Unlucky(n int64, p, q, slope, miss float64) (x, y int64) {
	spreadX := math.Sqrt(p * (1 - p))
	spreadY := slope * math.Sqrt(q*(1-q))
	z := distuv.UnitNormal.Quantile(1-miss) / math.Max(math.Hypot(spreadX, spreadY), 1e-300)
	x, _ = BinomialRange(n, p, distuv.UnitNormal.Survival(z*spreadX))
	_, y = BinomialRange(n, q, distuv.UnitNormal.Survival(z*spreadY))
	return x, y
}
