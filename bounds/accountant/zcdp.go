package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// ZCDP is a guarantee of ρ-zero-concentrated DP, Rho ≥ 0: the Rényi divergence is at most ρα at every order α > 1 (Bun
// & Steinke 2016).
type ZCDP struct{ Rho float64 }

// Curve returns the Rényi curve ρ(1 + β).
func (z ZCDP) Curve() Curve { return func(beta float64) float64 { return z.Rho * (1 + beta) } }

// EpsilonClassical returns ρ + 2√(ρ log(1/δ)) for 0 < delta ≤ 1 (Bun & Steinke 2016, Proposition 1.3).
func (z ZCDP) EpsilonClassical(delta float64) float64 {
	return z.Rho + 2*math.Sqrt(-z.Rho*math.Log(delta))
}

// Epsilon brackets the smallest ε at δ that follows from ρ-zCDP. Upper is the best known bound (Tight, over all real
// orders). Lower is the exact ε of the Gaussian mechanism with this ρ.
func (z ZCDP) Epsilon(delta float64) (Bracket, error) {
	if !(z.Rho >= 0) || !(delta >= 0 && delta <= 1) {
		return Bracket{}, event.DomainError("zCDP with ρ = %v at δ = %v", z.Rho, delta)
	}
	exact, err := GDP{math.Sqrt(2 * z.Rho)}.Epsilon(delta)
	if err != nil || z.Rho == 0 || delta == 0 {
		return exact, err
	}
	e, _ := Tight.Epsilon(z.Curve(), delta)
	return sealedEpsilon("zcdp", Bracket{math.Min(exact.Lower, e), e, e * (1 + 1e-13)}, nil)
}

// LogDelta returns the log of the best known bound of δ at ε ≥ 0 that follows from ρ-zCDP.
func (z ZCDP) LogDelta(epsilon float64) float64 {
	if z.Rho == 0 {
		return math.Inf(-1)
	}
	l, _ := Tight.LogDelta(z.Curve(), epsilon)
	return l
}

// Delta brackets the smallest δ at ε ≥ 0 that follows from ρ-zCDP. Its ends are like those of Epsilon.
func (z ZCDP) Delta(epsilon float64) (Bracket, error) {
	exact, err := GDP{math.Sqrt(2 * z.Rho)}.Delta(epsilon)
	if err != nil || z.Rho == 0 {
		return exact, err
	}
	l := z.LogDelta(epsilon)
	b := deltaFromLog(l, 1e-12+1e-15*math.Abs(l))
	b.Lower = math.Min(exact.Lower, b.Estimate)
	return sealedDelta("zcdp", b, nil)
}
