package witness

import (
	"cmp"
	"math"
	"slices"
)

// column is a score's values in all rows of a table, and the rows in the order of the values;
// those of which the value is a symbol or NaN have none.
type column struct {
	values []float64
	order  []int32
}

func newColumn(score func(row []float64) float64, t *table) *column {
	c := &column{values: t.values(score)}
	ranked := make([]rank, 0, len(c.values))
	for i, v := range c.values {
		if !math.IsNaN(v) {
			ranked = append(ranked, rank{rankKey(v), int32(i)})
		}
	}
	c.order = make([]int32, len(ranked))
	for i, r := range sortRanks(ranked) {
		c.order[i] = r.row
	}
	return c
}

// groups are the different values, ascending, with the counts of their rows in a table.
func (c *column) groups(t *table) []valued {
	different := 0
	for i, row := range c.order {
		if i == 0 || c.values[row] != c.values[c.order[i-1]] {
			different++
		}
	}
	out := make([]valued, 0, different)
	for _, row := range c.order {
		if v := c.values[row]; len(out) == 0 || out[len(out)-1].v != v {
			out = append(out, valued{v: v})
		}
		last := &out[len(out)-1]
		last.a, last.b = last.a+t.a[row], last.b+t.b[row]
	}
	return out
}

// rank is a row by a key that is ordered as its value is.
type rank struct {
	key uint64
	row int32
}

// rankKey is ordered as the numbers are.
func rankKey(v float64) uint64 {
	bits := math.Float64bits(v)
	switch {
	case v == 0: // of either sign
		return 1 << 63
	case bits>>63 == 1:
		return ^bits
	}
	return bits | 1<<63
}

// sortRanks sorts by the key; it may take the place of the ranks for its work. Long lists are
// sorted digit by digit, the last first, without the digits that all keys share.
func sortRanks(ranks []rank) []rank {
	const few = 512
	if len(ranks) < few {
		slices.SortFunc(ranks, func(r, s rank) int { return cmp.Compare(r.key, s.key) })
		return ranks
	}
	const width, digits = 11, 6
	var counts [digits][1 << width]int32
	for _, r := range ranks {
		for d := range digits {
			counts[d][r.key>>(width*d)&(1<<width-1)]++
		}
	}
	other := make([]rank, len(ranks))
	for d := range digits {
		shift := width * d
		if int(counts[d][ranks[0].key>>shift&(1<<width-1)]) == len(ranks) {
			continue
		}
		var at int32
		for i, n := range counts[d] {
			counts[d][i], at = at, at+n
		}
		for _, r := range ranks {
			next := &counts[d][r.key>>shift&(1<<width-1)]
			other[*next] = r
			*next++
		}
		ranks, other = other, ranks
	}
	return ranks
}

// ascending is values in their order.
func ascending(values []valued) []valued {
	ranks := make([]rank, len(values))
	for i, v := range values {
		ranks[i] = rank{rankKey(v.v), int32(i)}
	}
	out := make([]valued, len(values))
	for i, r := range sortRanks(ranks) {
		out[i] = values[r.row]
	}
	return out
}
