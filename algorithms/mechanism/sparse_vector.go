package mechanism

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// The symbols of a sparse vector sequence.
const (
	NotReached int8 = -1 // the mechanism had stopped before this query
	Below      int8 = 0  // the noisy answer was below the noisy threshold
	Above      int8 = 1  // the noisy answer reached the noisy threshold
)

// maxOutputs is the largest number of sequences that Outputs enumerates.
const maxOutputs = 1 << 16

// SparseVector compares noisy answers with a noisy threshold, in order, and releases one of Above, Below and
// NotReached for each. It is the sparse vector technique in the versions that Lyu, Su & Li 2017 ("Understanding
// the Sparse Vector Technique", PVLDB 10(6)) collected as Algorithms 1 to 6. Some of them are not private as
// published. Each answer has sensitivity Δ, and all answers may change at once.
type SparseVector struct {
	owner          string
	threshold      float64
	thresholdScale float64
	answerScale    float64 // 0 for no noise on the answers
	stop           int     // stop after this many positives; 0 means never
	refresh        bool    // draw a new noisy threshold after each positive
}

// sparseParameters checks the parameters that all versions share.
func sparseParameters(owner string, epsilon, sensitivity, threshold float64, positives int) error {
	if err := domain.Positive(owner, "epsilon", epsilon); err != nil {
		return err
	}
	if err := domain.Positive(owner, "sensitivity", sensitivity); err != nil {
		return err
	}
	if positives < 1 {
		return domain.Error(owner, "positives", positives, ">= 1")
	}
	return domain.Finite(owner, "threshold", threshold)
}

// NewSVT1 returns Algorithm 1 for the given number c ≥ 1 of positives: ε₁ = ε/2, threshold + Lap(Δ/ε₁), ε₂ = ε-ε₁,
// answers + Lap(2cΔ/ε₂), stop after c positives. It is ε-DP (their Theorem 2). The benchmark has ε = 0.1, Δ = 1, c
// = 1, T = 0.5.
func NewSVT1(epsilon, sensitivity, threshold float64, positives int) (*SparseVector, error) {
	const owner = "sparse vector 1"
	if err := sparseParameters(owner, epsilon, sensitivity, threshold, positives); err != nil {
		return nil, err
	}
	epsilon1 := epsilon / 2
	epsilon2 := epsilon - epsilon1
	return &SparseVector{owner: owner, threshold: threshold, stop: positives,
		thresholdScale: sensitivity / epsilon1, answerScale: 2 * float64(positives) * sensitivity / epsilon2}, nil
}

// NewSVT2 returns Algorithm 2 (Dwork & Roth 2014): ε₁ = ε/2, threshold + Lap(cΔ/ε₁), drawn again after each
// positive, answers + Lap(2cΔ/ε₁), stop after c positives. It is ε-DP. The benchmark has ε = 0.1, Δ = 1, c = 1, T
// = 1.
func NewSVT2(epsilon, sensitivity, threshold float64, positives int) (*SparseVector, error) {
	const owner = "sparse vector 2"
	if err := sparseParameters(owner, epsilon, sensitivity, threshold, positives); err != nil {
		return nil, err
	}
	epsilon1 := epsilon / 2
	return &SparseVector{owner: owner, threshold: threshold, stop: positives, refresh: true,
		thresholdScale: float64(positives) * sensitivity / epsilon1,
		answerScale:    2 * float64(positives) * sensitivity / epsilon1}, nil
}

// NewSVT4 returns Algorithm 4 (Lee & Clifton 2014): ε₁ = ε/4, threshold + Lap(Δ/ε₁), ε₂ = ε-ε₁, answers +
// Lap(Δ/ε₂), stop after c positives. Claimed ε; true (1+6c)/4·ε (0.175 at ε = 0.1, Δ = 1, c = 1, T = 1).
func NewSVT4(epsilon, sensitivity, threshold float64, positives int) (*SparseVector, error) {
	const owner = "sparse vector 4"
	if err := sparseParameters(owner, epsilon, sensitivity, threshold, positives); err != nil {
		return nil, err
	}
	epsilon1 := epsilon / 4
	epsilon2 := epsilon - epsilon1
	return &SparseVector{owner: owner, threshold: threshold, stop: positives,
		thresholdScale: sensitivity / epsilon1, answerScale: sensitivity / epsilon2}, nil
}

// NewSVT5 returns Algorithm 5 (Stoddard, Chen & Machanavajjhala 2014): threshold + Lap(2Δ/ε), no noise on the
// answers, no stop. Claimed ε; true ∞, because answers that change their order change the support. The benchmark
// has ε = 0.1, Δ = 1, T = 1.
func NewSVT5(epsilon, sensitivity, threshold float64) (*SparseVector, error) {
	const owner = "sparse vector 5"
	if err := sparseParameters(owner, epsilon, sensitivity, threshold, 1); err != nil {
		return nil, err
	}
	return &SparseVector{owner: owner, threshold: threshold, thresholdScale: sensitivity / (epsilon / 2)}, nil
}

// NewSVT6 returns Algorithm 6 (Chen, Xiao, Zhang & Xu 2015): ε₁ = ε/2, threshold + Lap(Δ/ε₁), ε₂ = ε-ε₁, answers +
// Lap(Δ/ε₂), no stop. Claimed ε; the true ε tends to ∞ as the number of queries grows. The benchmark has ε = 0.1,
// Δ = 1, T = 1.
func NewSVT6(epsilon, sensitivity, threshold float64) (*SparseVector, error) {
	const owner = "sparse vector 6"
	if err := sparseParameters(owner, epsilon, sensitivity, threshold, 1); err != nil {
		return nil, err
	}
	epsilon1 := epsilon / 2
	epsilon2 := epsilon - epsilon1
	return &SparseVector{owner: owner, threshold: threshold,
		thresholdScale: sensitivity / epsilon1, answerScale: sensitivity / epsilon2}, nil
}

// Release returns one symbol for each answer; x has at least one answer, all finite.
func (m *SparseVector) Release(r *rand.Rand, x []float64) ([]int8, error) {
	return releaseOne(r, x, m.ReleaseN)
}

// ReleaseN fills out with independent releases.
func (m *SparseVector) ReleaseN(r *rand.Rand, x []float64, out [][]int8) error {
	if err := domain.Answers(m.owner, x); err != nil {
		return err
	}
	for i := range out {
		out[i] = noise.Resize(out[i], len(x))
		m.draw(r, x, out[i])
	}
	return nil
}

func (m *SparseVector) draw(r *rand.Rand, x []float64, dst []int8) {
	threshold := m.threshold + m.thresholdScale*noise.Laplace(r)
	positives := 0
	for i, v := range x {
		if m.stop > 0 && positives == m.stop {
			dst[i] = NotReached
			continue
		}
		if m.answerScale > 0 {
			v += m.answerScale * noise.Laplace(r)
		}
		dst[i] = Below
		if v >= threshold {
			dst[i] = Above
			positives++
			if m.refresh {
				threshold = m.threshold + m.thresholdScale*noise.Laplace(r)
			}
		}
	}
}

// possible reports whether the mechanism can release the sequence.
func (m *SparseVector) possible(out []int8) bool {
	positives := 0
	for _, symbol := range out {
		stopped := m.stop > 0 && positives == m.stop
		if stopped != (symbol == NotReached) || symbol < NotReached || symbol > Above {
			return false
		}
		if symbol == Above {
			positives++
		}
	}
	return true
}

// LogDensity returns the log probability of the sequence out. Answers are independent given the noisy threshold,
// so it integrates over the threshold, with relative error below 1e-11 for up to a hundred answers. Without noise
// on the answers it uses a closed form. Probabilities below 1e-300 may be returned as 0.
func (m *SparseVector) LogDensity(x []float64, out []int8) float64 {
	if domain.Answers("", x) != nil || len(out) != len(x) {
		return math.NaN()
	}
	if !m.possible(out) {
		return math.Inf(-1)
	}
	var sum float64
	start := 0
	for i, symbol := range out {
		last := i == len(out)-1
		if last || m.refresh && symbol == Above {
			sum += math.Log(m.segment(x[start:i+1], out[start:i+1]))
			start = i + 1
		}
	}
	return sum
}

// segment returns the probability of the symbols of answers that share one noisy threshold.
func (m *SparseVector) segment(x []float64, out []int8) float64 {
	if m.answerScale == 0 {
		lo, hi := math.Inf(-1), math.Inf(1) // limits for the threshold's noise
		for i, v := range x {
			if out[i] == Above {
				hi = min(hi, v-m.threshold)
			} else {
				lo = max(lo, v-m.threshold)
			}
		}
		return laplaceInterval(lo/m.thresholdScale, hi/m.thresholdScale)
	}
	knots := []float64{0}
	for i, v := range x {
		if out[i] != NotReached {
			knots = append(knots, v-m.threshold)
		}
	}
	answers := float64(len(knots) - 1)
	rate := 1/m.thresholdScale + answers/m.answerScale
	reach := 44*m.thresholdScale + m.answerScale*math.Log1p(answers)
	return min(1, integrate(knots, rate, reach, func(noise float64) float64 {
		return m.given(x, out, noise)
	}))
}

// given returns the density of the threshold's noise times the probability of the symbols given it.
func (m *SparseVector) given(x []float64, out []int8, noise float64) float64 {
	p := 0.5 * math.Exp(-math.Abs(noise)/m.thresholdScale) / m.thresholdScale
	for i, v := range x {
		if out[i] == NotReached {
			break
		}
		t := (m.threshold + noise - v) / m.answerScale
		if out[i] == Above {
			p *= laplaceTail(t)
		} else {
			p *= laplaceTail(-t)
		}
	}
	return p
}

// Outputs returns every sequence that the mechanism can release for n answers, in lexicographic order with Below <
// Above. It returns nil if there are more than 65,536.
func (m *SparseVector) Outputs(n int) [][]int8 {
	if n < 1 {
		return nil
	}
	var all [][]int8
	symbols := make([]int8, n)
	var extend func(i, positives int) bool
	extend = func(i, positives int) bool {
		if i == n {
			all = append(all, append([]int8(nil), symbols...))
			return len(all) <= maxOutputs
		}
		if m.stop > 0 && positives == m.stop {
			symbols[i] = NotReached
			return extend(i+1, positives)
		}
		symbols[i] = Below
		if !extend(i+1, positives) {
			return false
		}
		symbols[i] = Above
		return extend(i+1, positives+1)
	}
	if !extend(0, 0) {
		return nil
	}
	return all
}

// Distribution returns the probabilities of Outputs(len(x)), in its order.
func (m *SparseVector) Distribution(x []float64) []float64 {
	if domain.Answers("", x) != nil {
		return nil
	}
	outputs := m.Outputs(len(x))
	if outputs == nil {
		return nil
	}
	law := make([]float64, len(outputs))
	for i, out := range outputs {
		law[i] = math.Exp(m.LogDensity(x, out))
	}
	return law
}
