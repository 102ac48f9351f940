package printed

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
)

// The formulas of Wang & Xu 2019. Arguments are finite and in the domains named; else the results are NaN.

// ProjectedGradient is eq. (4) without its O: (p·ln(1/δ))^¼/√(nε).
func ProjectedGradient(records, epsilon, delta, dim float64) float64 {
	return 1 / math.Sqrt(bounds.DescentRatio(records, epsilon, delta, dim))
}

// FrankWolfeGap is eq. (6) without its O, norm = ‖C‖₂ and width = G_C.
func FrankWolfeGap(records, epsilon, delta, norm, width float64) float64 {
	return norm / math.Sqrt(bounds.DescentRatio(records, epsilon, delta, norm*norm+width*width))
}

// MirrorGradient is eq. (7) without its O, as FrankWolfeGap.
func MirrorGradient(records, epsilon, delta, norm, width float64) float64 {
	return norm * math.Sqrt(norm) / math.Sqrt(bounds.DescentRatio(records, epsilon, delta, norm*norm+width*width))
}

// VertexGap is eq. (8) without its O, normL1 = ‖C‖₁.
func VertexGap(records, epsilon, delta, normL1, vertices, eta float64) float64 {
	l := math.Log(1 / delta)
	return normL1 * math.Sqrt(math.Sqrt(l)*math.Log(records*vertices/eta)/(records*epsilon))
}

// Population is the middle of eq. (5) without its O: √(τ²p·log(τ/β)·log(n)/n) +
// (p·log(1/δ))^¼/√(nε).
func Population(records, epsilon, delta, dim, tau, beta float64) float64 {
	return math.Sqrt(tau*tau*dim*math.Log(tau/beta)*math.Log(records)/records) +
		ProjectedGradient(records, epsilon, delta, dim)
}

// PopulationShort is the right of eq. (5) without its O:
// τ√(p·log(τ/β)·log(n)·√log(1/δ)/(nε)).
func PopulationShort(records, epsilon, delta, dim, tau, beta float64) float64 {
	return tau * math.Sqrt(dim*math.Log(tau/beta)*math.Log(records)*math.Sqrt(math.Log(1/delta))/(records*epsilon))
}
