package bounds

import "math"

// This file has the formulas of Wang & Xu 2019, with the constants that follow from their proofs. Arguments must be
// finite and in the stated domains. Otherwise the results are NaN.

// ConcentratedConstant is c = 2(1+√2)². With it, the noise of eq. (3) is (ε, δ)-DP for 0 < ε ≤ ln(1/δ). T steps on
// all records are ρ-zCDP with ρ = 2ε²/(c·ln(1/δ)) (Bun & Steinke 2016, Propositions 1.6 and 1.7, sensitivity 2G/n).
// For s = √(2/c) and ε ≤ ln(1/δ), ρ + 2√(ρ·ln(1/δ)) ≤ ε follows from s² + 2s ≤ 1.
const ConcentratedConstant = 2 * (1 + math.Sqrt2) * (1 + math.Sqrt2)

// DescentRatio returns v = nε/√(m·ln(1/δ)), the T of Theorems 2, 4 and 5 without its constant. m is p in Theorem 2
// and ‖C‖₂² + G_C² in Theorems 4 and 5.
func DescentRatio(records, epsilon, delta, m float64) float64 {
	return records * epsilon / math.Sqrt(m*math.Log(1/delta))
}

// VertexRatio returns nε/(√ln(1/δ)·ln(n|A|/η)), the T of Theorem 6 without its constant.
func VertexRatio(records, epsilon, delta, vertices, eta float64) float64 {
	return records * epsilon / (math.Sqrt(math.Log(1/delta)) * math.Log(records*vertices/eta))
}

// Smooth holds the constants of the explicit bounds. F is L-smooth (Smoothness), its values are within Range of the
// minimum, its losses are G-Lipschitz, and the noise follows eq. (3) with Constant.
type Smooth struct{ Smoothness, Lipschitz, Range, Constant float64 }

// noise returns cG²T/v², v = DescentRatio. It is pσ² = E‖ε‖₂² in Theorem 2, and σ²(‖C‖₂² + G_C²) in Theorems 4 and 5.
func (s Smooth) noise(v, steps float64) float64 {
	return s.Constant * s.Lipschitz * s.Lipschitz * steps / (v * v)
}

// DescentSquare returns 8LΔ/(3T) + 4·noise/3, where noise = E‖ε‖². It bounds E‖g_R‖² for Algorithm 1 with γ = 1/(2L)
// after T = steps ≥ 1, and for Algorithm 3 with ‖C‖₂ = 1.
//
// Let d be the step and d₀ the step without noise. By the optimality of x_{k+1} and smoothness (3L/2)‖d‖² ≤
// F^r(x_k) - F^r(x_{k+1}) - ⟨ε, d⟩. As E⟨ε, d₀⟩ = 0 and ‖d - d₀‖ ≤ γ‖ε‖, the last term is at most E‖ε‖²/(2L) in the
// mean; and g = 2Ld. A quadratic of curvature L that starts at its minimum attains the bound as T grows. Algorithm 3
// uses the norm of C and its dual, and E‖ε‖*² ≤ σ²(G_C² + ‖C‖₂²) by Lemma 4.
func (s Smooth) DescentSquare(steps, noise float64) float64 {
	return 8*s.Smoothness*s.Range/(3*steps) + 4*noise/3
}

// DescentBound returns the square root of DescentSquare with the noise of eq. (3), v ≥ 1. At T = ⌈v⌉ it is at most
// √((8LΔ + 8cG²)/3)/√v.
func (s Smooth) DescentBound(v, steps float64) float64 {
	return math.Sqrt(s.DescentSquare(steps, s.noise(v, steps)))
}

// GradientSquare returns 4LΔ/T + noise. Under the conditions of DescentSquare, it bounds the mean squared norm of the
// projected gradient at ∇F(x_R) without noise.
//
// With m(d) = ⟨∇F, d⟩ + L‖d‖² + r(x + d) - r(x), which is minimal at d₀, the step has m(d) ≤ -L‖d₀‖² + ⟨ε, d₀ - d⟩ -
// L‖d - d₀‖², whose last two terms are at most ‖ε‖²/(4L).
func (s Smooth) GradientSquare(steps, noise float64) float64 {
	return 4*s.Smoothness*s.Range/steps + noise
}

// GradientBound returns the square root of GradientSquare with the noise of eq. (3). At T = ⌈v⌉ it is at most √(4LΔ +
// 2cG²)/√v.
func (s Smooth) GradientBound(v, steps float64) float64 {
	return math.Sqrt(s.GradientSquare(steps, s.noise(v, steps)))
}

// GapBound returns Δ√v/T + G√(cT)/v + 2L/√v. It bounds the mean gap of Algorithm 2 after T = steps ≥ 1 with γ = 1/√v,
// v ≥ 1, and ‖C‖₂ = 1. At T = ⌈v⌉ it is at most (Δ + G√(2c) + 2L)/√v.
//
// One step gives γG_t ≤ F(x_t) - F(x_{t+1}) + γ⟨ε, v* - v_t⟩ + Lγ²(2‖C‖₂)²/2 for the best v*, which is independent of
// ε; hence E[G_R] ≤ Δ/(Tγ) + σG_C + 2Lγ‖C‖₂², where σG_C ≤ G√(cT)/v.
func (s Smooth) GapBound(v, steps float64) float64 {
	return s.Range*math.Sqrt(v)/steps + math.Sqrt(s.noise(v, steps)) + 2*s.Smoothness/math.Sqrt(v)
}

// VertexBound returns Δ/√(2T) + 2√2·L/√T + 8√2·G√T/v. It bounds the mean gap of Algorithm 4 with the exponential
// mechanism after T = steps ≥ 2, for v = VertexRatio ≥ 1, n ≥ eη, ‖C‖₁ = ‖C‖₂ = 1 and γ = √(2/T). The mean error of a
// selection is (2Δu/ε₀)(ln|A| + 1) (Lemma 3, integrated), with Δu = 2G/n and ε₀ = ε/√(8T·ln(1/δ)). With probability
// 1 - η no selection error exceeds (2Δu/ε₀)·ln(T|A|/η). For T ≤ n, the mean over R of the gaps of one run therefore
// also satisfies the bound.
func (s Smooth) VertexBound(v, steps float64) float64 {
	return (s.Range/math.Sqrt2+2*math.Sqrt2*s.Smoothness)/math.Sqrt(steps) + 8*math.Sqrt2*s.Lipschitz*math.Sqrt(steps)/v
}

// PopulationBound returns √(G²p·log(τ/β)·log(n)/n) + √(8LΔ/(3T) + cG²T/(3v²)) with ratio = τ/β, the middle of eq. (5)
// with explicit constants. It bounds E‖∇P(x_R)‖, where P is the population risk and the mean is over n records and
// over Algorithm 1 without regularizer on R^p, with T = ⌈v⌉, v = DescentRatio ≥ 1 and γ = 1/(2L). It holds for
// distributions with at most 4p atoms of equal probability, n ≥ 13 and τ/β ≥ 5.
//
// The noise has mean 0 and C is R^p. One step therefore gives (3/(8L))·E‖∇F(x_k)‖² ≤ E[F(x_k) - F(x_{k+1})] +
// pσ²/(8L), which leads to the second term. ‖∇P - ∇F‖ is at most G times the ℓ1 distance between the frequencies and
// the probabilities of the atoms. The mean of this distance is at most √((4p-1)/n).
func (s Smooth) PopulationBound(records, epsilon, delta, dim, ratio float64) float64 {
	v := DescentRatio(records, epsilon, delta, dim)
	steps := math.Ceil(v)
	privacy := math.Sqrt(8*s.Smoothness*s.Range/(3*steps) + s.noise(v, steps)/3)
	return s.Lipschitz*math.Sqrt(dim*math.Log(ratio)*math.Log(records)/records) + privacy
}
