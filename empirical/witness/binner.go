package witness

import (
	"cmp"
	"math"
	"slices"
)

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

// newBinner bins a feature by the values in a table.
func newBinner(f Feature, t *table) *binner {
	out := &binner{feature: f}
	values := t.values(f.eval)
	tallies := make(map[uint64]*[2]float64)
	for i, v := range values {
		c := tallies[key(v)]
		if c == nil {
			if len(tallies) == maxCodes {
				out.byEdges(values, t)
				return out
			}
			c = new([2]float64)
			tallies[key(v)] = c
		}
		c[0] += t.a[i]
		c[1] += t.b[i]
	}
	out.byCode(tallies)
	return out
}

// byEdges cuts numbers at even ranks, and at ranks 1, 2, 4, … from both ends.
func (b *binner) byEdges(values []float64, t *table) {
	order := make([]int, 0, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	var n float64
	for _, i := range order {
		n += t.a[i] + t.b[i]
	}
	var ranks []float64
	for r := 1.0; r < n/middleBins; r *= 2 {
		ranks = append(ranks, r, n-r)
	}
	for i := 1; i < middleBins; i++ {
		ranks = append(ranks, n*float64(i)/middleBins)
	}
	slices.Sort(ranks)
	var passed float64
	next := 0
	for _, i := range order {
		if next < len(ranks) && passed >= ranks[next] {
			if len(b.edges) == 0 || values[i] > b.edges[len(b.edges)-1] {
				b.edges = append(b.edges, values[i])
			}
			for next < len(ranks) && passed >= ranks[next] {
				next++
			}
		}
		passed += t.a[i] + t.b[i]
	}
	b.other = uint8(len(b.edges) + 1)
	b.bins = len(b.edges) + 2
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
