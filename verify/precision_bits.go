package verify

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/dpverify/dpverify/empirical"
)

const (
	// maxLeaves is how many values of an output are probed: of longer ones, those that
	// tell most in scoutRows outputs, among the first maxScouted.
	maxLeaves  = 16
	scoutRows  = 500
	maxScouted = 4096
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

// leaf is a number in an output: a double, or a whole number that no double holds.
type leaf struct {
	value float64 // the nearest double
	large bool    // the number is whole, and beyond 2⁵³
	low   uint64  // a large one modulo 2⁶⁴, in two's complement
}

// leavesOf appends the numbers in an output.
func leavesOf(dst []leaf, o any) []leaf {
	switch o := o.(type) {
	case float64:
		return append(dst, leaf{value: o})
	case []float64:
		for _, v := range o {
			dst = append(dst, leaf{value: v})
		}
		return dst
	case []any:
		for _, v := range o {
			dst = leavesOf(dst, v)
		}
		return dst
	case json.Number:
		return append(dst, leafOfNumber(o))
	case string:
		switch o {
		case "nan":
			return append(dst, leaf{value: math.NaN()})
		case "inf":
			return append(dst, leaf{value: math.Inf(1)})
		case "-inf":
			return append(dst, leaf{value: math.Inf(-1)})
		}
		return dst
	case nil, bool, []bool, []string:
		return dst
	}
	return leavesOfIntegers(dst, reflect.ValueOf(o))
}

// leavesOfIntegers appends an integer of any type, or a slice of them.
func leavesOfIntegers(dst []leaf, v reflect.Value) []leaf {
	const exact = 1 << 53
	switch {
	case v.CanInt():
		n := v.Int()
		return append(dst, leaf{float64(n), n < -exact || n > exact, uint64(n)})
	case v.CanUint():
		n := v.Uint()
		return append(dst, leaf{float64(n), n > exact, n})
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			dst = leavesOfIntegers(dst, v.Index(i))
		}
	}
	return dst
}

// leafOfNumber is that of a number that was decoded with its digits.
func leafOfNumber(text json.Number) leaf {
	x, _ := text.Float64() // within its range
	n, whole := new(big.Int).SetString(string(text), 10)
	if !whole || math.Abs(x) <= 1<<53 {
		return leaf{value: x}
	}
	return leaf{x, true, new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()}
}

// leafSample holds the numbers of sampled outputs.
type leafSample struct {
	values []leaf
	ends   []int
}

// leafPair is the samples of two neighbouring inputs.
type leafPair struct{ a, b leafSample }

// add keeps the picked numbers of an output, or the first maxScouted where pick is nil.
func (s *leafSample) add(leaves []leaf, pick []int) {
	if pick == nil {
		s.values = append(s.values, leaves[:min(len(leaves), maxScouted)]...)
	} else {
		s.values = appendPicked(s.values, leaves, pick)
	}
	s.ends = append(s.ends, len(s.values))
}

func appendPicked(dst, leaves []leaf, pick []int) []leaf {
	for _, i := range pick {
		if i < len(leaves) {
			dst = append(dst, leaves[i])
		}
	}
	return dst
}

func (s *leafSample) len() int { return len(s.ends) }

// each calls f with the values of every output.
func (s *leafSample) each(f func(leaves []leaf)) {
	start := 0
	for _, end := range s.ends {
		f(s.values[start:end])
		start = end
	}
}

// blurred is the sample with the low-order bits of its fine values drawn at random.
func (s *leafSample) blurred(r *rand.Rand) leafSample {
	out := leafSample{values: slices.Clone(s.values), ends: s.ends}
	for i, v := range out.values {
		if v.fine() {
			out.values[i] = v.blurred(r)
		}
	}
	return out
}

// blurred is a number like this one, with other low-order bits.
func (l leaf) blurred(r *rand.Rand) leaf {
	const low = 1<<blurBits - 1
	l.value = math.Float64frombits(math.Float64bits(l.value)&^low | r.Uint64()&low)
	if !l.large {
		return l
	}
	fraction, exponent := math.Frexp(math.Abs(l.value))
	below := exponent - 53 // bits of the number that the double lacks
	l.low = r.Uint64()
	if below < 64 {
		l.low = uint64(math.Ldexp(fraction, 53))<<below | l.low&(1<<below-1)
		if l.value < 0 {
			l.low = -l.low
		}
	}
	return l
}

// bits returns log2 of the lowest set bit of a finite number other than 0, the number of
// zeros that end its significand of 53 bits, and its exponent. The zeros are less than
// none where a whole number has more bits than a double.
func (l leaf) bits() (lowest, zeros, exponent float64) {
	fraction, e := math.Frexp(math.Abs(l.value))
	n := bits.TrailingZeros64(uint64(math.Ldexp(fraction, 53)))
	if l.large {
		n = bits.TrailingZeros64(l.low) - (e - 53)
	}
	return float64(e - 53 + n), float64(n), float64(e - 1)
}

func (l leaf) finite() bool { return !math.IsNaN(l.value) && !math.IsInf(l.value, 0) }

// fine tells a number that uses its low-order bits.
func (l leaf) fine() bool {
	if l.value == 0 || !l.finite() {
		return false
	}
	_, zeros, _ := l.bits()
	return zeros < fineZeros
}

// numbersIn tells whether there are finite numbers, and whether all of them are whole.
func numbersIn(drawn []leafPair) (some, whole bool) {
	whole = true
	for _, d := range drawn {
		for _, values := range [][]leaf{d.a.values, d.b.values} {
			for _, l := range values {
				if l.finite() {
					some, whole = true, whole && l.value == math.Trunc(l.value)
				}
			}
		}
	}
	return some, whole
}

// pickLeaves returns the places of the numbers that are probed: all where they are few,
// else those whose bits, or whose values, are spread most differently over two samples
// of some pair.
func pickLeaves(scouted []leafPair) []int {
	const zeroClasses, valueClasses = 96, 32
	longest := maxLeaves
	for _, d := range scouted {
		for _, s := range []*leafSample{&d.a, &d.b} {
			s.each(func(leaves []leaf) { longest = max(longest, len(leaves)) })
		}
	}
	pick := make([]int, longest)
	for i := range pick {
		pick[i] = i
	}
	if longest == maxLeaves {
		return pick
	}
	scores := make([]float64, longest)
	for _, d := range scouted {
		counts := make([][zeroClasses + valueClasses][2]float64, longest)
		for side, s := range []*leafSample{&d.a, &d.b} {
			s.each(func(leaves []leaf) {
				for i, l := range leaves {
					counts[i][l.zeroClass(zeroClasses)][side]++
					counts[i][zeroClasses+l.hash()%valueClasses][side]++
				}
			})
		}
		for i := range counts {
			scores[i] = max(scores[i], excess(counts[i][:zeroClasses]), excess(counts[i][zeroClasses:]))
		}
	}
	slices.SortStableFunc(pick, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	pick = pick[:maxLeaves]
	slices.Sort(pick)
	return pick
}

// zeroClass is the number of zeros that end the significand, as one of so many classes.
func (l leaf) zeroClass(classes int) int {
	if l.value == 0 || !l.finite() {
		return classes - 1
	}
	_, zeros, _ := l.bits()
	return min(classes-2, max(0, int(zeros)+classes-56))
}

// hash tells values apart by their bits.
func (l leaf) hash() uint64 {
	const odd = 0x9e3779b97f4a7c15
	return ((math.Float64bits(l.value)+l.low)*odd ^ l.low) * odd >> 32
}

// excess is the χ² of the counts in two samples of a size beyond its mean, in standard
// deviations.
func excess(counts [][2]float64) float64 {
	var sum, seen float64
	for _, c := range counts {
		if all := c[0] + c[1]; all > 0 {
			sum, seen = sum+(c[0]-c[1])*(c[0]-c[1])/all, seen+1
		}
	}
	return (sum - seen) / math.Sqrt(2*max(1, seen))
}

// bitFeatures encodes outputs by their low-order bits.
type bitFeatures struct {
	pick []int // places of the numbers that are probed
	// support counts fine values that repeat in a part of the search samples: under
	// the first input less under the second.
	support map[leaf]float64
}

// newBitFeatures learns the values that repeat from every other output, so that the
// rest still shows what they are worth.
func newBitFeatures(drawn []leafPair, pick []int) *bitFeatures {
	f := &bitFeatures{pick: pick, support: make(map[leaf]float64)}
	times := make(map[leaf]int)
	for _, d := range drawn {
		for side, s := range []*leafSample{&d.a, &d.b} {
			i := 0
			s.each(func(leaves []leaf) {
				if i++; i%2 == 0 {
					return
				}
				for _, l := range leaves {
					if l.fine() && (len(times) < mostSupport || times[l] > 0) {
						times[l]++
						f.support[l] += 1 - 2*float64(side)
					}
				}
			})
		}
	}
	for l, n := range times {
		if n < 2 {
			delete(f.support, l)
		}
	}
	return f
}

// encode appends the row of an output: its length and then the features of each of the
// numbers that were picked.
func (f *bitFeatures) encode(dst []float64, leaves []leaf) []float64 {
	dst = append(dst, float64(len(leaves)*len(bitNames)))
	for _, l := range leaves {
		lowest, zeros, exponent, sign := float64(noBit), 53.0, -float64(noBit), 0.0
		switch {
		case !l.finite(): // over the reals alone
		case l.value == 0:
			if math.Signbit(l.value) {
				sign = -1
			}
		default:
			lowest, zeros, exponent = l.bits()
		}
		dst = append(dst, lowest, zeros, exponent, sign, max(-3, min(3, f.support[l])))
	}
	return dst
}

// rows encodes a sample.
func (f *bitFeatures) rows(s leafSample) *empirical.Rows {
	var out empirical.Sample
	s.each(func(leaves []leaf) { out.Add(f.encode(out.Scratch(), leaves)) })
	return out.Rows()
}
