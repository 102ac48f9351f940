package mechanism

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// Gaussian adds N(0, σ²) noise to one query answer. For sensitivity Δ it is (ε, δ)-DP with exactly δ = Φ(Δ/2σ -
// εσ/Δ) - e^ε Φ(-Δ/2σ - εσ/Δ) (Balle & Wang 2018, Theorem 8). It is not ε-DP for any ε, because the log ratio of
// the densities is linear in the output.
type Gaussian struct{ sigma float64 }

// NewGaussian returns the mechanism at a finite standard deviation sigma > 0; else an error that wraps ErrDomain.
func NewGaussian(sigma float64) (*Gaussian, error) {
	if err := domain.Positive("gaussian", "sigma", sigma); err != nil {
		return nil, err
	}
	return &Gaussian{sigma: sigma}, nil
}

// Release returns x plus noise; x must be finite.
func (m *Gaussian) Release(r *rand.Rand, x float64) (float64, error) {
	if err := domain.Finite("gaussian", "x", x); err != nil {
		return 0, err
	}
	return x + m.sigma*noise.Normal(r), nil
}

// ReleaseN fills out with independent releases of x.
func (m *Gaussian) ReleaseN(r *rand.Rand, x float64, out []float64) error {
	if err := domain.Finite("gaussian", "x", x); err != nil {
		return err
	}
	for i := range out {
		out[i] = x + m.sigma*noise.Normal(r)
	}
	return nil
}

// LogDensity returns -(out-x)²/2σ² - log(σ√2π).
func (m *Gaussian) LogDensity(x, out float64) float64 {
	if domain.Finite("", "", x) != nil {
		return math.NaN()
	}
	t := (out - x) / m.sigma
	return -t*t/2 - math.Log(m.sigma) - 0.5*math.Log(2*math.Pi)
}
