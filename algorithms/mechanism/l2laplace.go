package mechanism

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
	"github.com/dpverify/dpverify/internal/rng"
)

// L2Laplace adds noise with density ∝ exp(-‖z‖₂/scale) to a vector in R^d (Chaudhuri, Monteleoni & Sarwate 2011).
// For ℓ2 sensitivity Δ it has exactly ε = Δ/scale by the triangle inequality, attained in the direction of the
// difference. The radius has the distribution Gamma(d, scale), and the direction is uniform.
type L2Laplace struct{ scale float64 }

// NewL2Laplace returns the mechanism at a finite scale > 0; else an error that wraps ErrDomain.
func NewL2Laplace(scale float64) (*L2Laplace, error) {
	if err := domain.Positive("l2 laplace", "scale", scale); err != nil {
		return nil, err
	}
	return &L2Laplace{scale: scale}, nil
}

// Release returns x plus noise in a new slice; x has at least one entry, all finite.
func (m *L2Laplace) Release(r *rand.Rand, x []float64) ([]float64, error) {
	return releaseOne(r, x, m.ReleaseN)
}

// ReleaseN fills out with independent releases of x.
func (m *L2Laplace) ReleaseN(r *rand.Rand, x []float64, out [][]float64) error {
	if err := domain.Answers("l2 laplace", x); err != nil {
		return err
	}
	for i := range out {
		out[i] = noise.Resize(out[i], len(x))
		m.draw(r, x, out[i])
	}
	return nil
}

func (m *L2Laplace) draw(r *rand.Rand, x, dst []float64) {
	var squares float64
	for !(squares > 0 && squares <= math.MaxFloat64) { // otherwise dst has no direction
		for i := range dst {
			dst[i] = rng.Normal(r)
		}
		squares = floats.Dot(dst, dst)
	}
	radius := m.scale * unitGamma(r, len(x)) / math.Sqrt(squares)
	for i, v := range x {
		dst[i] = v + radius*dst[i]
	}
}

// unitGamma returns one draw from Gamma(shape, 1), shape ≥ 1, by the method of Marsaglia & Tsang 2000 without the
// squeeze step. It takes about 1.05 normal and exponential variates for any shape.
func unitGamma(r *rand.Rand, shape int) float64 {
	d := float64(shape) - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		z := noise.Normal(r)
		v := 1 + c*z
		if v <= 0 {
			continue
		}
		v = v * v * v
		if -noise.Exponential(r) < 0.5*z*z+d*(1-v+math.Log(v)) {
			return d * v
		}
	}
}

// LogDensity returns -‖out-x‖/scale - log(scale^d Γ(d) S_d), where S_d = 2π^(d/2)/Γ(d/2) is the surface area of
// the unit sphere.
func (m *L2Laplace) LogDensity(x, out []float64) float64 {
	if domain.Answers("", x) != nil || len(out) != len(x) {
		return math.NaN()
	}
	d := float64(len(x))
	gamma, _ := math.Lgamma(d)
	half, _ := math.Lgamma(d / 2)
	surface := math.Ln2 + d/2*math.Log(math.Pi) - half
	return -floats.Distance(out, x, 2)/m.scale - d*math.Log(m.scale) - gamma - surface
}
