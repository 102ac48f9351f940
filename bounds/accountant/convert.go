package accountant

import "math"

// Curve is a Rényi curve: it returns an upper bound r of the Rényi divergence
// of order 1 + beta, for beta > 0, its own rounding included. It works in beta, not in
// the order, so that orders next to 1 keep their digits.
type Curve func(beta float64) float64

// Conversion turns one point of a Rényi curve into (ε, δ).
type Conversion int

const (
	// Mironov is ε = r + log(1/δ)/(α−1) (Mironov 2017, Proposition 3).
	Mironov Conversion = iota
	// Tight is ε = r + log((α−1)/α) − (log δ + log α)/(α−1) (Canonne, Kamath &
	// Steinke 2020, Proposition 12; Balle et al. 2020), together with
	// δ ≥ √(1 − e^−r) ⇒ ε = 0 (Bretagnolle & Huber 1979).
	Tight
	// pointwise is Tight for measures that may have less mass than 1, without the last part: (x − γ)⁺ is at most a
	// multiple of x^α at every x.
	pointwise
)

// String names the conversion as results do.
func (c Conversion) String() string {
	if c == Mironov {
		return "classical conversion (Mironov 2017)"
	}
	return "best known conversion (Canonne, Kamath & Steinke 2020; Balle et al. 2020)"
}

// unit is the unit roundoff of float64.
const unit = 1.0 / (1 << 53)

// roundings is how many roundings of its largest term a conversion allows for: the
// least value over all orders is taken, so every one must be a bound by itself.
const roundings = 8 * unit

// epsilonAt converts one point of a curve, rounded up; never below 0.
func (c Conversion) epsilonAt(beta, r, logDelta float64) float64 {
	if math.IsInf(r, 1) || math.IsNaN(r) {
		return math.Inf(1)
	}
	gain, loss := -logDelta/beta, 0.0
	if c != Mironov {
		if c == Tight && 2*logDelta*(1+roundings) >= math.Log(-math.Expm1(-r))*(1-roundings) {
			return 0
		}
		// log(α/(α−1)) + log α/(α−1), written in β.
		loss = math.Log1p(1/beta) + math.Log1p(beta)/beta
	}
	return math.Max(0, r+gain-loss+roundings*(r+gain+loss))
}

// logDeltaAt converts one point of a curve at ε, rounded up; never above 0.
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

// The orders searched: 1 + β with β from betaMin to betaMax. δ next to 1 needs
// tiny β, ε next to that of pure DP needs huge ones.
const (
	betaMin = 1e-30
	betaMax = 1e12
)

// Epsilon returns the least ε the conversion proves at δ, over all orders, and
// the β it was found at. 0 ≤ delta ≤ 1; +Inf at δ = 0 unless the curve is 0.
func (c Conversion) Epsilon(curve Curve, delta float64) (epsilon, beta float64) {
	return c.epsilonOf(curve, math.Log(delta))
}

func (c Conversion) epsilonOf(curve Curve, logDelta float64) (epsilon, beta float64) {
	return minimiseOrders(func(beta float64) float64 {
		return c.epsilonAt(beta, curve(beta), logDelta)
	})
}

// LogDelta returns the least log δ the conversion proves at ε ≥ 0, over all
// orders, and the β it was found at.
func (c Conversion) LogDelta(curve Curve, epsilon float64) (logDelta, beta float64) {
	return minimiseOrders(func(beta float64) float64 {
		return c.logDeltaAt(beta, curve(beta), epsilon)
	})
}

// minimiseOrders minimises a function of β that falls, then grows (up to
// plateaus), over log β: a walk from β = 8 by growing strides finds three
// points around the minimum, golden sections with parabolic steps finish.
// Any β gives a valid bound, so a failed search can only be loose.
func minimiseOrders(f func(beta float64) float64) (value, beta float64) {
	at := func(x float64) float64 {
		v := f(math.Exp(x))
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		return v
	}
	lo, hi := math.Log(betaMin), math.Log(betaMax)
	x := math.Log(8)
	fx := at(x)
	left, fleft := x-1, at(x-1)
	right, fright := x+1, at(x+1)
	// Walk while an end is no worse than the middle: over plateaus at +Inf too,
	// where lower orders are the finite ones.
	for step := 1.0; fleft <= fx && left > lo; step *= 1.3 {
		right, fright = x, fx
		x, fx = left, fleft
		left = math.Max(lo, x-step)
		fleft = at(left)
	}
	for step := 1.0; fright < fx && right < hi; step *= 1.3 {
		left, fleft = x, fx
		x, fx = right, fright
		right = math.Min(hi, x+step)
		fright = at(right)
	}
	if fleft < fx {
		x, fx = left, fleft
	}
	if fright < fx {
		x, fx = right, fright
	}
	x, fx = brentMinimum(at, left, x, right, fx)
	return fx, math.Exp(x)
}

// brentMinimum is Brent's minimiser (Brent 1973, chapter 5) on [a, b] started
// at x with value fx, to 1e-7 in x: the minimum is flat, so the value is then
// good to 1e-14.
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
