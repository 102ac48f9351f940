package broken

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// ReusedNoise adds the same Laplace noise to every coordinate. Fault: one draw for all coordinates. True ε: ∞ for
// at least two coordinates, because their differences are released exactly.
type ReusedNoise struct{ scale float64 }

// NewReusedNoise returns the mechanism at scale Δ/ε, where Δ is the ℓ1 sensitivity.
func NewReusedNoise(epsilon, sensitivity float64) (*ReusedNoise, error) {
	scale, err := laplaceScale("reused noise", epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	return &ReusedNoise{scale: scale}, nil
}

// Release returns x plus noise in a new slice; x has at least one entry, all finite.
func (m *ReusedNoise) Release(r *rand.Rand, x []float64) ([]float64, error) {
	var out [1][]float64
	err := m.ReleaseN(r, x, out[:])
	return out[0], err
}

// ReleaseN fills out with independent releases of x.
func (m *ReusedNoise) ReleaseN(r *rand.Rand, x []float64, out [][]float64) error {
	return vectors("reused noise", x, out, func(dst []float64) {
		noise := m.scale * noise.Laplace(r)
		for i, v := range x {
			dst[i] = v + noise
		}
	})
}

// NewFixedSeed returns the Laplace mechanism at the correct scale, with a generator that is seeded with the same
// seed for every release. It ignores the generator that Release gets. Fault: the seed. True ε: ∞, because the
// noise is constant.
func NewFixedSeed(epsilon, sensitivity float64, seed uint64) (*Additive, error) {
	const owner = "fixed seed"
	scale, err := laplaceScale(owner, epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	return &Additive{owner, func(*rand.Rand) float64 {
		return scale * noise.Laplace(rand.New(rand.NewPCG(seed, seed)))
	}}, nil
}
