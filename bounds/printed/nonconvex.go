package printed

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
)

// This file has the formulas of Wang & Xu 2019. Arguments must be finite and in the stated domains. Otherwise the
// results are NaN.

// ProjectedGradient returns eq. (4) without its O: (p·ln(1/δ))^¼/√(nε).
func ProjectedGradient(records, epsilon, delta, dim float64) float64 {
	return 1 / math.Sqrt(bounds.DescentRatio(records, epsilon, delta, dim))
}

// FrankWolfeGap returns eq. (6) without its O, where norm = ‖C‖₂ and width = G_C.
func FrankWolfeGap(records, epsilon, delta, norm, width float64) float64 {
	return norm / math.Sqrt(bounds.DescentRatio(records, epsilon, delta, norm*norm+width*width))
}

// MirrorGradient returns eq. (7) without its O, with the arguments of FrankWolfeGap.
func MirrorGradient(records, epsilon, delta, norm, width float64) float64 {
	return norm * math.Sqrt(norm) / math.Sqrt(bounds.DescentRatio(records, epsilon, delta, norm*norm+width*width))
}

// VertexGap returns eq. (8) without its O, where normL1 = ‖C‖₁.
func VertexGap(records, epsilon, delta, normL1, vertices, eta float64) float64 {
	l := math.Log(1 / delta)
	return normL1 * math.Sqrt(math.Sqrt(l)*math.Log(records*vertices/eta)/(records*epsilon))
}

// Population returns the middle of eq. (5) without its O: √(τ²p·log(τ/β)·log(n)/n) + (p·log(1/δ))^¼/√(nε).
func Population(records, epsilon, delta, dim, tau, beta float64) float64 {
	return math.Sqrt(tau*tau*dim*math.Log(tau/beta)*math.Log(records)/records) +
		ProjectedGradient(records, epsilon, delta, dim)
}

// PopulationShort returns the right side of eq. (5) without its O: τ√(p·log(τ/β)·log(n)·√log(1/δ)/(nε)).
func PopulationShort(records, epsilon, delta, dim, tau, beta float64) float64 {
	return tau * math.Sqrt(dim*math.Log(tau/beta)*math.Log(records)*math.Sqrt(math.Log(1/delta))/(records*epsilon))
}
