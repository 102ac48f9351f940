package broken

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// ReusedNoise adds the same Laplace noise to every coordinate. Fault: one draw for all. True ε: ∞ for two coordinates or
// more, since their differences are released exactly.
type ReusedNoise struct{ scale float64 }

// NewReusedNoise returns the twin at scale Δ/ε, Δ the ℓ1 sensitivity.
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

// NewFixedSeed returns the Laplace mechanism of the right scale whose generator is seeded afresh, with the same seed, for every
// release. Fault: the seed. True ε: ∞, since the noise is a constant. It ignores the generator it is given.
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
