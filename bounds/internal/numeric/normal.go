package numeric

import (
	"math"
)

// LogSqrt2Pi is log √(2π).
const LogSqrt2Pi = 0.91893853320467274178032973640561763986139747363778

const sqrtHalfPi = 1.2533141373155002512078826424055226265034933703050

// Mills returns Mills' ratio m(t) = (1 − Φ(t))/φ(t) of the standard normal distribution, for every real t; +Inf below
// about −38. Relative accuracy 3e-15 for t ≥ 0.
//
// For t < 5 it is √(π/2)·exp(t²/2)·erfc(t/√2), and for t ≥ 5 Laplace's continued fraction 1/(t + 1/(t + 2/(t + 3/(t +
// …)))) (Abramowitz & Stegun 26.2.14).
func Mills(t float64) float64 {
	if t < 5 {
		return sqrtHalfPi * expHalfSquare(t) * math.Erfc(t/math.Sqrt2)
	}
	return 1 / (t + millsTail(t))
}

// MillsSlope returns g(t) = 1 − t·m(t) = −m′(t) > 0, without the cancellation of 1 − t·m(t) at large t, where g ~
// 1/t². Relative accuracy 2e-14.
func MillsSlope(t float64) float64 {
	if t < 2 {
		return 1 - t*Mills(t)
	}
	r := millsTail(t)
	return r / (t + r)
}

// millsTail returns the continued fraction 1/(t + 2/(t + 3/(t + …))) for t ≥ 2, evaluated backwards. The number n of
// terms was found by experiment, for an error below 1e-16. The error falls like exp(−2t√(2n)).
func millsTail(t float64) float64 {
	n := 10 + math.Floor(600/(t*t))
	r := 0.0
	for k := n; k >= 1; k-- {
		r = k / (t + r)
	}
	return r
}

// expHalfSquare returns exp(t²/2). A fused multiply-add gives the rounding error of the square, which exp would
// magnify.
func expHalfSquare(t float64) float64 {
	s := t * t
	if math.IsInf(s, 0) {
		return math.Inf(1)
	}
	rest := math.FMA(t, t, -s)
	return math.Exp(s/2) * (1 + rest/2)
}

// LogPhi returns log Φ(z), the log of the standard normal distribution function, for every real z. The relative
// accuracy of the logarithm is 1e-14, and 1e-13 for z > 5.
func LogPhi(z float64) float64 {
	switch {
	case z > 5:
		return math.Log1p(-math.Exp(LogPhi(-z)))
	case z > 0:
		return math.Log1p(-math.Erfc(z/math.Sqrt2) / 2)
	case z > -5:
		return math.Log(math.Erfc(-z/math.Sqrt2) / 2)
	default:
		return -z*z/2 - LogSqrt2Pi + math.Log(Mills(-z))
	}
}

// TailPoint returns the z ≥ 0 at which to cut off a normal tail of probability exp(logp), logp ≤ 0. It satisfies 1 −
// Φ(z) ≤ exp(logp), and is within rounding of the smallest such z.
func TailPoint(logp float64) float64 {
	lo, hi := 0.0, 1+math.Sqrt(math.Max(0, -2*logp)) // 1−Φ(z) ≤ exp(−z²/2)/2
	for range 60 {
		mid := (lo + hi) / 2
		if LogPhi(-mid) <= logp {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// MixtureRatio returns u = q(e^x − 1) and l = log(1 + u). The relative error of both is a few roundings, in addition
// to the rounding of x.
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

// Unmix returns the y with log(1 − q + q·e^y) = x: the loss before sampling that corresponds to the loss x after it.
func Unmix(q, x float64) float64 {
	if q == 1 {
		return x
	}
	if x > 30 {
		return x - math.Log(q) + math.Log1p(-(1-q)*math.Exp(-x))
	}
	if x < -0.5 {
		// q > 1/3: near the minimum loss, log(1 − q), the difference keeps its digits.
		return math.Log(math.Max(0, math.Exp(x)-(1-q)) / q)
	}
	return math.Log1p(math.Max(-1, math.Expm1(x)/q))
}

// ProductUp returns a·b, rounded up if it is not exact. A loss rounded down would be wrong at the largest loss, where
// δ drops to 0.
func ProductUp(a, b float64) float64 {
	p := a * b
	if math.FMA(a, b, -p) > 0 {
		p = math.Nextafter(p, math.Inf(1))
	}
	return p
}

// SumUp returns a + b, rounded up if it is not exact.
func SumUp(a, b float64) float64 {
	s := a + b
	if part := s - a; (a-(s-part))+(b-part) > 0 {
		s = math.Nextafter(s, math.Inf(1))
	}
	return s
}
