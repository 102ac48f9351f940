package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// NewHalfScaleLaplace returns the Laplace mechanism with scale Δ/2ε. Fault: half the scale. True ε: 2ε.
func NewHalfScaleLaplace(epsilon, sensitivity float64) (*mechanism.Laplace, error) {
	scale, err := laplaceScale("half-scale laplace", epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	return mechanism.NewLaplace(scale / 2)
}

// NewSumOfReleases returns the sum of k ≥ 1 Laplace releases of the same answer, each with its own ε. Fault: only
// one release is charged. True ε: kε, approached in the far tails: the density decreases as a polynomial times
// e^(-ε|t|/Δ), and the answer moves the sum by kΔ.
func NewSumOfReleases(k int, epsilon, sensitivity float64) (*SumOfReleases, error) {
	const owner = "sum of releases"
	if k < 1 {
		return nil, domain.Error(owner, "k", k, ">= 1")
	}
	scale, err := laplaceScale(owner, epsilon, sensitivity)
	if err != nil {
		return nil, err
	}
	return &SumOfReleases{k: k, scale: scale}, nil
}

// SumOfReleases releases the sum of k Laplace releases; see NewSumOfReleases.
type SumOfReleases struct {
	k     int
	scale float64
}

// Release returns the sum of k releases of a finite x.
func (m *SumOfReleases) Release(r *rand.Rand, x float64) (float64, error) {
	var out [1]float64
	err := m.ReleaseN(r, x, out[:])
	return out[0], err
}

// ReleaseN fills out with independent releases of x.
func (m *SumOfReleases) ReleaseN(r *rand.Rand, x float64, out []float64) error {
	if err := domain.Finite("sum of releases", "x", x); err != nil {
		return err
	}
	for i := range out {
		sum := 0.0
		for range m.k {
			sum += x + m.scale*noise.Laplace(r)
		}
		out[i] = sum
	}
	return nil
}

// LogDensity returns the log of the density of the sum of k unit Laplace variables at t = (out-kx)/scale, divided
// by scale:
//
//	e^(-|t|) / ((k-1)! 2^k) · Σ_{j<k} (k-1+j)! |t|^(k-1-j) / ((k-1-j)! j! 2^j)
//
// It follows by partial fractions from the characteristic function (1+s²)^(-k).
func (m *SumOfReleases) LogDensity(x, out float64) float64 {
	t := math.Abs(out-float64(m.k)*x) / m.scale
	logFactorial := func(n int) float64 {
		v, _ := math.Lgamma(float64(n) + 1)
		return v
	}
	var sum float64
	for j := range m.k {
		n := m.k - 1 - j
		// Pow(0, 0) is 1, as the last term requires.
		sum += math.Pow(t, float64(n)) * math.Exp(logFactorial(m.k-1+j)-logFactorial(n)-logFactorial(j)-float64(j)*math.Ln2)
	}
	return math.Log(sum) - t - logFactorial(m.k-1) - float64(m.k)*math.Ln2 - math.Log(m.scale)
}

// NewFullExponential returns the exponential mechanism with weights exp(ε u/Δ). Fault: the factor 2 is missing.
// True ε: up to 2ε. For a pair of utility vectors the exact ε follows from Distribution.
func NewFullExponential(epsilon, sensitivity float64) (*mechanism.Exponential, error) {
	return mechanism.NewExponential(2*epsilon, sensitivity)
}

// NewDoubledResponse returns randomized response that keeps a bit with probability e^(2ε)/(e^(2ε)+1). Fault: 2ε
// instead of ε. True ε: 2ε.
func NewDoubledResponse(epsilon float64) (*mechanism.RandomizedResponse, error) {
	return mechanism.NewRandomizedResponse(2 * epsilon)
}
