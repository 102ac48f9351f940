package logmath

import "math"

// MixtureRatio returns u = q(e^x − 1) and log(1 + u), both to a few roundings
// relative, and x's own rounding.
func MixtureRatio(q, x float64) (u, l float64) {
	if x > 600 {
		l = x + math.Log(q) + math.Log1p((1-q)/q*math.Exp(-x))
		return math.Expm1(l), l
	}
	u = q * math.Expm1(x)
	if u < -0.5 {
		// q > 1/2: 1 − q is exact, and 1 + u would lose its digits.
		return u, math.Log((1 - q) + q*math.Exp(x))
	}
	return u, math.Log1p(u)
}

// Unmix inverts log(1 − q + q·e^x): the loss before sampling of a loss after.
func Unmix(q, x float64) float64 {
	if q == 1 {
		return x
	}
	if x > 30 {
		return x - math.Log(q) + math.Log1p(-(1-q)*math.Exp(-x))
	}
	if x < -0.5 {
		// q > 1/3: next to the least loss, log(1 − q), the difference keeps its digits.
		return math.Log(math.Max(0, math.Exp(x)-(1-q)) / q)
	}
	return math.Log1p(math.Max(-1, math.Expm1(x)/q))
}
