package diagnosis

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

const (
	// maxLeaves is the maximum number of tested values per output. For longer outputs, the values that
	// distinguish best in ScoutRows outputs are chosen among the first maxScouted.
	maxLeaves  = 16
	ScoutRows  = 500
	maxScouted = 4096
	// fineZeros is the number of trailing zeros of a significand below which a double uses its low-order
	// bits. Integers and multiples of a coarse grid have more.
	fineZeros = 24
	// blurBits is the number of low-order bits that the control randomizes.
	blurBits = 32
	// noBit is the feature value for the lowest set bit of zero. It is larger than for every other number.
	noBit = 1100
	// mostSupport limits the table of repeated values.
	mostSupport = 1 << 16
)

// bitNames lists the features of one value in the order of Encode.
var bitNames = []string{"log2 of the lowest set bit", "zeros that end the significand", "exponent", "sign of a zero",
	"repeats seen (first input less second)"}

// Leaf is a number in an output: a double, or an integer that no double represents.
type Leaf struct {
	Value float64 // nearest double
	Large bool    // the number is an integer beyond 2⁵³
	low   uint64  // large integer modulo 2⁶⁴ in two's complement
}

// LeavesOf appends the numbers in an output.
func LeavesOf(dst []Leaf, o any) []Leaf {
	switch o := o.(type) {
	case float64:
		return append(dst, Leaf{Value: o})
	case []float64:
		for _, v := range o {
			dst = append(dst, Leaf{Value: v})
		}
		return dst
	case []any:
		dst = slices.Grow(dst, len(o))
		for _, v := range o {
			dst = LeavesOf(dst, v)
		}
		return dst
	case map[string]any:
		for _, key := range distinguisher.Keys(o) {
			dst = LeavesOf(dst, o[key])
		}
		return dst
	case json.Number:
		return append(dst, leafOfNumber(o))
	case string:
		switch o {
		case "nan":
			return append(dst, Leaf{Value: math.NaN()})
		case "inf":
			return append(dst, Leaf{Value: math.Inf(1)})
		case "-inf":
			return append(dst, Leaf{Value: math.Inf(-1)})
		}
		return dst
	case nil, bool, []bool, []string:
		return dst
	}
	return leavesOfIntegers(dst, reflect.ValueOf(o))
}

// leavesOfIntegers appends an integer of any type or a slice of integers.
func leavesOfIntegers(dst []Leaf, v reflect.Value) []Leaf {
	const exact = 1 << 53
	switch {
	case v.CanInt():
		n := v.Int()
		return append(dst, Leaf{float64(n), n < -exact || n > exact, uint64(n)})
	case v.CanUint():
		n := v.Uint()
		return append(dst, Leaf{float64(n), n > exact, n})
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			dst = leavesOfIntegers(dst, v.Index(i))
		}
	}
	return dst
}

// leafOfNumber converts a number that was decoded with all its digits.
func leafOfNumber(text json.Number) Leaf {
	x, _ := text.Float64() // always in range
	n, whole := new(big.Int).SetString(string(text), 10)
	if !whole || math.Abs(x) <= 1<<53 {
		return Leaf{Value: x}
	}
	return Leaf{x, true, new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()}
}

// LeafSample holds the numbers of sampled outputs.
type LeafSample struct {
	values []Leaf
	ends   []int
}

// LeafPair holds the samples of two neighboring inputs.
type LeafPair struct{ A, B LeafSample }

// Add stores the picked numbers of an output, or the first maxScouted if pick is nil.
func (s *LeafSample) Add(leaves []Leaf, pick []int) {
	if pick == nil {
		s.values = append(s.values, leaves[:min(len(leaves), maxScouted)]...)
	} else {
		s.values = AppendPicked(s.values, leaves, pick)
	}
	s.ends = append(s.ends, len(s.values))
}

func AppendPicked(dst, leaves []Leaf, pick []int) []Leaf {
	for _, i := range pick {
		if i < len(leaves) {
			dst = append(dst, leaves[i])
		}
	}
	return dst
}

func (s *LeafSample) Len() int { return len(s.ends) }

// each calls f with the values of every output.
func (s *LeafSample) each(f func(leaves []Leaf)) {
	start := 0
	for _, end := range s.ends {
		f(s.values[start:end])
		start = end
	}
}

// Blurred returns the pair with random low-order bits in its fine values, and in the coarse values that the search
// rounds to the same number as a fine one.
func (p LeafPair) Blurred(r *rand.Rand) LeafPair {
	like := p.likeFine()
	return LeafPair{p.A.blurred(r, like), p.B.blurred(r, like)}
}

// likeFine returns the coarse values to which a fine value is rounded.
func (p LeafPair) likeFine() map[float64]bool {
	like := make(map[float64]bool)
	for _, s := range []LeafSample{p.A, p.B} {
		for _, l := range s.values {
			if l.finite() && !l.Fine() && !l.Large {
				like[l.Value] = false
			}
		}
	}
	for _, s := range []LeafSample{p.A, p.B} {
		for _, l := range s.values {
			if !l.Large && l.Fine() {
				if _, coarse := like[distinguisher.Rounded(l.Value)]; coarse {
					like[distinguisher.Rounded(l.Value)] = true
				}
			}
		}
	}
	return like
}

func (s LeafSample) blurred(r *rand.Rand, like map[float64]bool) LeafSample {
	out := LeafSample{values: slices.Clone(s.values), ends: s.ends}
	for i, v := range out.values {
		if v.Fine() || !v.Large && like[v.Value] {
			out.values[i] = v.Blurred(r)
		}
	}
	return out
}

// Blurred returns the number with other low-order bits.
func (l Leaf) Blurred(r *rand.Rand) Leaf {
	const low = 1<<blurBits - 1
	value := l.Value
	if !l.Large {
		value = distinguisher.Rounded(value) // numbers that the search does not distinguish get bits by the same rule
	}
	l.Value = math.Float64frombits(math.Float64bits(value)&^low | r.Uint64()&low)
	if !l.Large {
		return l
	}
	fraction, exponent := math.Frexp(math.Abs(l.Value))
	below := exponent - 53 // number of bits that the double lacks
	l.low = r.Uint64()
	if below < 64 {
		l.low = uint64(math.Ldexp(fraction, 53))<<below | l.low&(1<<below-1)
		if l.Value < 0 {
			l.low = -l.low
		}
	}
	return l
}

// Bits returns log2 of the lowest set bit of a finite nonzero number, the number of trailing zeros of its 53-bit
// significand, and its exponent. The number of zeros is negative for an integer with more than 53 significant bits.
func (l Leaf) Bits() (lowest, zeros, exponent float64) {
	fraction, e := math.Frexp(math.Abs(l.Value))
	n := bits.TrailingZeros64(uint64(math.Ldexp(fraction, 53)))
	if l.Large {
		n = bits.TrailingZeros64(l.low) - (e - 53)
	}
	return float64(e - 53 + n), float64(n), float64(e - 1)
}

func (l Leaf) finite() bool { return !math.IsNaN(l.Value) && !math.IsInf(l.Value, 0) }

// Fine reports whether a number uses its low-order bits.
func (l Leaf) Fine() bool {
	if l.Value == 0 || !l.finite() {
		return false
	}
	_, zeros, _ := l.Bits()
	return zeros < fineZeros
}

// NumbersIn reports whether there are finite numbers, and whether all of them are integers.
func NumbersIn(drawn []LeafPair) (some, whole bool) {
	whole = true
	for _, d := range drawn {
		for _, values := range [][]Leaf{d.A.values, d.B.values} {
			for _, l := range values {
				if l.finite() {
					some, whole = true, whole && l.Value == math.Trunc(l.Value)
				}
			}
		}
	}
	return some, whole
}

// PickLeaves returns the positions of the tested numbers. These are all if there are few, else those whose bits or
// values are distributed most differently in the two samples of some pair.
func PickLeaves(scouted []LeafPair) []int {
	const zeroClasses, valueClasses = 96, 32
	longest := maxLeaves
	for _, d := range scouted {
		for _, s := range []*LeafSample{&d.A, &d.B} {
			s.each(func(leaves []Leaf) { longest = max(longest, len(leaves)) })
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
		for side, s := range []*LeafSample{&d.A, &d.B} {
			s.each(func(leaves []Leaf) {
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

// zeroClass returns the number of trailing zeros of the significand as one of the given number of classes.
func (l Leaf) zeroClass(classes int) int {
	if l.Value == 0 || !l.finite() {
		return classes - 1
	}
	_, zeros, _ := l.Bits()
	return min(classes-2, max(0, int(zeros)+classes-56))
}

// hash returns a hash of the number's bits.
func (l Leaf) hash() uint64 {
	const odd = 0x9e3779b97f4a7c15
	return ((math.Float64bits(l.Value)+l.low)*odd ^ l.low) * odd >> 32
}

// excess returns (χ² − mean)/(standard deviation) for the counts of two samples of equal size.
func excess(counts [][2]float64) float64 {
	var sum, seen float64
	for _, c := range counts {
		if all := c[0] + c[1]; all > 0 {
			sum, seen = sum+(c[0]-c[1])*(c[0]-c[1])/all, seen+1
		}
	}
	return (sum - seen) / math.Sqrt(2*max(1, seen))
}

// BitFeatures encodes outputs by their low-order bits.
type BitFeatures struct {
	pick []int // positions of the tested numbers
	// support counts the fine values that repeat in half of the search samples: occurrences under the first
	// input minus those under the second.
	support map[Leaf]float64
}

// NewBitFeatures learns the repeated values from every other output. The remaining outputs then still give an
// unbiased estimate of their value.
func NewBitFeatures(drawn []LeafPair, pick []int) *BitFeatures {
	f := &BitFeatures{pick: pick, support: make(map[Leaf]float64)}
	times := make(map[Leaf]int)
	for _, d := range drawn {
		for side, s := range []*LeafSample{&d.A, &d.B} {
			i := 0
			s.each(func(leaves []Leaf) {
				if i++; i%2 == 0 {
					return
				}
				for _, l := range leaves {
					if l.Fine() && (len(times) < mostSupport || times[l] > 0) {
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

// Encode appends the row of an output: its length, then the features of each picked number.
func (f *BitFeatures) Encode(dst []float64, leaves []Leaf) []float64 {
	dst = append(dst, float64(len(leaves)*len(bitNames)))
	for _, l := range leaves {
		lowest, zeros, exponent, sign := float64(noBit), 53.0, -float64(noBit), 0.0
		switch {
		case !l.finite(): // no low-order bits
		case l.Value == 0:
			if math.Signbit(l.Value) {
				sign = -1
			}
		default:
			lowest, zeros, exponent = l.Bits()
		}
		dst = append(dst, lowest, zeros, exponent, sign, max(-3, min(3, f.support[l])))
	}
	return dst
}

// Rows encodes a sample.
func (f *BitFeatures) Rows(s LeafSample) *distinguisher.Rows {
	var out distinguisher.Sample
	s.each(func(leaves []Leaf) { out.Add(f.Encode(out.Scratch(), leaves)) })
	return out.Rows()
}

// BitWords replaces the positions in the text of an event by the names of the features.
func BitWords(event string, pick []int) string {
	for i, name := range BitNames(pick) {
		event = strings.ReplaceAll(event, fmt.Sprintf("output[%d]", i), name)
	}
	return strings.ReplaceAll(event, ", event ", ", event of the low-order bits: ")
}

// BitNames returns the names of the features of the picked numbers, in the order of a row.
func BitNames(pick []int) (names []string) {
	for _, place := range pick {
		for _, name := range bitNames {
			names = append(names, fmt.Sprintf("%s of value %d", name, place+1))
		}
	}
	return names
}
