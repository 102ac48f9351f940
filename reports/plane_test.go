package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/verify"
)

// square has the value i·j at δ = i, ε = j, for i and j from 1.
func square(rows, columns int, claimed func(row int) float64) verify.Evidence {
	e := verify.Evidence{Exact: true, Verdict: verify.Refuted, Sense: verify.AtMost, Quantity: "product", WorstCase: fmt.Sprintf("δ=%d, ε=%d", rows, columns)}
	for i := range rows {
		for j := range columns {
			x := num(float64((i + 1) * (j + 1)))
			e.Cells = append(e.Cells, verify.Cell{Label: fmt.Sprintf("δ=%d, ε=%d", i+1, j+1), Claimed: num(claimed(i)), Measured: x, Lower: x, Upper: x, ExactValue: x})
		}
	}
	return e
}

func always(x float64) func(int) float64 { return func(int) float64 { return x } }

func TestPlaneOf(t *testing.T) {
	changed := func(f func(e *verify.Evidence)) verify.Evidence {
		e := square(4, 5, always(10))
		f(&e)
		return e
	}
	for _, c := range []struct {
		reason string
		e      verify.Evidence
		want   bool
	}{
		{"all pairs of two variables", square(4, 5, always(10)), true},
		{"a claim for each row", square(4, 5, func(row int) float64 { return float64(row) }), true},
		{"few points are a list", square(3, 4, always(10)), false},
		{"two rows are a list", square(2, 10, always(10)), false},
		{"too many columns for a page", square(4, 11, always(10)), false},
		{"samples have intervals, which a plane does not show", changed(func(e *verify.Evidence) { e.Exact = false }), false},
		{"a pair is missing", changed(func(e *verify.Evidence) { e.Cells = e.Cells[1:] }), false},
		{"a pair is given twice", changed(func(e *verify.Evidence) { e.Cells[1].Label = e.Cells[0].Label }), false},
		{"a third variable", changed(func(e *verify.Evidence) { e.Cells[3].Label += ", n=4" }), false},
		{"another variable", changed(func(e *verify.Evidence) { e.Cells[3].Label = "δ=1, n=4" }), false},
		{"a value in words", changed(func(e *verify.Evidence) { e.Cells[3].Label = "δ=1, ε=small" }), false},
		{"a claim for each point", changed(func(e *verify.Evidence) { e.Cells[3].Claimed = num(11) }), false},
		{"a point without a value", changed(func(e *verify.Evidence) { e.Cells[3].Measured = verify.Number{} }), false},
	} {
		if _, ok := chart.PlaneOf(c.e); ok != c.want {
			t.Errorf("%s: a plane: %t", c.reason, ok)
		}
	}
}

// The table and the map mark the same points: the ones that break the claim.
func TestPlaneMarksWhatIsBroken(t *testing.T) {
	for _, c := range []struct {
		reason  string
		claimed func(int) float64
		verdict verify.Verdict
		columns int
		broken  int
	}{
		{"above 10: 12, 15, 12, 16, 20", always(10), verify.Refuted, 6, 5},
		{"above twice the row: the last three of each", func(row int) float64 { return 2 * float64(row+1) }, verify.Refuted, 7, 12},
		{"a claim that holds has no marks", always(20), verify.Holds, 6, 0},
	} {
		e := square(4, 5, c.claimed)
		e.Verdict = c.verdict
		p, ok := chart.PlaneOf(e)
		if !ok {
			t.Fatalf("%s: no plane", c.reason)
		}
		table, broken, worst := planeGrid(p, e), 0, 0
		if len(table.Columns) != c.columns || len(table.Rows) != 4 {
			t.Errorf("%s: %d columns and %d rows", c.reason, len(table.Columns), len(table.Rows))
		}
		for _, cell := range slices.Concat(table.Rows...) {
			for _, s := range cell {
				if strings.HasPrefix(s.Text, verify.Refuted.Symbol()) {
					broken++
				}
				if s.Style == bold {
					worst++
				}
			}
		}
		red := 0
		for _, s := range chart.NewChart(verify.Result{Evidence: e}).Shapes {
			if s.Class == "bar bad" {
				red++
			}
		}
		if broken != c.broken || red != c.broken || worst != 1 {
			t.Errorf("%s: %d marked in the table, %d in the map, want %d; %d in bold", c.reason, broken, red, c.broken, worst)
		}
	}
}
