package confidence

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// The classical tests below are for numbers that other people measured. Each comment states the null hypothesis. No
// test corrects for multiple testing.

// Tails holds the probabilities, under a null hypothesis, of a statistic at most and at least as large as the
// observed one. Both include the observed value, so their sum is at least 1.
type Tails struct{ Less, Greater float64 }

// BinomialTest returns the exact tail probabilities after k successes under the null hypothesis that each of n
// independent trials succeeds with probability p. With p = 0.5 it is the sign test of k wins and n−k losses without
// ties.
//
// It requires 0 ≤ k ≤ n and 0 ≤ p ≤ 1, and returns ErrDomain otherwise. Without trials both tails are 1.
func BinomialTest(k, n int64, p float64) (Tails, error) {
	if n < 0 || k < 0 || k > n {
		return Tails{1, 1}, fmt.Errorf("%d successes in %d trials: need 0 ≤ k ≤ n: %w", k, n, ErrDomain)
	}
	if !(p >= 0 && p <= 1) {
		return Tails{1, 1}, fmt.Errorf("probability = %v: need 0 ≤ probability ≤ 1: %w", p, ErrDomain)
	}
	x, trials := float64(k), float64(n)
	return Tails{
		Less:    math.Exp(logBinomialLower(x, trials, p, 1-p)),
		Greater: math.Exp(logBinomialUpper(x, trials, p, 1-p)),
	}, nil
}

// WelchDF returns the degrees of freedom for the difference of two means of n1 and n2 ≥ 2 values (Welch 1947). The
// standard errors are at least 0 and not both infinite. The result is between min(n1, n2) − 1 and n1 + n2 − 2, and
// equals n1 + n2 − 2 if both errors are 0.
func WelchDF(error1 float64, n1 int, error2 float64, n2 int) float64 {
	df1, df2 := float64(n1-1), float64(n2-1)
	larger := math.Max(error1, error2)
	if larger == 0 {
		return df1 + df2
	}
	v1, v2 := (error1/larger)*(error1/larger), (error2/larger)*(error2/larger)
	return (v1 + v2) * (v1 + v2) / (v1*v1/df1 + v2*v2/df2)
}

// StudentTwoSided returns P(|T| ≥ |t|) for Student's T with df > 0 degrees of freedom. t may be infinite. The
// result is NaN outside the domain.
func StudentTwoSided(t, df float64) float64 {
	switch {
	case !(df > 0) || math.IsNaN(t):
		return math.NaN()
	case math.IsInf(t, 0):
		return 0
	case df > 1e8: // normal up to rounding
		return math.Erfc(math.Abs(t) / math.Sqrt2)
	}
	return math.Min(1, 2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(math.Abs(t)))
}

// PearsonP returns the two-sided p-value of a sample correlation r of n pairs. The null hypothesis is that the two
// variables are independent and normal. Then t = r√((n−2)/(1−r²)) has Student's distribution with n−2 degrees of
// freedom (Fisher 1915). PearsonP requires n ≥ 3 and |r| ≤ 1, and returns ErrDomain otherwise.
func PearsonP(r float64, n int) (float64, error) {
	if n < 3 {
		return 1, fmt.Errorf("a correlation of %d pairs has no p-value: need at least 3: %w", n, ErrDomain)
	}
	if !(math.Abs(r) <= 1) {
		return 1, fmt.Errorf("correlation = %v: need -1 ≤ correlation ≤ 1: %w", r, ErrDomain)
	}
	df := float64(n - 2)
	return StudentTwoSided(r*math.Sqrt(df/((1-r)*(1+r))), df), nil
}
