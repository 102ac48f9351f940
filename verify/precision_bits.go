package verify

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical"
)

const (
	// maxLeaves is how many values of an output are probed.
	maxLeaves = 16
	// fineZeros: a double whose significand ends in fewer zeros is held to use its
	// low-order bits; one on a coarse grid, or whole, is a value in its own right.
	fineZeros = 24
	// blurBits are those that the control draws at random.
	blurBits = 32
	// noBit is the lowest set bit of zero, above those of all numbers.
	noBit = 1100
	// mostSupport bounds the table of repeated values.
	mostSupport = 1 << 16
)

// bitNames are the features of one value, in the order of encode.
var bitNames = []string{"log2 of the lowest set bit", "zeros that end the significand", "exponent", "sign of a zero", "repeats seen (first input less second)"}

// leavesOf appends the floating-point values in an output.
func leavesOf(dst []float64, o any) []float64 {
	switch o := o.(type) {
	case float64:
		return append(dst, o)
	case []float64:
		return append(dst, o...)
	case []any:
		for _, v := range o {
			dst = leavesOf(dst, v)
		}
	case string:
		switch o {
		case "nan":
			return append(dst, math.NaN())
		case "inf":
			return append(dst, math.Inf(1))
		case "-inf":
			return append(dst, math.Inf(-1))
		}
	}
	return dst
}

// leafSample holds the floating-point values of sampled outputs.
type leafSample struct {
	values []float64
	ends   []int
}

// leafPair is the samples of two neighbouring inputs.
type leafPair struct{ a, b leafSample }

func (s *leafSample) add(leaves []float64) {
	s.values = append(s.values, leaves[:min(len(leaves), maxLeaves)]...)
	s.ends = append(s.ends, len(s.values))
}

func (s *leafSample) len() int { return len(s.ends) }

// each calls f with the values of every output.
func (s *leafSample) each(f func(leaves []float64)) {
	start := 0
	for _, end := range s.ends {
		f(s.values[start:end])
		start = end
	}
}

// blurred is the sample with the low-order bits of its fine values drawn at random.
func (s *leafSample) blurred(r *rand.Rand) leafSample {
	out := leafSample{values: append([]float64(nil), s.values...), ends: s.ends}
	for i, v := range out.values {
		if fine(v) {
			const low = 1<<blurBits - 1
			out.values[i] = math.Float64frombits(math.Float64bits(v)&^low | r.Uint64()&low)
		}
	}
	return out
}

// lowBits returns log2 of the lowest set bit of a finite value other than 0, the
// number of zeros that end its significand of 53 bits, and its exponent.
func lowBits(v float64) (lowest, zeros, exponent float64) {
	fraction, e := math.Frexp(math.Abs(v))
	significand := uint64(math.Ldexp(fraction, 53))
	n := 0
	for significand&1 == 0 {
		significand >>= 1
		n++
	}
	return float64(e - 53 + n), float64(n), float64(e - 1)
}

// fine tells a value that uses its low-order bits.
func fine(v float64) bool {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return false
	}
	_, zeros, _ := lowBits(v)
	return zeros < fineZeros
}

// anyFractions tells whether there are values with a fraction.
func anyFractions(drawn []leafPair) bool {
	for _, d := range drawn {
		for _, v := range append(append([]float64(nil), d.a.values...), d.b.values...) {
			if v != math.Trunc(v) && !math.IsNaN(v) {
				return true
			}
		}
	}
	return false
}

// bitFeatures encodes outputs by their low-order bits.
type bitFeatures struct {
	// support counts fine values that repeat in a part of the search samples: under
	// the first input less under the second.
	support map[uint64]float64
}

// newBitFeatures learns the values that repeat from every other output, so that the
// rest still shows what they are worth.
func newBitFeatures(drawn []leafPair) *bitFeatures {
	f := &bitFeatures{support: make(map[uint64]float64)}
	times := make(map[uint64]int)
	for _, d := range drawn {
		for side, s := range []*leafSample{&d.a, &d.b} {
			i := 0
			s.each(func(leaves []float64) {
				if i++; i%2 == 0 {
					return
				}
				for _, v := range leaves {
					if bits := math.Float64bits(v); fine(v) && (len(times) < mostSupport || times[bits] > 0) {
						times[bits]++
						f.support[bits] += 1 - 2*float64(side)
					}
				}
			})
		}
	}
	for bits, n := range times {
		if n < 2 {
			delete(f.support, bits)
		}
	}
	return f
}

// encode appends the row of an output: its length and then the features of each value.
func (f *bitFeatures) encode(dst, leaves []float64) []float64 {
	leaves = leaves[:min(len(leaves), maxLeaves)]
	dst = append(dst, float64(len(leaves)*len(bitNames)))
	for _, v := range leaves {
		lowest, zeros, exponent, sign := float64(noBit), 53.0, -float64(noBit), 0.0
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0): // over the reals alone
		case v == 0:
			if math.Signbit(v) {
				sign = -1
			}
		default:
			lowest, zeros, exponent = lowBits(v)
		}
		dst = append(dst, lowest, zeros, exponent, sign, max(-3, min(3, f.support[math.Float64bits(v)])))
	}
	return dst
}

// rows encodes a sample.
func (f *bitFeatures) rows(s leafSample) *empirical.Rows {
	var out empirical.Sample
	s.each(func(leaves []float64) { out.Add(f.encode(out.Scratch(), leaves)) })
	return out.Rows()
}
