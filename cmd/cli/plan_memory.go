package cli

import (
	"math/bits"
	"slices"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
)

// What is held in memory was measured by the largest resident sets of audits of one number and of twenty, of one pair
// and of twelve.
const (
	residentBytes = 38 << 20 // before anything is drawn
	numberBytes   = 8
	// A row of a search takes so many numbers, and each number in it so many: the scores of the row, and their order.
	numbersPerRow, numbersPerNumber = 16, 8
	markBytes                       = 12 // bytes of whether a row is in an event
)

// memory of a claim while it is judged, about: the rows of the searches that are held at a time, and which of the rows
// of all pairs are in their events.
func (c *plannedClaim) memory(n outputCount) int64 {
	l := n.layout
	if l == nil {
		return 0
	}
	const sides = 2
	width, pairs := int64(max(1, l.Width)), int64(len(l.Pairs))
	rows := sides * l.Rows * numberBytes * (numbersPerRow + numbersPerNumber*width)
	switch c.part.Work {
	case claimsfile.Bits:
		return rows * pairs
	case claimsfile.Bets:
		return rows
	}
	held := rows * l.Folds * min(int64(c.job.Options.Workers), pairs)
	held += markBytes * sides * l.Folds * l.Rows * pairs * int64(bits.Len64(uint64(pairs)))
	for _, in := range l.Inputs {
		if in.Uses > 1 {
			held += in.Search * numberBytes * width
		}
	}
	return held
}

// memoryOfClaims of a run: of so many claims at a time, the largest.
func memoryOfClaims(claims []*plannedClaim, workers int) int64 {
	var all []int64
	for _, c := range claims {
		all = append(all, c.row.Memory)
	}
	slices.Sort(all)
	slices.Reverse(all)
	sum := int64(residentBytes)
	for _, m := range all[:min(workers, len(all))] {
		sum += m
	}
	return sum
}
