package primitive

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// declared returns an error if the scale or the sensitivity of a call is outside its domain.
func declared(kind Kind, scale, sensitivity float64) error {
	if err := domain.Positive(string(kind), "scale", scale); err != nil {
		return err
	}
	return checkSensitivity(kind, sensitivity)
}

// checkSensitivity returns an error unless the sensitivity is finite and at least 0. It is 0 for a value that all
// neighbors share.
func checkSensitivity(kind Kind, sensitivity float64) error {
	if !(sensitivity >= 0 && sensitivity <= math.MaxFloat64) {
		return domain.Error(string(kind), "sensitivity", sensitivity, "finite and >= 0")
	}
	return nil
}

// Laplace returns x with Laplace noise of the given scale. This and the other methods return an error that wraps
// mechanism.ErrDomain if a value is not finite, a scale is not finite and > 0, or a sensitivity is not finite and
// ≥ 0.
func (n *Noise) Laplace(x, scale, sensitivity float64) (float64, error) {
	v := []float64{x}
	err := n.Laplaces(v, scale, sensitivity)
	return v[0], err
}

// Laplaces adds Laplace noise to each entry of x, which has at least one. The sensitivity is the ℓ1 sensitivity of
// the vector.
func (n *Noise) Laplaces(x []float64, scale, sensitivity float64) error {
	return n.each(Laplace, L1, x, scale, sensitivity, noise.Laplace)
}

// Gaussian returns x with noise N(0, sigma²).
func (n *Noise) Gaussian(x, sigma, sensitivity float64) (float64, error) {
	v := []float64{x}
	err := n.Gaussians(v, sigma, sensitivity)
	return v[0], err
}

// Gaussians adds noise N(0, sigma²) to each entry of x, which has at least one. The sensitivity is the ℓ2
// sensitivity of the vector.
func (n *Noise) Gaussians(x []float64, sigma, sensitivity float64) error {
	return n.each(Gaussian, L2, x, sigma, sensitivity, noise.Normal)
}

// each adds scale times a draw of unit to each entry of x.
func (n *Noise) each(kind Kind, norm Norm, x []float64, scale, sensitivity float64,
	unit func(*rand.Rand) float64) error {
	if err := declared(kind, scale, sensitivity); err != nil {
		return err
	}
	if err := domain.Answers(string(kind), x); err != nil {
		return err
	}
	return n.Release(Call{kind, x, scale, sensitivity, norm}, x, func(r *rand.Rand) error {
		for i := range x {
			x[i] += scale * unit(r)
		}
		return nil
	})
}

// L2Laplace adds noise with density ∝ exp(-‖z‖₂/scale) to x, which has at least one entry. The sensitivity is in
// ℓ2.
func (n *Noise) L2Laplace(x []float64, scale, sensitivity float64) error {
	m, err := mechanism.NewL2Laplace(scale)
	if err != nil {
		return err
	}
	if err := declared(L2Laplace, scale, sensitivity); err != nil {
		return err
	}
	return n.Release(Call{L2Laplace, x, scale, sensitivity, L2}, x, func(r *rand.Rand) error {
		out, err := m.Release(r, x)
		copy(x, out)
		return err
	})
}

// counter is a mechanism from an integer to an integer.
type counter interface {
	Release(r *rand.Rand, x int) (int, error)
}

// counts applies m to each entry of x, which has at least one, in one call.
func (n *Noise) counts(c Call, m counter, x []int) error {
	if err := declared(c.Kind, c.Scale, c.Sensitivity); err != nil {
		return err
	}
	if len(x) == 0 {
		return domain.Error(string(c.Kind), "number of counts", 0, ">= 1")
	}
	c.Value = make([]float64, len(x))
	for i, v := range x {
		c.Value[i] = float64(v)
	}
	err := n.Release(c, c.Value, func(r *rand.Rand) error {
		for i, v := range x {
			out, err := m.Release(r, v)
			if err != nil {
				return err
			}
			c.Value[i] = float64(out)
		}
		return nil
	})
	for i, v := range c.Value {
		x[i] = int(v)
	}
	return err
}

// DiscreteLaplace adds noise with P(k) ∝ exp(-|k|/scale), 1/700 ≤ scale ≤ 1e6, to each entry of x. x has at least
// one entry, and entries have magnitude at most 2⁵². The sensitivity is the ℓ1 sensitivity of the vector.
func (n *Noise) DiscreteLaplace(x []int, scale, sensitivity float64) error {
	m, err := mechanism.NewDiscreteLaplace(1 / scale)
	if err != nil {
		return err
	}
	return n.counts(Call{Kind: DiscreteLaplace, Scale: scale, Sensitivity: sensitivity, Norm: L1}, m, x)
}

// DiscreteGaussian adds noise with P(k) ∝ exp(-k²/2sigma²), 0.05 ≤ sigma ≤ 1e4, to each entry of x, which has at
// least one. The sensitivity is the ℓ2 sensitivity of the vector.
func (n *Noise) DiscreteGaussian(x []int, sigma, sensitivity float64) error {
	m, err := mechanism.NewDiscreteGaussian(sigma)
	if err != nil {
		return err
	}
	return n.counts(Call{Kind: DiscreteGaussian, Scale: sigma, Sensitivity: sensitivity, Norm: L2}, m, x)
}

// Geometric returns a count in 0..maxCount with noise that keeps it in this range. It is ln(1+2^(-bits))-DP for
// counts of sensitivity 1; see [mechanism.TruncatedGeometric].
func (n *Noise) Geometric(count, bits, maxCount int) (int, error) {
	m, err := mechanism.NewTruncatedGeometric(bits, maxCount)
	if err != nil {
		return 0, err
	}
	x := []int{count}
	err = n.counts(Call{Kind: Geometric, Scale: 1 / math.Log1p(math.Ldexp(1, -bits)), Sensitivity: 1, Norm: L1}, m, x)
	return x[0], err
}

// chooser is a mechanism from scores to an index.
type chooser interface {
	Release(r *rand.Rand, scores []float64) (int, error)
}

// choose makes a call that selects an index of the scores in c.Value.
func (n *Noise) choose(c Call, m chooser) (int, error) {
	var index [1]float64
	released := index[:]
	err := n.Release(c, released, func(r *rand.Rand) error {
		i, err := m.Release(r, c.Value)
		released[0] = float64(i)
		return err
	})
	return int(released[0]), err
}

// Exponential returns an index of scores by the exponential mechanism at epsilon. Each score has the given
// sensitivity. If the sensitivity is 0, it returns the first index of the largest score.
func (n *Noise) Exponential(scores []float64, epsilon, sensitivity float64) (int, error) {
	if sensitivity == 0 && epsilon > 0 {
		if err := domain.Answers(string(Exponential), scores); err != nil {
			return 0, err
		}
		return n.choose(Call{Exponential, scores, 0, 0, LInf}, first{})
	}
	m, err := mechanism.NewExponential(epsilon, sensitivity)
	if err != nil {
		return 0, err
	}
	return n.choose(Call{Exponential, scores, 2 * sensitivity / epsilon, sensitivity, LInf}, m)
}

// first selects the first index of the largest score.
type first struct{}

func (first) Release(_ *rand.Rand, scores []float64) (int, error) {
	return slices.Index(scores, slices.Max(scores)), nil
}

// NoisyMax adds Laplace noise of the given scale to each score and returns the index of the largest result. Each
// score has the given sensitivity.
func (n *Noise) NoisyMax(scores []float64, scale, sensitivity float64) (int, error) {
	m, err := mechanism.NewRNM1(scale)
	if err != nil {
		return 0, err
	}
	if err := declared(NoisyMax, scale, sensitivity); err != nil {
		return 0, err
	}
	return n.choose(Call{NoisyMax, scores, scale, sensitivity, LInf}, m)
}

// Response applies randomized response at epsilon to x in 0..k-1, k ≥ 2. It returns x or another symbol.
func (n *Noise) Response(x, k int, epsilon float64) (int, error) {
	m, err := mechanism.NewKaryResponse(k, epsilon)
	if err != nil {
		return 0, err
	}
	v := []int{x}
	err = n.counts(Call{Kind: RandomizedResponse, Scale: 1 / epsilon, Sensitivity: 1, Norm: Discrete}, m, v)
	return v[0], err
}

// Label applies the randomized response m, made with epsilon, to a label y of -1 or +1. It returns y or -y.
func (n *Noise) Label(m *mechanism.RandomizedResponse, epsilon float64, y int) (int, error) {
	if n.watch == nil {
		return m.ReleaseLabel(n.r, y)
	}
	v := []float64{float64(y)}
	err := n.Release(Call{RandomizedResponse, v, 1 / epsilon, 1, Discrete}, v, func(r *rand.Rand) error {
		noisy, err := m.ReleaseLabel(r, y)
		v[0] = float64(noisy)
		return err
	})
	return int(v[0]), err
}

// PrivateSampling writes a point on the sphere of radius bound to dst, by private sampling at epsilon of g ≠ 0
// with norm at most lipschitz. dst has the length of g. See [mechanism.PrivateSampling].
func (n *Noise) PrivateSampling(g, dst []float64, epsilon, lipschitz, bound float64) error {
	m, err := mechanism.NewPrivateSampling(len(g), epsilon, lipschitz, bound)
	if err != nil {
		return err
	}
	return n.Sample(m, epsilon, lipschitz, g, dst)
}

// Sample does the same as PrivateSampling with a mechanism m that was made with epsilon and lipschitz.
func (n *Noise) Sample(m *mechanism.PrivateSampling, epsilon, lipschitz float64, g, dst []float64) error {
	if n.watch == nil {
		return m.Sample(n.r, g, dst)
	}
	c := Call{PrivateSampling, g, 2 * lipschitz / epsilon, 2 * lipschitz, L2}
	return n.Release(c, dst, func(r *rand.Rand) error { return m.Sample(r, g, dst) })
}
