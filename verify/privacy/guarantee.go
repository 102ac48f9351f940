package privacy

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Guarantee is a privacy guarantee in one of the field's currencies. The zero
// value is none.
type Guarantee struct {
	currency currency
	value    float64 // ε, ρ, the Rényi divergence, or μ
	second   float64 // δ, or the Rényi order
}

type currency int

const (
	noCurrency currency = iota
	approximateDP
	zeroConcentratedDP
	renyiDP
	gaussianDP
)

// ApproximateDP is (ε, δ)-DP: P(S) ≤ e^ε Q(S) + δ on every event. ε ≥ 0, δ in [0, 1);
// pure DP is δ = 0.
func ApproximateDP(epsilon, delta float64) Guarantee {
	return Guarantee{approximateDP, epsilon, delta}
}

// ZeroConcentratedDP is ρ-zCDP: D_α(P‖Q) ≤ ρα for all α > 1 (Bun & Steinke 2016). ρ ≥ 0.
func ZeroConcentratedDP(rho float64) Guarantee { return Guarantee{zeroConcentratedDP, rho, 0} }

// RenyiDP is (α, ε)-RDP: D_α(P‖Q) ≤ ε (Mironov 2017). Order α > 1, ε ≥ 0.
func RenyiDP(order, epsilon float64) Guarantee { return Guarantee{renyiDP, epsilon, order} }

// GaussianDP is μ-GDP: P and Q are no easier to tell apart than N(0,1) and N(μ,1)
// (Dong, Roth & Su 2022). μ ≥ 0.
func GaussianDP(mu float64) Guarantee { return Guarantee{gaussianDP, mu, 0} }

// Value is the number that is claimed: ε, ρ, the Rényi divergence, or μ.
func (g Guarantee) Value() float64 { return g.value }

// Quantity is what Value is a value of.
func (g Guarantee) Quantity() string {
	switch g.currency {
	case zeroConcentratedDP:
		return "zCDP parameter ρ"
	case renyiDP:
		return fmt.Sprintf("Rényi divergence of order %g", g.second)
	case gaussianDP:
		return "GDP parameter μ"
	}
	if g.second > 0 {
		return fmt.Sprintf("privacy loss ε at δ = %g", g.second)
	}
	return "privacy loss ε"
}

// String names the guarantee: "(1, 1e-05)-DP".
func (g Guarantee) String() string {
	switch g.currency {
	case approximateDP:
		if g.second == 0 {
			return fmt.Sprintf("%g-DP", g.value)
		}
		return fmt.Sprintf("(%g, %g)-DP", g.value, g.second)
	case zeroConcentratedDP:
		return fmt.Sprintf("%g-zCDP", g.value)
	case renyiDP:
		return fmt.Sprintf("(%g, %g)-RDP", g.second, g.value)
	case gaussianDP:
		return fmt.Sprintf("%g-GDP", g.value)
	}
	return "no guarantee"
}

// Check names the parameter that is out of its domain.
func (g Guarantee) Check() error {
	name := map[currency]string{approximateDP: "ε", zeroConcentratedDP: "ρ", renyiDP: "ε", gaussianDP: "μ"}[g.currency]
	switch {
	case g.currency == noCurrency:
		return errors.New("no guarantee is claimed: give ε (and δ), ρ, a Rényi order with its ε, or μ")
	case !(g.value >= 0 && g.value <= math.MaxFloat64):
		return fmt.Errorf("claimed %s = %v: want a finite number of at least 0", name, g.value)
	case g.currency == approximateDP && !(g.second >= 0 && g.second < 1):
		return fmt.Errorf("claimed δ = %v: want a number in [0, 1)", g.second)
	case g.currency == renyiDP && !(g.second > 1 && g.second <= math.MaxFloat64):
		return fmt.Errorf("claimed Rényi order %v: want a finite number above 1", g.second)
	}
	return nil
}

// with is the guarantee at another value.
func (g Guarantee) with(value float64) Guarantee {
	g.value = value
	return g
}

// hockeyStick bounds the δ at which the guarantee implies (ε, δ)-DP: the curve on
// which an event can refute it; in [0, 1], and falling. Exact for (ε, δ)-DP from its own ε
// on and for Gaussian DP; for Rényi DP the
// conversion of Canonne, Kamath & Steinke (2020, Prop. 12), at the best order for zCDP.
func (g Guarantee) hockeyStick(epsilon float64) float64 {
	switch g.currency {
	case approximateDP:
		if epsilon >= g.value {
			return g.second
		}
		// Below the claimed ε the event's complement still bounds it.
		return 1 - (1-g.second)*math.Exp(epsilon-g.value)
	case gaussianDP:
		return gaussianCurve(g.value, epsilon)
	case renyiDP:
		return fromRenyi(g.second, g.value, epsilon)
	}
	best := 1.0
	for _, order := range orders {
		best = math.Min(best, fromRenyi(order, g.value*order, epsilon))
	}
	return best
}

// gaussianCurve is Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), μ ≥ 0, ε ≥ 0 (Dong, Roth & Su 2022,
// Cor. 2.13). With densities φ of the two arguments a > b, e^ε φ(b) = φ(a): neither a
// power overflows nor a tail underflows where the other does.
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
	return math.Max(0, delta) // nothing may come out a rounding below 0
}

// mills is (1 − Φ(x))/φ(x), x ≥ 0; 0 at infinity. It falls.
func mills(x float64) float64 {
	if x < 30 {
		return math.Sqrt(math.Pi/2) * math.Exp(x*x/2) * math.Erfc(x/math.Sqrt2)
	}
	s := 1 / (x * x) // the asymptotic series: its next term, 10395 s⁶, is below 2e-14
	return (1 - s*(1-3*s*(1-5*s*(1-7*s*(1-9*s))))) / x
}

// fromRenyi is exp((α−1)(r−ε)) (1−1/α)^α / (α−1).
func fromRenyi(order, divergence, epsilon float64) float64 {
	rest := order*math.Log1p(-1/order) - math.Log(order-1)
	if order < 2 { // where 1/α is near 1, its rounding would show
		rest = (order-1)*math.Log(order-1) - order*math.Log(order)
	}
	return math.Min(1, math.Exp((order-1)*(divergence-epsilon)+rest))
}

// orders at which zCDP is evaluated.
var orders = func() (out []float64) {
	for a := 1.01; a < 1e4; a = 1 + (a-1)*1.2 {
		out = append(out, a)
	}
	return out
}()

// ofMasses is the least value of the guarantee's parameter with which an event of
// masses p and q is compatible, p ≥ q: by the data-processing inequality, the
// divergence of the two Bernoulli laws. It grows in p and falls in q.
func (g Guarantee) ofMasses(p, q float64) float64 {
	if !(p > q) {
		return 0
	}
	switch g.currency {
	case approximateDP:
		if p <= g.second { // δ alone allows for it
			return 0
		}
		return math.Max(0, logRatio(p-g.second, q))
	case gaussianDP:
		return math.Max(0, distuv.UnitNormal.Quantile(p)-distuv.UnitNormal.Quantile(q))
	case renyiDP:
		return bernoulliRenyi(p, q, g.second)
	}
	worst := 0.0
	for _, order := range orders {
		worst = math.Max(worst, bernoulliRenyi(p, q, order)/order)
	}
	return worst
}

// logRatio is ln(a/b), a > 0; +Inf at b = 0.
func logRatio(a, b float64) float64 {
	if r := a / b; r <= math.MaxFloat64 {
		return math.Log(r)
	}
	return math.Log(a) - math.Log(b)
}

// bernoulliRenyi is D_α of Bernoulli(p) from Bernoulli(q), 0 ≤ q < p ≤ 1.
func bernoulliRenyi(p, q, order float64) float64 {
	// ln(p e^((α−1) l) + (1−p) e^((α−1) m))/(α−1), with the losses l > 0 > m of both outcomes.
	l, m := logRatio(p, q), math.Log1p(-p)-math.Log1p(-q)
	rate := order - 1
	switch {
	case p == 1 || q == 0:
		return l
	case rate*math.Max(l, -m) < 0.1: // the sum is near 1, and its logarithm is divided by little
		return math.Max(0, math.Log1p(p*math.Expm1(rate*l)+(1-p)*math.Expm1(rate*m))/rate)
	}
	u, v := math.Log(p)/rate+l, math.Log1p(-p)/rate+m // divided first: no order overflows
	if u < v {
		u, v = v, u
	}
	return math.Max(0, u+math.Log1p(math.Exp(rate*(v-u)))/rate)
}

// maxTangent keeps e^ε finite.
const maxTangent = 600

// saysNothing of a guarantee so weak that none of the (ε, δ) statements it implies, up to
// ε = maxTangent, can be refuted by samples.
func (g Guarantee) saysNothing() bool {
	if g.currency == approximateDP {
		return g.value > maxTangent
	}
	return !(g.hockeyStick(maxTangent) < 1)
}

// tangent chooses the ε of the (ε, δ(ε)) statement that an event of masses p and q
// violates most. It is chosen before the samples that test it.
func (g Guarantee) tangent(p, q float64) float64 {
	if g.currency == approximateDP {
		return g.value
	}
	best, at := math.Inf(-1), 0.0
	top := math.Max(1, math.Log(p/math.Max(q, 1e-12))+1) // conversions speak of ε ≥ 0
	for i := range 200 {
		epsilon := top * float64(i) / 199
		// In standard errors, so that the noise of the sample counts.
		t := math.Exp(epsilon)
		margin := (p - t*q - g.hockeyStick(epsilon)) / math.Sqrt(p*(1-p)+t*t*q*(1-q)+1e-12)
		if margin > best {
			best, at = margin, epsilon
		}
	}
	// A statement at δ = 1 says nothing, and no test takes it: further out there is
	// one, which the guarantee implies as well.
	for at < maxTangent && !(g.hockeyStick(at) < 1) {
		at++
	}
	return at
}
