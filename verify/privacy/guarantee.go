package privacy

import (
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify/privacy/notion"
)

// Guarantee is a privacy guarantee: a notion of privacy with its parameters. It is about the
// output distributions P and Q at any two neighbouring inputs, in either order. The zero value
// is no guarantee.
type Guarantee = notion.Guarantee

// ApproximateDP is [notion.ApproximateDP]: (ε, δ)-DP, ε ≥ 0, δ in [0, 1); pure DP is δ = 0.
func ApproximateDP(epsilon, delta float64) Guarantee { return notion.ApproximateDP(epsilon, delta) }

// ZeroConcentratedDP is [notion.ZeroConcentratedDP]: ρ-zCDP, ρ ≥ 0.
func ZeroConcentratedDP(rho float64) Guarantee { return notion.ZeroConcentratedDP(rho) }

// RenyiDP is [notion.RenyiDP]: (α, ε)-RDP at one order α > 1, ε ≥ 0.
func RenyiDP(order, epsilon float64) Guarantee { return notion.RenyiDP(order, epsilon) }

// GaussianDP is [notion.GaussianDP]: μ-GDP, μ ≥ 0.
func GaussianDP(mu float64) Guarantee { return notion.GaussianDP(mu) }

// CurveDP is [notion.CurveDP]: (ε, δ)-DP at every point of a privacy curve, by ε ≥ 0.
func CurveDP(points ...confidence.Line) Guarantee { return notion.CurveDP(points...) }
