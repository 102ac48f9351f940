package numeric

import (
	"math"
)

// stirlingExact[n] = log n! − log(√(2πn)·(n/e)ⁿ) for n = 1 … 15 (n = 0 unused),
// computed with mpmath at 40 digits.
var stirlingExact = [16]float64{
	0,
	0.08106146679532725821967026,
	0.04134069595540929409382208,
	0.02767792568499833914878929,
	0.02079067210376509311152277,
	0.01664469118982119216319487,
	0.01387612882307074799874573,
	0.01189670994589177009505572,
	0.01041126526197209649747857,
	0.009255462182712732917728637,
	0.008330563433362871256469319,
	0.007573675487951840794972024,
	0.006942840107209529865664153,
	0.006408994188004207068439631,
	0.005951370112758847735624416,
	0.00555473355196280137103869,
}

// stirlingError returns log n! minus Stirling's approximation, n ≥ 1. It uses a table up to 15, and beyond that the
// asymptotic series (Loader 2000). Absolute accuracy 1e-16.
func stirlingError(n float64) float64 {
	if n < 16 && n == math.Floor(n) {
		return stirlingExact[int(n)]
	}
	s := 1 / (n * n)
	return (1.0/12 - s*(1.0/360-s*(1.0/1260-s*(1.0/1680-s*(1.0/1188-s*691.0/360360))))) / n
}

// deviance returns x·log(x/m) + m − x ≥ 0 without cancellation near x = m
// (Loader 2000, bd0).
func deviance(x, m float64) float64 {
	if math.Abs(x-m) > 0.1*(x+m) {
		return x*math.Log(x/m) + m - x
	}
	v := (x - m) / (x + m)
	s := (x - m) * v
	e := 2 * x * v
	v2 := v * v
	for j := 3.0; j < 1000; j += 2 {
		e *= v2
		next := s + e/j
		if next == s {
			break
		}
		s = next
	}
	return s
}

// LogBinomial returns log P(X = k) for X ~ Bin(n, p). q = 1 − p is an argument, so that both p and q may be tiny. k
// and n are integers, 0 ≤ k ≤ n, and both probabilities are positive. Absolute accuracy about 1e-15·(1 + |log P|) +
// n·|p + q − 1|, for n up to 1e15 (Loader 2000).
func LogBinomial(n, k, p, q float64) float64 {
	switch {
	case k < 0 || k > n:
		return math.Inf(-1)
	case k == 0:
		return n * logOf(q, p)
	case k == n:
		return n * logOf(p, q)
	}
	c := stirlingError(n) - stirlingError(k) - stirlingError(n-k)
	return c - deviance(k, n*p) - deviance(n-k, n*q) +
		0.5*math.Log(n/(2*math.Pi*k*(n-k)))
}

// logOf returns log p, where q = 1 − p. It uses log1p for p near 1.
func logOf(p, q float64) float64 {
	if q < 0.5 {
		return math.Log1p(-q)
	}
	return math.Log(p)
}

// BinomialTail returns P(X ≥ k) for X ~ Bin(n, p), rounded up. It sums at most 2²⁰ probabilities next to k, in the
// smaller tail, and bounds the others. In the upper tail, probabilities fall at least geometrically. In the lower
// tail, omitted terms only increase the result, because it is a complement.
func BinomialTail(n int64, p, k float64) float64 {
	switch {
	case k > float64(n) || p == 0:
		return 0
	case k <= 0 || p == 1:
		return 1
	}
	const maxTerms = 1 << 20
	trials, total := float64(n), 0.0
	rounding := 1 + 1e-9 + trials*0x1p-51 // log probabilities have an error of n roundings of p + (1 − p)
	mass := func(i float64) float64 { return math.Exp(LogBinomial(trials, i, p, 1-p)) }
	if k <= trials*p {
		for i := k - 1; i >= 0 && i >= k-maxTerms; i-- {
			m := mass(i)
			if total += m; m <= total*1e-12 {
				break
			}
		}
		return math.Max(0, math.Min(1, 1-total*(2-rounding)+1e-15))
	}
	for i := k; i <= trials; i++ {
		m := mass(i)
		total += m
		ratio := (trials - i) / (i + 1) * p / (1 - p) // of the next two probabilities; later ratios are smaller
		if rest := m * ratio / (1 - ratio); ratio < 1 && (rest <= total*1e-17 || i >= k+maxTerms) {
			total += rest
			break
		}
	}
	return math.Min(1, total*rounding+1e-300)
}

// GammaRatio returns Γ(x+½)/Γ(x) for x > 0, with a relative error of a few units in the last place at any x. (The
// difference of two Lgamma loses nine digits at x = 5e5.)
//
// For x ≥ 16 it is √x·exp(−1/(8x) + 1/(192x³) − 1/(640x⁵) + 17/(14336x⁷) − 31/(18432x⁹)), the asymptotic series of ln
// Γ(x+½) − ln Γ(x) (DLMF 5.11.8 at h = ½ minus h = 0). Its next term, 0.0039/x¹¹, is below 3e-16. For x < 16 the
// recurrence Γ(x+½)/Γ(x) = x/(x+½) · Γ(x+3/2)/Γ(x+1) raises x to 16.
func GammaRatio(x float64) float64 {
	product := 1.0
	for ; x < 16; x++ {
		product *= x / (x + 0.5)
	}
	y := 1 / (x * x)
	series := (-1.0/8 + y*(1.0/192+y*(-1.0/640+y*(17.0/14336+y*(-31.0/18432))))) / x
	return product * math.Sqrt(x) * math.Exp(series)
}
