package laplacesgd

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// Distribution is a reading of the noise Z_t: eq. (7) and Algorithm 1 are not the same.
type Distribution int

const (
	// DistributionPrinted is Algorithm 1 to the letter: v uniform in the unit ball, l of the
	// gamma law of shape d and scale 2/α, Z = lv. Its density is not (7): it is
	// proportional to E₁((α/2)‖z‖), infinite at the origin, and no update with it is
	// α-private. The default.
	DistributionPrinted Distribution = iota
	// DistributionDensity is eq. (7): v uniform on the unit sphere.
	DistributionDensity
	// DistributionCube is what the program does that the thesis refers to: v is uniform in the
	// cube [−1, 1]^d, then divided by its norm. The length is that of (7), the
	// directions crowd around the diagonals.
	DistributionCube
)

// Noise draws the noise vectors of one run. It keeps scratch space: one Noise a goroutine.
type Noise struct {
	law   Distribution
	exact *mechanism.L2Laplace
	zero  []float64
	out   [1][]float64
}

// NewNoise returns the noise of dimension d ≥ 1 at privacy α > 0, finite.
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

// recast keeps the norm and draws the direction anew, that of a uniform point of a cube.
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
