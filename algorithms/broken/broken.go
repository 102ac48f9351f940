// Package broken holds faulty mechanisms for negative controls. Each has one known fault, which every privacy
// check must detect. A constructor takes the claimed ε, and its comment states the fault and the true ε.
// Constructors return an error that wraps mechanism.ErrDomain for parameters outside their domain. The methods are
// the same as in package mechanism.
package broken

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// Additive releases one finite query answer plus independent noise.
type Additive struct {
	owner string
	noise func(*rand.Rand) float64
}

// Release returns x plus noise.
func (m *Additive) Release(r *rand.Rand, x float64) (float64, error) {
	if err := domain.Finite(m.owner, "x", x); err != nil {
		return 0, err
	}
	return x + m.noise(r), nil
}

// ReleaseN fills out with releases of x.
func (m *Additive) ReleaseN(r *rand.Rand, x float64, out []float64) error {
	if err := domain.Finite(m.owner, "x", x); err != nil {
		return err
	}
	for i := range out {
		out[i] = x + m.noise(r)
	}
	return nil
}

// AdditiveDensity is Additive with a known density.
type AdditiveDensity struct {
	Additive
	logDensity func(noise float64) float64
}

// LogDensity returns the log density of the release out of a finite x.
func (m *AdditiveDensity) LogDensity(x, out float64) float64 { return m.logDensity(out - x) }

// laplaceScale returns Δ/ε, the correct scale of Laplace noise.
func laplaceScale(owner string, epsilon, sensitivity float64) (float64, error) {
	if err := domain.Positive(owner, "epsilon", epsilon); err != nil {
		return 0, err
	}
	if err := domain.Positive(owner, "sensitivity", sensitivity); err != nil {
		return 0, err
	}
	return sensitivity / epsilon, nil
}

// vectors fills out with releases of x. Each has the length of x and is written by fill.
func vectors(owner string, x []float64, out [][]float64, fill func(dst []float64)) error {
	if err := domain.Answers(owner, x); err != nil {
		return err
	}
	for i := range out {
		out[i] = noise.Resize(out[i], len(x))
		fill(out[i])
	}
	return nil
}
