package broken

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// EmptyGroup adds Laplace noise to the counts of a histogram but releases the count of an empty group without
// noise. Fault: the special case. True ε: ∞, because 0 is released with probability 1 from count 0 and with
// probability 0 from count 1.
type EmptyGroup struct{ scale float64 }

// NewEmptyGroup returns the mechanism at scale Δ/ε, where Δ is the ℓ1 sensitivity.
func NewEmptyGroup(epsilon, sensitivity float64) (*EmptyGroup, error) {
	scale, err := laplaceScale("empty group", epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	return &EmptyGroup{scale: scale}, nil
}

// Release returns the noisy counts in a new slice; x has at least one entry, all finite.
func (m *EmptyGroup) Release(r *rand.Rand, x []float64) ([]float64, error) {
	var out [1][]float64
	err := m.ReleaseN(r, x, out[:])
	return out[0], err
}

// ReleaseN fills out with independent releases of x.
func (m *EmptyGroup) ReleaseN(r *rand.Rand, x []float64, out [][]float64) error {
	return vectors("empty group", x, out, func(dst []float64) {
		for i, v := range x {
			dst[i] = v
			if v != 0 {
				dst[i] += m.scale * noise.Laplace(r)
			}
		}
	})
}

// ZeroCount is EmptyGroup for a single count, with the same fault and true ε.
type ZeroCount struct{ laplace *mechanism.Laplace }

// NewZeroCount returns the mechanism at scale Δ/ε.
func NewZeroCount(epsilon, sensitivity float64) (*ZeroCount, error) {
	scale, err := laplaceScale("zero count", epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	laplace, err := mechanism.NewLaplace(scale)
	if err != nil {
		return nil, err
	}
	return &ZeroCount{laplace: laplace}, nil
}

// Release returns a finite x plus noise, or 0 for x = 0.
func (m *ZeroCount) Release(r *rand.Rand, x float64) (float64, error) {
	if x == 0 {
		return 0, nil
	}
	return m.laplace.Release(r, x)
}

// ReleaseN fills out with releases of x.
func (m *ZeroCount) ReleaseN(r *rand.Rand, x float64, out []float64) error {
	if x == 0 {
		clear(out)
		return nil
	}
	return m.laplace.ReleaseN(r, x, out)
}

// FullBatch releases the sum of all records plus Laplace noise, claimed to be the sum of a Poisson sample with
// rate q. Fault: it does not sample. Claimed ε: ln(1+q(e^ε-1)) by amplification. True ε: ε, for records in [0, Δ].
type FullBatch struct{ scale, limit float64 }

// NewFullBatch returns the mechanism with noise of scale Δ/ε on the sum of records in [0, Δ], where Δ = limit > 0.
func NewFullBatch(epsilon, limit float64) (*FullBatch, error) {
	scale, err := laplaceScale("full batch", epsilon, limit)
	if err != nil {
		return nil, err
	}
	return &FullBatch{scale: scale, limit: limit}, nil
}

// sum checks the records, if there are any, and adds them up.
func (m *FullBatch) sum(records []float64) (float64, error) {
	var sum float64
	for _, v := range records {
		if !(v >= 0 && v <= m.limit) {
			return 0, domain.Error("full batch", "record", v, "0..limit")
		}
		sum += v
	}
	return sum, nil
}

// Release returns the noisy sum of the records.
func (m *FullBatch) Release(r *rand.Rand, records []float64) (float64, error) {
	var out [1]float64
	err := m.ReleaseN(r, records, out[:])
	return out[0], err
}

// ReleaseN fills out with independent releases.
func (m *FullBatch) ReleaseN(r *rand.Rand, records []float64, out []float64) error {
	sum, err := m.sum(records)
	if err != nil {
		return err
	}
	for i := range out {
		out[i] = sum + m.scale*noise.Laplace(r)
	}
	return nil
}
