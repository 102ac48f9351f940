package mechanism

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
	"github.com/dpverify/dpverify/internal/rng"
)

// ZeroPolicy selects the treatment of g = 0, for which the direction g/‖g‖ of Proposition 1 is undefined.
type ZeroPolicy int

const (
	// ZeroError rejects g = 0, as the literal statement does.
	ZeroError ZeroPolicy = iota
	// ZeroUniform releases a uniform point of the sphere, the limit distribution as ‖g‖ → 0.
	ZeroUniform
)

// PrivateSampling is private sampling of a vector from the ℓ2 ball of radius L onto the sphere of radius B (Han et
// al. 2018, Prop. 1, eq. (4), with the strategy of Duchi, Jordan & Wainwright 2018). Input and output are vectors
// of length dim.
//
// It is exactly ε-locally private. The output is in the half-space of g with probability (1/2+k)π + (1/2-k)(1-π),
// where k = ‖g‖/2L ≤ 1/2 and π = e^ε/(e^ε+1), and it is uniform in each half-space. Two densities at one point
// therefore have a ratio of at most π/(1-π) = e^ε, which g and -g of norm L attain.
type PrivateSampling struct {
	// Zero selects the treatment of g = 0.
	Zero ZeroPolicy

	dim       int
	epsilon   float64
	lipschitz float64
	bound     float64
	limit     float64 // largest computed norm accepted as <= lipschitz
	against   coin    // Q = 0, with probability 1/(e^ε+1)
}

// NewPrivateSampling returns private sampling in R^dim, dim ≥ 1, at privacy epsilon > 0, for vectors of norm at
// most lipschitz > 0 (the paper's L), onto the sphere of radius bound > 0 (the paper's B). Other values give an
// error that wraps ErrDomain.
func NewPrivateSampling(dim int, epsilon, lipschitz, bound float64) (*PrivateSampling, error) {
	const owner = "private sampling"
	if dim < 1 {
		return nil, domain.Error(owner, "dim", dim, ">= 1")
	}
	if err := domain.Positive(owner, "epsilon", epsilon); err != nil {
		return nil, err
	}
	if err := domain.Positive(owner, "lipschitz", lipschitz); err != nil {
		return nil, err
	}
	if err := domain.Positive(owner, "bound", bound); err != nil {
		return nil, err
	}
	return &PrivateSampling{
		dim:       dim,
		epsilon:   epsilon,
		lipschitz: lipschitz,
		bound:     bound,
		limit:     min(lipschitz*(1+normSlack(dim)), math.MaxFloat64),
		against:   newCoin(logistic(-epsilon)),
	}, nil
}

// normSlack returns the relative excess of a computed norm over L that is due to rounding. A sum of d squares has
// relative error at most d·2⁻⁵³ in any order, and its square root half of that. A caller that scaled g to norm L
// with a sum in another order doubles the error, and four more operations round once each. Norms within the slack
// count as L.
func normSlack(dim int) float64 { return (4 + float64(dim)/2) * 0x1p-52 }

// Sample writes one release of g to dst. Both have length dim and must not overlap. It draws dim normal variates
// and two coins and does not allocate. It returns an error that wraps ErrDomain if a length is wrong, if an entry
// of g is NaN or infinite, if ‖g‖ > L beyond rounding (a relative (4+dim/2)·2⁻⁵²), or if g = 0 under ZeroError.
// dst is then unchanged.
func (m *PrivateSampling) Sample(r *rand.Rand, g, dst []float64) error {
	if len(dst) != m.dim {
		return domain.Error("private sampling", "len(dst)", len(dst), fmt.Sprintf("dim = %d", m.dim))
	}
	norm, unit, err := m.norm(g)
	if err != nil {
		return err
	}
	m.draw(r, g, norm, unit, dst)
	return nil
}

// Release returns one release of g in a new slice. Its errors are those of Sample.
func (m *PrivateSampling) Release(r *rand.Rand, g []float64) ([]float64, error) {
	dst := make([]float64, m.dim)
	if err := m.Sample(r, g, dst); err != nil {
		return nil, err
	}
	return dst, nil
}

// ReleaseN fills out with independent releases of g. Its errors are those of Sample.
func (m *PrivateSampling) ReleaseN(r *rand.Rand, g []float64, out [][]float64) error {
	norm, unit, err := m.norm(g)
	if err != nil {
		return err
	}
	for i := range out {
		out[i] = noise.Resize(out[i], m.dim)
		m.draw(r, g, norm, unit, out[i])
	}
	return nil
}

// norm checks g and returns its norm, at most L, and a power of two. If the entries of g are multiplied by it,
// inner products neither overflow nor underflow.
func (m *PrivateSampling) norm(g []float64) (norm, unit float64, err error) {
	const owner = "private sampling"
	if len(g) != m.dim {
		return 0, 0, domain.Error(owner, "len(g)", len(g), fmt.Sprintf("dim = %d", m.dim))
	}
	norm, unit = scaledNorm(g)
	if !(norm <= math.MaxFloat64) {
		for i, v := range g {
			if err := domain.Finite(owner, fmt.Sprintf("g[%d]", i), v); err != nil {
				return 0, 0, err
			}
		}
	}
	if !(norm <= m.limit) {
		return 0, 0, domain.Error(owner, "norm(g)", norm, fmt.Sprintf("<= lipschitz = %v", m.lipschitz))
	}
	if norm == 0 && m.Zero != ZeroUniform {
		return 0, 0, domain.Error(owner, "norm(g)", norm, "> 0, since g/norm(g) is undefined (or set Zero to ZeroUniform)")
	}
	return min(norm, m.lipschitz), unit, nil
}

// draw follows Prop. 1 line by line. The caller has checked the input.
func (m *PrivateSampling) draw(r *rand.Rand, g []float64, norm, unit float64, dst []float64) {
	_, flip := m.rescale(norm)
	rescale := newCoin(flip)
	along := !rescale.toss(r) // g̃ = L g/‖g‖, else -L g/‖g‖
	if m.against.toss(r) {    // Q = 0: the half-space away from g̃
		along = !along
	}
	halfSphere(r, g, unit, m.bound, along, dst)
}

// rescale returns the probabilities of g̃ = L g/‖g‖ and g̃ = -L g/‖g‖. The second is not computed as 1 minus the
// first, because it is small near ‖g‖ = L.
func (m *PrivateSampling) rescale(norm float64) (keep, flip float64) {
	return 0.5 + 0.5*(norm/m.lipschitz), 0.5 * ((m.lipschitz - norm) / m.lipschitz)
}

// halfSphere writes a uniform point of a half-sphere to dst: of {‖z‖ = radius, ⟨z, g⟩ > 0} if along is true, else
// of {‖z‖ = radius, ⟨z, g⟩ ≤ 0}. It normalizes a Gaussian vector and chooses its sign. If the computed inner
// product is 0, the sign has no effect: always for g = 0, and about once in 2³² draws for g along an axis.
func halfSphere(r *rand.Rand, g []float64, unit, radius float64, along bool, dst []float64) {
	if len(dst) == 1 {
		// The sphere is {-radius, +radius}, and a Gaussian could be 0. For g = 0 the caller's
		// coins are fair, and choose uniformly.
		if along == (g[0] >= 0) {
			dst[0] = radius
		} else {
			dst[0] = -radius
		}
		return
	}
	for {
		for i := range dst {
			dst[i] = rng.Normal(r)
		}
		squares := floats.Dot(dst, dst)
		// The generator returns 0 with probability about 2⁻³², and an infinity with less than 2⁻¹⁰⁰;
		// a sum of squares of 0 or infinity defines no direction.
		if squares > 0 && squares <= math.MaxFloat64 {
			factor := 1 / math.Sqrt(squares)
			if along != (scaledDot(dst, g, unit) > 0) {
				factor = -factor
			}
			floats.Scale(factor, dst)
			floats.Scale(radius, dst)
			return
		}
	}
}

// Between smallSquares and largeSquares, sums of squares neither overflow nor lose digits. Multiplying by bigUnit,
// or dividing by it, moves every other vector into this range.
const (
	smallSquares = 0x1p-900
	largeSquares = 0x1p+900
	bigUnit      = 0x1p+600
)

// scaledNorm returns ‖g‖ and a unit, 1 or 2^±600, for which the squares of g·unit neither overflow nor underflow.
func scaledNorm(g []float64) (norm, unit float64) {
	squares := floats.Dot(g, g)
	if squares >= smallSquares && squares <= largeSquares {
		return math.Sqrt(squares), 1
	}
	unit = bigUnit
	if squares > 1 {
		unit = 1 / bigUnit
	}
	squares = 0
	for _, v := range g {
		squares += (v * unit) * (v * unit)
	}
	return math.Sqrt(squares) / unit, unit
}

// scaledDot returns ⟨z, g·unit⟩.
func scaledDot(z, g []float64, unit float64) float64 {
	if unit == 1 {
		return floats.Dot(z, g)
	}
	var sum float64
	for i, v := range g {
		sum += z[i] * (v * unit)
	}
	return sum
}

// HalfSpaceDensity returns the density of the release for a g of the given norm, relative to the uniform
// distribution on the sphere of radius B. The density is constant on the half-space ⟨z, g⟩ > 0 (top) and on the
// other one (bottom). By Prop. 1 they are twice
//
//	P(top) = keep·π + flip·(1-π),  P(bottom) = flip·π + keep·(1-π),  keep = 1/2 + norm/2L, flip = 1/2 - norm/2L.
//
// For dim = 1 they are relative to the uniform distribution on {-B, B}. If norm is outside [0, L] beyond rounding,
// both are NaN. For epsilon above 700 the bottom underflows at norm = L; use LogHalfSpaceDensity.
func (m *PrivateSampling) HalfSpaceDensity(norm float64) (top, bottom float64) {
	if !(norm >= 0 && norm <= m.limit) {
		return math.NaN(), math.NaN()
	}
	keep, flip := m.rescale(min(norm, m.lipschitz))
	pi, rest := logistic(m.epsilon), logistic(-m.epsilon)
	return 2 * (keep*pi + flip*rest), 2 * (flip*pi + keep*rest)
}

// LogHalfSpaceDensity returns the natural logs of HalfSpaceDensity without underflow.
func (m *PrivateSampling) LogHalfSpaceDensity(norm float64) (top, bottom float64) {
	if !(norm >= 0 && norm <= m.limit) {
		return math.NaN(), math.NaN()
	}
	keep, flip := m.rescale(min(norm, m.lipschitz))
	odds := math.Exp(-m.epsilon) // (1-π)/π
	logPi := -math.Log1p(odds)
	top = math.Ln2 + logPi + math.Log(keep+flip*odds)
	if flip == 0 {
		return top, math.Ln2 + logPi + math.Log(keep) - m.epsilon
	}
	return top, math.Ln2 + logPi + math.Log(flip+keep*odds)
}

// LogDensity returns the log density of the release z of g relative to the uniform distribution on the sphere of
// radius B. It returns NaN if g is outside the domain or z has the wrong length. It does not check that z is on
// the sphere.
func (m *PrivateSampling) LogDensity(g, z []float64) float64 {
	norm, unit, err := m.norm(g)
	if err != nil || len(z) != m.dim {
		return math.NaN()
	}
	if norm == 0 {
		return 0
	}
	top, bottom := m.LogHalfSpaceDensity(norm)
	if scaledDot(z, g, unit) > 0 {
		return top
	}
	return bottom
}
