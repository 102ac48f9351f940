package article

import (
	"io"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/markdown"
)

// Markdown writes the article; it has links where there is a table of contents.
func (a Article) Markdown(w io.Writer) error {
	p := markdown.Page{Links: a.Contents}
	if err := writeSection(&p, a.Body); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.B.String())
	return err
}

func writeSection(p *markdown.Page, s Section) error {
	if p.Links && s.Anchor != "" {
		p.Block(`<a id="` + s.Anchor + `"></a>`)
	}
	if len(s.Title) > 0 {
		p.Heading(s.Level, s.Title.Markdown(false))
	}
	for _, b := range s.Blocks {
		if err := writeBlock(p, b); err != nil {
			return err
		}
	}
	return nil
}

func writeBlock(p *markdown.Page, b Block) error {
	switch b := b.(type) {
	case Section:
		return writeSection(p, b)
	case Paragraph:
		p.Block(string(markdown.BlockStart(Inline(b).Markdown(p.Links))))
	case Quotation:
		p.Quote(Inline(b).Markdown(p.Links))
	case Formula:
		p.Block("$$" + string(b) + "$$")
	case Command:
		p.Shell(string(b))
	case Listing:
		entries := make([]markdown.Entry, len(b))
		for i, it := range b {
			entries[i].Head = it.Head.Markdown(p.Links)
			for _, note := range it.Notes {
				entries[i].Notes = append(entries[i].Notes, note.Markdown(p.Links))
			}
		}
		p.Entries(entries)
	case *Grid:
		t := markdown.NewTable(b.Columns...)
		for _, r := range b.Rows {
			row := make([]markdown.Text, len(r))
			for i, c := range r {
				row[i] = c.Markdown(false) // a link would take more room than the figures
			}
			t.Row(row...)
		}
		return p.Table(t)
	case *chart.Chart: // pictures are for pages; the tables have the figures
	}
	return nil
}

// Markdown writes the spans, with or without their links.
func (in Inline) Markdown(links bool) markdown.Text {
	var all markdown.Text
	for _, s := range in {
		var m markdown.Text
		switch s.Style {
		case CodeText:
			m = markdown.Code(s.Text)
		case Bold:
			m = "**" + markdown.Plain(s.Text) + "**"
		case Italic:
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
