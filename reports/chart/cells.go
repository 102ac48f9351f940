package chart

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// maxCellRows is the maximum number of points that the Markdown shows of a claim. The JSON form has all points.
const maxCellRows = 12

// WorstCell returns the index of the cell at the worst case of the claim, -1 if it is not among the cells. The worst
// case may add details after the cell's label.
func WorstCell(e verify.Evidence) int {
	return slices.IndexFunc(e.Cells, func(c verify.Cell) bool {
		return e.WorstCase == c.Label || strings.HasPrefix(e.WorstCase, c.Label+", ")
	})
}

// ChooseCells returns the indices of the points to show, in their order: all if they are few, else the worst point
// and the worst ones for each value of the first coordinate, so that the table spans the domain.
func ChooseCells(e verify.Evidence) []int {
	ranked := make([]int, len(e.Cells))
	for i := range ranked {
		ranked[i] = i
	}
	if len(ranked) <= maxCellRows {
		return ranked
	}
	slices.SortStableFunc(ranked, func(a, b int) int {
		x, y := e.Cells[a], e.Cells[b]
		return cmp.Or(cmp.Compare(off(e.Sense, y), off(e.Sense, x)), cmp.Compare(y.Samples, x.Samples))
	})
	rank := make([]int, len(ranked)) // of a cell among the cells with the same first coordinate
	seen := make(map[string]int)
	for _, i := range ranked {
		first, _, _ := strings.Cut(e.Cells[i].Label, ",")
		rank[i] = seen[first]
		seen[first]++
	}
	if worst := WorstCell(e); worst >= 0 {
		rank[worst] = -1
	}
	slices.SortStableFunc(ranked, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	chosen := ranked[:maxCellRows]
	slices.Sort(chosen)
	return chosen
}

// off returns how far a point is on the wrong side of the claim, relative to the larger of the two values, as a
// multiple of 1e-9. Points that differ by less are equally bad.
func off(sense verify.Sense, c verify.Cell) float64 {
	found := c.Measured
	if c.ExactValue.Set {
		found = c.ExactValue
	}
	scale := math.Max(math.Abs(found.X), math.Abs(c.Claimed.X))
	if !found.Set || !c.Claimed.Set || !(scale > 0) {
		return 0
	}
	excess := found.X/scale - c.Claimed.X/scale
	switch sense {
	case verify.AtLeast, verify.Above:
		excess = -excess
	case verify.AtMost, verify.Below:
	default:
		excess = math.Abs(excess)
	}
	return math.Round(excess * 1e9)
}
