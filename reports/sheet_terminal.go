package reports

import (
	"cmp"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/tw"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Terminal writes the sheet for a terminal. If the columns of a table do not fit the width, each row becomes a
// paragraph. Charts are omitted, since the tables contain their numbers.
func (a Sheet) Terminal(w io.Writer, s format.Screen) error {
	t := sheetWriter{format.NewScreenWriter(s)}
	t.section(a.Body, true)
	_, err := io.WriteString(w, t.String())
	return err
}

type sheetWriter struct{ *format.ScreenWriter }

func (t sheetWriter) section(s section, first bool) {
	t.apart(first)
	if title := s.Title.Line(); title != "" {
		t.Line(t.Paint(cmp.Or(toneColor(s.Tone), format.Bold), format.CutToWidth(title, t.Width)))
		first = false
	}
	for _, b := range s.Blocks {
		t.block(b, first)
		first = false
	}
}

// apart writes an empty line before a block that is not the first.
func (t sheetWriter) apart(first bool) {
	if !first {
		t.Line("")
	}
}

func (t sheetWriter) block(b block, first bool) {
	if inner, ok := b.(section); ok {
		t.section(inner, first)
		return
	}
	if list, ok := b.(listing); !ok || len(list) == 0 {
		t.apart(first)
	}
	switch b := b.(type) {
	case paragraph:
		t.Wrapped(0, inline(b).Line())
	case quotation:
		t.Wrapped(2, inline(b).Line())
	case command:
		t.Line("  " + format.OneLine(string(b))) // not wrapped, so that it can be copied
	case listing:
		for _, it := range b {
			t.Hanging("- ", 2, it.Head.Line())
			for _, note := range it.Notes {
				t.Hanging("  - ", 4, note.Line())
			}
		}
	case *grid:
		t.grid(b)
	}
}

const columnGutter = 2 // width of the space between the columns of a table

// grid writes a table, or paragraphs if it does not fit the width.
func (t sheetWriter) grid(g *grid) {
	widths, total := make([]int, len(g.Columns)), -columnGutter
	for i, c := range g.Columns {
		widths[i] = format.DisplayWidth(format.OneLine(c.Title))
		for _, row := range g.Rows {
			widths[i] = max(widths[i], format.DisplayWidth(row[i].Line()))
		}
		total += widths[i] + columnGutter
	}
	if total > t.Width {
		for _, row := range g.Rows {
			t.stacked(g, row)
		}
		return
	}
	head := make([]inline, len(g.Columns))
	for i, c := range g.Columns {
		head[i] = words(strong(c.Title))
	}
	for _, row := range append([][]inline{head}, g.Rows...) {
		var line strings.Builder
		for i, cell := range row {
			text := cell.Line()
			pad := strings.Repeat(" ", widths[i]-format.DisplayWidth(text))
			if g.Columns[i].Align == tw.AlignRight {
				line.WriteString(pad + t.painted(cell, text))
			} else {
				line.WriteString(t.painted(cell, text) + pad)
			}
			line.WriteString(strings.Repeat(" ", columnGutter))
		}
		t.Line(line.String())
	}
}

// painted returns the text of a cell in the color of its verdict, or in bold.
func (t sheetWriter) painted(cell inline, text string) string {
	if len(cell) == 0 {
		return text
	}
	if cell[0].Style == bold {
		text = t.Paint(format.Bold, text)
	}
	return t.Paint(toneColor(cell[0].Tone), text)
}

// toneColor returns the color of a tone, "" for no tone.
func toneColor(tone string) string {
	if tone == "" {
		return ""
	}
	return format.MarkColor(mark(verify.Verdict(tone)))
}

// stacked writes a row as a paragraph: the first cell, then the figures with the titles of their columns, then the
// text of the last column on separate lines.
func (t sheetWriter) stacked(g *grid, row []inline) {
	const indent = 2
	if lead := row[0].Line(); format.DisplayWidth(lead) <= t.Width {
		t.Line(t.Paint(format.Bold, lead))
	} else {
		t.Wrapped(0, lead)
	}
	line := ""
	for i, cell := range row[1:] {
		text, c := cell.Line(), g.Columns[i+1]
		if c.Align == tw.AlignRight {
			text = format.OneLine(c.Title) + " " + text
		} else if i+2 == len(row) {
			t.Wrapped(indent, line)
			line = ""
		}
		if line != "" && text != "" {
			line += " · "
		}
		line += text
	}
	t.Wrapped(indent, line)
}
