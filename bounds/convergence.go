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
