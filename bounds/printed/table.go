package printed

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Table is a table as printed. A blank entry or a dash means that there is no number.
type Table struct {
	Name    string // "Table 2"
	Columns []string
	Rows    []Row
}

// Row is a row of a Table, with one entry per column. Entries keep their trailing zeros.
type Row struct {
	Name  string
	Cells []string
}

// Entry returns the text of a row and a column. It returns an error if the table is malformed, has no such row or
// column, or has no number there.
func (t Table) Entry(row, column string) (string, error) {
	if err := t.Validate(); err != nil {
		return "", err
	}
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Name == row })
	j := slices.Index(t.Columns, column)
	switch {
	case i < 0:
		return "", fmt.Errorf("%s has no row %q", t.Name, row)
	case j < 0:
		return "", fmt.Errorf("%s has no column %q", t.Name, column)
	case Absent(t.Rows[i].Cells[j]):
		return "", fmt.Errorf("%s is blank at %s, %s", t.Name, row, column)
	}
	return t.Rows[i].Cells[j], nil
}

// Number parses an entry "mean±deviation". The deviation is NaN if the entry has none. It returns the errors of
// Entry, and an error for an entry that is not a number.
func (t Table) Number(row, column string) (mean, deviation float64, err error) {
	text, err := t.Entry(row, column)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	deviation = math.NaN()
	before, after, found := strings.Cut(text, "±")
	if mean, err = strconv.ParseFloat(before, 64); err == nil && found {
		deviation, err = strconv.ParseFloat(after, 64)
	}
	if err != nil {
		return math.NaN(), math.NaN(), fmt.Errorf("%s at %s, %s: %q is not a number", t.Name, row, column, text)
	}
	return mean, deviation, nil
}

// Validate returns an error if a row and column name could mean two entries or none.
func (t Table) Validate() error {
	if len(t.Columns) == 0 || len(t.Rows) == 0 {
		return fmt.Errorf("%s has %d columns and %d rows: need at least one of each", t.Name, len(t.Columns), len(t.Rows))
	}
	for j, name := range t.Columns {
		if slices.Contains(t.Columns[:j], name) {
			return fmt.Errorf("%s has two columns %q: give them different names", t.Name, name)
		}
	}
	seen := map[string]bool{}
	for _, row := range t.Rows {
		if len(row.Cells) != len(t.Columns) {
			return fmt.Errorf("%s, row %q: %d entries for %d columns", t.Name, row.Name, len(row.Cells), len(t.Columns))
		}
		if seen[row.Name] {
			return fmt.Errorf("%s has two rows %q: give them different names", t.Name, row.Name)
		}
		seen[row.Name] = true
	}
	return nil
}

// Absent reports whether an entry is blank or a dash.
func Absent(entry string) bool {
	return slices.Contains([]string{"", "-", "–", "—"}, strings.TrimSpace(entry))
}
