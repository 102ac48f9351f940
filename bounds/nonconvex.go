package bounds

import "math"

// This file has the formulas of Wang & Xu 2019: what the theorems print, and what
// their proofs give when the constants are kept. Arguments are finite and in the
// domains named; else the results are NaN.

// ConcentratedConstant is 2(1+√2)², with which eq. (3) is private for 0 < ε ≤ ln(1/δ).
// T steps on all records are ρ-zCDP with ρ = 2ε²/(c·ln(1/δ)) (Bun & Steinke 2016,
// Propositions 1.6 and 1.7, sensitivity 2G/n); with s = √(2/c), ρ + 2√(ρ·ln(1/δ)) ≤ ε
// follows from s² + 2s ≤ 1 where ε ≤ ln(1/δ).
const ConcentratedConstant = 2 * (1 + math.Sqrt2) * (1 + math.Sqrt2)

// DescentRatio is v = nε/√(m·ln(1/δ)), the T of Theorems 2, 4 and 5 without its
// constant: m is p in the first and ‖C‖₂² + G_C² in the others.
func DescentRatio(records, epsilon, delta, m float64) float64 {
	return records * epsilon / math.Sqrt(m*math.Log(1/delta))
}

// VertexRatio is nε/(√ln(1/δ)·ln(n|A|/η)), the T of Theorem 6 without its constant.
func VertexRatio(records, epsilon, delta, vertices, eta float64) float64 {
	return records * epsilon / (math.Sqrt(math.Log(1/delta)) * math.Log(records*vertices/eta))
}

// ProjectedGradientPrinted is eq. (4) without its O: (p·ln(1/δ))^¼/√(nε).
func ProjectedGradientPrinted(records, epsilon, delta, dim float64) float64 {
	return 1 / math.Sqrt(DescentRatio(records, epsilon, delta, dim))
}

// FrankWolfeGapPrinted is eq. (6) without its O, norm = ‖C‖₂ and width = G_C.
func FrankWolfeGapPrinted(records, epsilon, delta, norm, width float64) float64 {
	return norm / math.Sqrt(DescentRatio(records, epsilon, delta, norm*norm+width*width))
}

// MirrorGradientPrinted is eq. (7) without its O, as FrankWolfeGapPrinted.
func MirrorGradientPrinted(records, epsilon, delta, norm, width float64) float64 {
	return norm * math.Sqrt(norm) / math.Sqrt(DescentRatio(records, epsilon, delta, norm*norm+width*width))
}

// VertexGapPrinted is eq. (8) without its O, normL1 = ‖C‖₁.
func VertexGapPrinted(records, epsilon, delta, normL1, vertices, eta float64) float64 {
	l := math.Log(1 / delta)
	return normL1 * math.Sqrt(math.Sqrt(l)*math.Log(records*vertices/eta)/(records*epsilon))
}

// Smooth is what the explicit bounds need to know of F: L-smooth with values within
// Range of its least one, from G-Lipschitz losses, noise by eq. (3) with the constant
// C.
type Smooth struct{ Smoothness, Lipschitz, Range, Constant float64 }

// DescentFactor is √(4LΔ + 4cG²): with T = ⌈v⌉, v = DescentRatio ≥ 1, and γ = 1/(2L),
// E‖g_R‖₂ of Algorithm 1 is at most DescentFactor/√v, and so is that of Algorithm 3
// for ‖C‖₂ = 1.
//
// One step gives L‖x_{k+1} - x_k‖² ≤ F^r(x_k) - F^r(x_{k+1}) + ‖ε_k‖²/(2L), by the
// optimality of x_{k+1}, smoothness and ab ≤ La²/2 + b²/(2L); hence E‖g_R‖² ≤ 4LΔ/T +
// 2·E‖ε‖², where E‖ε‖² = pσ² = cG²T/v², and T ≤ 2v. In Algorithm 3 norms are those
// of C and its dual, and E‖ε‖*² ≤ σ²(G_C² + ‖C‖₂²) by Lemma 4.
func (s Smooth) DescentFactor() float64 {
	return math.Sqrt(4*s.Smoothness*s.Range + 4*s.Constant*s.Lipschitz*s.Lipschitz)
}

// GapFactor is Δ + 2G√(2c) + 2L: with T = ⌈v⌉, v ≥ 1, γ = 1/√v and ‖C‖₂ = 1, the mean
// gap of Algorithm 2 is at most GapFactor/√v.
//
// One step gives γG_t ≤ F(x_t) - F(x_{t+1}) + 2γ·max⟨ε, w⟩ + Lγ²(2‖C‖₂)²/2; hence
// E[G_R] ≤ Δ/(Tγ) + 2σG_C + 2Lγ‖C‖₂², where σG_C ≤ G√(2c/v).
func (s Smooth) GapFactor() float64 {
	return s.Range + 2*s.Lipschitz*math.Sqrt(2*s.Constant) + 2*s.Smoothness
}

// VertexFactor is Δ/√2 + 2√2·L + 16G: with T = ⌈v⌉, v = VertexRatio ≥ 1, n ≥ eη, ‖C‖₁ =
// ‖C‖₂ = 1 and γ = √(2/T) the mean gap of Algorithm 4, by the exponential mechanism, is
// at most VertexFactor/√v. Its selection is off by (2Δu/ε₀)(ln|A| + 1) in the mean
// (Lemma 3, integrated), with Δu = 2G/n and ε₀ = ε/√(8T·ln(1/δ)).
func (s Smooth) VertexFactor() float64 {
	return s.Range/math.Sqrt2 + 2*math.Sqrt2*s.Smoothness + 16*s.Lipschitz
}

// PopulationPrinted is the middle of eq. (5) without its O: √(τ²p·log(τ/β)·log(n)/n) +
// (p·log(1/δ))^¼/√(nε).
func PopulationPrinted(records, epsilon, delta, dim, tau, beta float64) float64 {
	return math.Sqrt(tau*tau*dim*math.Log(tau/beta)*math.Log(records)/records) + ProjectedGradientPrinted(records, epsilon, delta, dim)
}

// PopulationShortPrinted is the right of eq. (5) without its O:
// τ√(p·log(τ/β)·log(n)·√log(1/δ)/(nε)).
func PopulationShortPrinted(records, epsilon, delta, dim, tau, beta float64) float64 {
	return tau * math.Sqrt(dim*math.Log(tau/beta)*math.Log(records)*math.Sqrt(math.Log(1/delta))/(records*epsilon))
}
