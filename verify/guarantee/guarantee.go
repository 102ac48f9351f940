// Package guarantee defines privacy guarantees: (ε, δ)-DP, zCDP, RDP and GDP. It converts a guarantee to a privacy
// curve δ(ε), and to limits on the probabilities of an event under two neighbouring inputs.
//
//	guarantee.go     guarantees
//	curve.go         guarantees that are a whole curve of (ε, δ); curve_points.go has its points
//	curve_file.go    curves that are read from CSV files
//	divergences.go   the divergences that the definitions bound
//	sizes.go         sizes of violations
package guarantee

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical/sequential"
)

// Guarantee is a privacy guarantee: a notion of privacy with its parameters. It is about the
// output distributions P and Q at any two neighbouring inputs, in either order. The zero value
// is no guarantee.
type Guarantee struct {
	notion notion
	value  float64 // ε, ρ, the Rényi divergence, μ, or the factor on a curve
	delta  float64 // of (ε, δ)-DP
	order  float64 // of Rényi DP
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

// ApproximateDP is (ε, δ)-DP: P(S) ≤ e^ε Q(S) + δ on every event S (Dwork et al. 2006). ε ≥ 0,
// δ in [0, 1); pure DP is δ = 0.
func ApproximateDP(epsilon, delta float64) Guarantee {
	return Guarantee{notion: approximateDP, value: epsilon, delta: delta}
}

// ZeroConcentratedDP is ρ-zCDP: the Rényi divergence D_α(P‖Q) ≤ ρα for all orders α > 1 (Bun &
// Steinke 2016). ρ ≥ 0.
func ZeroConcentratedDP(rho float64) Guarantee {
	return Guarantee{notion: zeroConcentratedDP, value: rho}
}

// RenyiDP is (α, ε)-RDP: the Rényi divergence D_α(P‖Q) ≤ ε at one order α (Mironov 2017). Order
// α > 1, ε ≥ 0.
func RenyiDP(order, epsilon float64) Guarantee {
	return Guarantee{notion: renyiDP, value: epsilon, order: order}
}

// GaussianDP is μ-GDP: every test of P against Q is no more powerful than the best one of N(0,1)
// against N(μ,1) (Dong, Roth & Su 2022). μ ≥ 0.
func GaussianDP(mu float64) Guarantee { return Guarantee{notion: gaussianDP, value: mu} }

// Value is the claimed parameter: ε, ρ, the bound ε of the Rényi divergence, μ, or the factor on a curve.
func (g Guarantee) Value() float64 { return g.value }

// Delta is the δ of (ε, δ)-DP, and 0 of other notions.
func (g Guarantee) Delta() float64 { return g.delta }

// At is where the value is claimed: the δ of (ε, δ)-DP, the order of Rényi DP, else 0.
func (g Guarantee) At() float64 { return g.delta + g.order }

// IsApproximate tells approximate or pure privacy from other notions.
func (g Guarantee) IsApproximate() bool { return g.notion == approximateDP }

// Approximate is the ε and δ of a guarantee of approximate or pure privacy; not ok of others.
func (g Guarantee) Approximate() (epsilon, delta float64, ok bool) {
	return g.value, g.delta, g.notion == approximateDP
}

// Gaussian is the μ of a guarantee of Gaussian privacy; not ok of others.
func (g Guarantee) Gaussian() (mu float64, ok bool) { return g.value, g.notion == gaussianDP }

// Quantity names the parameter that Value is, with the δ or the order at which it is claimed:
// "privacy loss ε at δ = 1e-05".
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

// String names the guarantee: "(1, 1e-05)-DP".
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

// Check returns an error that names the parameter which is out of its domain.
func (g Guarantee) Check() error {
	name := map[notion]string{approximateDP: "ε", zeroConcentratedDP: "ρ", renyiDP: "ε", gaussianDP: "μ"}[g.notion]
	switch {
	case g.notion == curveDP:
		return g.curve.Check()
	case g.notion == noNotion:
		return errors.New("no guarantee is claimed: give ε (and δ), ρ, a Rényi order with its ε, μ, or a curve")
	case !(g.value >= 0 && g.value <= math.MaxFloat64):
		return fmt.Errorf("claimed %s = %v: want a finite number of at least 0", name, g.value)
	case g.notion == approximateDP && !(g.delta >= 0 && g.delta < 1):
		return fmt.Errorf("claimed δ = %v: want a number in [0, 1)", g.delta)
	case g.notion == renyiDP && !(g.order > 1 && g.order <= math.MaxFloat64):
		return fmt.Errorf("claimed Rényi order %v: want a finite number above 1", g.order)
	}
	return nil
}

// With is the guarantee at another value.
func (g Guarantee) With(value float64) Guarantee {
	if g.notion == curveDP && value != g.value {
		g.curve = g.curve.Times(value)
	}
	g.value = value
	return g
}

// HockeyStick bounds the δ at which the guarantee implies (ε, δ)-DP: the curve on
// which an event can refute it; in [0, 1], and falling. Exact for (ε, δ)-DP from its own ε
// on and for Gaussian DP; for Rényi DP the
// conversion of Canonne, Kamath & Steinke (2020, Prop. 12), at the best order for zCDP.
func (g Guarantee) HockeyStick(epsilon float64) float64 {
	switch g.notion {
	case approximateDP:
		if epsilon >= g.value {
			return g.delta
		}
		// Below the claimed ε the event's complement still bounds it.
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

// Growth is how fast a bet against the guarantee grows, in nats for an output under each of two
// inputs, where the probabilities of the outputs in cells are known, p and q, all positive.
func (g Guarantee) Growth(p, q []float64) float64 { return g.Sequential().Growth(p, q) }

// Sequential is the claim as a stream of samples bets against it.
func (g Guarantee) Sequential() sequential.Claim {
	if g.notion == approximateDP {
		return sequential.ApproximateDP(g.value, g.delta)
	}
	if g.notion == curveDP {
		return g.curve.Sequential()
	}
	return sequential.BothOrders(g.HockeyStick)
}

// FromProbabilities is the least value of the guarantee's parameter with which an event of
// masses p and q is compatible, p ≥ q: by the data-processing inequality, the
// divergence of the two Bernoulli laws. It grows in p and falls in q.
func (g Guarantee) FromProbabilities(p, q float64) float64 {
	if !(p > q) {
		return 0
	}
	switch g.notion {
	case approximateDP:
		if p <= g.delta { // δ alone allows for it
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

// maxTangent keeps e^ε finite.
const maxTangent = 600

// Vacuous of a guarantee so weak that none of the (ε, δ) statements it implies, up to
// ε = maxTangent, can be refuted by samples.
func (g Guarantee) Vacuous() bool {
	if g.notion == approximateDP {
		return g.value > maxTangent
	}
	return !(g.HockeyStick(maxTangent) < 1)
}

// Tangent chooses the ε of the (ε, δ(ε)) statement that an event of masses p and q
// violates most. It is chosen before the samples that test it.
func (g Guarantee) Tangent(p, q float64) float64 {
	if g.notion == approximateDP {
		return g.value
	}
	best, at := math.Inf(-1), 0.0
	for _, epsilon := range g.candidates(p, q) {
		// In standard errors, so that the noise of the sample counts.
		t := math.Exp(epsilon)
		margin := (p - t*q - g.HockeyStick(epsilon)) / math.Sqrt(p*(1-p)+t*t*q*(1-q)+1e-12)
		if margin > best {
			best, at = margin, epsilon
		}
	}
	if g.notion == curveDP {
		return at
	}
	// A statement at δ = 1 says nothing, and no test takes it: further out there is
	// one, which the guarantee implies as well.
	for at < maxTangent && !(g.HockeyStick(at) < 1) {
		at++
	}
	return at
}

// candidates are the ε of the statements of which one is chosen for an event of masses p and q. Those of a curve
// that are worth a test are at its corners.
func (g Guarantee) candidates(p, q float64) []float64 {
	if g.notion == curveDP {
		return g.curve.Epsilons()
	}
	out := make([]float64, 200)
	top := math.Max(1, math.Log(p/math.Max(q, 1e-12))+1) // conversions speak of ε ≥ 0
	for i := range out {
		out[i] = top * float64(i) / float64(len(out)-1)
	}
	return out
}
