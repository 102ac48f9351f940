package laplacesgd

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// Distribution is a reading of the noise Z_t. Eq. (7) and Algorithm 1 differ.
type Distribution int

const (
	// DistributionPrinted is the literal Algorithm 1: Z = lv with v uniform in the unit ball and l from the gamma
	// distribution with shape d and scale 2/α. Its density is not (7) but proportional to E₁((α/2)‖z‖), which is
	// infinite at the origin. No update with it is α-DP. This is the default.
	DistributionPrinted Distribution = iota
	// DistributionDensity is eq. (7): v uniform on the unit sphere.
	DistributionDensity
	// DistributionCube is the thesis's program: v is uniform in the cube [−1, 1]^d and then divided by its norm.
	// The length has the distribution of (7), but directions near the diagonals are more probable.
	DistributionCube
)

// Noise draws the noise vectors of one run. It has scratch memory, so each goroutine needs its own Noise.
type Noise struct {
	law   Distribution
	exact *mechanism.L2Laplace
	zero  []float64
	out   [1][]float64
}

// NewNoise returns the noise in dimension d ≥ 1 at a finite α > 0. Other values give an error.
func NewNoise(law Distribution, d int, alpha float64) (*Noise, error) {
	if d < 1 {
		return nil, fmt.Errorf("laplacesgd: dimension %d: need at least 1", d)
	}
	if law < DistributionPrinted || law > DistributionCube {
		return nil, fmt.Errorf("laplacesgd: Law %d is unknown", law)
	}
	if !(alpha > 0 && alpha <= math.MaxFloat64) {
		return nil, fmt.Errorf("laplacesgd: Alpha is %v: need a finite number above 0", alpha)
	}
	scale := 2 / alpha
	exact, err := mechanism.NewL2Laplace(scale)
	if err != nil {
		return nil, fmt.Errorf("laplacesgd: Alpha is %v, with the scale %v: %w", alpha, scale, err)
	}
	return &Noise{law: law, exact: exact, zero: make([]float64, d)}, nil
}

// Draw writes one noise vector to dst, of length d. It does not allocate.
func (n *Noise) Draw(r *rand.Rand, dst []float64) error {
	if len(dst) != len(n.zero) {
		return fmt.Errorf("laplacesgd: noise for a vector of length %d: need %d", len(dst), len(n.zero))
	}
	n.out[0] = dst
	if err := n.exact.ReleaseN(r, n.zero, n.out[:]); err != nil {
		return err
	}
	switch n.law {
	case DistributionPrinted: // a uniform point of the ball is a direction times U^(1/d)
		u := 1 - r.Float64() // in (0, 1]
		if len(dst) > 1 {
			u = math.Pow(u, 1/float64(len(dst)))
		}
		floats.Scale(u, dst)
	case DistributionCube:
		recast(r, dst)
	}
	return nil
}

// recast keeps the norm of dst and replaces its direction by the direction of a uniform point in a cube.
func recast(r *rand.Rand, dst []float64) {
	length := floats.Norm(dst, 2)
	squares := 0.0
	for !(squares > 0) {
		for k := range dst {
			dst[k] = 2*r.Float64() - 1
		}
		squares = floats.Dot(dst, dst)
	}
	floats.Scale(length/math.Sqrt(squares), dst)
}
