package distinguisher

import (
	"cmp"
	"math"
	"slices"
)

// binner maps the values of a feature to a few dozen bins. If the feature has at most maxCodes distinct values,
// each is a bin, ordered by log odds. Otherwise numbers are cut at quantiles. The cuts are dense in both tails,
// which give the largest certificates.
type binner struct {
	feature Feature
	edges   []float64        // the bin of a number is the number of edges ≤ it
	codes   map[uint64]uint8 // bin of each distinct value; nil if the bins have edges
	other   uint8            // bin of values not in the table
	bins    []uint8          // bin of each row of the table
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

// newBinner returns the binner of a feature for its values in a table. Distinct values get bins in arbitrary order;
// ordered sorts them.
func newBinner(f Feature, c *column, t *table) *binner {
	out := &binner{feature: f, bins: make([]uint8, len(c.values)), codes: make(map[uint64]uint8)}
	if len(c.groups) > maxCodes {
		out.codes = nil
		out.byEdges(c, t)
		return out
	}
	const places, factor = 8, 0x9e3779b97f4a7c15
	var known [1 << places]struct { // cache of codes, indexed by a hash of the key
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

// byEdges cuts numbers at equally spaced ranks, and at ranks 1, 2, 4, … from both ends.
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
		passed += t.a[i] + t.b[i]
	}
	// Rows of equal values get the same bin, as new rows do. The order of such rows depends on the sample.
	bin := 0
	for _, i := range c.order {
		for bin < len(b.edges) && b.edges[bin] <= c.values[i] {
			bin++
		}
		b.bins[i] = uint8(bin)
	}
	b.other = uint8(len(b.edges) + 1)
	for i, v := range c.values {
		if math.IsNaN(v) {
			b.bins[i] = b.other
		}
	}
}

// ordered returns the binner with distinct values sorted by their shrunken log odds in a table.
func (b *binner) ordered(t *table) *binner {
	if b.codes == nil {
		return b
	}
	odds, codes := make([]float64, len(b.codes)), make([]uint8, len(b.codes))
	var counts [1 << 8][2]float64
	first, second := t.a[:len(b.bins)], t.b[:len(b.bins)]
	for i, code := range b.bins {
		c := &counts[code]
		c[0], c[1] = c[0]+first[i], c[1]+second[i]
	}
	for code, c := range counts[:len(codes)] {
		odds[code], codes[code] = math.Log((c[0]+1)/(c[1]+1)), uint8(code)
	}
	slices.SortStableFunc(codes, func(x, y uint8) int { return cmp.Compare(odds[x], odds[y]) })
	var place [1 << 8]uint8
	for position, code := range codes {
		place[code] = uint8(position)
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

// column returns the bins for a fit.
func (b *binner) column() binnedColumn { return binnedColumn{Bins: b.bins, Count: int(b.other) + 1} }
