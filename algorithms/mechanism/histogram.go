package mechanism

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// releaseOne implements Release by ReleaseN for outputs that are slices.
func releaseOne[D, E any](r *rand.Rand, d D, releaseN func(*rand.Rand, D, [][]E) error) ([]E, error) {
	var out [1][]E
	if err := releaseN(r, d, out[:]); err != nil {
		return nil, err
	}
	return out[0], nil
}

// NoisyHistogram adds independent Laplace noise to every entry of a vector. For ℓ1 sensitivity Δ it has exactly ε
// = Δ/scale. If a neighbor changes one count by 1, Δ = 1. The benchmark's noisy_hist1 has scale 10 for ε = 0.1;
// its noisy_hist2 has scale 0.1, the inverse by mistake, and therefore ε = 10.
type NoisyHistogram struct{ scale float64 }

// NewNoisyHistogram returns the mechanism at a finite scale > 0; else an error that wraps ErrDomain.
func NewNoisyHistogram(scale float64) (*NoisyHistogram, error) {
	if err := domain.Positive("noisy histogram", "scale", scale); err != nil {
		return nil, err
	}
	return &NoisyHistogram{scale: scale}, nil
}

// Release returns the noisy entries of x in a new slice; x has at least one entry, all finite.
func (m *NoisyHistogram) Release(r *rand.Rand, x []float64) ([]float64, error) {
	return releaseOne(r, x, m.ReleaseN)
}

// ReleaseN fills out with independent releases of x.
func (m *NoisyHistogram) ReleaseN(r *rand.Rand, x []float64, out [][]float64) error {
	if err := domain.Answers("noisy histogram", x); err != nil {
		return err
	}
	for i := range out {
		dst := noise.Resize(out[i], len(x))
		for j, v := range x {
			dst[j] = v + m.scale*noise.Laplace(r)
		}
		out[i] = dst
	}
	return nil
}

// LogDensity returns the sum of the Laplace log densities of the entries.
func (m *NoisyHistogram) LogDensity(x, out []float64) float64 {
	if domain.Answers("", x) != nil || len(out) != len(x) {
		return math.NaN()
	}
	var sum float64
	for i, v := range x {
		sum += logLaplace(out[i]-v, m.scale)
	}
	return sum
}

// PrefixSum adds independent Laplace noise to every answer and releases the running sums of the noisy answers.
// Running sums are invertible, so ε equals the noisy answers' ε: exactly Δ/scale for ℓ1 sensitivity Δ (1.0 for ten
// answers that all differ by 1, at scale 10).
type PrefixSum struct{ noisy NoisyHistogram }

// NewPrefixSum returns the mechanism at a finite scale > 0; else an error that wraps ErrDomain.
func NewPrefixSum(scale float64) (*PrefixSum, error) {
	if err := domain.Positive("prefix sum", "scale", scale); err != nil {
		return nil, err
	}
	return &PrefixSum{noisy: NoisyHistogram{scale: scale}}, nil
}

// Release returns the running sums in a new slice; x has at least one entry, all finite.
func (m *PrefixSum) Release(r *rand.Rand, x []float64) ([]float64, error) {
	return releaseOne(r, x, m.ReleaseN)
}

// ReleaseN fills out with independent releases of x.
func (m *PrefixSum) ReleaseN(r *rand.Rand, x []float64, out [][]float64) error {
	if err := domain.Answers("prefix sum", x); err != nil {
		return err
	}
	for i := range out {
		dst := noise.Resize(out[i], len(x))
		var sum float64
		for j, v := range x {
			sum += v + m.noisy.scale*noise.Laplace(r)
			dst[j] = sum
		}
		out[i] = dst
	}
	return nil
}

// LogDensity returns the log density of the differences of out; the Jacobian is 1.
func (m *PrefixSum) LogDensity(x, out []float64) float64 {
	if domain.Answers("", x) != nil || len(out) != len(x) {
		return math.NaN()
	}
	var before, sum float64
	for i, v := range x {
		sum += logLaplace(out[i]-before-v, m.noisy.scale)
		before = out[i]
	}
	return sum
}
