// Package guarantee defines privacy guarantees: pure and approximate DP, zero-concentrated DP, Rényi DP, Gaussian
// DP and privacy curves. All audits state their claims as a [Guarantee].
//
// A guarantee bounds the output distributions P and Q at any two neighboring inputs, in either order. The package
// answers three questions about it:
//
//   - Which (ε, δ) does it imply? [Guarantee.HockeyStick] returns the privacy curve δ(ε), and [Guarantee.TradeOff]
//     the trade-off function of hypothesis tests.
//   - Which parameter does an event with probabilities P(S) = p and Q(S) = q require?
//     [Guarantee.FromProbabilities] returns the divergence of the two Bernoulli distributions, a lower bound on
//     the divergence of P and Q by the data-processing inequality.
//   - Which violations should a test detect? [Guarantee.Small] and [Guarantee.Large] define a small violation
//     (1.25 ε by default) and a large one (ε + 1).
//
// For example, GaussianDP(1).HockeyStick(1) is 0.127, and ApproximateDP(1, 0).FromProbabilities(0.6, 0.1) is ln 6.
//
// The methods require a valid guarantee: call [Guarantee.Check] first.
package guarantee

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical/sequential"
)

// Guarantee is a privacy definition with its parameters. It applies to the output distributions P and Q at any two
// neighboring inputs, in either order. The zero value is not a valid guarantee.
type Guarantee struct {
	notion notion
	value  float64 // ε, ρ, Rényi divergence, μ, or factor on a curve
	delta  float64 // δ of (ε, δ)-DP
	order  float64 // order of Rényi DP
	curve  *curve
}

type notion int

const (
	noNotion notion = iota
	approximateDP
	zeroConcentratedDP
	renyiDP
	gaussianDP
	curveDP
)

// ApproximateDP returns the guarantee (ε, δ)-DP: P(S) ≤ e^ε Q(S) + δ for every event S (Dwork et al. 2006), with ε
// ≥ 0 and δ in [0, 1). Pure DP has δ = 0.
func ApproximateDP(epsilon, delta float64) Guarantee {
	return Guarantee{notion: approximateDP, value: epsilon, delta: delta}
}

// ZeroConcentratedDP returns the guarantee ρ-zCDP: the Rényi divergence D_α(P‖Q) is at most ρα for all orders α > 1
// (Bun & Steinke 2016), with ρ ≥ 0.
func ZeroConcentratedDP(rho float64) Guarantee {
	return Guarantee{notion: zeroConcentratedDP, value: rho}
}

// RenyiDP returns the guarantee (α, ε)-RDP: the Rényi divergence D_α(P‖Q) is at most ε at one order α > 1 (Mironov
// 2017), with ε ≥ 0.
func RenyiDP(order, epsilon float64) Guarantee {
	return Guarantee{notion: renyiDP, value: epsilon, order: order}
}

// GaussianDP returns the guarantee μ-GDP: no test of P against Q is more powerful than the best test of N(0,1)
// against N(μ,1) (Dong, Roth & Su 2022), with μ ≥ 0.
func GaussianDP(mu float64) Guarantee { return Guarantee{notion: gaussianDP, value: mu} }

// Value returns the claimed parameter: ε, ρ, the bound ε on the Rényi divergence, μ, or the factor on a curve.
func (g Guarantee) Value() float64 { return g.value }

// Delta returns the δ of (ε, δ)-DP, and 0 for other privacy definitions.
func (g Guarantee) Delta() float64 { return g.delta }

// At returns the δ of (ε, δ)-DP, the order of Rényi DP, and 0 for other privacy definitions.
func (g Guarantee) At() float64 { return g.delta + g.order }

// IsApproximate reports whether the guarantee is pure or approximate DP.
func (g Guarantee) IsApproximate() bool { return g.notion == approximateDP }

// Approximate returns the ε and δ of pure or approximate DP, and ok = false for other privacy definitions.
func (g Guarantee) Approximate() (epsilon, delta float64, ok bool) {
	return g.value, g.delta, g.notion == approximateDP
}

// Gaussian returns the μ of Gaussian DP, and ok = false for other privacy definitions.
func (g Guarantee) Gaussian() (mu float64, ok bool) { return g.value, g.notion == gaussianDP }

// Quantity returns the name of the parameter that Value returns, with its δ or order, for example "privacy loss ε
// at δ = 1e-05".
func (g Guarantee) Quantity() string {
	switch g.notion {
	case zeroConcentratedDP:
		return "zCDP parameter ρ"
	case renyiDP:
		return fmt.Sprintf("Rényi divergence of order %g", g.order)
	case gaussianDP:
		return "GDP parameter μ"
	case curveDP:
		return "factor on ε and δ of the claimed curve"
	}
	if g.delta > 0 {
		return fmt.Sprintf("privacy loss ε at δ = %g", g.delta)
	}
	return "privacy loss ε"
}

// String returns the short form of the guarantee, for example "(1, 1e-05)-DP".
func (g Guarantee) String() string {
	switch g.notion {
	case approximateDP:
		if g.delta == 0 {
			return fmt.Sprintf("%g-DP", g.value)
		}
		return fmt.Sprintf("(%g, %g)-DP", g.value, g.delta)
	case zeroConcentratedDP:
		return fmt.Sprintf("%g-zCDP", g.value)
	case renyiDP:
		return fmt.Sprintf("(%g, %g)-RDP", g.order, g.value)
	case gaussianDP:
		return fmt.Sprintf("%g-GDP", g.value)
	case curveDP:
		return g.curve.String()
	}
	return "no guarantee"
}

// Check returns an error that names the parameter outside its domain.
func (g Guarantee) Check() error {
	name := map[notion]string{approximateDP: "ε", zeroConcentratedDP: "ρ", renyiDP: "ε", gaussianDP: "μ"}[g.notion]
	switch {
	case g.notion == curveDP:
		return g.curve.Check()
	case g.notion == noNotion:
		return errors.New("no guarantee is claimed: want ε (and δ), ρ, a Rényi order with its ε, μ, or a curve")
	case !(g.value >= 0 && g.value <= math.MaxFloat64):
		return fmt.Errorf("claimed %s = %v: want a finite number of at least 0", name, g.value)
	case g.notion == approximateDP && !(g.delta >= 0 && g.delta < 1):
		return fmt.Errorf("claimed δ = %v: want a number in [0, 1)", g.delta)
	case g.notion == renyiDP && !(g.order > 1 && g.order <= math.MaxFloat64):
		return fmt.Errorf("claimed Rényi order %v: want a finite number above 1", g.order)
	}
	return nil
}

// With returns the guarantee with another value.
func (g Guarantee) With(value float64) Guarantee {
	if g.notion == curveDP && value != g.value {
		g.curve = g.curve.Times(value)
	}
	g.value = value
	return g
}

// HockeyStick returns δ(ε), a δ at which the guarantee implies (ε, δ)-DP. It is in [0, 1] and does not increase in
// ε. An event can refute the guarantee only by violating (ε, δ(ε))-DP. The curve is exact for Gaussian DP and, from
// the claimed ε on, for (ε, δ)-DP. For Rényi DP it is the conversion of Canonne, Kamath & Steinke (2020, Prop. 12),
// and for zCDP that conversion at the best order.
func (g Guarantee) HockeyStick(epsilon float64) float64 {
	switch g.notion {
	case approximateDP:
		if epsilon >= g.value {
			return g.delta
		}
		// Below the claimed ε, the statement about the complement still bounds δ.
		return 1 - (1-g.delta)*math.Exp(epsilon-g.value)
	case gaussianDP:
		return gaussianCurve(g.value, epsilon)
	case renyiDP:
		return fromRenyi(g.order, g.value, epsilon)
	case curveDP:
		return g.curve.Delta(epsilon)
	}
	return fromConcentrated(g.value, epsilon)
}

// Growth returns the expected growth of a bet against the guarantee, in nats per pair of outputs, for outputs in
// cells with probabilities p under one input and q under the other, all positive.
func (g Guarantee) Growth(p, q []float64) float64 { return g.Sequential().Growth(p, q) }

// Sequential returns the claim against which a sequential test bets.
func (g Guarantee) Sequential() sequential.Claim {
	if g.notion == approximateDP {
		return sequential.ApproximateDP(g.value, g.delta)
	}
	if g.notion == curveDP {
		return g.curve.Sequential()
	}
	return sequential.BothOrders(g.HockeyStick)
}

// FromProbabilities returns the smallest parameter of the guarantee that is compatible with an event of
// probabilities p ≥ q: the divergence of Bernoulli(p) and Bernoulli(q), by the data-processing inequality. It
// increases in p and decreases in q. The result is 0 for p ≤ q.
func (g Guarantee) FromProbabilities(p, q float64) float64 {
	if !(p > q) {
		return 0
	}
	switch g.notion {
	case approximateDP:
		if p <= g.delta { // δ permits such an event at every ε
			return 0
		}
		return math.Max(0, logRatio(p-g.delta, q))
	case gaussianDP:
		return math.Max(0, distuv.UnitNormal.Quantile(p)-distuv.UnitNormal.Quantile(q))
	case renyiDP:
		return bernoulliRenyi(p, q, g.order)
	case curveDP:
		return g.curve.Factor(p, q)
	}
	return bernoulliConcentrated(p, q)
}

// maxTangent is the maximum ε of a tested statement. It keeps e^ε finite.
const maxTangent = 600

// Vacuous reports whether the guarantee is so weak that samples can refute none of the (ε, δ) statements that it
// implies up to ε = maxTangent.
func (g Guarantee) Vacuous() bool {
	if g.notion == approximateDP {
		return g.value > maxTangent
	}
	return !(g.HockeyStick(maxTangent) < 1)
}

// Tangent returns the ε of the implied (ε, δ(ε)) statement that an event with probabilities p and q violates most.
// Choose it before drawing the samples that test it.
func (g Guarantee) Tangent(p, q float64) float64 {
	if g.notion == approximateDP {
		return g.value
	}
	best, bestEpsilon := math.Inf(-1), 0.0
	for _, epsilon := range g.candidates(p, q) {
		// Compare in standard errors, because the samples are noisy.
		t := math.Exp(epsilon)
		margin := (p - t*q - g.HockeyStick(epsilon)) / math.Sqrt(p*(1-p)+t*t*q*(1-q)+1e-12)
		if margin > best {
			best, bestEpsilon = margin, epsilon
		}
	}
	if g.notion == curveDP {
		return bestEpsilon
	}
	// A statement with δ = 1 is always true and cannot be tested. Increase ε to the first testable
	// statement, which the guarantee also implies.
	for bestEpsilon < maxTangent && !(g.HockeyStick(bestEpsilon) < 1) {
		bestEpsilon++
	}
	return bestEpsilon
}

// candidates returns the ε among which Tangent chooses. For a curve, its corners suffice.
func (g Guarantee) candidates(p, q float64) []float64 {
	if g.notion == curveDP {
		return g.curve.Epsilons()
	}
	out := make([]float64, 200)
	top := math.Max(1, math.Log(p/math.Max(q, 1e-12))+1) // conversions are valid for ε ≥ 0
	for i := range out {
		out[i] = top * float64(i) / float64(len(out)-1)
	}
	return out
}
