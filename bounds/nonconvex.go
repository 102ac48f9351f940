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

// noise is cG²T/v², v = DescentRatio: pσ², which is E‖ε‖₂², or in Theorems 4 and 5 σ²(‖C‖₂² + G_C²).
func (s Smooth) noise(v, steps float64) float64 {
	return s.Constant * s.Lipschitz * s.Lipschitz * steps / (v * v)
}

// DescentSquare is 8LΔ/(3T) + 4·noise/3: E‖g_R‖² of Algorithm 1 at γ = 1/(2L) after T = steps ≥ 1 is at most
// that, noise = E‖ε‖², and so is that of Algorithm 3 for ‖C‖₂ = 1.
//
// Let d be the step, d₀ the one without noise. By the optimality of x_{k+1} and smoothness (3L/2)‖d‖² ≤
// F^r(x_k) - F^r(x_{k+1}) - ⟨ε, d⟩. As E⟨ε, d₀⟩ = 0 and ‖d - d₀‖ ≤ γ‖ε‖, the last term is at most
// E‖ε‖²/(2L) in the mean; and g = 2Ld. A quadratic of curvature L, from its minimum, attains it as T grows.
// In Algorithm 3 norms are those of C and its dual, and E‖ε‖*² ≤ σ²(G_C² + ‖C‖₂²) by Lemma 4.
func (s Smooth) DescentSquare(steps, noise float64) float64 {
	return 8*s.Smoothness*s.Range/(3*steps) + 4*noise/3
}

// DescentBound is the root of DescentSquare under eq. (3), v ≥ 1. At T = ⌈v⌉ it is at most
// √((8LΔ + 8cG²)/3)/√v.
func (s Smooth) DescentBound(v, steps float64) float64 {
	return math.Sqrt(s.DescentSquare(steps, s.noise(v, steps)))
}

// GradientSquare is 4LΔ/T + noise: under the terms of DescentSquare the mean square of the norm of the
// projected gradient at ∇F(x_R) itself is at most that.
//
// With m(d) = ⟨∇F, d⟩ + L‖d‖² + r(x + d) - r(x), least at d₀, the step has m(d) ≤ -L‖d₀‖² + ⟨ε, d₀ - d⟩ -
// L‖d - d₀‖², whose last two terms are at most ‖ε‖²/(4L).
func (s Smooth) GradientSquare(steps, noise float64) float64 {
	return 4*s.Smoothness*s.Range/steps + noise
}

// GradientBound is the root of GradientSquare under eq. (3). At T = ⌈v⌉ it is at most √(4LΔ + 2cG²)/√v.
func (s Smooth) GradientBound(v, steps float64) float64 {
	return math.Sqrt(s.GradientSquare(steps, s.noise(v, steps)))
}

// GapBound is Δ√v/T + G√(cT)/v + 2L/√v: after T = steps ≥ 1 with γ = 1/√v, v ≥ 1, and ‖C‖₂ = 1, the mean
// gap of Algorithm 2 is at most that. At T = ⌈v⌉ it is at most (Δ + G√(2c) + 2L)/√v.
//
// One step gives γG_t ≤ F(x_t) - F(x_{t+1}) + γ⟨ε, v* - v_t⟩ + Lγ²(2‖C‖₂)²/2 for the best v*, which does not
// know ε; hence E[G_R] ≤ Δ/(Tγ) + σG_C + 2Lγ‖C‖₂², where σG_C ≤ G√(cT)/v.
func (s Smooth) GapBound(v, steps float64) float64 {
	return s.Range*math.Sqrt(v)/steps + math.Sqrt(s.noise(v, steps)) + 2*s.Smoothness/math.Sqrt(v)
}

// VertexBound is Δ/√(2T) + 2√2·L/√T + 8√2·G√T/v: after T = steps ≥ 2, v = VertexRatio ≥ 1, n ≥ eη, ‖C‖₁ =
// ‖C‖₂ = 1 and γ = √(2/T) the mean gap of Algorithm 4, by the exponential mechanism, is
// at most that. Its selection is off by (2Δu/ε₀)(ln|A| + 1) in the mean
// (Lemma 3, integrated), with Δu = 2G/n and ε₀ = ε/√(8T·ln(1/δ)). And with probability 1 - η no selection is
// off by more than (2Δu/ε₀)·ln(T|A|/η), so that for T ≤ n the mean over R of the gaps of a run keeps the bound
// as well.
func (s Smooth) VertexBound(v, steps float64) float64 {
	return (s.Range/math.Sqrt2+2*math.Sqrt2*s.Smoothness)/math.Sqrt(steps) + 8*math.Sqrt2*s.Lipschitz*math.Sqrt(steps)/v
}

// PopulationBound is the middle of eq. (5) with the constants that a proof gives, for laws with
// at most 4p atoms of equal probability, n ≥ 13 and τ/β ≥ 5: in the mean over n records
// and over Algorithm 1 without regulariser on R^p, T = ⌈v⌉, v = DescentRatio ≥ 1, γ = 1/(2L),
// E‖∇P(x_R)‖ for the population risk P is, with ratio = τ/β, at most
// √(G²p·log(τ/β)·log(n)/n) + √(8LΔ/(3T) + cG²T/(3v²)).
//
// The noise has mean 0 and C is R^p: one step gives (3/(8L))·E‖∇F(x_k)‖² ≤ E[F(x_k) -
// F(x_{k+1})] + pσ²/(8L), the second term. And ‖∇P - ∇F‖ is at most G times the ℓ1
// distance of the shares of the atoms from their probabilities, in the mean
// √((4p-1)/n) at most.
func (s Smooth) PopulationBound(records, epsilon, delta, dim, ratio float64) float64 {
	v := DescentRatio(records, epsilon, delta, dim)
	steps := math.Ceil(v)
	privacy := math.Sqrt(8*s.Smoothness*s.Range/(3*steps) + s.noise(v, steps)/3)
	return s.Lipschitz*math.Sqrt(dim*math.Log(ratio)*math.Log(records)/records) + privacy
}
