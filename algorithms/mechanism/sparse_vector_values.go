package mechanism

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// SparseVectorValues is Algorithm 3 of Lyu, Su & Li 2017 (from lecture notes of Roth 2011): ε₁ = ε/2, threshold +
// Lap(Δ/ε₁), ε₂ = ε-ε₁, answers + Lap(cΔ/ε₂), stop after c positives. A positive releases the noisy answer itself.
// Claimed ε; the true ε tends to ∞ as the number of queries grows, because the value bounds the noisy threshold
// from above (0.5 over the benchmark's inputs at ε = 0.1, Δ = 1, c = 1, T = 1, ten answers).
//
// Its output is one float64 for each answer: the noisy answer if it reached the threshold, -Inf if it was below,
// and NaN if the mechanism had stopped.
type SparseVectorValues struct{ base SparseVector }

// NewSVT3 returns Algorithm 3, with positives = c ≥ 1. Other values give an error that wraps ErrDomain.
func NewSVT3(epsilon, sensitivity, threshold float64, positives int) (*SparseVectorValues, error) {
	const owner = "sparse vector 3"
	if err := sparseParameters(owner, epsilon, sensitivity, threshold, positives); err != nil {
		return nil, err
	}
	epsilon1 := epsilon / 2
	epsilon2 := epsilon - epsilon1
	return &SparseVectorValues{SparseVector{owner: owner, threshold: threshold, stop: positives,
		thresholdScale: sensitivity / epsilon1, answerScale: float64(positives) * sensitivity / epsilon2}}, nil
}

// Release returns one value for each answer; x has at least one answer, all finite.
func (m *SparseVectorValues) Release(r *rand.Rand, x []float64) ([]float64, error) {
	return releaseOne(r, x, m.ReleaseN)
}

// ReleaseN fills out with independent releases.
func (m *SparseVectorValues) ReleaseN(r *rand.Rand, x []float64, out [][]float64) error {
	if err := domain.Answers(m.base.owner, x); err != nil {
		return err
	}
	for i := range out {
		out[i] = noise.Resize(out[i], len(x))
		m.draw(r, x, out[i])
	}
	return nil
}

func (m *SparseVectorValues) draw(r *rand.Rand, x, dst []float64) {
	threshold := m.base.threshold + m.base.thresholdScale*noise.Laplace(r)
	positives := 0
	for i, v := range x {
		if positives == m.base.stop {
			dst[i] = math.NaN()
			continue
		}
		dst[i] = math.Inf(-1)
		if noisy := v + m.base.answerScale*noise.Laplace(r); noisy >= threshold {
			dst[i] = noisy
			positives++
		}
	}
}

// LogDensity returns the log density of out with respect to Lebesgue measure for the released values and counting
// measure for the codes. The noisy threshold is at most the smallest released value. LogDensity integrates, over
// thresholds up to that value, the probability that the other answers are below the threshold.
func (m *SparseVectorValues) LogDensity(x, out []float64) float64 {
	if domain.Answers("", x) != nil || len(out) != len(x) {
		return math.NaN()
	}
	symbols := make([]int8, len(out))
	var sum float64
	limit := math.Inf(1) // upper limit for the threshold's noise
	for i, v := range out {
		switch {
		case math.IsNaN(v):
			symbols[i] = NotReached
		case math.IsInf(v, -1):
			symbols[i] = Below
		default:
			symbols[i] = Above
			sum += logLaplace(v-x[i], m.base.answerScale)
			limit = min(limit, v-m.base.threshold)
		}
	}
	if !m.base.possible(symbols) || math.IsInf(sum, -1) {
		return math.Inf(-1)
	}
	return sum + math.Log(m.belowUpTo(x, symbols, limit))
}

// belowUpTo returns the probability that the threshold's noise is at most limit and the answers marked Below are below.
func (m *SparseVectorValues) belowUpTo(x []float64, symbols []int8, limit float64) float64 {
	var below []float64
	knots := make([]float64, 0, len(x)+2)
	for i, v := range x {
		if knot := v - m.base.threshold; symbols[i] == Below {
			below = append(below, v)
			if knot < limit {
				knots = append(knots, knot)
			}
		}
	}
	if 0 < limit {
		knots = append(knots, 0)
	}
	answers := float64(len(below))
	rate := 1/m.base.thresholdScale + answers/m.base.answerScale
	reach := 44*m.base.thresholdScale + m.base.answerScale*math.Log1p(answers)
	outcome := make([]int8, len(below)) // all Below
	f := func(noise float64) float64 { return m.base.given(below, outcome, noise) }
	if math.IsInf(limit, 1) {
		return integrate(knots, rate, reach, f)
	}
	return integrate(append(knots, limit), rate, reach, func(noise float64) float64 {
		if noise > limit {
			return 0
		}
		return f(noise)
	})
}
