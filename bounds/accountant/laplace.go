package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// LaplaceEpsilon returns the exact ε at δ of one epsilon0-DP Laplace mechanism. From δ(ε) = 1 − e^{(ε−ε₀)/2} follows ε
// = max(0, ε₀ + 2·log(1 − δ)). The domain is epsilon0 ≥ 0 and 0 ≤ delta ≤ 1.
func LaplaceEpsilon(epsilon0, delta float64) (Bracket, error) {
	if !(epsilon0 >= 0 && !math.IsInf(epsilon0, 1)) || !(delta >= 0 && delta <= 1) {
		return Bracket{}, event.DomainError("Laplace ε for ε₀ = %v at δ = %v", epsilon0, delta)
	}
	e := math.Max(0, epsilon0+2*math.Log1p(-delta))
	// Near δ(0) the difference has only absolute accuracy.
	slack := 8 * unit * epsilon0
	if e == 0 && epsilon0*(1+8*unit)+2*math.Log1p(-delta)*(1-8*unit) <= 0 {
		slack = 0
	}
	return sealedEpsilon("laplace-exact", Bracket{math.Max(0, e-slack), e, e + slack}, nil)
}

// LaplaceDelta returns the exact δ at ε ≥ 0 of one epsilon0-DP Laplace mechanism.
func LaplaceDelta(epsilon0, epsilon float64) (Bracket, error) {
	if !(epsilon0 >= 0 && !math.IsInf(epsilon0, 1)) || !(epsilon >= 0) {
		return Bracket{}, event.DomainError("Laplace δ for ε₀ = %v at ε = %v", epsilon0, epsilon)
	}
	at := func(epsilon float64) float64 { return math.Max(0, -math.Expm1((epsilon-epsilon0)/2)) }
	rounding := 0.0
	if epsilon != epsilon0 {
		rounding = 4 * unit * epsilon0 // rounding error of ε − ε₀, where ε₀ is a quotient
	}
	b := Bracket{at(epsilon+rounding) * (1 - 1e-14), at(epsilon), at(epsilon-rounding) * (1 + 1e-14)}
	return sealedDelta("laplace-exact", b.clampDelta(), nil)
}
