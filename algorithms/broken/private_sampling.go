package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// NewDoubledSampling returns private sampling with Q ~ Bernoulli(e^(2ε)/(e^(2ε)+1)). Fault: the choice of the
// half-space uses 2ε instead of ε. True ε: 2ε. With B calibrated for ε, its mean is also too long by the factor
// tanh(ε)/tanh(ε/2).
func NewDoubledSampling(dim int, epsilon, lipschitz, bound float64) (*mechanism.PrivateSampling, error) {
	return mechanism.NewPrivateSampling(dim, 2*epsilon, lipschitz, bound)
}

// RotatedSampling is private sampling whose release is rotated by a fixed angle in the plane of the first two
// coordinates. Fault: the rotation also rotates E[Z|g], so the release is biased for every g with a component in
// that plane. True ε: ε, by post-processing.
type RotatedSampling struct {
	base     *mechanism.PrivateSampling
	sin, cos float64
}

// NewRotatedSampling returns the mechanism for dim ≥ 2 and a finite angle in radians.
func NewRotatedSampling(dim int, epsilon, lipschitz, bound, angle float64) (*RotatedSampling, error) {
	const owner = "rotated sampling"
	if dim < 2 {
		return nil, domain.Error(owner, "dim", dim, ">= 2")
	}
	if err := domain.Finite(owner, "angle", angle); err != nil {
		return nil, err
	}
	base, err := mechanism.NewPrivateSampling(dim, epsilon, lipschitz, bound)
	if err != nil {
		return nil, err
	}
	sin, cos := math.Sincos(angle)
	return &RotatedSampling{base: base, sin: sin, cos: cos}, nil
}

// Sample writes one release of g to dst, with the conditions of mechanism.PrivateSampling.
func (m *RotatedSampling) Sample(r *rand.Rand, g, dst []float64) error {
	if err := m.base.Sample(r, g, dst); err != nil {
		return err
	}
	m.rotate(dst)
	return nil
}

func (m *RotatedSampling) rotate(z []float64) {
	z[0], z[1] = m.cos*z[0]-m.sin*z[1], m.sin*z[0]+m.cos*z[1]
}

// Release returns one release of g in a new slice.
func (m *RotatedSampling) Release(r *rand.Rand, g []float64) ([]float64, error) {
	z, err := m.base.Release(r, g)
	if err != nil {
		return nil, err
	}
	m.rotate(z)
	return z, nil
}

// ReleaseN fills out with independent releases of g.
func (m *RotatedSampling) ReleaseN(r *rand.Rand, g []float64, out [][]float64) error {
	if err := m.base.ReleaseN(r, g, out); err != nil {
		return err
	}
	for _, z := range out {
		m.rotate(z)
	}
	return nil
}
