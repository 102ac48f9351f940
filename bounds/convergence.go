package bounds

import "math"

// DimensionFactorBound returns √(2d). It is an upper bound on printed.DimensionFactor(d) for every d ≥ 1, because
// Γ(x+½)/Γ(x) < √x by the log-convexity of Γ (Gautschi 1959), at x = d/2.
func DimensionFactorBound(d int) float64 { return math.Sqrt(2 * float64(d)) }

// Gap returns (2λ²+1)/λ · RB/√T, the bound that follows from the proof of Theorem 1 if eq. (23) uses the diameter 2R
// of the ball instead of R. It bounds the expected gap between the mean iterate and any minimizer in the ball, for
// projected subgradient descent with η_t = R/(λB√t) and unbiased steps of norm B.
func Gap(lambda, radius, bound, updates float64) float64 {
	return (2*lambda*lambda + 1) / lambda * radius * bound / math.Sqrt(updates)
}

// UnprojectedGap returns (2λ + (3+ln T)/(2λ)) · RB/√T. It bounds the same gap as Gap for descent without projection,
// if w_1 and the minimizer are in the ball of radius R. By convexity E‖w_t−w*‖² grows by at most η_s²B² a step. It is
// therefore at most 4R² + (R/λ)²(1+ln T), which replaces 4R² in the sum of eq. (23).
func UnprojectedGap(lambda, radius, bound, updates float64) float64 {
	return (2*lambda + (3+math.Log(updates))/(2*lambda)) * radius * bound / math.Sqrt(updates)
}

// LastGap returns (4λ + 1/λ)(2+ln T) · RB/√T. It bounds the gap of the last iterate under the conditions of Gap
// (Shamir & Zhang 2013, Theorem 2, with the diameter 2R).
func LastGap(lambda, radius, bound, updates float64) float64 {
	return (4*lambda + 1/lambda) * (2 + math.Log(updates)) * radius * bound / math.Sqrt(updates)
}

// SubgradientGap returns LR/√T. It bounds the expected gap of the mean of T iterates of projected stochastic
// subgradient descent, which starts at the center of a ball of radius R and has unbiased subgradients of norm at most
// L and steps R/(L√T) (Shalev-Shwartz & Ben-David 2014, Theorem 14.8).
func SubgradientGap(lipschitz, radius, updates float64) float64 {
	return lipschitz * radius / math.Sqrt(updates)
}

// StepSize returns η_t = R/(λB√t) of Theorem 1.
func StepSize(lambda, radius, bound, t float64) float64 {
	return radius / (lambda * bound * math.Sqrt(t))
}

// RateOrder returns (λ + 1/λ) e^ε √d/(ε√T), the order of Theorem 1's bound in all its parameters. The bound is
// between 0.5 and 2 times LR√π times this order.
func RateOrder(d int, epsilon, lambda, updates float64) float64 {
	return (lambda + 1/lambda) * math.Exp(epsilon) * math.Sqrt(float64(d)) / (epsilon * math.Sqrt(updates))
}
