package mechanism

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// DiscreteLaplace adds two-sided geometric noise to a count: P(k) = (1-a)/(1+a)·a^|k| with a = e^(-ε/Δ) (Ghosh,
// Roughgarden & Sundararajan 2009). It is exactly ε-DP for counts of sensitivity Δ: the probabilities of two
// neighbors have ratio at most a^(-Δ).
type DiscreteLaplace struct {
	rate  float64 // ε/Δ = -log a
	shift float64 // log(2/(1+a))
}

// NewDiscreteLaplace returns the mechanism at rate = ε/Δ, the privacy loss per unit of sensitivity, in [1e-6,
// 700]. Other values give an error that wraps ErrDomain.
func NewDiscreteLaplace(rate float64) (*DiscreteLaplace, error) {
	// Below 1e-6 the 2³² levels of the exponential generator would be too coarse for the integers.
	if !(rate >= 1e-6 && rate <= 700) {
		return nil, domain.Error("discrete laplace", "rate", rate, "1e-6..700")
	}
	return &DiscreteLaplace{rate: rate, shift: math.Ln2 - math.Log1p(math.Exp(-rate))}, nil
}

// maxCount ensures that a count plus noise fits in an int of 64 or 32 bits.
const maxCount = min(1<<52, math.MaxInt/2)

func checkCount(owner string, x int) error {
	if x < -maxCount || x > maxCount {
		return domain.Error(owner, "x", x, fmt.Sprintf("-%d..%d", maxCount, maxCount))
	}
	return nil
}

// Release returns x plus noise, for |x| ≤ 2⁵² (2³⁰ if int has 32 bits).
func (m *DiscreteLaplace) Release(r *rand.Rand, x int) (int, error) {
	if err := checkCount("discrete laplace", x); err != nil {
		return 0, err
	}
	return x + m.noise(r), nil
}

// ReleaseN fills out with independent releases of x.
func (m *DiscreteLaplace) ReleaseN(r *rand.Rand, x int, out []int) error {
	if err := checkCount("discrete laplace", x); err != nil {
		return err
	}
	for i := range out {
		out[i] = x + m.noise(r)
	}
	return nil
}

// noise inverts the tail of |k|: P(|k| ≥ j) = 2a^j/(1+a) = P(E ≥ j·rate - shift), j ≥ 1, for E exponential with
// mean 1. The sign is a fair coin.
func (m *DiscreteLaplace) noise(r *rand.Rand) int {
	k := int((noise.Exponential(r) + m.shift) / m.rate)
	sign := -int(r.Uint64() & 1) // 0 or -1
	return (k ^ sign) - sign
}

// LogDensity returns the log probability of out.
func (m *DiscreteLaplace) LogDensity(x, out int) float64 {
	if checkCount("", x) != nil {
		return math.NaN()
	}
	distance := math.Abs(float64(out) - float64(x))
	return math.Log(math.Tanh(m.rate/2)) - distance*m.rate
}

// TruncatedGeometric releases a count c ∈ 0..n with noise clamped to 0..n. The probabilities are rational, and one
// uniform integer samples them exactly (Balcer & Vadhan 2018, "Differential Privacy on Finite Computers",
// GeoSample: a geometric distribution with ratio 2^k/(2^k+1), scaled by d = (2^(k+1)+1)(2^k+1)^(n-1)).
//
// It is exactly ln(1+2^(-k))-DP for neighboring counts: the cumulative counts are products of powers of 2^k and
// 2^k+1 that differ by that ratio. The benchmark's row "ε = 0.1, n = 5" has k = ⌈ln(2/0.1)⌉ = 3, as in the public
// implementation that it measured. Its true ε is therefore ln(1+2⁻³) = 0.1178.
type TruncatedGeometric struct {
	n          int
	total      uint64
	cumulative [][]uint64 // [c][z]: number of outcomes, out of total, with output ≤ z
}

// NewTruncatedGeometric returns the mechanism for counts 0..n, n ≥ 1, with k ≥ 0 bits, so that ε = ln(1+2^(-k)).
// The product d must be below 2⁶⁴. Other values give an error that wraps ErrDomain.
func NewTruncatedGeometric(k, n int) (*TruncatedGeometric, error) {
	const owner = "truncated geometric"
	if n < 1 {
		return nil, domain.Error(owner, "n", n, ">= 1")
	}
	if k < 0 {
		return nil, domain.Error(owner, "k", k, ">= 0")
	}
	fits := k < 63
	total := uint64(1)
	if fits {
		total = 1<<(k+1) + 1
		for range n - 1 {
			high, low := bits.Mul64(total, 1<<k+1)
			if high != 0 {
				fits = false
				break
			}
			total = low
		}
	}
	if !fits {
		return nil, domain.Error(owner, "k, n", fmt.Sprintf("%d, %d", k, n), "(2^(k+1)+1)(2^k+1)^(n-1) < 2^64")
	}
	m := &TruncatedGeometric{n: n, total: total, cumulative: make([][]uint64, n+1)}
	for c := range m.cumulative {
		m.cumulative[c] = geometricCounts(k, n, c, total)
	}
	return m, nil
}

// geometricCounts returns the cumulative counts of GeoSample for input c: 2^(k(c-z))·(2^k+1)^(n-(c-z)) for z < c,
// total - 2^(k(z-c+1))·(2^k+1)^(n-1-(z-c)) for c ≤ z < n, and total for z = n.
func geometricCounts(k, n, c int, total uint64) []uint64 {
	term := func(j int) uint64 { // 2^(kj)·(2^k+1)^(n-j), 1 ≤ j ≤ n
		v := uint64(1) << (k * j)
		for range n - j {
			v *= 1<<k + 1
		}
		return v
	}
	counts := make([]uint64, n+1)
	for z := range counts {
		switch {
		case z < c:
			counts[z] = term(c - z)
		case z < n:
			counts[z] = total - term(z-c+1)
		default:
			counts[z] = total
		}
	}
	return counts
}

func (m *TruncatedGeometric) check(c int) error {
	return checkSymbol("truncated geometric", c, m.n+1)
}

// Release returns a noisy copy, in 0..n, of c ∈ 0..n.
func (m *TruncatedGeometric) Release(r *rand.Rand, c int) (int, error) {
	if err := m.check(c); err != nil {
		return 0, err
	}
	return m.draw(r, m.cumulative[c]), nil
}

// ReleaseN fills out with independent releases of c.
func (m *TruncatedGeometric) ReleaseN(r *rand.Rand, c int, out []int) error {
	if err := m.check(c); err != nil {
		return err
	}
	for i := range out {
		out[i] = m.draw(r, m.cumulative[c])
	}
	return nil
}

func (m *TruncatedGeometric) draw(r *rand.Rand, cumulative []uint64) int {
	u := r.Uint64N(m.total)
	z := 0
	for u >= cumulative[z] {
		z++
	}
	return z
}

// Distribution returns the probabilities of 0..n given c.
func (m *TruncatedGeometric) Distribution(c int) []float64 {
	if m.check(c) != nil {
		return nil
	}
	law := make([]float64, m.n+1)
	below := uint64(0)
	for z, count := range m.cumulative[c] {
		law[z] = float64(count-below) / float64(m.total)
		below = count
	}
	return law
}
