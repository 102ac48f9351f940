package mechanism

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// Staircase adds staircase noise to an answer of sensitivity 1 (Geng & Viswanath 2014, "The Optimal Mechanism in
// Differential Privacy"). The density is constant on [k, k+γ) and on [k+γ, k+1), and decreases by e^(-ε) per unit
// of distance. It is exactly ε-DP.
type Staircase struct{ epsilon, gamma float64 }

// NewStaircase returns the mechanism at epsilon in [1e-3, 100] and a step of width gamma in (0, 1). γ =
// 1/(1+e^(ε/2)) minimizes the mean magnitude of the noise. Other values give an error that wraps ErrDomain.
func NewStaircase(epsilon, gamma float64) (*Staircase, error) {
	const owner = "staircase"
	if !(epsilon >= 1e-3 && epsilon <= 100) {
		return nil, domain.Error(owner, "epsilon", epsilon, "1e-3..100")
	}
	if !(gamma > 0 && gamma < 1) {
		return nil, domain.Error(owner, "gamma", gamma, "in (0, 1)")
	}
	return &Staircase{epsilon: epsilon, gamma: gamma}, nil
}

// Release returns x plus noise; x must be finite.
func (m *Staircase) Release(r *rand.Rand, x float64) (float64, error) {
	if err := domain.Finite("staircase", "x", x); err != nil {
		return 0, err
	}
	magnitude := math.Floor(noise.Exponential(r) / m.epsilon) // geometric: P(k) ∝ e^(-εk)
	lower := (1 - m.gamma) * math.Exp(-m.epsilon)             // weight of the lower step; the upper step has γ
	if r.Float64()*(m.gamma+lower) < m.gamma {
		magnitude += m.gamma * r.Float64()
	} else {
		magnitude += m.gamma + (1-m.gamma)*r.Float64()
	}
	if r.Uint64()&1 == 1 {
		magnitude = -magnitude
	}
	return x + magnitude, nil
}

// LogDensity returns the log density at out, which is constant on each step.
func (m *Staircase) LogDensity(x, out float64) float64 {
	distance := math.Abs(out - x)
	step := math.Floor(distance)
	if distance-step >= m.gamma {
		step++
	}
	b := math.Exp(-m.epsilon)
	return math.Log((1-b)/(2*(m.gamma+b*(1-m.gamma)))) - m.epsilon*step
}

// DiscreteGaussian adds noise with P(k) ∝ exp(-k²/2σ²) on the integers (Canonne, Kamath & Steinke 2020). Counts of
// sensitivity 1 are (ε, δ)-DP with δ = P(N > εσ²-1/2) - e^ε P(N > εσ²+1/2), and not ε-DP for any ε.
type DiscreteGaussian struct {
	variance, logSum float64
	scale            float64 // scale of the discrete Laplace proposal
	proposal         *DiscreteLaplace
}

// NewDiscreteGaussian returns the mechanism at sigma in [0.05, 1e4]; else an error that wraps ErrDomain.
func NewDiscreteGaussian(sigma float64) (*DiscreteGaussian, error) {
	if !(sigma >= 0.05 && sigma <= 1e4) {
		return nil, domain.Error("discrete gaussian", "sigma", sigma, "0.05..1e4")
	}
	sum := 1.0
	for k := 1.0; k <= 40*sigma; k++ { // beyond 40σ the probabilities are below e⁻⁸⁰⁰
		sum += 2 * math.Exp(-k*k/(2*sigma*sigma))
	}
	scale := math.Floor(sigma) + 1
	proposal, err := NewDiscreteLaplace(1 / scale)
	return &DiscreteGaussian{variance: sigma * sigma, logSum: math.Log(sum), scale: scale, proposal: proposal}, err
}

// Release returns x plus noise by Algorithm 3 of the paper: rejection sampling from a discrete Laplace proposal. x
// must satisfy the limits of DiscreteLaplace.
func (m *DiscreteGaussian) Release(r *rand.Rand, x int) (int, error) {
	for {
		out, err := m.proposal.Release(r, x)
		if err != nil {
			return 0, err
		}
		excess := math.Abs(float64(out-x)) - m.variance/m.scale
		if noise.Exponential(r) > excess*excess/(2*m.variance) {
			return out, nil
		}
	}
}

// LogDensity returns the log probability of out.
func (m *DiscreteGaussian) LogDensity(x, out int) float64 {
	k := float64(out) - float64(x)
	return -k*k/(2*m.variance) - m.logSum
}

// TruncatedLaplace adds Laplace noise of scale 1/ε conditioned on [-A, A], with A = ln(1+(e^ε-1)/2δ)/ε (Geng,
// Ding, Guo & Kumar 2020, "Tight Analysis of Privacy and Utility Tradeoff in Approximate Differential Privacy").
// Answers of sensitivity 1 are exactly (ε, δ)-DP: outputs that only one of two neighbors can release have
// probability δ, and elsewhere the ratio is at most e^ε.
type TruncatedLaplace struct{ epsilon, reach float64 }

// NewTruncatedLaplace returns the mechanism at a finite epsilon > 0 and delta in (0, 1/2). Other values give an
// error that wraps ErrDomain.
func NewTruncatedLaplace(epsilon, delta float64) (*TruncatedLaplace, error) {
	const owner = "truncated laplace"
	if err := domain.Positive(owner, "epsilon", epsilon); err != nil {
		return nil, err
	}
	if !(delta > 0 && delta < 0.5) {
		return nil, domain.Error(owner, "delta", delta, "in (0, 1/2)")
	}
	return &TruncatedLaplace{epsilon: epsilon, reach: math.Log1p(math.Expm1(epsilon)/(2*delta)) / epsilon}, nil
}

// Reach returns A, the largest magnitude of the noise.
func (m *TruncatedLaplace) Reach() float64 { return m.reach }

// Release returns x plus noise; x must be finite.
func (m *TruncatedLaplace) Release(r *rand.Rand, x float64) (float64, error) {
	if err := domain.Finite("truncated laplace", "x", x); err != nil {
		return 0, err
	}
	for {
		if noise := noise.Laplace(r) / m.epsilon; math.Abs(noise) <= m.reach {
			return x + noise, nil
		}
	}
}

// Interval returns the probability of an output in (lo, hi], with full relative accuracy.
func (m *TruncatedLaplace) Interval(x, lo, hi float64) float64 {
	lo, hi = math.Max(lo-x, -m.reach), math.Min(hi-x, m.reach)
	return laplaceInterval(lo*m.epsilon, hi*m.epsilon) / -math.Expm1(-m.reach*m.epsilon)
}

// FoldedLaplace adds Laplace noise and reflects the sum at both ends of [0, top] until it is inside. Reflection is
// post-processing, so answers of sensitivity 1 are 1/scale-DP. If all of [0, top] are inputs, the exact ε is log
// cosh(top/scale) - log cosh((top-1)/scale).
type FoldedLaplace struct{ scale, top float64 }

// NewFoldedLaplace returns the mechanism at scale and top, both finite and > 0; else an error that wraps ErrDomain.
func NewFoldedLaplace(scale, top float64) (*FoldedLaplace, error) {
	const owner = "folded laplace"
	if err := domain.Positive(owner, "scale", scale); err != nil {
		return nil, err
	}
	if err := domain.Positive(owner, "top", top); err != nil {
		return nil, err
	}
	return &FoldedLaplace{scale: scale, top: top}, nil
}

// Release returns a number in [0, top]. x must be in [0, top].
func (m *FoldedLaplace) Release(r *rand.Rand, x float64) (float64, error) {
	if !(x >= 0 && x <= m.top) {
		return 0, domain.Error("folded laplace", "x", x, fmt.Sprintf("0..%v", m.top))
	}
	folded := math.Mod(math.Abs(x+m.scale*noise.Laplace(r)), 2*m.top)
	return math.Min(folded, 2*m.top-folded), nil
}

// LogDensity returns log(cosh((top-u)/b)·cosh(l/b)/(b·sinh(top/b))) for scale b, where l is the smaller and u the
// larger of x and out. It is the log of the sum of the Laplace densities over all reflections of out.
func (m *FoldedLaplace) LogDensity(x, out float64) float64 {
	if !(out >= 0 && out <= m.top) {
		return math.Inf(-1)
	}
	l, u := math.Min(x, out)/m.scale, math.Max(x, out)/m.scale
	top := m.top / m.scale
	logCosh := func(t float64) float64 { return t + math.Log1p(math.Exp(-2*t)) - math.Ln2 }
	logSinh := top + math.Log(-math.Expm1(-2*top)) - math.Ln2
	return logCosh(top-u) + logCosh(l) - logSinh - math.Log(m.scale)
}
