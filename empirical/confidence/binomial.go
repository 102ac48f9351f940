package confidence

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// ErrDomain is the error that every error about an argument outside its domain wraps.
var ErrDomain = errors.New("argument outside its domain")

// ClopperPearson returns confidence limits for the success probability after k successes in n independent trials
// (Clopper & Pearson 1934). Each one-sided limit is wrong with probability at most alpha/2, so both hold together
// with probability at least 1 − alpha.
//
// It requires 0 ≤ k ≤ n, n ≥ 1 and 0 < alpha < 1, and returns ErrDomain otherwise. alpha may be as small as 1e-300.
func ClopperPearson(k, n int64, alpha float64) (lower, upper float64, err error) {
	if err = checkCount(k, n, alpha); err != nil {
		return 0, 1, err
	}
	lower, _ = binomialLimit(float64(k), float64(n), alpha/2)
	_, upper = binomialLimit(float64(n-k), float64(n), alpha/2)
	return lower, upper, nil
}

// BinomialLower returns the one-sided lower Clopper–Pearson limit, which exceeds the success probability with
// probability at most alpha. The domain is the one of ClopperPearson.
func BinomialLower(k, n int64, alpha float64) (float64, error) {
	if err := checkCount(k, n, alpha); err != nil {
		return 0, err
	}
	p, _ := binomialLimit(float64(k), float64(n), alpha)
	return p, nil
}

// BinomialUpper returns the one-sided upper Clopper–Pearson limit, which is below the success probability with
// probability at most alpha. The domain is the one of ClopperPearson.
func BinomialUpper(k, n int64, alpha float64) (float64, error) {
	if err := checkCount(k, n, alpha); err != nil {
		return 1, err
	}
	_, p := binomialLimit(float64(n-k), float64(n), alpha) // the lower limit for failures, mirrored
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

// binomialLimit returns the largest p with P(X ≥ k) ≤ alpha for X ~ Bin(n, p), rounded towards 0, and its
// complement q = 1 − p, rounded towards 1.
//
// It solves log P(X ≥ k) = log alpha in u = logit p by Newton steps. The slope is E[X | X ≥ k] − E[X]. The function
// is increasing, and concave because truncation lowers the variance of a log-concave distribution. Every tangent
// lies above the curve, so every step ends where P ≤ alpha, and the steps increase monotonically to the root.
func binomialLimit(k, n, alpha float64) (p, q float64) {
	const (
		slack    = 1e-9  // margin in log P, much larger than its rounding error
		rounding = 1e-12 // relative error of the last exponential
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

// manyExpected is the variance above which BinomialRange uses an expansion. The exact tail sums need about one term
// for each standard deviation.
const manyExpected = 1e6

// BinomialRange returns a range [low, high] for a count X ~ Bin(n, p): P(X < low) ≤ miss and P(X > high) ≤ miss. It
// requires n ≥ 0, 0 ≤ p ≤ 1 and 0 < miss < 1. If the variance exceeds 10⁶ and miss exceeds 1e-9, the ends come from
// the expansion of Cornish and Fisher (1938), with a margin of one count and 0.001 standard deviations.
func BinomialRange(n int64, p, miss float64) (low, high int64) {
	size, rest, limit := float64(n), 1-p, math.Log(miss)
	if variance := size * p * rest; variance > manyExpected && miss > 1e-9 {
		deviation, z := math.Sqrt(variance), distuv.UnitNormal.Quantile(1-miss)
		skew := (rest - p) * (z*z - 1) / 6
		margin := z*deviation + deviation/1000 + 1
		return int64(math.Max(0, math.Floor(size*p+skew-margin))), int64(math.Min(size, math.Ceil(size*p+skew+margin)))
	}
	// P(X < k) increases in k, P(X > k) decreases.
	low = searchCount(n+1, func(k int64) bool { return logBinomialLower(float64(k), size, p, rest) > limit })
	high = searchCount(n, func(k int64) bool { return logBinomialUpper(float64(k)+1, size, p, rest) <= limit })
	return low, high
}

// searchCount is [sort.Search] for counts, which can exceed the int of 32-bit processors. It returns the smallest k in
// [0, n) for which the monotone property holds, or n.
func searchCount(n int64, holds func(k int64) bool) int64 {
	low, high := int64(0), n
	for low < high {
		if mid := low + (high-low)/2; holds(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}
