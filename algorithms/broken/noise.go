package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// NewAbsLaplace returns x + |noise|, with noise of the correct scale Δ/ε. Fault: the sign of the noise is lost.
// True ε: ∞, because no output is below x.
func NewAbsLaplace(epsilon, sensitivity float64) (*AdditiveDensity, error) {
	const owner = "absolute laplace"
	scale, err := laplaceScale(owner, epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	return &AdditiveDensity{
		Additive: Additive{owner, func(r *rand.Rand) float64 { return scale * noise.Exponential(r) }},
		logDensity: func(t float64) float64 {
			if t < 0 {
				return math.Inf(-1)
			}
			return -t/scale - math.Log(scale)
		},
	}, nil
}

// NewClippedLaplace returns x plus Laplace noise of the correct scale, clipped to ±bound, bound > 0. Fault: the
// clipping. True ε: ∞, because the atoms at x ± bound and the interval between them move with x.
func NewClippedLaplace(epsilon, sensitivity, bound float64) (*Additive, error) {
	const owner = "clipped laplace"
	scale, err := laplaceScale(owner, epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	if err := domain.Positive(owner, "bound", bound); err != nil {
		return nil, err
	}
	return &Additive{owner, func(r *rand.Rand) float64 {
		return max(-bound, min(bound, scale*noise.Laplace(r)))
	}}, nil
}

// NewUniformNoise returns x plus uniform noise on ±√3·√2·Δ/ε, which has the variance of the correct Laplace noise.
// Fault: the noise distribution. True ε: ∞, because the support moves with x.
func NewUniformNoise(epsilon, sensitivity float64) (*AdditiveDensity, error) {
	const owner = "uniform noise"
	scale, err := laplaceScale(owner, epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	width := math.Sqrt(6) * scale
	return &AdditiveDensity{
		Additive: Additive{owner, func(r *rand.Rand) float64 { return width * (2*r.Float64() - 1) }},
		logDensity: func(t float64) float64 {
			if !(math.Abs(t) <= width) {
				return math.Inf(-1)
			}
			return -math.Log(2 * width)
		},
	}, nil
}

// NewNaiveLaplace returns x plus Laplace noise by inversion of a double-precision uniform number, as in textbooks.
// Fault: rounding (Mironov 2012). The distribution over the real numbers is correct. In double precision the true
// ε is ∞: from x = 0 small outputs are finer than 2⁻⁵³, and from x = 1 all outputs in ±1/2 are multiples of 2⁻⁵³.
func NewNaiveLaplace(epsilon, sensitivity float64) (*Additive, error) {
	const owner = "naive laplace"
	scale, err := laplaceScale(owner, epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	return &Additive{owner, func(r *rand.Rand) float64 {
		u := r.Float64() - 0.5
		for u == -0.5 { // its noise is infinite, which is not the fault under test
			u = r.Float64() - 0.5
		}
		return -scale * math.Copysign(math.Log(1-2*math.Abs(u)), u)
	}}, nil
}

// NewShortGaussian returns the Gaussian mechanism with σ = Δ√(ln(1.25/δ))/ε. Fault: the √2 of Dwork & Roth 2014,
// Theorem A.1, is missing. The true ε at δ is larger, from the exact δ(ε) of Balle & Wang 2018 (1.098 for ε = 1, δ
// = 1e-5).
func NewShortGaussian(epsilon, delta, sensitivity float64) (*mechanism.Gaussian, error) {
	const owner = "short gaussian"
	scale, err := laplaceScale(owner, epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	if !(delta > 0 && delta < 1) {
		return nil, domain.Error(owner, "delta", delta, "in (0, 1)")
	}
	return mechanism.NewGaussian(scale * math.Sqrt(math.Log(1.25/delta)))
}

// NewPureGaussian returns the Gaussian mechanism with σ = Δ/ε, claimed to be ε-DP with δ = 0. Fault: no Gaussian
// mechanism is. True ε: ∞, because the log ratio of the densities grows linearly in the output. A sampling check
// finds a lower bound that depends on its sample size.
func NewPureGaussian(epsilon, sensitivity float64) (*mechanism.Gaussian, error) {
	sigma, err := laplaceScale("pure gaussian", epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	return mechanism.NewGaussian(sigma)
}
