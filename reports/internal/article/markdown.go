package article

import (
	"bytes"
	"io"
	"strings"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/markdown"
)

// Markdown writes the article; it has links where there is a table of contents.
func (a Article) Markdown(w io.Writer) error {
	p := page{Page: markdown.Page{Links: a.Contents}}
	if err := p.section(a.Body); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// Files is the Markdown, under a name, with the figures that it leads to, under theirs.
func (a Article) Files(name string) (map[string][]byte, error) {
	p := page{markdown.Page{Links: a.Contents}, make(map[string][]byte)}
	if err := p.section(a.Body); err != nil {
		return nil, err
	}
	p.files[name] = []byte(p.String())
	return p.files, nil
}

// page is Markdown with files beside it, where files is not nil.
type page struct {
	markdown.Page
	files map[string][]byte
}

// figure leads to the picture, in a file beside the page if it can have one.
func (p *page) figure(f Figure) error {
	if p.files == nil {
		return nil // the tables have the figures
	}
	var b bytes.Buffer
	if err := f.SVG(&b, markdown.OneLine(f.Title)); err != nil {
		return err
	}
	p.files[f.File] = b.Bytes()
	p.Block("![" + brackets.Replace(string(markdown.Plain(f.Alt))) + "](" + f.File + ")")
	return nil
}

// brackets of a text within those of a link.
var brackets = strings.NewReplacer(`\]`, "&#93;", "]", "&#93;", "[", "&#91;")

func (p *page) section(s Section) error {
	if p.Links && s.Anchor != "" {
		p.Block(`<a id="` + s.Anchor + `"></a>`)
	}
	if len(s.Title) > 0 {
		p.Heading(s.Level, s.Title.Markdown(false))
	}
	for _, b := range s.Blocks {
		if err := p.block(b); err != nil {
			return err
		}
	}
	return nil
}

func (p *page) block(b Block) error {
	switch b := b.(type) {
	case Section:
		return p.section(b)
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
	case Figure:
		return p.figure(b)
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
