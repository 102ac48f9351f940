package format

import (
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Table is a Markdown table with aligned columns. It configures tablewriter: headers and cells are neither
// reformatted nor wrapped nor trimmed, bars are escaped, each row must have a cell for each column, and widths do not
// depend on the locale.
type Table struct {
	columns []Column
	rows    [][]Text
}

// Column is the title and the alignment of a column.
type Column struct {
	Title string
	Align tw.Align
}

// Left returns a left-aligned column, for text.
func Left(title string) Column { return Column{title, tw.AlignLeft} }

// Right returns a right-aligned column, for numbers.
func Right(title string) Column { return Column{title, tw.AlignRight} }

func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

func (t *Table) Row(cells ...Text) { t.rows = append(t.rows, cells) }

// Render returns the table as Markdown. It returns an error if a row does not have one cell for each column.
func (t *Table) Render() (string, error) {
	titles := make([]string, len(t.columns))
	align := make([]tw.Align, len(t.columns))
	for i, c := range t.columns {
		titles[i], align[i] = Cell(Plain(c.Title)), c.Align
	}
	var b strings.Builder
	alignment := tw.CellAlignment{PerColumn: align}
	w := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithRowAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithHeaderAlignmentConfig(alignment), tablewriter.WithRowAlignmentConfig(alignment),
	)
	w.Header(titles)
	for i, row := range t.rows {
		if len(row) != len(t.columns) {
			return "", fmt.Errorf("row %d of a table has %d cells for %d columns", i+1, len(row), len(t.columns))
		}
		cells := make([]string, len(row))
		for k, c := range row {
			cells[k] = Cell(c)
		}
		if err := w.Append(cells); err != nil {
			return "", fmt.Errorf("row %d of a table: %w", i+1, err)
		}
	}
	if err := w.Render(); err != nil {
		return "", fmt.Errorf("rendering a table: %w", err)
	}
	return b.String(), nil
}

// Cell puts a text on one line and escapes its bars.
func Cell(s Text) string { return strings.ReplaceAll(OneLine(string(s)), "|", `\|`) }
