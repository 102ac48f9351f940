package reports

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

func TestChooseCells(t *testing.T) {
	grid := func(rows, columns int, measured func(row, column int) float64) []verify.Cell {
		var cells []verify.Cell
		for i := range rows {
			for j := range columns {
				cells = append(cells, verify.Cell{Label: fmt.Sprintf("d=%d, ε=%d", i, j), Claimed: num(1), Measured: num(measured(i, j))})
			}
		}
		return cells
	}
	growing := func(_, column int) float64 { return 1 + float64(column)/10 }
	few := grid(2, 3, growing)
	many := verify.Evidence{Sense: verify.AtMost, Cells: grid(6, 6, growing), WorstCase: "d=5, ε=5"}
	lower := many
	lower.Sense = verify.AtLeast
	crowd := verify.Evidence{Sense: verify.AtMost, Cells: grid(20, 1, growing), WorstCase: "d=19, ε=0, and more"}
	equal := verify.Evidence{Sense: verify.Equals, Cells: grid(4, 4, func(_, j int) float64 { return 2 + 1e-12*float64(j) })}
	equal.Cells[2].Samples, equal.Cells[3].Samples = 5, 9
	cases := []struct {
		reason string
		e      verify.Evidence
		want   []int
	}{
		{"no points", verify.Evidence{}, []int{}},
		{"few points are all shown", verify.Evidence{Sense: verify.AtMost, Cells: few}, []int{0, 1, 2, 3, 4, 5}},
		{"the two worst of each dimension", many, []int{4, 5, 10, 11, 16, 17, 22, 23, 28, 29, 34, 35}},
		{"a lower bound: the smallest, and the stated worst case", lower, []int{0, 1, 6, 7, 12, 13, 18, 19, 24, 25, 30, 35}},
		{"more first coordinates than rows: the worst case is among the rows", crowd, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19}},
		{"equally bad points: the ones with more samples", equal, []int{0, 2, 3, 4, 5, 6, 8, 9, 10, 12, 13, 14}},
	}
	for _, c := range cases {
		before := slices.Clone(c.e.Cells)
		if diff := cmp.Diff(c.want, chart.ChooseCells(c.e)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
		if !slices.Equal(before, c.e.Cells) {
			t.Errorf("%s: the cells were changed", c.reason)
		}
	}
}

func TestWorstCell(t *testing.T) {
	e := verify.Evidence{Cells: []verify.Cell{{Label: "d=1"}, {Label: "d=12"}}}
	for witness, want := range map[string]int{"d=12": 1, "d=1, across X": 0, "d=123": -1, "": -1} {
		e.WorstCase = witness
		if got := chart.WorstCell(e); got != want {
			t.Errorf("witness %q: cell %d, want %d", witness, got, want)
		}
	}
}

func TestSense(t *testing.T) {
	for _, c := range []struct {
		sense   verify.Sense
		claimed verify.Number
		want    string
	}{
		{verify.Equals, num(2), "2"}, {"", num(2), "2"}, {verify.AtMost, num(1000), "≤ 1000"}, {verify.Below, num(-1), "< -1"},
		{verify.AtLeast, num(0), "≥ 0"}, {verify.Above, num(inf), "> ∞"}, {verify.AtMost, verify.Number{}, "–"},
	} {
		e := verify.Evidence{Sense: c.sense, Claimed: c.claimed, Measured: num(3)}
		if got := format.CompareWorst(e).Claimed; got != c.want {
			t.Errorf("%v %v is written %q, want %q", c.sense, c.claimed, got, c.want)
		}
		if got := format.CompareCell(c.sense, verify.Cell{Claimed: c.claimed, Measured: num(3)}).Claimed; got != c.want {
			t.Errorf("in a cell, %v %v is written %q, want %q", c.sense, c.claimed, got, c.want)
		}
	}
}

func TestRowsPutCorrectionsBelow(t *testing.T) {
	result := func(id, corrected string) verify.Result {
		return verify.Result{Claim: verify.Claim{ID: id, Corrected: corrected}, Evidence: verify.Evidence{Verdict: verify.Holds}}
	}
	cases := []struct {
		reason string
		in     []verify.Result
		want   []string
	}{
		{"a reading between them", []verify.Result{result("a", "a/c"), result("a/b", ""), result("a/c", "")}, []string{"a", "↳a/c", "a/b"}},
		{"a correction that comes first", []verify.Result{result("a/c", ""), result("b", ""), result("a", "a/c")}, []string{"b", "a", "↳a/c"}},
		{"two claims with one correction", []verify.Result{result("a", "a/c"), result("b", "a/c"), result("a/c", "")}, []string{"a", "↳a/c", "b"}},
		{"a correction corrected", []verify.Result{result("a", "b"), result("b", "c"), result("c", "")}, []string{"a", "↳b", "↳c"}},
		{"the correction is not in the run", []verify.Result{result("a", "a/c"), result("b", "")}, []string{"a", "b"}},
		{"the corrected claim is not in the run", []verify.Result{result("a/c", "")}, []string{"a/c"}},
		{"a reading apart from its statement", []verify.Result{result("p/a", ""), result("p/b", ""), result("p/a/r", "p/a/c"), result("p/a/c", "")}, []string{"p/a", "p/a/r", "↳p/a/c", "p/b"}},
		{"a cycle", []verify.Result{result("a", "b"), result("b", "a")}, []string{"a", "↳b"}},
	}
	for _, c := range cases {
		var got []string
		for _, r := range (group{results: c.in}).rows() {
			mark := ""
			if r.correction {
				mark = correctionMark
			}
			got = append(got, mark+r.Claim.ID)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}
