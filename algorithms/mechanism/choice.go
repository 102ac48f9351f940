package mechanism

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// PermuteAndFlip releases the index of a high score (McKenna & Sheldon 2020, "Permute-and-Flip: A New Mechanism
// for Differentially Private Selection"). It visits the indices in random order and accepts one with probability
// exp(rate·(score - highest score)). With rate ε/2 it is ε-DP for scores of sensitivity 1 each.
type PermuteAndFlip struct{ rate float64 }

// NewPermuteAndFlip returns the mechanism at a finite rate > 0; else an error that wraps ErrDomain.
func NewPermuteAndFlip(rate float64) (*PermuteAndFlip, error) {
	if err := domain.Positive("permute and flip", "rate", rate); err != nil {
		return nil, err
	}
	return &PermuteAndFlip{rate: rate}, nil
}

// Release returns an index. There must be at least one score, and all must be finite.
func (m *PermuteAndFlip) Release(r *rand.Rand, scores []float64) (int, error) {
	if err := domain.Answers("permute and flip", scores); err != nil {
		return 0, err
	}
	highest := slices.Max(scores)
	left := make([]int, len(scores))
	for i := range left {
		left[i] = i
	}
	for last := len(left) - 1; ; last-- { // the highest is always accepted
		j := int(r.Uint64N(uint64(last + 1)))
		if i := left[j]; r.Float64() < math.Exp(m.rate*(scores[i]-highest)) {
			return i, nil
		}
		left[j], left[last] = left[last], left[j]
	}
}

// Distribution returns the probabilities of the indices. With independent uniform arrival times, i is accepted if
// no earlier index is: w_i ∫₀¹ Π_{j≠i} (1 - t·w_j) dt. Gauss–Legendre quadrature integrates this polynomial
// exactly.
func (m *PermuteAndFlip) Distribution(scores []float64) []float64 {
	highest := slices.Max(scores)
	law := make([]float64, len(scores))
	for i, s := range scores {
		law[i] = quad.Fixed(func(t float64) float64 {
			p := math.Exp(m.rate * (s - highest))
			for j, other := range scores {
				if j != i {
					p *= 1 - t*math.Exp(m.rate*(other-highest))
				}
			}
			return p
		}, 0, 1, len(scores)/2+1, nil, 0)
	}
	return law
}

// Quantile releases a quantile of numbers in [0, top] by the exponential mechanism (Smith 2011,
// "Privacy-Preserving Statistical Estimation with Optimal Convergence Rates"). The density at a point is ∝
// exp(-rate·|numbers below it - q·n|). With rate ε/2 it is ε-DP if one of n numbers is replaced.
type Quantile struct{ q, rate, top float64 }

// NewQuantile returns the mechanism for the quantile q in [0, 1]. rate and top are finite and > 0. Other values
// give an error that wraps ErrDomain.
func NewQuantile(q, rate, top float64) (*Quantile, error) {
	const owner = "quantile"
	if !(q >= 0 && q <= 1) {
		return nil, domain.Error(owner, "q", q, "0..1")
	}
	if err := domain.Positive(owner, "rate", rate); err != nil {
		return nil, err
	}
	if err := domain.Positive(owner, "top", top); err != nil {
		return nil, err
	}
	return &Quantile{q: q, rate: rate, top: top}, nil
}

// pieces returns the ends of the intervals between the numbers, and the log densities on them up to a constant.
func (m *Quantile) pieces(numbers []float64) (ends, logs []float64) {
	ends = append(append([]float64{0}, numbers...), m.top)
	slices.Sort(ends)
	for below := range len(numbers) + 1 {
		logs = append(logs, -m.rate*math.Abs(float64(below)-m.q*float64(len(numbers))))
	}
	return ends, logs
}

// Release returns a point in [0, top]. There must be at least one number, and all must be in [0, top].
func (m *Quantile) Release(r *rand.Rand, numbers []float64) (float64, error) {
	if len(numbers) == 0 || !(slices.Min(numbers) >= 0 && slices.Max(numbers) <= m.top) {
		return 0, domain.Error("quantile", "numbers", numbers, fmt.Sprintf("at least one, in 0..%v", m.top))
	}
	ends, logs := m.pieces(numbers)
	sums := make([]float64, len(logs))
	var sum float64
	for i, l := range logs {
		sum += (ends[i+1] - ends[i]) * math.Exp(l-slices.Max(logs))
		sums[i] = sum
	}
	i := sort.SearchFloat64s(sums, r.Float64()*sum)
	return ends[i] + r.Float64()*(ends[i+1]-ends[i]), nil
}

// LogDensity returns the log density at out, which is constant between two numbers.
func (m *Quantile) LogDensity(numbers []float64, out float64) float64 {
	if !(out >= 0 && out <= m.top) {
		return math.Inf(-1)
	}
	ends, logs := m.pieces(numbers)
	var sum float64
	for i, l := range logs {
		sum += (ends[i+1] - ends[i]) * math.Exp(l)
	}
	below := 0
	for _, v := range numbers {
		if v < out {
			below++
		}
	}
	return logs[below] - math.Log(sum)
}

// PeelingTopK releases k indices of high scores, in order, by k rounds of the exponential mechanism, each among
// the remaining indices (McSherry & Talwar 2007; in one shot by Gumbel noise, Durfee & Rogers 2019). With rate
// ε/2k it is ε-DP for scores of sensitivity 1 each.
type PeelingTopK struct {
	k    int
	rate float64
}

// NewPeelingTopK returns the mechanism for k ≥ 1 indices at a finite rate > 0. Other values give an error that
// wraps ErrDomain.
func NewPeelingTopK(k int, rate float64) (*PeelingTopK, error) {
	if err := checkTop("peeling top-k", k, rate, "rate"); err != nil {
		return nil, err
	}
	return &PeelingTopK{k: k, rate: rate}, nil
}

func checkTop(owner string, k int, v float64, name string) error {
	if k < 1 {
		return domain.Error(owner, "k", k, ">= 1")
	}
	return domain.Positive(owner, name, v)
}

// checkScores returns an error unless there are more than k scores, all finite.
func checkScores(owner string, k int, scores []float64) error {
	if len(scores) <= k {
		return domain.Error(owner, "number of scores", len(scores), fmt.Sprintf("> k = %d", k))
	}
	return domain.Answers(owner, scores)
}

// Release returns k indices. There must be more than k scores, all finite.
func (m *PeelingTopK) Release(r *rand.Rand, scores []float64) ([]int, error) {
	if err := checkScores("peeling top-k", m.k, scores); err != nil {
		return nil, err
	}
	noisy := make([]float64, len(scores))
	for i, s := range scores {
		noisy[i] = m.rate*s - math.Log(noise.Exponential(r)) // Gumbel noise: equal in distribution to k rounds
	}
	return largest(noisy, m.k), nil
}

// largest returns the indices of the k largest values, the largest first.
func largest(values []float64, k int) []int {
	indices := make([]int, len(values))
	for i := range indices {
		indices[i] = i
	}
	slices.SortFunc(indices, func(i, j int) int {
		switch {
		case values[i] > values[j]:
			return -1
		case values[i] < values[j]:
			return 1
		}
		return i - j
	})
	return indices[:k:k]
}

// Distribution returns the probabilities of all ordered lists of k indices, in lexicographic order.
func (m *PeelingTopK) Distribution(scores []float64) (law []float64) {
	highest := slices.Max(scores)
	weights := make([]float64, len(scores))
	for i, s := range scores {
		weights[i] = math.Exp(m.rate * (s - highest))
	}
	taken := make([]bool, len(scores))
	var peel func(rounds int, p float64)
	peel = func(rounds int, p float64) {
		if rounds == 0 {
			law = append(law, p)
			return
		}
		var left float64
		for i, w := range weights {
			if !taken[i] {
				left += w
			}
		}
		for i, w := range weights {
			if !taken[i] {
				taken[i] = true
				peel(rounds-1, p*w/left)
				taken[i] = false
			}
		}
	}
	peel(m.k, 1)
	return law
}

// NoisyTopK releases the set of the k largest scores after adding Laplace noise to each, in one shot (Qiao, Su &
// Zhang 2021, "Oneshot Differentially Private Top-k Selection"). With scale 2k/ε it is ε-DP for scores of
// sensitivity 1 each: given the noise of all other scores, the k scores must exceed the largest of these, and each
// of these tails shifts by at most 2. For given scores the exact ε follows from Distribution.
type NoisyTopK struct {
	k     int
	scale float64
}

// NewNoisyTopK returns the mechanism for k ≥ 1 indices at a finite scale > 0. Other values give an error that
// wraps ErrDomain.
func NewNoisyTopK(k int, scale float64) (*NoisyTopK, error) {
	if err := checkTop("noisy top-k", k, scale, "scale"); err != nil {
		return nil, err
	}
	return &NoisyTopK{k: k, scale: scale}, nil
}

// Release returns k indices in ascending order. There must be more than k scores, all finite.
func (m *NoisyTopK) Release(r *rand.Rand, scores []float64) ([]int, error) {
	if err := checkScores("noisy top-k", m.k, scores); err != nil {
		return nil, err
	}
	noisy := make([]float64, len(scores))
	for i, s := range scores {
		noisy[i] = s + m.scale*noise.Laplace(r)
	}
	set := largest(noisy, m.k)
	slices.Sort(set)
	return set, nil
}

// Distribution returns the probabilities of all sets of k indices, in lexicographic order. It integrates over the
// smallest noisy score of the set: the other members are above it, and all other scores are below it.
func (m *NoisyTopK) Distribution(scores []float64) (all []float64) {
	rate, reach := float64(len(scores))/m.scale, m.scale*(44+math.Log1p(float64(len(scores))))
	set := make([]bool, len(scores))
	var choose func(from, more int)
	choose = func(from, more int) {
		if more == 0 {
			var p float64
			for lowest := range scores {
				if set[lowest] {
					p += integrate(scores, rate, reach, func(v float64) float64 {
						return m.density(scores, set, lowest, v)
					})
				}
			}
			all = append(all, p)
			return
		}
		for i := from; i <= len(scores)-more; i++ {
			set[i] = true
			choose(i+1, more-1)
			set[i] = false
		}
	}
	choose(0, m.k)
	return all
}

// density returns the density of the event that the set is released and that its smallest noisy score is the score
// lowest, with value v.
func (m *NoisyTopK) density(scores []float64, set []bool, lowest int, v float64) float64 {
	p := math.Exp(logLaplace(v-scores[lowest], m.scale))
	for i, s := range scores {
		switch t := (v - s) / m.scale; {
		case i == lowest:
		case set[i]:
			p *= laplaceTail(t)
		default:
			p *= laplaceTail(-t)
		}
	}
	return p
}
