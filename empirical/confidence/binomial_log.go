package confidence

import "math"

// The functions below compute binomial probabilities on the log scale. They take both p and its complement q = 1 −
// p, which keeps full relative precision when either is near 1. Counts are integers stored as float64, exact up to
// 2^53.

// logBinomialPMF returns log P(X = k) for X ~ Bin(n, p). It uses the saddle-point form of Loader (2000), a sum of
// Stirling errors and deviances, which does not subtract large numbers. It requires 0 ≤ k ≤ n and p + q = 1.
func logBinomialPMF(k, n, p, q float64) float64 {
	switch {
	case p == 0:
		return logIf(k == 0)
	case q == 0:
		return logIf(k == n)
	case k == 0:
		return n * logComplement(q, p)
	case k == n:
		return n * logComplement(p, q)
	}
	return stirlingError(n) - stirlingError(k) - stirlingError(n-k) -
		PoissonDeviance(k, n*p) - PoissonDeviance(n-k, n*q) -
		0.5*math.Log(2*math.Pi*k*((n-k)/n))
}

// logIf returns log 1 if the event is certain, else log 0.
func logIf(certain bool) float64 {
	if certain {
		return 0
	}
	return math.Inf(-1)
}

// logComplement returns log a for a + b = 1, with full relative precision when a is near 1.
func logComplement(a, b float64) float64 {
	if b < 0.5 {
		return math.Log1p(-b)
	}
	return math.Log(a)
}

// logBinomialUpper returns log P(X ≥ k) for X ~ Bin(n, p) and any integer k. The probability has full relative
// precision.
func logBinomialUpper(k, n, p, q float64) float64 {
	switch {
	case k <= 0:
		return 0
	case k > n || p == 0:
		return math.Inf(-1)
	case q == 0:
		return 0
	case k > (n+1)*p:
		return logFarTail(k, n, p, q)
	}
	// log(1 − P(n−X ≥ n−k+1)): here the other tail is at most about 0.5
	return math.Log1p(-math.Exp(logFarTail(n-k+1, n, q, p)))
}

// logBinomialLower returns log P(X ≤ k) for X ~ Bin(n, p).
func logBinomialLower(k, n, p, q float64) float64 { return logBinomialUpper(n-k, n, q, p) }

// logFarTail returns log P(X ≥ k) for k above the mean, as the probability of k times a factor. Both have full
// relative precision.
func logFarTail(k, n, p, q float64) float64 {
	mass := logBinomialPMF(k, n, p, q)
	if p > 0.9 { // here the continued fraction cancels
		return mass + math.Log(tailRatioSum(k, n, p/q))
	}
	return mass + logComplement(q, p) + math.Log(tailFraction(k, n, p))
}

// tailRatioSum returns P(X ≥ k)/P(X = k) by summing the probabilities above k. The terms decrease faster than
// geometrically. There are at most n−k of them, or about 8 standard deviations.
func tailRatioSum(k, n, odds float64) float64 {
	sum, term := 1.0, 1.0
	for j := k; term > 1e-17*sum; j++ {
		term *= (n - j) / (j + 1) * odds
		sum += term
	}
	return sum
}

// tailFraction returns P(X ≥ k)/(q·P(X = k)) by the continued fraction of the incomplete beta function (Abramowitz
// & Stegun 26.5.8), evaluated with the modified Lentz method. The number of steps is about the square root of the
// standard deviation.
func tailFraction(k, n, p float64) float64 {
	const relative = 1e-16
	a, b := k, n-k+1
	c := 1.0
	d := 1 / (1 - (a+b)*p/(a+1))
	h := d
	for m := 1.0; m < 1e7; m++ {
		even := m * (b - m) * p / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / (1 + even*d)
		c = 1 + even/c
		h *= d * c
		odd := -(a + m) * (a + b + m) * p / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / (1 + odd*d)
		c = 1 + odd/c
		step := d * c
		h *= step
		if math.Abs(step-1) <= relative {
			break
		}
	}
	return h
}

// PoissonDeviance returns half the deviance of a Poisson count x from the mean m, x·log(x/m) + m − x ≥ 0. It does
// not cancel when x is near m (function bd0 of Loader 2000). It requires x ≥ 0 and m > 0.
func PoissonDeviance(x, m float64) float64 {
	diff := x - m
	if math.Abs(diff) < 0.1*(x+m) {
		// x log(x/m) = 2x·atanh(v), v = (x−m)/(x+m); the first term cancels m − x
		v := diff / (x + m)
		sum := diff * v
		term, v2 := 2*x*v, v*v
		for j := 3.0; ; j += 2 {
			term *= v2
			next := sum + term/j
			if next == sum {
				return sum
			}
			sum = next
		}
	}
	if x == 0 {
		return m
	}
	return x*math.Log(x/m) - diff
}

// stirlingError returns log n! − log(√(2πn) (n/e)^n) for n ≥ 1.
func stirlingError(n float64) float64 {
	if n < 16 {
		lg, _ := math.Lgamma(n + 1)
		return lg - (n+0.5)*math.Log(n) + n - 0.5*math.Log(2*math.Pi)
	}
	// Stirling series 1/(12n) − 1/(360n³) + …; the first omitted term is below 1e-16
	n2 := n * n
	return (1.0/12 - (1.0/360-(1.0/1260-(1.0/1680-(1.0/1188-691.0/360360/n2)/n2)/n2)/n2)/n2) / n
}

// NormalUpperQuantile returns z with P(N(0,1) > z) = alpha for 0 < alpha ≤ 0.5, and 0 for a larger alpha. It
// applies Newton steps to the logarithm of the tail, which is concave. The result ranks outcomes and sets bets. The
// validity of the limits does not depend on its last digits.
func NormalUpperQuantile(alpha float64) float64 {
	if alpha >= 0.5 {
		return 0
	}
	target := math.Log(alpha)
	z := math.Sqrt(-2 * target) // above the root, so the Newton steps decrease
	for range 100 {
		tail := 0.5 * math.Erfc(z/math.Sqrt2)
		if tail < math.SmallestNonzeroFloat64*1e10 { // erfc underflows here
			return z
		}
		hazard := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / tail
		step := (math.Log(tail) - target) / hazard
		z += step
		if math.Abs(step) < 1e-14*(1+z) {
			break
		}
	}
	return z
}
