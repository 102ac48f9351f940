package planned

import (
	"slices"

	"github.com/dpverify/dpverify/cmd/command/internal/auditfile"
)

const (
	// resident is what dpverify takes before it has drawn anything.
	resident = 40 << 20
	number   = 8
	// searching is how many times the rows that a search looks at are held, with their scores and their order, and
	// probing is that of low-order bits, each number of which becomes several features.
	searching, probing = 6, 6
)

// memory of a claim while it is judged, about: the rows of its searches that are held at a time.
func (c *claim) memory(n count) int64 {
	l := n.layout
	if l == nil {
		return 0
	}
	rows := l.Rows * number * int64(max(1, l.Width))
	switch c.part.Work {
	case auditfile.Bits:
		return probing * rows * 2 * int64(len(l.Pairs))
	case auditfile.Bets:
		return searching * rows * 2
	}
	var shared int64
	for _, in := range l.Inputs {
		if in.Uses > 1 {
			shared += in.Search * number * int64(max(1, l.Width))
		}
	}
	const folds, sides = 2, 2
	return shared + searching*rows*folds*sides*int64(min(c.job.Options.Workers, len(l.Pairs)))
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
