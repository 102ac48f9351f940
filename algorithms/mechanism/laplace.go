package mechanism

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// Laplace adds Laplace noise to one query answer (Dwork, McSherry, Nissim & Smith 2006). For a query of
// sensitivity Δ it has exactly ε = Δ/scale. The log densities of two answers x and x' differ by at most
// |x-x'|/scale, and by exactly that outside [x, x'].
type Laplace struct{ scale float64 }

// NewLaplace returns the mechanism at a finite scale > 0; else an error that wraps ErrDomain.
func NewLaplace(scale float64) (*Laplace, error) {
	if err := domain.Positive("laplace", "scale", scale); err != nil {
		return nil, err
	}
	return &Laplace{scale: scale}, nil
}

// Release returns x plus noise; x must be finite.
func (m *Laplace) Release(r *rand.Rand, x float64) (float64, error) {
	if err := domain.Finite("laplace", "x", x); err != nil {
		return 0, err
	}
	return x + m.scale*noise.Laplace(r), nil
}

// ReleaseN fills out with independent releases of x.
func (m *Laplace) ReleaseN(r *rand.Rand, x float64, out []float64) error {
	if err := domain.Finite("laplace", "x", x); err != nil {
		return err
	}
	for i := range out {
		out[i] = x + m.scale*noise.Laplace(r)
	}
	return nil
}

// LogDensity returns -|out-x|/scale - log(2·scale).
func (m *Laplace) LogDensity(x, out float64) float64 {
	if domain.Finite("", "", x) != nil {
		return math.NaN()
	}
	return logLaplace(out-x, m.scale)
}

// GridLaplace rounds the release of Laplace to a multiple of grid. By post-processing its privacy is at least the
// privacy of Laplace. Its low-order bits reveal nothing, because every output is a multiple of a power of two that
// is large compared with the rounding error of the sum (the remedy of Mironov 2012, without the clamp).
type GridLaplace struct{ scale, grid float64 }

// NewGridLaplace returns the mechanism at a finite scale > 0 and a grid that is a power of two, at least
// 2⁻²⁰·scale. A finer grid would reveal the resolution of the noise. Other values give an error that wraps
// ErrDomain.
func NewGridLaplace(scale, grid float64) (*GridLaplace, error) {
	const owner = "grid laplace"
	if err := domain.Positive(owner, "scale", scale); err != nil {
		return nil, err
	}
	if err := domain.Positive(owner, "grid", grid); err != nil {
		return nil, err
	}
	if fraction, _ := math.Frexp(grid); fraction != 0.5 || !(grid >= 0x1p-20*scale) {
		return nil, domain.Error(owner, "grid", grid, "a power of two, at least 2^-20 of the scale")
	}
	return &GridLaplace{scale: scale, grid: grid}, nil
}

// check bounds x so that the rounding error of the sum is far below a cell.
func (m *GridLaplace) check(x float64) error {
	if !(math.Abs(x) <= 0x1p+30*m.grid) {
		return domain.Error("grid laplace", "x", x, "|x| <= 2^30·grid")
	}
	return nil
}

// Release returns x plus noise, rounded; |x| ≤ 2³⁰·grid.
func (m *GridLaplace) Release(r *rand.Rand, x float64) (float64, error) {
	if err := m.check(x); err != nil {
		return 0, err
	}
	return m.draw(r, x), nil
}

// ReleaseN fills out with independent releases of x.
func (m *GridLaplace) ReleaseN(r *rand.Rand, x float64, out []float64) error {
	if err := m.check(x); err != nil {
		return err
	}
	for i := range out {
		out[i] = m.draw(r, x)
	}
	return nil
}

func (m *GridLaplace) draw(r *rand.Rand, x float64) float64 {
	// Adding 0 turns -0, whose sign would reveal the sign of the noise, into 0.
	return m.grid*math.RoundToEven((x+m.scale*noise.Laplace(r))/m.grid) + 0
}

// LogDensity returns the log probability of out, a multiple of grid: the probability of the cell out ± grid/2
// under the Laplace distribution.
func (m *GridLaplace) LogDensity(x, out float64) float64 {
	if m.check(x) != nil {
		return math.NaN()
	}
	if steps := out / m.grid; steps != math.Round(steps) {
		return math.Inf(-1)
	}
	near := math.Abs(out-x)/m.scale - m.grid/(2*m.scale)
	width := m.grid / m.scale
	if near >= 0 { // in logs, since the probability may underflow
		return -near + math.Log(-math.Expm1(-width)) - math.Ln2
	}
	return math.Log(laplaceInterval(near, near+width))
}
