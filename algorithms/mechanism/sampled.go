package mechanism

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// SampledLaplace releases the sum of a Poisson sample of the records plus Laplace noise. Each record is kept
// independently with probability q. By amplification (Balle, Barthe & Gaboardi 2018, Theorem 8), adding or
// removing a record in [0, 1] is log(1+q(e^(1/scale)-1))-DP, which is attained if all other records are 0.
type SampledLaplace struct{ rate, scale float64 }

// NewSampledLaplace returns the mechanism at a sampling rate q in (0, 1] and a finite scale > 0; else an
// error that wraps ErrDomain.
func NewSampledLaplace(rate, scale float64) (*SampledLaplace, error) {
	const owner = "sampled laplace"
	if !(rate > 0 && rate <= 1) {
		return nil, domain.Error(owner, "rate", rate, "in (0, 1]")
	}
	if err := domain.Positive(owner, "scale", scale); err != nil {
		return nil, err
	}
	return &SampledLaplace{rate: rate, scale: scale}, nil
}

// Release returns the noisy sum of a sample of the records. There may be no record; all must be in [0, 1].
func (m *SampledLaplace) Release(r *rand.Rand, records []float64) (float64, error) {
	var sum float64
	for i, v := range records {
		if !(v >= 0 && v <= 1) {
			return 0, domain.Error("sampled laplace", fmt.Sprintf("record[%d]", i), v, "0..1")
		}
		if r.Float64() < m.rate {
			sum += v
		}
	}
	return sum + m.scale*noise.Laplace(r), nil
}

// Interval returns the probability of an output in (lo, hi], with full relative accuracy. It enumerates the sums
// of all samples: 2^n for n different records, n+1 for equal ones.
func (m *SampledLaplace) Interval(records []float64, lo, hi float64) float64 {
	atoms := []atom{{0, 1}}
	for _, v := range records {
		var next []atom
		for _, a := range atoms {
			next = add(add(next, a.sum, a.p*(1-m.rate)), a.sum+v, a.p*m.rate)
		}
		atoms = next
	}
	var p float64
	for _, a := range atoms {
		p += a.p * laplaceInterval((lo-a.sum)/m.scale, (hi-a.sum)/m.scale)
	}
	return p
}

// atom is a sum and its probability.
type atom struct{ sum, p float64 }

func add(atoms []atom, sum, p float64) []atom {
	if i := slices.IndexFunc(atoms, func(a atom) bool { return a.sum == sum }); i >= 0 {
		atoms[i].p += p
		return atoms
	}
	return append(atoms, atom{sum, p})
}

// SampledResponse asks some of n people, sampled without replacement, a yes-no question and releases their
// randomized answers in the order of sampling. If m of n are asked at ε, amplification (Balle, Barthe & Gaboardi
// 2018, Theorem 9) gives log(1+(m/n)(e^ε-1))-DP for one person's bit. The exact ε follows from Distribution by
// enumeration.
type SampledResponse struct {
	people, asked int
	keep          float64 // probability of the true answer
}

// NewSampledResponse returns the mechanism that asks 1 ≤ asked ≤ min(people, 16) people, each at a finite epsilon
// > 0. Other values give an error that wraps ErrDomain.
func NewSampledResponse(people, asked int, epsilon float64) (*SampledResponse, error) {
	const owner = "sampled response"
	if asked < 1 || asked > min(people, 16) {
		return nil, domain.Error(owner, "asked", asked, fmt.Sprintf("1..%d", min(people, 16)))
	}
	if err := domain.Positive(owner, "epsilon", epsilon); err != nil {
		return nil, err
	}
	return &SampledResponse{people: people, asked: asked, keep: 1 / (1 + math.Exp(-epsilon))}, nil
}

// Release returns the answers. bits must have one entry, 0 or 1, for each person.
func (m *SampledResponse) Release(r *rand.Rand, bits []int) ([]int, error) {
	if len(bits) != m.people || slices.ContainsFunc(bits, func(b int) bool { return b != 0 && b != 1 }) {
		return nil, domain.Error("sampled response", "bits", bits, fmt.Sprintf("%d of 0 and 1", m.people))
	}
	left := slices.Clone(bits)
	for i := range m.asked { // the first steps of a shuffle
		j := i + int(r.Uint64N(uint64(m.people-i)))
		left[i], left[j] = left[j], left[i]
		if r.Float64() >= m.keep {
			left[i] = 1 - left[i]
		}
	}
	return left[:m.asked:m.asked], nil
}

// Distribution returns the probabilities of the answers, read as binary numbers whose lowest bit is the first
// answer. Each person asked has one of the remaining bits.
func (m *SampledResponse) Distribution(bits []int) []float64 {
	ones := 0
	for _, b := range bits {
		ones += b
	}
	law := make([]float64, 1<<m.asked)
	var ask func(i, ones, answers int, p float64)
	ask = func(i, ones, answers int, p float64) {
		if i == m.asked {
			law[answers] += p
			return
		}
		one := float64(ones) / float64(m.people-i) // the probability that the next person has a 1
		if ones > 0 {
			ask(i+1, ones-1, answers|1<<i, p*one*m.keep)
			ask(i+1, ones-1, answers, p*one*(1-m.keep))
		}
		if ones < m.people-i {
			ask(i+1, ones, answers|1<<i, p*(1-one)*(1-m.keep))
			ask(i+1, ones, answers, p*(1-one)*m.keep)
		}
	}
	ask(0, ones, 0, 1)
	return law
}
