package accountant

import "math"

// LaplaceEpsilon returns the exact ε at δ of one Laplace mechanism that is
// epsilon0-DP: δ(ε) = 1 − e^{(ε−ε₀)/2}, so ε = ε₀ + 2·log(1 − δ), not below 0.
// epsilon0 ≥ 0, 0 ≤ delta ≤ 1.
func LaplaceEpsilon(epsilon0, delta float64) (Bracket, error) {
	if !(epsilon0 >= 0 && !math.IsInf(epsilon0, 1)) || !(delta >= 0 && delta <= 1) {
		return Bracket{}, domainError("Laplace ε for ε₀ = %v at δ = %v", epsilon0, delta)
	}
	e := math.Max(0, epsilon0+2*math.Log1p(-delta))
	// Near δ(0) the difference keeps only an absolute accuracy.
	slack := 4 * unit * epsilon0
	return Bracket{math.Max(0, e-slack), e, e + slack}, nil
}

// LaplaceDelta returns the exact δ at ε ≥ 0 of one epsilon0-DP Laplace mechanism.
func LaplaceDelta(epsilon0, epsilon float64) (Bracket, error) {
	if !(epsilon0 >= 0 && !math.IsInf(epsilon0, 1)) || !(epsilon >= 0) {
		return Bracket{}, domainError("Laplace δ for ε₀ = %v at ε = %v", epsilon0, epsilon)
	}
	return around(math.Max(0, -math.Expm1((epsilon-epsilon0)/2)), 1e-14+2*unit*epsilon0).clampDelta(), nil
}
