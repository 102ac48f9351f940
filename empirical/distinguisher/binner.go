package distinguisher

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
	bins    []uint8          // of the rows of the table
}

const (
	middleBins = 64
	maxCodes   = 96
)

// bin returns the bin of a row.
func (b *binner) bin(row []float64) uint8 {
	v := b.feature.eval(row)
	if b.codes != nil {
		if k, ok := b.codes[valueKey(v)]; ok {
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

// newBinner bins a feature by its values in a table; bins that have no order have any, and
// ordered gives them theirs.
func newBinner(f Feature, c *column, t *table) *binner {
	out := &binner{feature: f, bins: make([]uint8, len(c.values)), codes: make(map[uint64]uint8)}
	if len(c.groups) > maxCodes {
		out.codes = nil
		out.byEdges(c, t)
		return out
	}
	const places, factor = 8, 0x9e3779b97f4a7c15
	var known [1 << places]struct { // some of the codes, at a place by some bits of a product
		key  uint64
		code uint8
		ok   bool
	}
	for i, v := range c.values {
		k := valueKey(v)
		last := &known[k*factor>>(64-places)]
		if last.ok && last.key == k {
			out.bins[i] = last.code
			continue
		}
		code, ok := out.codes[k]
		if !ok {
			if len(out.codes) == maxCodes {
				out.codes = nil
				out.byEdges(c, t)
				return out
			}
			code = uint8(len(out.codes))
			out.codes[k] = code
		}
		out.bins[i] = code
		last.key, last.code, last.ok = k, code, true
	}
	out.other = uint8(len(out.codes))
	return out
}

// byEdges cuts numbers at even ranks, and at ranks 1, 2, 4, … from both ends.
func (b *binner) byEdges(c *column, t *table) {
	var n float64
	for _, i := range c.order {
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
	for _, i := range c.order {
		if next < len(ranks) && passed >= ranks[next] {
			if v := c.values[i]; len(b.edges) == 0 || v > b.edges[len(b.edges)-1] {
				b.edges = append(b.edges, v)
			}
			for next < len(ranks) && passed >= ranks[next] {
				next++
			}
		}
		b.bins[i] = uint8(len(b.edges))
		passed += t.a[i] + t.b[i]
	}
	b.other = uint8(len(b.edges) + 1)
	for i, v := range c.values {
		if math.IsNaN(v) {
			b.bins[i] = b.other
		}
	}
}

// ordered is the binner with the values that are few in the order of their shrunken log odds
// in a table.
func (b *binner) ordered(t *table) *binner {
	if b.codes == nil {
		return b
	}
	odds, codes := make([]float64, len(b.codes)), make([]uint8, len(b.codes))
	var counts [1 << 8][2]float64
	of, other := t.a[:len(b.bins)], t.b[:len(b.bins)]
	for i, code := range b.bins {
		c := &counts[code]
		c[0], c[1] = c[0]+of[i], c[1]+other[i]
	}
	for code, c := range counts[:len(codes)] {
		odds[code], codes[code] = math.Log((c[0]+1)/(c[1]+1)), uint8(code)
	}
	slices.SortStableFunc(codes, func(x, y uint8) int { return cmp.Compare(odds[x], odds[y]) })
	var place [1 << 8]uint8
	for at, code := range codes {
		place[code] = uint8(at)
	}
	out := &binner{feature: b.feature, codes: make(map[uint64]uint8, len(codes)), other: b.other,
		bins: make([]uint8, len(b.bins))}
	for k, code := range b.codes {
		out.codes[k] = place[code]
	}
	for i, code := range b.bins {
		out.bins[i] = place[code]
	}
	return out
}

// column of the bins for a fit.
func (b *binner) column() binnedColumn { return binnedColumn{Bins: b.bins, Count: int(b.other) + 1} }
