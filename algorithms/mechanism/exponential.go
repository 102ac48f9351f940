package mechanism

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// Exponential is the exponential mechanism (McSherry & Talwar 2007). It releases index i with probability ∝ exp(ε
// u_i/(2Δ)) for utilities u of sensitivity Δ each. It is ε-DP. For a given pair of utility vectors the exact ε
// follows from Distribution. It approaches the claimed ε as the number of indices grows: one weight increases by
// e^(ε/2), and the sum decreases by up to the same factor.
type Exponential struct{ rate float64 }

// NewExponential returns the mechanism at privacy epsilon > 0 and utilities of sensitivity > 0, both finite. Other
// values give an error that wraps ErrDomain.
func NewExponential(epsilon, sensitivity float64) (*Exponential, error) {
	const owner = "exponential mechanism"
	if err := domain.Positive(owner, "epsilon", epsilon); err != nil {
		return nil, err
	}
	if err := domain.Positive(owner, "sensitivity", sensitivity); err != nil {
		return nil, err
	}
	return &Exponential{rate: epsilon / (2 * sensitivity)}, nil
}

// cumulate writes the running sums of exp(rate·(u_i - max u)) to sums.
func (m *Exponential) cumulate(u, sums []float64) []float64 {
	top := u[0]
	for _, v := range u {
		top = max(top, v)
	}
	sums = noise.Resize(sums, len(u))
	sum := 0.0
	for i, v := range u {
		sum += math.Exp(m.rate * (v - top))
		sums[i] = sum
	}
	return sums
}

// pick returns the first index whose running sum exceeds a uniform number below the total.
func pick(r *rand.Rand, sums []float64) int {
	t := r.Float64() * sums[len(sums)-1]
	return sort.Search(len(sums)-1, func(i int) bool { return sums[i] > t })
}

// Release returns one index. There must be at least one utility, and all must be finite.
func (m *Exponential) Release(r *rand.Rand, utilities []float64) (int, error) {
	var out [1]int
	err := m.ReleaseN(r, utilities, out[:])
	return out[0], err
}

// ReleaseN fills out with independent releases. It does not allocate for up to 64 utilities.
func (m *Exponential) ReleaseN(r *rand.Rand, utilities []float64, out []int) error {
	if err := domain.Answers("exponential mechanism", utilities); err != nil {
		return err
	}
	var buffer [64]float64
	sums := m.cumulate(utilities, buffer[:0])
	for i := range out {
		out[i] = pick(r, sums)
	}
	return nil
}

// Distribution returns the probabilities of the indices.
func (m *Exponential) Distribution(utilities []float64) []float64 {
	if domain.Answers("", utilities) != nil {
		return nil
	}
	sums := m.cumulate(utilities, nil)
	total, top := sums[len(sums)-1], utilities[0]
	for _, v := range utilities {
		top = max(top, v)
	}
	law := make([]float64, len(sums))
	for i, v := range utilities {
		law[i] = math.Exp(m.rate*(v-top)) / total
	}
	return law
}
