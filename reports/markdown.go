package reports

import (
	"io"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/markdown"
)

// Markdown writes a run as a document: how it was made, a summary by verdict,
// and for each paper what its user must know, a table of theory beside
// measurement, and every claim with its evidence.
func Markdown(w io.Writer, d Document) error {
	return compose(d).writeMarkdown(w)
}

func (a article) writeMarkdown(w io.Writer) error {
	p := markdown.Page{Links: a.contents}
	if err := writeSection(&p, a.body); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.B.String())
	return err
}

func writeSection(p *markdown.Page, s section) error {
	if p.Links && s.Anchor != "" {
		p.Block(`<a id="` + s.Anchor + `"></a>`)
	}
	p.Heading(s.Level, s.Title.markdown(false))
	for _, b := range s.Blocks {
		if err := writeBlock(p, b); err != nil {
			return err
		}
	}
	return nil
}

func writeBlock(p *markdown.Page, b block) error {
	switch b := b.(type) {
	case section:
		return writeSection(p, b)
	case paragraph:
		p.Block(string(markdown.BlockStart(inline(b).markdown(p.Links))))
	case quotation:
		p.Quote(inline(b).markdown(p.Links))
	case command:
		p.Shell(string(b))
	case listing:
		entries := make([]markdown.Entry, len(b))
		for i, it := range b {
			entries[i].Head = it.Head.markdown(p.Links)
			for _, note := range it.Notes {
				entries[i].Notes = append(entries[i].Notes, note.markdown(p.Links))
			}
		}
		p.Entries(entries)
	case *grid:
		t := markdown.NewTable(b.Columns...)
		for _, r := range b.Rows {
			row := make([]markdown.Text, len(r))
			for i, c := range r {
				row[i] = c.markdown(false) // a link would take more room than the figures
			}
			t.Row(row...)
		}
		return p.Table(t)
	case *chart.Chart: // pictures are for pages; the tables have the figures
	}
	return nil
}

// markdown writes the spans, with or without their links.
func (in inline) markdown(links bool) markdown.Text {
	var all markdown.Text
	for _, s := range in {
		var m markdown.Text
		switch s.Style {
		case codeText:
			m = markdown.Code(s.Text)
		case bold:
			m = "**" + markdown.Plain(s.Text) + "**"
		case italic:
			m = "*" + markdown.Plain(s.Text) + "*"
		default:
			m = markdown.Escape(markdown.Unbroken(s.Text))
		}
		if links && s.Anchor != "" {
			m = "[" + m + "](#" + markdown.Text(s.Anchor) + ")"
		}
		all += m
	}
	return all
}
