package confidence

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// ErrDomain is wrapped by every error about an argument outside its domain.
var ErrDomain = errors.New("argument outside its domain")

// ClopperPearson returns limits for a probability of which k successes in n
// independent trials were seen: two one-sided limits, each missed with
// probability at most alpha/2, so that both hold with probability 1 − alpha.
//
// 0 ≤ k ≤ n, n ≥ 1, 0 < alpha < 1; alpha may be as small as 1e-300. Returns
// ErrDomain otherwise. (Clopper & Pearson 1934.)
func ClopperPearson(k, n int64, alpha float64) (lower, upper float64, err error) {
	if err = checkCount(k, n, alpha); err != nil {
		return 0, 1, err
	}
	lower, _ = binomialLimit(float64(k), float64(n), alpha/2)
	_, upper = binomialLimit(float64(n-k), float64(n), alpha/2)
	return lower, upper, nil
}

// BinomialLower returns a one-sided lower limit: with probability at least
// 1 − alpha the true probability is not below it. Domain as ClopperPearson.
func BinomialLower(k, n int64, alpha float64) (float64, error) {
	if err := checkCount(k, n, alpha); err != nil {
		return 0, err
	}
	p, _ := binomialLimit(float64(k), float64(n), alpha)
	return p, nil
}

// BinomialUpper returns a one-sided upper limit: with probability at least
// 1 − alpha the true probability is not above it. Domain as ClopperPearson.
func BinomialUpper(k, n int64, alpha float64) (float64, error) {
	if err := checkCount(k, n, alpha); err != nil {
		return 1, err
	}
	_, p := binomialLimit(float64(n-k), float64(n), alpha) // the limit for failures, mirrored
	return p, nil
}

func checkCount(k, n int64, alpha float64) error {
	if n < 1 || k < 0 || k > n {
		return fmt.Errorf("%d successes in %d trials: need 0 ≤ k ≤ n and n ≥ 1: %w", k, n, ErrDomain)
	}
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("alpha = %v: need 0 < alpha < 1: %w", alpha, ErrDomain)
	}
	return nil
}

// binomialLimit finds the largest p with P(X ≥ k; n, p) ≤ alpha, rounded
// towards 0, and returns it with its complement q, rounded towards 1.
//
// log P is concave and increasing in u = logit p: its slope is E[X | X ≥ k] −
// E[X], and truncation lowers the variance of a log-concave law. So every
// tangent lies above the curve, every Newton step ends on the side where the
// inequality holds, and the steps climb to the root from there.
func binomialLimit(k, n, alpha float64) (p, q float64) {
	const (
		slack    = 1e-9  // margin in log P, far above its rounding error
		rounding = 1e-12 // of the last exponential
	)
	switch k {
	case 0:
		return 0, 1
	case n: // p^n = alpha
		logP := math.Log(alpha) / n
		return math.Exp(logP) * (1 - rounding), math.Min(1, -math.Expm1(logP)*(1+rounding))
	}
	target := math.Log(alpha) - slack
	u := math.Log(k / (n - k))
	for range 200 {
		p, q = expit(u), expit(-u)
		logTail := logBinomialUpper(k, n, p, q)
		step := (target - logTail) * math.Exp(logTail-logBinomialPMF(k, n, p, q)) / (k * q)
		if logTail <= target+slack/2 && step <= 1e-13*(1+math.Abs(u)) {
			break
		}
		u += step
	}
	return p * (1 - rounding), math.Min(1, q*(1+rounding))
}

func expit(u float64) float64 { return 1 / (1 + math.Exp(-u)) }

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
