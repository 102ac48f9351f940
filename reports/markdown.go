package reports

import (
	"io"
)

// Markdown writes a run as a document: how it was made, a summary by verdict,
// and for each paper what its user must know, a table of theory beside
// measurement, and every claim with its evidence.
func Markdown(w io.Writer, d Document) error {
	return compose(d).writeMarkdown(w)
}

func (a article) writeMarkdown(w io.Writer) error {
	p := page{links: a.contents}
	if err := writeSection(&p, a.body); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func writeSection(p *page, s section) error {
	if p.links && s.Anchor != "" {
		p.block(`<a id="` + s.Anchor + `"></a>`)
	}
	p.heading(s.Level, s.Title.markdown(false))
	for _, b := range s.Blocks {
		if err := writeBlock(p, b); err != nil {
			return err
		}
	}
	return nil
}

func writeBlock(p *page, b block) error {
	switch b := b.(type) {
	case section:
		return writeSection(p, b)
	case paragraph:
		p.block(string(blockStart(inline(b).markdown(p.links))))
	case quotation:
		p.quote(inline(b).markdown(p.links))
	case command:
		p.shell(string(b))
	case listing:
		entries := make([]entry, len(b))
		for i, it := range b {
			entries[i].head = it.Head.markdown(p.links)
			for _, note := range it.Notes {
				entries[i].notes = append(entries[i].notes, note.markdown(p.links))
			}
		}
		p.entries(entries)
	case *grid:
		t := newTable(b.Columns...)
		for _, r := range b.Rows {
			row := make([]markdown, len(r))
			for i, c := range r {
				row[i] = c.markdown(false) // a link would take more room than the figures
			}
			t.row(row...)
		}
		return p.table(t)
	case *chart: // pictures are for pages; the tables have the figures
	}
	return nil
}

// markdown writes the spans, with or without their links.
func (in inline) markdown(links bool) markdown {
	var all markdown
	for _, s := range in {
		var m markdown
		switch s.Style {
		case codeText:
			m = code(s.Text)
		case bold:
			m = "**" + text(s.Text) + "**"
		case italic:
			m = "*" + text(s.Text) + "*"
		default:
			m = escape(unbroken(s.Text))
		}
		if links && s.Anchor != "" {
			m = "[" + m + "](#" + markdown(s.Anchor) + ")"
		}
		all += m
	}
	return all
}
