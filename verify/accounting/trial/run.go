package trial

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Alpha is the probability that Run refutes an end of a true account, over all descriptions.
const Alpha = 1e-6

// Run audits descriptions, each with an equal share of Alpha.
func Run(account Account, descriptions []Description) []Result {
	results := make([]Result, len(descriptions))
	for i, d := range descriptions {
		results[i] = Audit(account, d, Alpha/float64(len(descriptions)))
	}
	return results
}

// Table counts the outcomes of results for each cell.
func Table(results []Result) string {
	counts := map[Cell]*[Broken + 1]int{}
	for _, r := range results {
		if counts[r.Description.Cell] == nil {
			counts[r.Description.Cell] = &[Broken + 1]int{}
		}
		counts[r.Description.Cell][r.Outcome]++
	}
	cells := slices.SortedFunc(maps.Keys(counts), func(x, y Cell) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Sampling, y.Sampling), cmp.Compare(x.Adjacency, y.Adjacency))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%-18s %-20s %-18s %9s %9s %7s %6s\n", "kind", "sampling", "adjacency", "two-sided", "one-sided",
		"skipped", "failed")
	var total [Broken + 1]int
	line := func(c *[Broken + 1]int, names ...any) {
		failed := c[UpperRefuted] + c[LowerMissed] + c[Broken]
		fmt.Fprintf(&b, "%-18s %-20s %-18s %9d %9d %7d %6d\n", append(names, c[TwoSided], c[OneSided], c[Skipped], failed)...)
	}
	for _, cell := range cells {
		for i, n := range counts[cell] {
			total[i] += n
		}
		line(counts[cell], cell.Kind, cell.Sampling, cell.Adjacency)
	}
	line(&total, "all", "", "")
	return b.String()
}
