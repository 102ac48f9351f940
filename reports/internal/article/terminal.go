package article

import (
	"cmp"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/tw"

	"github.com/dpverify/dpverify/reports/internal/console"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/reports/internal/tex"
	"github.com/dpverify/dpverify/verify"
)

// Terminal writes the article for a screen. A table whose columns do not fit beside each other has a
// paragraph a row. Charts are left out: the tables have their figures.
func (a Article) Terminal(w io.Writer, s console.Screen) error {
	t := terminal{console.New(s)}
	t.section(a.Body, true)
	_, err := io.WriteString(w, t.String())
	return err
}

type terminal struct{ *console.Writer }

func (t terminal) section(s Section, first bool) {
	t.apart(first)
	if title := s.Title.Line(); title != "" {
		t.Line(t.Paint(cmp.Or(escape(s.Tone), console.Bold), console.Cut(title, t.Width)))
		first = false
	}
	for _, b := range s.Blocks {
		t.block(b, first)
		first = false
	}
}

// apart leaves a line free before what is not the first.
func (t terminal) apart(first bool) {
	if !first {
		t.Line("")
	}
}

func (t terminal) block(b Block, first bool) {
	if inner, ok := b.(Section); ok {
		t.section(inner, first)
		return
	}
	if list, ok := b.(Listing); !ok || len(list) == 0 {
		t.apart(first)
	}
	switch b := b.(type) {
	case Paragraph:
		t.Wrapped(0, Inline(b).Line())
	case Quotation:
		t.Wrapped(2, Inline(b).Line())
	case Formula:
		line := string(b)
		if f, err := tex.Parse(line); err == nil {
			line = f.Plain()
		}
		t.Wrapped(2, line)
	case Command:
		t.Line("  " + markdown.OneLine(string(b))) // whole, so that it can be copied
	case Listing:
		for _, it := range b {
			t.Hanging("- ", 2, it.Head.Line())
			for _, note := range it.Notes {
				t.Hanging("  - ", 4, note.Line())
			}
		}
	case *Grid:
		t.grid(b)
	}
}

const gutter = 2 // columns between those of a table

// grid writes a table, its first column in bold where that is all that is so.
func (t terminal) grid(g *Grid) {
	widths, whole := make([]int, len(g.Columns)), -gutter
	for i, c := range g.Columns {
		widths[i] = console.Columns(markdown.OneLine(c.Title))
		for _, row := range g.Rows {
			widths[i] = max(widths[i], console.Columns(row[i].Line()))
		}
		whole += widths[i] + gutter
	}
	if whole > t.Width {
		for _, row := range g.Rows {
			t.stacked(g, row)
		}
		return
	}
	head := make([]Inline, len(g.Columns))
	for i, c := range g.Columns {
		head[i] = Words(Strong(c.Title))
	}
	for _, row := range append([][]Inline{head}, g.Rows...) {
		var line strings.Builder
		for i, cell := range row {
			text := cell.Line()
			pad := strings.Repeat(" ", widths[i]-console.Columns(text))
			if g.Columns[i].Align == tw.AlignRight {
				line.WriteString(pad + t.painted(cell, text))
			} else {
				line.WriteString(t.painted(cell, text) + pad)
			}
			line.WriteString(strings.Repeat(" ", gutter))
		}
		t.Line(line.String())
	}
}

// painted is the text of a cell in its colour: that of a verdict, or bold.
func (t terminal) painted(cell Inline, text string) string {
	if len(cell) == 0 {
		return text
	}
	if cell[0].Style == Bold {
		text = t.Paint(console.Bold, text)
	}
	return t.Paint(escape(cell[0].Tone), text)
}

// escape is the colour of a tone, "" of none.
func escape(tone string) string {
	if tone == "" {
		return ""
	}
	return console.Escape(verify.Verdict(tone).Symbol())
}

// stacked writes a row below its first cell: figures with the titles of their columns, and what is said
// in the last column on lines of its own.
func (t terminal) stacked(g *Grid, row []Inline) {
	const indent = 2
	if lead := row[0].Line(); console.Columns(lead) <= t.Width {
		t.Line(t.Paint(console.Bold, lead))
	} else {
		t.Wrapped(0, lead)
	}
	line := ""
	for i, cell := range row[1:] {
		text, c := cell.Line(), g.Columns[i+1]
		if c.Align == tw.AlignRight {
			text = markdown.OneLine(c.Title) + " " + text
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
