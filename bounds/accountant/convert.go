package accountant

import "math"

// Curve is a Rényi curve. It returns an upper bound of the Rényi divergence of order 1 + beta for beta > 0, including
// its own rounding error. Its argument is beta instead of the order, so that orders near 1 keep their digits.
type Curve func(beta float64) float64

// Conversion is a rule that converts a point of a Rényi curve to (ε, δ).
type Conversion int

const (
	// Mironov is ε = r + log(1/δ)/(α−1) (Mironov 2017, Proposition 3).
	Mironov Conversion = iota
	// Tight is ε = r + log((α−1)/α) − (log δ + log α)/(α−1) (Canonne, Kamath & Steinke 2020, Proposition 12; Balle et
	// al. 2020). It also uses that δ ≥ √(1 − e^−r) implies ε = 0 (Bretagnolle & Huber 1979).
	Tight
	// pointwise is the first part of Tight, for measures of total probability below 1. It holds because (x − γ)⁺ is at
	// most a multiple of x^α at every x.
	pointwise
)

// String returns the name of the conversion in results.
func (c Conversion) String() string {
	if c == Mironov {
		return "classical conversion (Mironov 2017)"
	}
	return "best known conversion (Canonne, Kamath & Steinke 2020; Balle et al. 2020)"
}

// unit is the unit roundoff of float64.
const unit = 1.0 / (1 << 53)

// roundings bounds the relative rounding error of a conversion. Each order's value must be a bound on its own, because
// the minimum over all orders is returned.
const roundings = 8 * unit

// epsilonAt converts one point of a curve to ε, rounded up and at least 0.
func (c Conversion) epsilonAt(beta, r, logDelta float64) float64 {
	if math.IsInf(r, 1) || math.IsNaN(r) {
		return math.Inf(1)
	}
	gain, loss := -logDelta/beta, 0.0
	if c != Mironov {
		if c == Tight && 2*logDelta*(1+roundings) >= math.Log(-math.Expm1(-r))*(1-roundings) {
			return 0
		}
		// log(α/(α−1)) + log α/(α−1) in terms of β.
		loss = math.Log1p(1/beta) + math.Log1p(beta)/beta
	}
	return math.Max(0, r+gain-loss+roundings*(r+gain+loss))
}

// logDeltaAt converts one point of a curve to log δ at ε, rounded up and at most 0.
func (c Conversion) logDeltaAt(beta, r, epsilon float64) float64 {
	if math.IsInf(r, 1) || math.IsNaN(r) {
		return 0
	}
	l := beta * (r - epsilon)
	size := beta * (r + epsilon)
	if c != Mironov {
		// log(β^β/α^α)
		loss := math.Log1p(beta) + beta*math.Log1p(1/beta)
		l -= loss
		size += loss
	}
	l += roundings * size
	if c == Tight {
		l = math.Min(l, math.Log(-math.Expm1(-r))/2*(1-roundings))
	}
	return math.Min(0, l)
}

// betaMin and betaMax limit the search to orders 1 + β with β between them. δ near 1 needs tiny β. ε close to a pure DP
// guarantee needs huge β.
const (
	betaMin = 1e-30
	betaMax = 1e12
)

// Epsilon returns the smallest ε that the conversion proves at δ over all orders, and its β. The domain is 0 ≤ delta ≤
// 1. The result is +Inf at δ = 0 unless the curve is 0.
func (c Conversion) Epsilon(curve Curve, delta float64) (epsilon, beta float64) {
	return c.epsilonOf(curve, math.Log(delta))
}

func (c Conversion) epsilonOf(curve Curve, logDelta float64) (epsilon, beta float64) {
	return minimiseOrders(func(beta float64) float64 {
		return c.epsilonAt(beta, curve(beta), logDelta)
	})
}

// LogDelta returns the smallest log δ that the conversion proves at ε ≥ 0 over all orders, and its β.
func (c Conversion) LogDelta(curve Curve, epsilon float64) (logDelta, beta float64) {
	return minimiseOrders(func(beta float64) float64 {
		return c.logDeltaAt(beta, curve(beta), epsilon)
	})
}

// minimiseOrders minimizes a function of β that first decreases and then increases, possibly with plateaus. It searches
// over log β: a walk from β = 8 with growing steps finds three points around the minimum, then Brent's method refines
// it. Every β gives a valid bound, so a failed search only loosens the result.
func minimiseOrders(f func(beta float64) float64) (value, beta float64) {
	objective := func(x float64) float64 {
		v := f(math.Exp(x))
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		return v
	}
	lo, hi := math.Log(betaMin), math.Log(betaMax)
	x := math.Log(8)
	fx := objective(x)
	left, fleft := x-1, objective(x-1)
	right, fright := x+1, objective(x+1)
	// Continue while an end is not worse than the middle. This also crosses plateaus at +Inf, since lower orders may be
	// finite.
	for step := 1.0; fleft <= fx && left > lo; step *= 1.3 {
		right, fright = x, fx
		x, fx = left, fleft
		left = math.Max(lo, x-step)
		fleft = objective(left)
	}
	for step := 1.0; fright < fx && right < hi; step *= 1.3 {
		left, fleft = x, fx
		x, fx = right, fright
		right = math.Min(hi, x+step)
		fright = objective(right)
	}
	if fleft < fx {
		x, fx = left, fleft
	}
	if fright < fx {
		x, fx = right, fright
	}
	x, fx = brentMinimum(objective, left, x, right, fx)
	return fx, math.Exp(x)
}

// brentMinimum is Brent's minimizer (Brent 1973, chapter 5) on [a, b]. It starts at x with value fx and stops at a
// tolerance of 1e-7 in x. Near a smooth minimum, the value is then accurate to about 1e-14.
func brentMinimum(f func(float64) float64, a, x, b, fx float64) (float64, float64) {
	const golden, tolerance = 0.3819660112501051, 1e-7
	w, v, fw, fv := x, x, fx, fx
	step, last := 0.0, 0.0
	for range 80 {
		middle := (a + b) / 2
		if math.Abs(x-middle) <= 2*tolerance-(b-a)/2 {
			break
		}
		parabolic := false
		if math.Abs(last) > tolerance {
			r := (x - w) * (fx - fv)
			q := (x - v) * (fx - fw)
			p := (x-v)*q - (x-w)*r
			q = 2 * (q - r)
			if q > 0 {
				p = -p
			}
			q = math.Abs(q)
			if math.Abs(p) < math.Abs(q*last/2) && p > q*(a-x) && p < q*(b-x) {
				last, step, parabolic = step, p/q, true
			}
		}
		if !parabolic {
			if last = b - x; x >= middle {
				last = a - x
			}
			step = golden * last
		}
		u := x + math.Copysign(math.Max(math.Abs(step), tolerance), step)
		fu := f(u)
		if fu <= fx {
			if u >= x {
				a = x
			} else {
				b = x
			}
			v, fv, w, fw, x, fx = w, fw, x, fx, u, fu
			continue
		}
		if u < x {
			a = u
		} else {
			b = u
		}
		if fu <= fw || w == x {
			v, fv, w, fw = w, fw, u, fu
		} else if fu <= fv || v == x || v == w {
			v, fv = u, fu
		}
	}
	return x, fx
}
