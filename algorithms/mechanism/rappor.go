package mechanism

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// RAPPOR reports a value through a Bloom filter whose bits are randomized (Erlingsson, Pihur & Korolova 2014). The
// permanent step replaces each bit by a fair coin with probability f. The instantaneous step reports 1 with
// probability q if the result is 1 and p if it is 0. Every release draws both steps again, so it has the
// distribution of one report.
//
// A bit is reported as 1 with probability q* = f(p+q)/2 + (1-f)q if the filter has 1, and p* = f(p+q)/2 + (1-f)p
// if it has 0. Two filters with h bits each, s of them shared, differ in 2(h-s) bits. For q > p the exact ε
// between them is (h-s)·log(q*(1-p*)/(p*(1-q*))). With s = 0 this is the paper's equation for one report: 0.400 at
// h = 4, f = 0.75, p = 0.45, q = 0.55.
type RAPPOR struct {
	bits, hashes  int
	ifOne, ifZero reportedBit
}

// reportedBit is the distribution of the reported bit for one value of the filter's bit.
type reportedBit struct {
	coin   coin
	logOne float64 // log probability of 1
	logNil float64 // log probability of 0
}

func newReportedBit(p float64) reportedBit {
	return reportedBit{coin: newCoin(p), logOne: math.Log(p), logNil: math.Log1p(-p)}
}

// NewRAPPOR returns RAPPOR for a filter size bits in 1..65536, hashes ≥ 1, and f, p and q in [0, 1]. The benchmark
// has bits = 20, hashes = 4, f = 0.75, p = 0.45, q = 0.55. Other values give an error that wraps ErrDomain.
func NewRAPPOR(bits, hashes int, f, p, q float64) (*RAPPOR, error) {
	const owner = "rappor"
	if bits < 1 || bits > 1<<16 {
		return nil, domain.Error(owner, "bits", bits, "1..65536")
	}
	if hashes < 1 {
		return nil, domain.Error(owner, "hashes", hashes, ">= 1")
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"f", f}, {"p", p}, {"q", q}} {
		if !(v.value >= 0 && v.value <= 1) {
			return nil, domain.Error(owner, v.name, v.value, "0..1")
		}
	}
	return &RAPPOR{bits: bits, hashes: hashes,
		ifOne: newReportedBit(f*(p+q)/2 + (1-f)*q), ifZero: newReportedBit(f*(p+q)/2 + (1-f)*p)}, nil
}

// NewOneTimeRAPPOR returns only the permanent step (q = 1, p = 0). The exact ε between filters with h bits each, s
// of them shared, is 2(h-s)·log((1-f/2)/(f/2)): 0.801 at h = 4, s = 0, f = 0.95.
func NewOneTimeRAPPOR(bits, hashes int, f float64) (*RAPPOR, error) {
	return NewRAPPOR(bits, hashes, f, 0, 1)
}

// Bits returns the positions that value sets in the filter, ascending and without repeats. There are fewer than
// hashes if two hash functions collide.
func (m *RAPPOR) Bits(value int) []int {
	var set []int
	for i := range m.hashes {
		set = append(set, m.position(value, i))
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// position returns hash function i of value modulo the size of the filter. It is output i of the generator
// SplitMix64 (Steele, Lea & Flood 2014) seeded with the value.
func (m *RAPPOR) position(value, i int) int {
	z := uint64(value) + uint64(i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(m.bits))
}

// Release returns the reported bits for value, any integer.
func (m *RAPPOR) Release(r *rand.Rand, value int) ([]int8, error) {
	return releaseOne(r, value, m.ReleaseN)
}

// ReleaseN fills out with independent reports of value.
func (m *RAPPOR) ReleaseN(r *rand.Rand, value int, out [][]int8) error {
	for i := range out {
		out[i] = noise.Resize(out[i], m.bits)
		m.draw(r, value, out[i])
	}
	return nil
}

func (m *RAPPOR) draw(r *rand.Rand, value int, dst []int8) {
	clear(dst)
	for i := range m.hashes {
		dst[m.position(value, i)] = 1
	}
	laws := [2]*coin{&m.ifZero.coin, &m.ifOne.coin}
	for i, bit := range dst {
		var reported int8
		if laws[bit&1].toss(r) {
			reported = 1
		}
		dst[i] = reported
	}
}

// LogDensity returns the log probability of the reported bits.
func (m *RAPPOR) LogDensity(value int, out []int8) float64 {
	if len(out) != m.bits {
		return math.NaN()
	}
	set := m.Bits(value)
	var sum float64
	for i, reported := range out {
		law := &m.ifZero
		if slices.Contains(set, i) {
			law = &m.ifOne
		}
		switch reported {
		case 1:
			sum += law.logOne
		case 0:
			sum += law.logNil
		default:
			return math.Inf(-1)
		}
	}
	return sum
}
