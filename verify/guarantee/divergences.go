package guarantee

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// gaussianCurve returns the privacy curve of μ-GDP, δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), for μ ≥ 0 and ε ≥ 0
// (Dong, Roth & Su 2022, Cor. 2.13). Let a > b be the two arguments of Φ. The normal density φ satisfies e^ε φ(b) =
// φ(a), so factoring out φ(a) avoids an overflow of the power together with an underflow of the tail.
func gaussianCurve(mu, epsilon float64) float64 {
	if mu == 0 {
		return 0
	}
	a, b := mu/2-epsilon/mu, -mu/2-epsilon/mu
	density := math.Exp(-a*a/2) / math.Sqrt(2*math.Pi)
	delta := density * (mills(-a) - mills(-b))
	if a > 0 {
		delta = distuv.UnitNormal.CDF(a) - density*mills(-b)
	}
	return math.Max(0, delta) // rounding must not give a negative δ
}

// mills returns the Mills ratio (1 − Φ(x))/φ(x) for x ≥ 0. It decreases to 0.
func mills(x float64) float64 {
	if x < 30 {
		return math.Sqrt(math.Pi/2) * math.Exp(x*x/2) * math.Erfc(x/math.Sqrt2)
	}
	s := 1 / (x * x) // asymptotic series; the first omitted term, 10395 s⁶, is below 2e-14
	return (1 - s*(1-3*s*(1-5*s*(1-7*s*(1-9*s))))) / x
}

// fromRenyi returns the δ at ε implied by a Rényi divergence r of order α: exp((α−1)(r−ε)) (1−1/α)^α / (α−1), at
// most 1.
func fromRenyi(order, divergence, epsilon float64) float64 {
	rest := order*math.Log1p(-1/order) - math.Log(order-1)
	if order < 2 { // for 1/α near 1, its rounding error would matter
		rest = (order-1)*math.Log(order-1) - order*math.Log(order)
	}
	return math.Min(1, math.Exp((order-1)*(divergence-epsilon)+rest))
}

// logRatio returns ln(a/b) for a > 0, and +Inf for b = 0.
func logRatio(a, b float64) float64 {
	if r := a / b; r <= math.MaxFloat64 {
		return math.Log(r)
	}
	return math.Log(a) - math.Log(b)
}

// bernoulliRenyi returns the Rényi divergence D_α(Bernoulli(p) ‖ Bernoulli(q)) for 0 ≤ q < p ≤ 1.
func bernoulliRenyi(p, q, order float64) float64 {
	// It is ln(p e^((α−1) l) + (1−p) e^((α−1) m))/(α−1), where l > 0 > m are the privacy losses of the two
	// outcomes.
	l, m := logRatio(p, q), math.Log1p(-p)-math.Log1p(-q)
	rate := order - 1
	switch {
	case p == 1 || q == 0:
		return l
	case rate*math.Max(l, -m) < 0.1: // the sum is near 1, so its logarithm needs log1p
		return math.Max(0, math.Log1p(p*math.Expm1(rate*l)+(1-p)*math.Expm1(rate*m))/rate)
	}
	u, v := math.Log(p)/rate+l, math.Log1p(-p)/rate+m // divide first, so that no order overflows
	if u < v {
		u, v = v, u
	}
	return math.Max(0, u+math.Log1p(math.Exp(rate*(v-u)))/rate)
}

// orders is the grid of Rényi orders at which zCDP is evaluated.
var orders = func() (out []float64) {
	for a := 1.01; a < 1e4; a = 1 + (a-1)*1.2 {
		out = append(out, a)
	}
	return out
}()

// fromConcentrated returns the δ at ε implied by ρ-zCDP: the minimum of fromRenyi over the orders α, with
// divergence ρα.
func fromConcentrated(rho, epsilon float64) float64 {
	best := 1.0
	for _, order := range orders {
		best = math.Min(best, fromRenyi(order, rho*order, epsilon))
	}
	return best
}

// bernoulliConcentrated returns the maximum of D_α(Bernoulli(p) ‖ Bernoulli(q))/α over the orders α, for 0 ≤ q < p
// ≤ 1.
func bernoulliConcentrated(p, q float64) float64 {
	worst := 0.0
	for _, order := range orders {
		worst = math.Max(worst, bernoulliRenyi(p, q, order)/order)
	}
	return worst
}
