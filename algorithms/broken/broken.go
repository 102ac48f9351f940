// Package broken holds faulty mechanisms for controls. Each has one known fault, which every privacy check must
// detect. A constructor takes the advertised ε, and its comment names the fault and the true ε. The methods are
// the same as in package mechanism.
package broken

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// Additive releases one finite query answer plus noise that does not depend on it.
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

// laplaceScale returns the right scale, Δ/ε, of Laplace noise.
func laplaceScale(owner string, epsilon, sensitivity float64) (float64, error) {
	if err := domain.Positive(owner, "epsilon", epsilon); err != nil {
		return 0, err
	}
	if err := domain.Positive(owner, "sensitivity", sensitivity); err != nil {
		return 0, err
	}
	return sensitivity / epsilon, nil
}

// vectors fills out with releases of x, each as long as x and written by fill.
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
