package bounds

import "math"

// DimensionFactorBound returns √(2d). It bounds printed.DimensionFactor(d) for
// every d ≥ 1: Γ(x+½)/Γ(x) < √x by the log-convexity of Γ (Gautschi 1959), at
// x = d/2.
func DimensionFactorBound(d int) float64 { return math.Sqrt(2 * float64(d)) }

// Gap returns (2λ²+1)/λ · RB/√T: what the proof of Theorem 1 gives once eq. (23) has the
// diameter 2R of the ball in the place of R. It bounds the expected gap of the mean
// iterate of projected subgradient descent with η_t = R/(λB√t) and unbiased steps of norm
// B, over any minimiser in the ball.
func Gap(lambda, radius, bound, updates float64) float64 {
	return (2*lambda*lambda + 1) / lambda * radius * bound / math.Sqrt(updates)
}

// StepSize returns η_t = R/(λB√t) of Theorem 1.
func StepSize(lambda, radius, bound, t float64) float64 {
	return radius / (lambda * bound * math.Sqrt(t))
}

// FirstTerm is the first term of eq. (25) over T: printed.FirstTerm has η_T where
// this has 1/η_T.
func FirstTerm(lambda, radius, bound, updates float64) float64 {
	return radius * radius / (2 * updates * StepSize(lambda, radius, bound, updates))
}

// RateOrder returns (λ + 1/λ) e^ε √d/(ε√T), the order of Theorem 1's bound in all its
// parameters: the two differ by a factor between ½ and 2 times LR√π.
func RateOrder(d int, epsilon, lambda, updates float64) float64 {
	return (lambda + 1/lambda) * math.Exp(epsilon) * math.Sqrt(float64(d)) / (epsilon * math.Sqrt(updates))
}
