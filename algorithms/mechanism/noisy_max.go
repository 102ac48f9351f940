package mechanism

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// noiseKind is the noise distribution of a noisy maximum.
type noiseKind int

const (
	laplaceNoise noiseKind = iota
	exponentialNoise
)

func (k noiseKind) draw(r *rand.Rand) float64 {
	if k == exponentialNoise {
		return noise.Exponential(r)
	}
	return noise.Laplace(r)
}

// density returns the density of the unit noise at t.
func (k noiseKind) density(t float64) float64 {
	switch {
	case k == laplaceNoise:
		return 0.5 * math.Exp(-math.Abs(t))
	case t < 0:
		return 0
	}
	return math.Exp(-t)
}

// distribution returns the probability that the unit noise is at most t.
func (k noiseKind) distribution(t float64) float64 {
	switch {
	case k == laplaceNoise:
		return laplaceTail(-t)
	case t < 0:
		return 0
	}
	return -math.Expm1(-t)
}

// maximumDensity returns scale times the density, at v, of the event that one answer at level i is the noisy
// maximum with value v. There are count[j] answers at level[j].
func (k noiseKind) maximumDensity(level []float64, count []int, scale float64, i int, v float64) float64 {
	p := k.density((v - level[i]) / scale)
	for j, a := range level {
		others := count[j]
		if j == i {
			others--
		}
		switch others {
		case 0:
		case 1:
			p *= k.distribution((v - a) / scale)
		default:
			p *= math.Pow(k.distribution((v-a)/scale), float64(others))
		}
	}
	return p
}

// NoisyArgMax releases the index of the largest noisy answer.
type NoisyArgMax struct {
	owner string
	noise noiseKind
	scale float64
}

// NewRNM1 returns report noisy max with Laplace noise (Dwork & Roth 2014, §3.3; NoisyMax Alg. 5 of Ding et al.
// 2018). At scale 2Δ/ε it is ε-DP for answers of sensitivity Δ each. With finitely many answers the exact ε, from
// Distribution, is slightly smaller.
func NewRNM1(scale float64) (*NoisyArgMax, error) {
	return newNoisyArgMax("report noisy max (laplace)", laplaceNoise, scale)
}

// NewRNM2 returns report noisy max with exponential noise (NoisyMax Alg. 6 of Ding et al. 2018). It has the same
// distribution as permute-and-flip (Ding et al. 2021). At scale 2Δ/ε it is ε-DP for answers of sensitivity Δ each.
// Two answers attain this ε if one increases by Δ and the other decreases by Δ.
func NewRNM2(scale float64) (*NoisyArgMax, error) {
	return newNoisyArgMax("report noisy max (exponential)", exponentialNoise, scale)
}

func newNoisyArgMax(owner string, noise noiseKind, scale float64) (*NoisyArgMax, error) {
	if err := domain.Positive(owner, "scale", scale); err != nil {
		return nil, err
	}
	return &NoisyArgMax{owner: owner, noise: noise, scale: scale}, nil
}

// Release returns an index of x. x must have at least one answer, and all must be finite.
func (m *NoisyArgMax) Release(r *rand.Rand, x []float64) (int, error) {
	var out [1]int
	err := m.ReleaseN(r, x, out[:])
	return out[0], err
}

// ReleaseN fills out with independent releases.
func (m *NoisyArgMax) ReleaseN(r *rand.Rand, x []float64, out []int) error {
	if err := domain.Answers(m.owner, x); err != nil {
		return err
	}
	for i := range out {
		out[i], _ = noisyMax(r, m.noise, m.scale, x)
	}
	return nil
}

func noisyMax(r *rand.Rand, noise noiseKind, scale float64, x []float64) (index int, value float64) {
	value = math.Inf(-1)
	for i, a := range x {
		if v := a + scale*noise.draw(r); v > value {
			index, value = i, v
		}
	}
	return index, value
}

// Distribution returns the probabilities of the indices. It integrates over the value of the maximum, with
// relative error below 1e-11 for up to a hundred answers.
func (m *NoisyArgMax) Distribution(x []float64) []float64 {
	if domain.Answers("", x) != nil {
		return nil
	}
	// Equal answers have equal probabilities.
	level := slices.Clone(x)
	slices.Sort(level)
	level = slices.Compact(level)
	levelOf, count := make([]int, len(x)), make([]int, len(level))
	for i, a := range x {
		levelOf[i], _ = slices.BinarySearch(level, a)
		count[levelOf[i]]++
	}
	n := float64(len(x))
	reach := m.scale * (44 + math.Log1p(n)) // beyond it the density of the noise is below e⁻⁴⁴
	knots := level
	if m.noise == exponentialNoise { // the maximum is never below the largest answer
		knots = level[len(level)-1:]
	}
	each := make([]float64, len(level))
	for i := range level {
		f := func(v float64) float64 { return m.noise.maximumDensity(level, count, m.scale, i, v) }
		each[i] = min(1, integrate(knots, n/m.scale, reach, f)/m.scale)
	}
	law := make([]float64, len(x))
	for i := range law {
		law[i] = each[levelOf[i]]
	}
	return law
}

// NoisyMaxValue releases the value of the largest noisy answer. It is broken: the scale is calibrated for
// releasing an index, not a value.
type NoisyMaxValue struct {
	owner string
	noise noiseKind
	scale float64
}

// NewRNM3 returns the value of the noisy max with Laplace noise (NoisyMax Alg. 7 of Ding et al. 2018). Claimed ε
// at scale 2Δ/ε. If all n answers move by Δ, the maximum moves by Δ. Near -∞ its distribution function is the
// product of n Laplace tails, so the true ε is nΔ/scale (0.25 for n = 5 at scale 20).
func NewRNM3(scale float64) (*NoisyMaxValue, error) {
	return newNoisyMaxValue("value of the noisy max (laplace)", laplaceNoise, scale)
}

// NewRNM4 returns the value of the noisy max with exponential noise (NoisyMax Alg. 8 of Ding et al. 2018). The
// value is never below the largest answer, so the true ε is ∞.
func NewRNM4(scale float64) (*NoisyMaxValue, error) {
	return newNoisyMaxValue("value of the noisy max (exponential)", exponentialNoise, scale)
}

func newNoisyMaxValue(owner string, noise noiseKind, scale float64) (*NoisyMaxValue, error) {
	if err := domain.Positive(owner, "scale", scale); err != nil {
		return nil, err
	}
	return &NoisyMaxValue{owner: owner, noise: noise, scale: scale}, nil
}

// Release returns the largest noisy answer; x has at least one answer, all finite.
func (m *NoisyMaxValue) Release(r *rand.Rand, x []float64) (float64, error) {
	var out [1]float64
	err := m.ReleaseN(r, x, out[:])
	return out[0], err
}

// ReleaseN fills out with independent releases.
func (m *NoisyMaxValue) ReleaseN(r *rand.Rand, x []float64, out []float64) error {
	if err := domain.Answers(m.owner, x); err != nil {
		return err
	}
	for i := range out {
		_, out[i] = noisyMax(r, m.noise, m.scale, x)
	}
	return nil
}

// LogDensity returns the log of the derivative of Π F, computed as Σ log F + log Σ f/F, which is accurate in far
// tails. F are the distribution functions of the noisy answers and f their densities.
func (m *NoisyMaxValue) LogDensity(x []float64, out float64) float64 {
	if domain.Answers("", x) != nil {
		return math.NaN()
	}
	var logs, hazards float64
	atEdge := 0 // answers equal to out, under exponential noise: f = 1, F = 0
	for _, a := range x {
		t := (out - a) / m.scale
		switch {
		case m.noise == exponentialNoise && t < 0:
			return math.Inf(-1)
		case m.noise == exponentialNoise && t == 0:
			atEdge++
		case m.noise == exponentialNoise:
			logs += math.Log(-math.Expm1(-t))
			hazards += 1 / math.Expm1(t)
		case t < 0: // F = f = e^t/2
			logs += t - math.Ln2
			hazards++
		default: // f = e^(-t)/2, F = 1-f
			f := 0.5 * math.Exp(-t)
			logs += math.Log1p(-f)
			hazards += f / (1 - f)
		}
	}
	switch atEdge {
	case 0:
		return logs + math.Log(hazards) - math.Log(m.scale)
	case 1:
		return logs - math.Log(m.scale)
	}
	return math.Inf(-1)
}
