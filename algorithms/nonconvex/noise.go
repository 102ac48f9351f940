package nonconvex

import (
	"fmt"
	"math"
)

// Budget is what the paper's noise formulas are made of.
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

// unit returns G√T/n, the deviation that all formulas multiply.
func (b Budget) unit() float64 {
	return b.Lipschitz * math.Sqrt(float64(b.Steps)) / float64(b.Records)
}

func (b Budget) logDelta() float64 { return math.Log(1 / b.Delta) }

// of returns unit·factor, or the error of a budget outside its domain.
func (b Budget) of(factor func() float64) (float64, error) {
	if err := b.check(); err != nil {
		return 0, err
	}
	sigma := b.unit() * factor()
	if !finite(sigma) {
		return 0, fmt.Errorf("nonconvex: the noise of %+v is %v: outside the range of float64", b, sigma)
	}
	return sigma, nil
}

// NoiseTheorem1 returns σ of eq. (3), σ² = c·G²T·ln(1/δ)/(n²ε²). The paper knows
// that a constant c exists and not which: constant > 0.
func NoiseTheorem1(b Budget, constant float64) (float64, error) {
	if !(constant > 0 && constant <= math.MaxFloat64) {
		return 0, fmt.Errorf("nonconvex: constant is %v: need a finite number above 0", constant)
	}
	return b.of(func() float64 { return math.Sqrt(constant*b.logDelta()) / b.Epsilon })
}

// Rho returns the ρ > 0 with ρ + 2√(ρ·log(1/δ)) = ε (Algorithm 1, line 3):
// (√(log(1/δ)+ε) - √log(1/δ))², without its cancellation. epsilon > 0, 0 < delta < 1;
// else NaN.
func Rho(epsilon, delta float64) float64 {
	l := math.Log(1 / delta)
	root := epsilon / (math.Sqrt(l+epsilon) + math.Sqrt(l))
	if !(epsilon > 0 && l > 0) {
		return math.NaN()
	}
	return root * root
}

// NoiseStep3 returns σ of Algorithm 1, line 3, to the letter: σ² = 2L²T/(n²ρ²). L is
// the smoothness in the rest of the paper; Budget.Lipschitz takes whichever is meant.
func NoiseStep3(b Budget) (float64, error) {
	return b.of(func() float64 { return math.Sqrt2 / Rho(b.Epsilon, b.Delta) })
}

// NoiseConcentrated returns σ of the closed form after Remark 1, which has ρ where line
// 3 has ρ²: σ² = 2L²T/(n²(√(log(1/δ)+ε) - √log(1/δ))²).
func NoiseConcentrated(b Budget) (float64, error) {
	return b.of(func() float64 { return math.Sqrt(2 / Rho(b.Epsilon, b.Delta)) })
}

// NoiseZhang returns σ of Zhang et al. 2017 as the text after Remark 1 prints it,
// σ² = 32·ln(1/δ)·ln(T/δ)/(n²ε²), with G² put in. It lacks the T that T steps on all
// records need; withSteps puts it in too.
func NoiseZhang(b Budget, withSteps bool) (float64, error) {
	return b.of(func() float64 {
		sigma := math.Sqrt(32*b.logDelta()*(math.Log(float64(b.Steps))+b.logDelta())) / b.Epsilon
		if !withSteps {
			sigma /= math.Sqrt(float64(b.Steps))
		}
		return sigma
	})
}

// maxOrder is the largest order of a moment that the accountant of Abadi et al. 2016
// tries.
const maxOrder = 32

// NoiseMoments returns the σ of Wang, Ye & Xu 2017, whose constant the moments
// accountant of Abadi et al. 2016 determines: the least σ such that at an order λ in
// 1, …, 32 the log moment T·λ(λ+1)(2G/n)²/(2σ²), with all records in each step, is at
// most λε - ln(1/δ). An error where no order reaches δ: λε must exceed ln(1/δ).
func NoiseMoments(b Budget) (float64, error) {
	return b.of(func() float64 {
		best := math.Inf(1)
		for order := 1.0; order <= maxOrder; order++ {
			if room := order*b.Epsilon - b.logDelta(); room > 0 {
				best = math.Min(best, math.Sqrt(2*order*(order+1)/room))
			}
		}
		return best
	})
}

// StepEpsilon returns the ε/√(8T·ln(1/δ)) that Lemma 1 gives each of the T selections of
// Algorithm 4.
func StepEpsilon(b Budget) (float64, error) {
	if err := b.check(); err != nil {
		return 0, err
	}
	return b.Epsilon / math.Sqrt(8*float64(b.Steps)*b.logDelta()), nil
}

// ScoreSensitivity returns 2G‖C‖₁/n, by which the score -⟨v, ∇F⟩ of a vertex moves
// where one of n records is replaced, for a loss that is G-Lipschitz in the ℓ1 norm.
func ScoreSensitivity(lipschitz, normL1 float64, records int) float64 {
	return 2 * lipschitz * normL1 / float64(records)
}
