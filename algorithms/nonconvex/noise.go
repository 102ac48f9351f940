package nonconvex

import (
	"fmt"
	"math"
)

// Budget holds the arguments of the paper's noise formulas.
type Budget struct {
	Epsilon, Delta float64 // ε > 0; 0 < δ < 1
	Steps, Records int     // T ≥ 1 and n ≥ 1
	Lipschitz      float64 // G > 0 in the ℓ2 norm
}

func (b Budget) check() error {
	if !(b.Epsilon > 0 && b.Epsilon <= math.MaxFloat64) {
		return fmt.Errorf("nonconvex: Epsilon is %v: need a finite number above 0", b.Epsilon)
	}
	if !(b.Delta > 0 && b.Delta < 1) {
		return fmt.Errorf("nonconvex: Delta is %v: need a number between 0 and 1", b.Delta)
	}
	if b.Steps < 1 || b.Records < 1 {
		return fmt.Errorf("nonconvex: Steps %d, Records %d: need at least 1 of each", b.Steps, b.Records)
	}
	if !(b.Lipschitz > 0 && b.Lipschitz <= math.MaxFloat64) {
		return fmt.Errorf("nonconvex: Lipschitz is %v: need a finite number above 0", b.Lipschitz)
	}
	return nil
}

// unit returns G√T/n, the standard deviation that all formulas multiply.
func (b Budget) unit() float64 {
	return b.Lipschitz * math.Sqrt(float64(b.Steps)) / float64(b.Records)
}

func (b Budget) logDelta() float64 { return math.Log(1 / b.Delta) }

// sigma returns unit·factor, or an error if the budget is outside its domain or the result is not finite.
func (b Budget) sigma(factor func() float64) (float64, error) {
	if err := b.check(); err != nil {
		return 0, err
	}
	sigma := b.unit() * factor()
	if !finite(sigma) {
		return 0, fmt.Errorf("nonconvex: the noise of %+v is %v: outside the range of float64", b, sigma)
	}
	return sigma, nil
}

// NoiseTheorem1 returns σ of eq. (3), σ² = c·G²T·ln(1/δ)/(n²ε²). The paper proves that a constant c exists but
// does not state it. constant = c must be finite and > 0.
func NoiseTheorem1(b Budget, constant float64) (float64, error) {
	if !(constant > 0 && constant <= math.MaxFloat64) {
		return 0, fmt.Errorf("nonconvex: constant is %v: need a finite number above 0", constant)
	}
	return b.sigma(func() float64 { return math.Sqrt(constant*b.logDelta()) / b.Epsilon })
}

// Rho returns the ρ > 0 with ρ + 2√(ρ·log(1/δ)) = ε (Algorithm 1, line 3): (√(log(1/δ)+ε) - √log(1/δ))², computed
// without cancellation. It requires epsilon > 0 and 0 < delta < 1, and returns NaN for other values.
func Rho(epsilon, delta float64) float64 {
	l := math.Log(1 / delta)
	root := epsilon / (math.Sqrt(l+epsilon) + math.Sqrt(l))
	if !(epsilon > 0 && l > 0) {
		return math.NaN()
	}
	return root * root
}

// NoiseStep3 returns σ of the literal line 3 of Algorithm 1: σ² = 2L²T/(n²ρ²). In the rest of the paper L is the
// smoothness. Budget.Lipschitz is used for L here.
func NoiseStep3(b Budget) (float64, error) {
	return b.sigma(func() float64 { return math.Sqrt2 / Rho(b.Epsilon, b.Delta) })
}

// NoiseConcentrated returns σ of the closed form after Remark 1, σ² = 2L²T/(n²(√(log(1/δ)+ε) - √log(1/δ))²). It
// has ρ where line 3 has ρ².
func NoiseConcentrated(b Budget) (float64, error) {
	return b.sigma(func() float64 { return math.Sqrt(2 / Rho(b.Epsilon, b.Delta)) })
}

// NoiseZhang returns σ of Zhang et al. 2017 as printed after Remark 1, σ² = 32·ln(1/δ)·ln(T/δ)/(n²ε²), times G². T
// steps on all records need a further factor T, which the printed formula lacks; withSteps adds it.
func NoiseZhang(b Budget, withSteps bool) (float64, error) {
	return b.sigma(func() float64 {
		sigma := math.Sqrt(32*b.logDelta()*(math.Log(float64(b.Steps))+b.logDelta())) / b.Epsilon
		if !withSteps {
			sigma /= math.Sqrt(float64(b.Steps))
		}
		return sigma
	})
}

// maxOrder is the largest moment order that the accountant of Abadi et al. 2016 tries.
const maxOrder = 32

// NoiseMoments returns the σ of Wang, Ye & Xu 2017 with the constant from the moments accountant of Abadi et al.
// 2016. It is the smallest σ for which, at some order λ in 1, …, 32, the log moment T·λ(λ+1)(2G/n)²/(2σ²), with
// all records in each step, is at most λε - ln(1/δ). It returns an error if no order reaches δ, because λε must
// exceed ln(1/δ).
func NoiseMoments(b Budget) (float64, error) {
	return b.sigma(func() float64 {
		best := math.Inf(1)
		for order := 1.0; order <= maxOrder; order++ {
			if room := order*b.Epsilon - b.logDelta(); room > 0 {
				best = math.Min(best, math.Sqrt(2*order*(order+1)/room))
			}
		}
		return best
	})
}

// StepEpsilon returns ε/√(8T·ln(1/δ)), which Lemma 1 allots to each of the T selections of Algorithm 4.
func StepEpsilon(b Budget) (float64, error) {
	if err := b.check(); err != nil {
		return 0, err
	}
	return b.Epsilon / math.Sqrt(8*float64(b.Steps)*b.logDelta()), nil
}

// ScoreSensitivity returns 2G‖C‖₁/n, the sensitivity of the score -⟨v, ∇F⟩ of a vertex if one of n records is
// replaced, for a loss that is G-Lipschitz in the ℓ1 norm.
func ScoreSensitivity(lipschitz, normL1 float64, records int) float64 {
	return 2 * lipschitz * normL1 / float64(records)
}
