package privacy

import (
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// Guarantee is a privacy definition with its parameters, see [guarantee.Guarantee]. It applies to the output
// distributions P and Q at any two neighboring inputs, in either order. The zero value is not a valid guarantee.
type Guarantee = guarantee.Guarantee

// ApproximateDP returns (ε, δ)-DP with ε ≥ 0 and δ in [0, 1), see [guarantee.ApproximateDP]. Pure DP has δ = 0.
func ApproximateDP(epsilon, delta float64) Guarantee { return guarantee.ApproximateDP(epsilon, delta) }

// ZeroConcentratedDP returns ρ-zCDP with ρ ≥ 0, see [guarantee.ZeroConcentratedDP].
func ZeroConcentratedDP(rho float64) Guarantee { return guarantee.ZeroConcentratedDP(rho) }

// RenyiDP returns (α, ε)-RDP at one order α > 1 with ε ≥ 0, see [guarantee.RenyiDP].
func RenyiDP(order, epsilon float64) Guarantee { return guarantee.RenyiDP(order, epsilon) }

// GaussianDP returns μ-GDP with μ ≥ 0, see [guarantee.GaussianDP].
func GaussianDP(mu float64) Guarantee { return guarantee.GaussianDP(mu) }

// CurveDP returns (ε, δ)-DP at every point of a privacy curve, ordered by ε ≥ 0, see [guarantee.CurveDP].
func CurveDP(points ...confidence.Line) Guarantee { return guarantee.CurveDP(points...) }
