package limits

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Classical tests of a hypothesis, for numbers that others measured. Each names
// its null hypothesis; none corrects for having been run more than once.

// Tails are the probabilities, under a null hypothesis, of a statistic at most
// and at least as large as the observed one. Both count the observed value
// itself, so that their sum is at least 1.
type Tails struct{ Less, Greater float64 }

// TwoSided is twice the smaller tail, at most 1.
func (t Tails) TwoSided() float64 { return math.Min(1, 2*math.Min(t.Less, t.Greater)) }

// BinomialTest is the exact test of "each of n independent trials succeeds with
// probability p" after k successes. With p = ½ it is the sign test of k wins and
// n−k losses, ties left out.
//
// 0 ≤ k ≤ n, 0 ≤ p ≤ 1; returns ErrDomain otherwise. Without trials both tails
// are 1.
func BinomialTest(k, n int64, p float64) (Tails, error) {
	if n < 0 || k < 0 || k > n {
		return Tails{1, 1}, fmt.Errorf("%d successes in %d trials: need 0 ≤ k ≤ n: %w", k, n, ErrDomain)
	}
	if !(p >= 0 && p <= 1) {
		return Tails{1, 1}, fmt.Errorf("a probability of %v: need one in [0, 1]: %w", p, ErrDomain)
	}
	x, trials := float64(k), float64(n)
	return Tails{
		Less:    math.Exp(logBinomialLower(x, trials, p, 1-p)),
		Greater: math.Exp(logBinomialUpper(x, trials, p, 1-p)),
	}, nil
}

// FisherTest is the exact test of "both groups succeed with the same
// probability" after k1 of n1 and k2 of n2 successes, given their total
// (Fisher 1935). Greater is the probability of at least k1 successes in the
// first group.
//
// 0 ≤ ki ≤ ni, n1 + n2 ≥ 1; returns ErrDomain otherwise.
func FisherTest(k1, n1, k2, n2 int64) (Tails, error) {
	if k1 < 0 || k1 > n1 || k2 < 0 || k2 > n2 || n1+n2 < 1 {
		return Tails{1, 1}, fmt.Errorf("%d of %d and %d of %d successes: need 0 ≤ k ≤ n in both groups: %w", k1, n1, k2, n2,
			ErrDomain)
	}
	a, b, total := float64(n1), float64(n2), float64(k1+k2)
	return Tails{
		Less:    hypergeometricUpper(float64(k2), b, a, total),
		Greater: hypergeometricUpper(float64(k1), a, b, total),
	}, nil
}

// hypergeometricUpper is P(X ≥ k) where total successes fall on n1 + n2 trials
// at random and X is the number of them among the n1.
func hypergeometricUpper(k, n1, n2, total float64) float64 {
	low, high := math.Max(0, total-n2), math.Min(n1, total)
	switch {
	case k <= low:
		return 1
	case k > high:
		return 0
	case k <= total*n1/(n1+n2): // the other tail, of the n2, is the far one
		return 1 - hypergeometricUpper(total-k+1, n2, n1, total)
	}
	// A binomial law of any p, given its total, is hypergeometric; at this p both
	// factors are near their largest.
	p := total / (n1 + n2)
	q := (n1 + n2 - total) / (n1 + n2)
	mass := math.Exp(logBinomialPMF(k, n1, p, q) + logBinomialPMF(total-k, n2, p, q) - logBinomialPMF(total, n1+n2, p, q))
	sum, term := 1.0, 1.0
	for x := k; x < high && term > sum*1e-17; x++ {
		term *= (n1 - x) / (x + 1) * ((total - x) / (n2 - total + x + 1))
		sum += term
	}
	return math.Min(1, mass*sum)
}

// WelchResult is a t-test of two means whose variances may differ.
type WelchResult struct {
	T  float64 // the difference of the means over its standard error
	DF float64 // Welch and Satterthwaite's degrees of freedom
	P  float64 // two-sided
}

// WelchTest tests "both means are equal" from means, sample standard deviations
// (divisor n−1) and sizes of two independent normal samples (Welch 1947).
//
// Both sizes at least 2, deviations at least 0, all finite; returns ErrDomain
// otherwise. Where both deviations are 0, P is 1 if the means are equal and 0 if
// not.
func WelchTest(mean1, sd1 float64, n1 int, mean2, sd2 float64, n2 int) (WelchResult, error) {
	if n1 < 2 || n2 < 2 {
		return WelchResult{P: 1}, fmt.Errorf("means of %d and %d runs: a t-test needs at least 2 of each: %w", n1, n2,
			ErrDomain)
	}
	if !(sd1 >= 0 && sd2 >= 0) || math.IsInf(sd1+sd2, 1) || math.IsNaN(mean1-mean2) || math.IsInf(mean1-mean2, 0) {
		return WelchResult{P: 1}, fmt.Errorf("%v ± %v and %v ± %v: need finite means and deviations of at least 0: %w", mean1,
			sd1, mean2, sd2, ErrDomain)
	}
	error1, error2 := sd1/math.Sqrt(float64(n1)), sd2/math.Sqrt(float64(n2))
	w := WelchResult{DF: WelchDF(error1, n1, error2, n2)}
	if mean1 != mean2 {
		w.T = (mean1 - mean2) / math.Hypot(error1, error2)
	}
	w.P = StudentTwoSided(w.T, w.DF)
	return w, nil
}

// WelchDF is the degrees of freedom of the difference of two means with the given
// standard errors (not both infinite, at least 0) of n1 and n2 ≥ 2 values. It lies
// between min(n1, n2) − 1 and n1 + n2 − 2, its value where both errors are 0.
func WelchDF(error1 float64, n1 int, error2 float64, n2 int) float64 {
	df1, df2 := float64(n1-1), float64(n2-1)
	larger := math.Max(error1, error2)
	if larger == 0 {
		return df1 + df2
	}
	v1, v2 := (error1/larger)*(error1/larger), (error2/larger)*(error2/larger)
	return (v1 + v2) * (v1 + v2) / (v1*v1/df1 + v2*v2/df2)
}

// StudentTwoSided is P(|T| ≥ |t|) for Student's T with df > 0 degrees of
// freedom; t may be infinite. NaN outside the domain.
func StudentTwoSided(t, df float64) float64 {
	switch {
	case !(df > 0) || math.IsNaN(t):
		return math.NaN()
	case math.IsInf(t, 0):
		return 0
	case df > 1e8: // where gonum v0.17 is off in the sixth digit, and normal is not
		return math.Erfc(math.Abs(t) / math.Sqrt2)
	}
	return math.Min(1, 2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(math.Abs(t)))
}

// Pearson is the correlation coefficient of the pairs (x[i], y[i]), at least 2.
// Returns ErrDomain where the lengths differ, a value is not finite, or all x or
// all y are equal: then there is no correlation to speak of.
func Pearson(x, y []float64) (float64, error) {
	if len(x) != len(y) || len(x) < 2 {
		return math.NaN(), fmt.Errorf("a correlation of %d values with %d: need equally many, at least 2: %w", len(x), len(y),
			ErrDomain)
	}
	for _, values := range [][]float64{x, y} {
		constant := true
		for _, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return math.NaN(), fmt.Errorf("a correlation with the value %v: %w", v, ErrDomain)
			}
			constant = constant && v == values[0]
		}
		if constant {
			return math.NaN(), fmt.Errorf("a correlation with values that are all %v: %w", values[0], ErrDomain)
		}
	}
	return math.Max(-1, math.Min(1, stat.Correlation(unitSized(x), unitSized(y), nil))), nil
}

// unitSized is x less its mean, over its largest value then: squares neither
// overflow nor underflow, and correlations stay the same.
func unitSized(x []float64) []float64 {
	c := Centred(x)
	size := 0.0
	for _, v := range c {
		size = math.Max(size, math.Abs(v))
	}
	for i := range c {
		c[i] /= size
	}
	return c
}

// PearsonP is the two-sided p-value of "the n pairs are independent and normal"
// at correlation r: t = r√((n−2)/(1−r²)) is Student's with n−2 degrees of
// freedom. n ≥ 3, |r| ≤ 1; returns ErrDomain otherwise.
func PearsonP(r float64, n int) (float64, error) {
	if n < 3 {
		return 1, fmt.Errorf("a correlation of %d pairs has no p-value: need at least 3: %w", n, ErrDomain)
	}
	if !(math.Abs(r) <= 1) {
		return 1, fmt.Errorf("a correlation of %v: need one in [-1, 1]: %w", r, ErrDomain)
	}
	df := float64(n - 2)
	return StudentTwoSided(r*math.Sqrt(df/((1-r)*(1+r))), df), nil
}

// Centred is x less its mean: covariances do not change, and rounding errors
// stay small beside them.
func Centred(x []float64) []float64 {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	c := make([]float64, len(x))
	for i, v := range x {
		c[i] = v - mean
	}
	return c
}
