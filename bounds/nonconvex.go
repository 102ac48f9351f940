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
	return math.Sqrt(4*s.Smoothness*s.Range + 4*s.noise())
}

// noise is cG², of which pσ² = cG²T/v² is made.
func (s Smooth) noise() float64 { return s.Constant * s.Lipschitz * s.Lipschitz }

// DescentBound is √(4LΔ/T + 2cG²T/v²), the bound of DescentFactor at any T = steps ≥ 1.
func (s Smooth) DescentBound(v, steps float64) float64 {
	return math.Sqrt(4*s.Smoothness*s.Range/steps + 2*s.noise()*steps/(v*v))
}

// GradientFactor is √(8LΔ + 12cG²): under the terms of DescentFactor the mean norm of the
// projected gradient at ∇F(x_R) itself is at most GradientFactor/√v. The step without noise
// ends within γ‖ε‖ of the one with it, so that its square is at most 2‖g_R‖² + 2‖ε‖².
func (s Smooth) GradientFactor() float64 {
	return math.Sqrt(8*s.Smoothness*s.Range + 12*s.noise())
}

// GapFactor is Δ + 2G√(2c) + 2L: with T = ⌈v⌉, v ≥ 1, γ = 1/√v and ‖C‖₂ = 1, the mean
// gap of Algorithm 2 is at most GapFactor/√v.
//
// One step gives γG_t ≤ F(x_t) - F(x_{t+1}) + 2γ·max⟨ε, w⟩ + Lγ²(2‖C‖₂)²/2; hence
// E[G_R] ≤ Δ/(Tγ) + 2σG_C + 2Lγ‖C‖₂², where σG_C ≤ G√(2c/v).
func (s Smooth) GapFactor() float64 {
	return s.Range + 2*s.Lipschitz*math.Sqrt(2*s.Constant) + 2*s.Smoothness
}

// GapBound is Δ√v/T + 2G√(cT)/v + 2L/√v, the bound of GapFactor at any T = steps ≥ 1, with
// the same γ.
func (s Smooth) GapBound(v, steps float64) float64 {
	return s.Range*math.Sqrt(v)/steps + 2*s.Lipschitz*math.Sqrt(s.Constant*steps)/v + 2*s.Smoothness/math.Sqrt(v)
}

// VertexFactor is Δ/√2 + 2√2·L + 16G: with T = ⌈v⌉, v = VertexRatio ≥ 1, n ≥ eη, ‖C‖₁ =
// ‖C‖₂ = 1 and γ = √(2/T) the mean gap of Algorithm 4, by the exponential mechanism, is
// at most VertexFactor/√v. Its selection is off by (2Δu/ε₀)(ln|A| + 1) in the mean
// (Lemma 3, integrated), with Δu = 2G/n and ε₀ = ε/√(8T·ln(1/δ)).
func (s Smooth) VertexFactor() float64 {
	return s.Range/math.Sqrt2 + 2*math.Sqrt2*s.Smoothness + 16*s.Lipschitz
}

// VertexBound is Δ/√(2T) + 2√2·L/√T + 8√2·G√T/v, the bound of VertexFactor at any T = steps ≥ 2.
func (s Smooth) VertexBound(v, steps float64) float64 {
	return (s.Range/math.Sqrt2+2*math.Sqrt2*s.Smoothness)/math.Sqrt(steps) + 8*math.Sqrt2*s.Lipschitz*math.Sqrt(steps)/v
}

// PopulationBound is the middle of eq. (5) with the constants that a proof gives, for laws with
// 4p atoms of equal probability, n ≥ 13 and τ/β ≥ 5: in the mean over n records
// and over Algorithm 1 without regulariser on R^p, T = ⌈v⌉, v = DescentRatio ≥ 1, γ = 1/(2L),
// E‖∇P(x_R)‖ for the population risk P is, with ratio = τ/β, at most
// √(G²p·log(τ/β)·log(n)/n) + √(8LΔ/3 + 2cG²/3)/√v.
//
// The noise has mean 0 and C is R^p: one step gives (3/(8L))·E‖∇F(x_k)‖² ≤ E[F(x_k) -
// F(x_{k+1})] + pσ²/(8L), the second term. And ‖∇P - ∇F‖ is at most G times the ℓ1
// distance of the shares of the atoms from their probabilities, in the mean
// √((4p-1)/n) at most.
func (s Smooth) PopulationBound(records, epsilon, delta, dim, ratio float64) float64 {
	privacy := math.Sqrt((8*s.Smoothness*s.Range+2*s.noise())/3) / math.Sqrt(DescentRatio(records, epsilon, delta, dim))
	return s.Lipschitz*math.Sqrt(dim*math.Log(ratio)*math.Log(records)/records) + privacy
}
