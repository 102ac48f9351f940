package bounds

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// This file has a lower bound on the gap of descent by private sampling. It refutes upper bounds that are too small.
// A private gradient of norm B moves w by a step of length s_t = R/(λ√t) in the paper's schedule η_t = R/(λB√t), for
// every B. The direction U of the step has the mean βg/L, with β = tanh(ε/2) E|V₁| = L/B for the unbiased B. It has
// the second moments of the uniform distribution, E⟨v, U⟩² = ‖v‖²/d, because U and −U differ only in probability. The
// mean iterate is the mean of w_1, …, w_T.

// GapLowerBoundUnprojected returns a lower bound, in units of LR, on the gap E F(ŵ) − F(w*) of F(w) = a‖w‖ after T =
// updates steps from w_1 = w* = 0 without projection. It chooses the a ≤ L with the largest bound, and slope is a/L.
// d ≥ 1, epsilon and lambda finite and positive, updates ≥ 2, otherwise ErrDomain. Cost: O(updates).
//
// Proof: ŵ = −Σ c_i U_i with c_i = s_i(1 − i/T). The norm of Σ c_i E[U_i|w_i] is at most ρΣc_i, where ρ = βa/L. The
// other part, M = Σ c_i(U_i − E[U_i|w_i]), is a martingale with E‖M‖² = (1−ρ²)Σc_i² and, by its increments, E‖M_i‖⁴ ≤
// E‖M_{i−1}‖⁴ + (2+4/d)c_i²V + 8c_i³ρ√V/d + (1+ρ)²c_i⁴, V = E‖M_{i−1}‖². Hölder's inequality gives E‖M‖ ≥
// (E‖M‖²)^(3/2)/(E‖M‖⁴)^(1/2).
func GapLowerBoundUnprojected(d int, epsilon, lambda float64, updates int) (gap, slope float64, err error) {
	beta, err := pull(d, epsilon, lambda)
	if err != nil {
		return 0, 0, err
	}
	if updates < 2 {
		return 0, 0, fmt.Errorf("%w: updates = %d, want at least 2", ErrDomain, updates)
	}
	spread := func(rho float64) (length, sum float64) {
		var second, fourth float64
		for i := 1; i < updates; i++ {
			c := (1 - float64(i)/float64(updates)) / (lambda * math.Sqrt(float64(i)))
			square := c * c
			fourth += (2+4/float64(d))*square*second + 8*square*c*rho*math.Sqrt(second)/float64(d) +
				(1+rho)*(1+rho)*square*square
			second += square
			sum += c
		}
		return math.Pow((1-rho*rho)*second, 1.5) / math.Sqrt(fourth), sum
	}
	length, sum := spread(0)
	slope = math.Min(1, length/(2*beta*sum))
	length, sum = spread(slope * beta)
	return math.Max(0, slope*(length-slope*beta*sum)), slope, nil
}

// pull returns β, the norm of the mean direction if ‖g‖ = L.
func pull(d int, epsilon, lambda float64) (float64, error) {
	bound, err := PrivateSamplingBound(d, epsilon, 1)
	if err == nil {
		err = numeric.CheckPositive("lambda", lambda)
	}
	return 1 / bound, err
}
