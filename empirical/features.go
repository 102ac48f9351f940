package empirical

import (
	"fmt"
	"math"
	"slices"
)

// Feature is one number computed from an encoded output. None is made for a
// named mechanism: they are what outputs of any kind can differ in.
type Feature struct {
	Name string // in words: "output[3] − output[2]"
	eval func(row []float64) float64
}

// maxPositions bounds the positions that get features of their own; beyond it
// the direction of the mean difference speaks for them.
const maxPositions = 160

// featuresOf returns the features that fit the rows of both samples, without
// those that are constant. Widths: a scalar has one position; a sequence has its
// length at position 0 and its values after it.
func featuresOf(a, b *Rows) []Feature {
	var all []Feature
	if a.Width == 1 {
		all = []Feature{at(0, "output")}
	} else {
		all = append(all, at(0, "length"))
		n := a.Width - 1
		for i := 1; i <= min(n, maxPositions); i++ {
			all = append(all, at(i, fmt.Sprintf("output[%d]", i-1)))
		}
		for i := 2; i <= min(n, maxPositions); i++ {
			all = append(all, step(i))
		}
		if n > 1 {
			all = append(all, sequenceFeatures...)
			all = append(all, meanDirection(a, b)...)
		}
	}
	return slices.DeleteFunc(all, func(f Feature) bool { return constant(f, a, b) })
}

func at(i int, name string) Feature {
	return Feature{name, func(row []float64) float64 { return row[i] }}
}

// step is the difference of neighbours; for symbols, whether they are equal.
func step(i int) Feature {
	return Feature{fmt.Sprintf("output[%d] − output[%d]", i-1, i-2), func(row []float64) float64 {
		u, v := row[i-1], row[i]
		if IsSymbol(u) || IsSymbol(v) {
			return indicator(math.Float64bits(u) == math.Float64bits(v))
		}
		if d := v - u; !math.IsNaN(d) {
			return d
		}
		return indicator(same(u, v)) // infinities and NaN: equal or not
	}}
}

func same(u, v float64) bool { return u == v || math.Float64bits(u) == math.Float64bits(v) }

// sequenceFeatures are properties of a whole sequence; row[0] is its length.
var sequenceFeatures = []Feature{
	{"sum", func(row []float64) float64 { return fold(row, 0, func(s, v float64) float64 { return s + v }) }},
	{"largest value", func(row []float64) float64 { return fold(row, math.Inf(-1), math.Max) }},
	{"smallest value", func(row []float64) float64 { return fold(row, math.Inf(1), math.Min) }},
	{"range", func(row []float64) float64 {
		return fold(row, math.Inf(-1), math.Max) - fold(row, math.Inf(1), math.Min)
	}},
	{"position of the largest value", func(row []float64) float64 { return extremePosition(row, 1) }},
	{"position of the smallest value", func(row []float64) float64 { return extremePosition(row, -1) }},
	{"gap between the two largest values", func(row []float64) float64 { return topGap(row, 1) }},
	{"gap between the two smallest values", func(row []float64) float64 { return topGap(row, -1) }},
	{"number of values that are not finite", func(row []float64) float64 {
		return count(row, func(_ int, v float64) bool { return IsSymbol(v) || math.IsNaN(v) || math.IsInf(v, 0) })
	}},
	{"number of values equal to the first", func(row []float64) float64 {
		return count(row, func(_ int, v float64) bool { return same(v, row[1]) })
	}},
	{"number of values equal to their neighbour", func(row []float64) float64 {
		return count(row, func(i int, v float64) bool { return i > 1 && same(v, row[i-1]) })
	}},
	{"length of the run at the start", func(row []float64) float64 {
		n := 1
		for n < len(row)-1 && same(row[n+1], row[1]) {
			n++
		}
		return float64(n)
	}},
}

// fold runs over the finite values.
func fold(row []float64, start float64, f func(acc, v float64) float64) float64 {
	for _, v := range row[1:] {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			start = f(start, v)
		}
	}
	return start
}

func count(row []float64, f func(i int, v float64) bool) float64 {
	n := 0
	for i := 1; i < len(row); i++ {
		if f(i, row[i]) {
			n++
		}
	}
	return float64(n)
}

// extremePosition is the position of the largest (sign 1) or smallest (sign −1)
// value, −1 where no value is finite.
func extremePosition(row []float64, sign float64) float64 {
	best, where := math.Inf(-1), -1
	for i, v := range row[1:] {
		if v *= sign; v > best && !math.IsInf(v, 1) {
			best, where = v, i
		}
	}
	return float64(where)
}

func topGap(row []float64, sign float64) float64 {
	first, second := math.Inf(-1), math.Inf(-1)
	for _, v := range row[1:] {
		switch v *= sign; {
		case v > first:
			first, second = v, first
		case v > second:
			second = v
		}
	}
	return first - second
}

// meanDirection is the projection on the difference of the two samples' means,
// each position divided by its variance: the best linear witness for independent
// positions, and the only one that sees many small differences at once.
func meanDirection(a, b *Rows) []Feature {
	weights := make([]float64, a.Width)
	for i := range weights {
		ma, va, na := moments(a, i)
		mb, vb, nb := moments(b, i)
		if na > 1 && nb > 1 && va+vb > 0 {
			weights[i] = (ma - mb) / (va + vb)
		}
	}
	weights[0] = 0
	if !slices.ContainsFunc(weights, func(w float64) bool { return w != 0 }) {
		return nil
	}
	return []Feature{{"projection on the difference of means", func(row []float64) float64 {
		var sum float64
		for i, w := range weights {
			if w != 0 && !math.IsNaN(row[i]) && !math.IsInf(row[i], 0) {
				sum += w * row[i]
			}
		}
		return sum
	}}}
}

// moments of the finite values at a position.
func moments(s *Rows, i int) (mean, variance float64, n int) {
	var m2 float64
	for k := range s.Len() {
		v := s.data[k*s.Width+i]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		n++
		d := v - mean
		mean += d / float64(n)
		m2 += d * (v - mean)
	}
	return mean, m2 / math.Max(1, float64(n-1)), n
}

func constant(f Feature, a, b *Rows) bool {
	if a.Len() == 0 {
		return true
	}
	first := f.eval(a.Row(0))
	for _, s := range []*Rows{a, b} {
		for i := range s.Len() {
			if !same(f.eval(s.Row(i)), first) {
				return false
			}
		}
	}
	return true
}

// binner maps a feature's values to a few dozen ordered bins. Values that are few
// are bins of their own, in the order of their log odds; else numbers are cut at
// quantiles, finely in both tails, where the large certificates are.
type binner struct {
	feature Feature
	edges   []float64        // bin of a number: how many edges are ≤ it
	codes   map[uint64]uint8 // bin of a value without order; nil: none seen
	other   uint8            // the bin of a symbol never seen
	bins    int
}

const (
	middleBins = 64
	maxCodes   = 96
)

// bin returns the bin of a row.
func (b *binner) bin(row []float64) uint8 {
	v := b.feature.eval(row)
	if b.codes != nil {
		if k, ok := b.codes[key(v)]; ok {
			return k
		}
		return b.other
	}
	if math.IsNaN(v) {
		return b.other
	}
	lo, hi := 0, len(b.edges)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if b.edges[mid] <= v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint8(lo)
}

// key makes the two zeros, and all NaNs of arithmetic, one value.
func key(v float64) uint64 {
	switch {
	case v == 0:
		return 0
	case math.IsNaN(v) && !IsSymbol(v):
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(v)
}

// newBinner bins a feature by the pooled values of both samples.
func newBinner(f Feature, a, b *Rows) *binner {
	out := &binner{feature: f}
	var numbers []float64
	tallies := make(map[uint64]*[2]float64)
	for side, s := range []*Rows{a, b} {
		for i := range s.Len() {
			v := f.eval(s.Row(i))
			if !math.IsNaN(v) {
				numbers = append(numbers, v)
			}
			if len(tallies) <= maxCodes {
				t := tallies[key(v)]
				if t == nil {
					t = new([2]float64)
					tallies[key(v)] = t
				}
				t[side]++
			}
		}
	}
	if len(tallies) <= maxCodes {
		out.byCode(tallies)
		return out
	}
	slices.Sort(numbers)
	out.edges = quantileEdges(numbers)
	out.other = uint8(len(out.edges) + 1)
	out.bins = len(out.edges) + 2
	return out
}

// byCode gives every value a bin, ordered by shrunken log odds.
func (b *binner) byCode(tallies map[uint64]*[2]float64) {
	keys := make([]uint64, 0, len(tallies))
	for k := range tallies {
		keys = append(keys, k)
	}
	odds := func(k uint64) float64 { return math.Log((tallies[k][0] + 1) / (tallies[k][1] + 1)) }
	slices.SortFunc(keys, func(x, y uint64) int {
		if ox, oy := odds(x), odds(y); ox != oy {
			if ox < oy {
				return -1
			}
			return 1
		}
		if x < y {
			return -1
		}
		return 1
	})
	b.codes = make(map[uint64]uint8, len(keys))
	for i, k := range keys {
		b.codes[k] = uint8(i)
	}
	b.other = uint8(len(keys))
	b.bins = len(keys) + 1
}

// quantileEdges cuts sorted numbers at even ranks, and at ranks 1, 2, 4, … from
// both ends.
func quantileEdges(sorted []float64) []float64 {
	n := len(sorted)
	if n == 0 {
		return nil
	}
	var ranks []int
	for r := 1; r < n/middleBins; r *= 2 {
		ranks = append(ranks, r, n-r)
	}
	for i := 1; i < middleBins; i++ {
		ranks = append(ranks, n*i/middleBins)
	}
	slices.Sort(ranks)
	var edges []float64
	for _, r := range ranks {
		if v := sorted[r]; len(edges) == 0 || v > edges[len(edges)-1] {
			edges = append(edges, v)
		}
	}
	return edges
}
