package printed

import (
	"math"
	"strings"
	"testing"
)

// Every entry is an accuracy or an error rate between 0 and 1. Only entries with "±" have a standard deviation.
func TestTables(t *testing.T) {
	for _, table := range []Table{CurriculaTable2, CurriculaTable3, CurriculaTable4, PrestigeTable3} {
		for _, row := range table.Rows {
			for i, column := range table.Columns {
				mean, deviation, err := table.Number(row.Name, column)
				if err != nil || !(mean > 0 && mean < 1) || math.IsNaN(deviation) == strings.Contains(row.Cells[i], "±") {
					t.Errorf("%s, %s, %s: %v ± %v, %v", table.Name, row.Name, column, mean, deviation, err)
				}
			}
		}
	}
}

func TestNumberErrors(t *testing.T) {
	table := Table{Name: "T", Columns: []string{"a", "b"}, Rows: []Row{{"r", []string{"x±1", "–"}}, {"s", []string{"1±y", "2"}}}}
	for _, c := range []struct{ row, column, names string }{
		{"q", "a", `no row "q"`}, {"r", "c", `no column "c"`}, {"r", "b", "blank at r, b"},
		{"r", "a", `"x±1" is not a number`}, {"s", "a", `"1±y" is not a number`},
	} {
		if _, _, err := table.Number(c.row, c.column); err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s, %s: %v, want %q", c.row, c.column, err, c.names)
		}
	}
	if mean, deviation, err := table.Number("s", "b"); mean != 2 || !math.IsNaN(deviation) || err != nil {
		t.Errorf("%v ± %v, %v", mean, deviation, err)
	}
}
