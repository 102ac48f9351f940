// Package order sorts long lists of numbers digit by digit.
package order

import (
	"cmp"
	"math"
	"slices"
)

// rank is a place by a key that is ordered as its number is.
type rank struct {
	key   uint64
	place int32
}

// Of returns the places of n numbers, ascending; NaN has no place. Equal numbers, and the two
// zeros, keep their order.
func Of(n int, number func(i int) float64) []int32 {
	ranks := make([]rank, 0, n)
	for i := range n {
		if v := number(i); !math.IsNaN(v) {
			ranks = append(ranks, rank{keyOf(v), int32(i)})
		}
	}
	ranks = sorted(ranks)
	out := make([]int32, len(ranks))
	for i, r := range ranks {
		out[i] = r.place
	}
	return out
}

func keyOf(v float64) uint64 {
	bits := math.Float64bits(v)
	switch {
	case v == 0:
		return 1 << 63
	case bits>>63 == 1:
		return ^bits
	}
	return bits | 1<<63
}

// sorted ranks may be in other memory. They are distributed by each digit of the key, the last
// first, but for the digits that all keys share.
func sorted(ranks []rank) []rank {
	const few = 512
	if len(ranks) < few {
		slices.SortStableFunc(ranks, func(r, s rank) int { return cmp.Compare(r.key, s.key) })
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
