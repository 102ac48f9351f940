package bounds

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Lower bounds on what descent by private sampling reaches, which refute upper bounds that
// are too small. A private gradient of norm B moves w by a step of length s_t = R/(λ√t), in
// the paper's schedule η_t = R/(λB√t), whatever B is; its direction U has the mean βg/L,
// β = tanh(ε/2) E|V₁| = L/B for the unbiased B, and the second moments of the uniform law,
// E⟨v, U⟩² = ‖v‖²/d, as U and −U differ in mass alone. The mean iterate is that of w_1, …, w_T.

// GapLowerBoundUnprojected bounds from below, in units of LR, the gap E F(ŵ) − F(w*) of
// F(w) = a‖w‖ after T = updates steps from w_1 = w* = 0 without projection, at the a ≤ L that
// makes the bound largest; slope is a/L. d ≥ 1, epsilon and lambda finite and positive, updates ≥ 2,
// otherwise ErrDomain. Cost: O(updates).
//
// ŵ = −Σ c_i U_i with c_i = s_i(1 − i/T). Of it, Σ c_i E[U_i|w_i] is at most ρΣc_i long, ρ = βa/L,
// and M = Σ c_i(U_i − E[U_i|w_i]) is a martingale with E‖M‖² = (1−ρ²)Σc_i² and, by its
// increments, E‖M_i‖⁴ ≤ E‖M_{i−1}‖⁴ + (2+4/d)c_i²V + 8c_i³ρ√V/d + (1+ρ)²c_i⁴, V = E‖M_{i−1}‖². Hölder's
// inequality gives E‖M‖ ≥ (E‖M‖²)^(3/2)/(E‖M‖⁴)^(1/2).
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

// pull is β, the length of the mean direction where ‖g‖ = L.
func pull(d int, epsilon, lambda float64) (float64, error) {
	bound, err := PrivateSamplingBound(d, epsilon, 1)
	if err == nil {
		err = numeric.CheckPositive("lambda", lambda)
	}
	return 1 / bound, err
}
