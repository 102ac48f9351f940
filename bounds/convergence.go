package bounds

import "math"

// DimensionFactorBoundPrinted returns √d, by which eq. (30) of Han et al. 2018
// bounds DimensionFactorPrinted(d).
func DimensionFactorBoundPrinted(d int) float64 { return math.Sqrt(float64(d)) }

// DimensionFactorBound returns √(2d). It bounds DimensionFactorPrinted(d) for
// every d ≥ 1: Γ(x+½)/Γ(x) < √x by the log-convexity of Γ (Gautschi 1959), at
// x = d/2.
func DimensionFactorBound(d int) float64 { return math.Sqrt(2 * float64(d)) }

// PrivateSamplingBoundEstimatePrinted returns the right-hand side of eq. (30),
// L √π (e^ε+1)/ε · √d, which the paper puts above B.
func PrivateSamplingBoundEstimatePrinted(d int, epsilon, lipschitz float64) (float64, error) {
	if err := samplingDomain(d, epsilon, lipschitz); err != nil {
		return 0, err
	}
	return lipschitz * math.Sqrt(math.Pi) * (math.Exp(epsilon) + 1) / epsilon * math.Sqrt(float64(d)), nil
}

// RateConstantPrinted returns k(d)/(LR√π) = √d of Theorem 1.
func RateConstantPrinted(d int) float64 { return math.Sqrt(float64(d)) }

// RateConstantRestrictedPrinted returns k'(d)/(LR√π) = d^{1−1/q} of Corollary 1,
// eq. (32), where 1/p + 1/q = 1. It takes 1/p in [0, ½] (p from 2 to ∞), for
// then 1 − 1/q is 1/p without rounding.
func RateConstantRestrictedPrinted(d int, inverseP float64) float64 {
	return math.Pow(float64(d), inverseP)
}

// RateFactorPrinted returns c(ε, λ) = (λ²+2)(e^ε+1)/(2λε) of Theorem 1, eq. (31), for
// ε > 0 and λ > 0.
func RateFactorPrinted(epsilon, lambda float64) float64 {
	return (lambda*lambda + 2) / (2 * lambda) * (math.Exp(epsilon) + 1) / epsilon
}

// RatePrinted returns the right-hand side of Theorem 1, c(ε, λ) k(d)/√T with
// k(d) = LR√π√d, for T ≥ 1 updates.
func RatePrinted(d int, epsilon, lambda, lipschitz, radius, updates float64) float64 {
	return RateFactorPrinted(epsilon, lambda) * lipschitz * radius * math.Sqrt(math.Pi) * RateConstantPrinted(d) /
		math.Sqrt(updates)
}

// GapPrinted returns (λ²+2)/(2λ) · RB/√T, the bound of eq. (29) before B is bounded.
func GapPrinted(lambda, radius, bound, updates float64) float64 {
	return (lambda*lambda + 2) / (2 * lambda) * radius * bound / math.Sqrt(updates)
}

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

// FirstTermPrinted returns the first term on the right of eq. (27), with η_T where the
// line above has 1/η_T; FirstTerm returns that line: R²/(2Tη_T).
func FirstTermPrinted(lambda, radius, bound, updates float64) float64 {
	return StepSize(lambda, radius, bound, updates) * radius * radius / (2 * updates)
}

// FirstTerm is the first term of eq. (25) over T: see [FirstTermPrinted].
func FirstTerm(lambda, radius, bound, updates float64) float64 {
	return radius * radius / (2 * updates * StepSize(lambda, radius, bound, updates))
}

// RateOrderPrinted returns λ e^ε √d/(ε√T), the order of the rate in Remark 4.
func RateOrderPrinted(d int, epsilon, lambda, updates float64) float64 {
	return lambda * math.Exp(epsilon) * math.Sqrt(float64(d)) / (epsilon * math.Sqrt(updates))
}

// RateOrder returns (λ + 1/λ) e^ε √d/(ε√T), the order of Theorem 1's bound in all its
// parameters: the two differ by a factor between ½ and 2 times LR√π.
func RateOrder(d int, epsilon, lambda, updates float64) float64 {
	return (lambda + 1/lambda) * math.Exp(epsilon) * math.Sqrt(float64(d)) / (epsilon * math.Sqrt(updates))
}

// ThresholdPrinted returns D_th of Algorithm 1 in epoch T ≥ 1: the first threshold less
// μ(√1 + … + √(T−1)).
func ThresholdPrinted(first, decrease float64, epoch int) float64 {
	for t := 1; t < epoch; t++ {
		first -= decrease * math.Sqrt(float64(t))
	}
	return first
}
