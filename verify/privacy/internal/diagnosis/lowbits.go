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
	// maxLeaves is how many values of an output are probed: of longer ones, those that
	// tell most in ScoutRows outputs, among the first maxScouted.
	maxLeaves  = 16
	ScoutRows  = 500
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
var bitNames = []string{"log2 of the lowest set bit", "zeros that end the significand", "exponent", "sign of a zero",
	"repeats seen (first input less second)"}

// Leaf is a number in an output: a double, or a whole number that no double holds.
type Leaf struct {
	Value float64 // the nearest double
	Large bool    // the number is whole, and beyond 2⁵³
	low   uint64  // a large one modulo 2⁶⁴, in two's complement
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

// leavesOfIntegers appends an integer of any type, or a slice of them.
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

// leafOfNumber is that of a number that was decoded with its digits.
func leafOfNumber(text json.Number) Leaf {
	x, _ := text.Float64() // within its range
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

// LeafPair is the samples of two neighbouring inputs.
type LeafPair struct{ A, B LeafSample }

// Add keeps the picked numbers of an output, or the first maxScouted where pick is nil.
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

// Blurred returns the pair with the low-order bits of its fine values drawn at random, and of the coarse values that
// the search over the reals takes for the same number as a fine one.
func (p LeafPair) Blurred(r *rand.Rand) LeafPair {
	like := p.likeFine()
	return LeafPair{p.A.blurred(r, like), p.B.blurred(r, like)}
}

// likeFine are the coarse values to which a fine one is rounded.
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

// Blurred is a number like this one, with other low-order bits.
func (l Leaf) Blurred(r *rand.Rand) Leaf {
	const low = 1<<blurBits - 1
	value := l.Value
	if !l.Large {
		value = distinguisher.Rounded(value) // what the search takes for one number gets the same bits
	}
	l.Value = math.Float64frombits(math.Float64bits(value)&^low | r.Uint64()&low)
	if !l.Large {
		return l
	}
	fraction, exponent := math.Frexp(math.Abs(l.Value))
	below := exponent - 53 // bits of the number that the double lacks
	l.low = r.Uint64()
	if below < 64 {
		l.low = uint64(math.Ldexp(fraction, 53))<<below | l.low&(1<<below-1)
		if l.Value < 0 {
			l.low = -l.low
		}
	}
	return l
}

// Bits returns log2 of the lowest set bit of a finite number other than 0, the number of
// zeros that end its significand of 53 bits, and its exponent. The zeros are less than
// none where a whole number has more bits than a double.
func (l Leaf) Bits() (lowest, zeros, exponent float64) {
	fraction, e := math.Frexp(math.Abs(l.Value))
	n := bits.TrailingZeros64(uint64(math.Ldexp(fraction, 53)))
	if l.Large {
		n = bits.TrailingZeros64(l.low) - (e - 53)
	}
	return float64(e - 53 + n), float64(n), float64(e - 1)
}

func (l Leaf) finite() bool { return !math.IsNaN(l.Value) && !math.IsInf(l.Value, 0) }

// Fine tells a number that uses its low-order bits.
func (l Leaf) Fine() bool {
	if l.Value == 0 || !l.finite() {
		return false
	}
	_, zeros, _ := l.Bits()
	return zeros < fineZeros
}

// NumbersIn tells whether there are finite numbers, and whether all of them are whole.
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

// PickLeaves returns the places of the numbers that are probed: all where they are few,
// else those whose bits, or whose values, are spread most differently over two samples
// of some pair.
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

// zeroClass is the number of zeros that end the significand, as one of so many classes.
func (l Leaf) zeroClass(classes int) int {
	if l.Value == 0 || !l.finite() {
		return classes - 1
	}
	_, zeros, _ := l.Bits()
	return min(classes-2, max(0, int(zeros)+classes-56))
}

// hash tells values apart by their bits.
func (l Leaf) hash() uint64 {
	const odd = 0x9e3779b97f4a7c15
	return ((math.Float64bits(l.Value)+l.low)*odd ^ l.low) * odd >> 32
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

// BitFeatures encodes outputs by their low-order bits.
type BitFeatures struct {
	pick []int // places of the numbers that are probed
	// support counts fine values that repeat in a part of the search samples: under
	// the first input less under the second.
	support map[Leaf]float64
}

// NewBitFeatures learns the values that repeat from every other output, so that the
// rest still shows what they are worth.
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

// Encode appends the row of an output: its length and then the features of each of the
// numbers that were picked.
func (f *BitFeatures) Encode(dst []float64, leaves []Leaf) []float64 {
	dst = append(dst, float64(len(leaves)*len(bitNames)))
	for _, l := range leaves {
		lowest, zeros, exponent, sign := float64(noBit), 53.0, -float64(noBit), 0.0
		switch {
		case !l.finite(): // over the reals alone
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

// BitWords names the features in the words of an event: they are written as the
// positions of a row of the picked numbers.
func BitWords(event string, pick []int) string {
	for i, name := range BitNames(pick) {
		event = strings.ReplaceAll(event, fmt.Sprintf("output[%d]", i), name)
	}
	return strings.ReplaceAll(event, ", event ", ", event of the low-order bits: ")
}

// BitNames are the features of the picked numbers, in the order of a row.
func BitNames(pick []int) (names []string) {
	for _, place := range pick {
		for _, name := range bitNames {
			names = append(names, fmt.Sprintf("%s of value %d", name, place+1))
		}
	}
	return names
}
