package planned

import (
	"math/bits"
	"slices"

	"github.com/dpverify/dpverify/cmd/command/internal/auditfile"
)

// What is held in memory was measured by the largest resident sets of audits of one number and of twenty, of one pair
// and of twelve.
const (
	resident = 38 << 20 // before anything is drawn
	number   = 8
	// A row of a search takes so many numbers, and each number in it so many: the scores of the row, and their order.
	perRow, perNumber = 16, 8
	mark              = 12 // bytes of whether a row is in an event
)

// memory of a claim while it is judged, about: the rows of the searches that are held at a time, and which of the rows
// of all pairs are in their events.
func (c *claim) memory(n count) int64 {
	l := n.layout
	if l == nil {
		return 0
	}
	const sides = 2
	width, pairs := int64(max(1, l.Width)), int64(len(l.Pairs))
	rows := sides * l.Rows * number * (perRow + perNumber*width)
	switch c.part.Work {
	case auditfile.Bits:
		return rows * pairs
	case auditfile.Bets:
		return rows
	}
	held := rows * l.Folds * min(int64(c.job.Options.Workers), pairs)
	held += mark * sides * l.Folds * l.Rows * pairs * int64(bits.Len64(uint64(pairs)))
	for _, in := range l.Inputs {
		if in.Uses > 1 {
			held += in.Search * number * width
		}
	}
	return held
}

// memory of a run: of so many claims at a time, the largest.
func memory(claims []*claim, workers int) int64 {
	var all []int64
	for _, c := range claims {
		all = append(all, c.row.Memory)
	}
	slices.Sort(all)
	slices.Reverse(all)
	sum := int64(resident)
	for _, m := range all[:min(workers, len(all))] {
		sum += m
	}
	return sum
}
