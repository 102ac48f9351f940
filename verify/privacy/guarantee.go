package privacy

import (
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// Guarantee is a privacy guarantee: a notion of privacy with its parameters. It is about the
// output distributions P and Q at any two neighbouring inputs, in either order. The zero value
// is no guarantee.
type Guarantee = guarantee.Guarantee

// ApproximateDP is [guarantee.ApproximateDP]: (ε, δ)-DP, ε ≥ 0, δ in [0, 1); pure DP is δ = 0.
func ApproximateDP(epsilon, delta float64) Guarantee { return guarantee.ApproximateDP(epsilon, delta) }

// ZeroConcentratedDP is [guarantee.ZeroConcentratedDP]: ρ-zCDP, ρ ≥ 0.
func ZeroConcentratedDP(rho float64) Guarantee { return guarantee.ZeroConcentratedDP(rho) }

// RenyiDP is [guarantee.RenyiDP]: (α, ε)-RDP at one order α > 1, ε ≥ 0.
func RenyiDP(order, epsilon float64) Guarantee { return guarantee.RenyiDP(order, epsilon) }

// GaussianDP is [guarantee.GaussianDP]: μ-GDP, μ ≥ 0.
func GaussianDP(mu float64) Guarantee { return guarantee.GaussianDP(mu) }

// CurveDP is [guarantee.CurveDP]: (ε, δ)-DP at every point of a privacy curve, by ε ≥ 0.
func CurveDP(points ...confidence.Line) Guarantee { return guarantee.CurveDP(points...) }
