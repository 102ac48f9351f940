package reports

import (
	"bytes"
	"io"
	"strings"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
)

// Markdown writes the sheet. It has links if the sheet has a table of contents.
func (a Sheet) Markdown(w io.Writer) error {
	p := a.page()
	if err := p.section(a.Body); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// Files returns the Markdown under the given name, and the figures that it shows under their names.
func (a Sheet) Files(name string) (map[string][]byte, error) {
	p := a.page()
	p.files = make(map[string][]byte)
	if err := p.section(a.Body); err != nil {
		return nil, err
	}
	p.files[name] = []byte(p.String())
	return p.files, nil
}

// sheetPage is a Markdown page. If files is not nil, its figures are written there.
type sheetPage struct {
	format.Page
	linked map[string]bool // anchors with a link on the page
	files  map[string][]byte
}

func (a Sheet) page() sheetPage {
	p := sheetPage{Page: format.Page{Links: a.Contents}, linked: make(map[string]bool)}
	if a.Contents {
		p.collectLinks(a.Body)
	}
	return p
}

// collectLinks records the anchors that the links of a section lead to.
func (p *sheetPage) collectLinks(s section) {
	add := func(lines ...inline) {
		for _, line := range lines {
			for _, span := range line {
				p.linked[span.Anchor] = true
			}
		}
	}
	for _, b := range s.Blocks {
		switch b := b.(type) {
		case section:
			p.collectLinks(b)
		case paragraph:
			add(inline(b))
		case listing:
			for _, it := range b {
				add(append(it.Notes, it.Head)...)
			}
		case *grid:
			for _, row := range b.Rows {
				if b.Linked {
					add(row...)
				}
			}
		}
	}
}

// anchored reports whether a section has an anchor: a link leads there, or the section is about one claim.
func (p *sheetPage) anchored(s section) bool {
	return p.Links && s.Anchor != "" && (p.linked[s.Anchor] || strings.Contains(s.Anchor, "/"))
}

// figure writes the picture into a file, and a link to it. It omits the picture if there are no files.
func (p *sheetPage) figure(f figure) error {
	if p.files == nil {
		return nil // the tables contain its numbers
	}
	var b bytes.Buffer
	if err := f.SVG(&b, format.OneLine(f.Title)); err != nil {
		return err
	}
	p.files[f.File] = b.Bytes()
	p.Block("![" + linkTextBrackets.Replace(string(format.Plain(f.Alt))) + "](" + f.File + ")")
	return nil
}

// linkTextBrackets escapes brackets in the text of a link.
var linkTextBrackets = strings.NewReplacer(`\]`, "&#93;", "]", "&#93;", "[", "&#91;")

func (p *sheetPage) section(s section) error {
	if p.anchored(s) {
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

func (p *sheetPage) block(b block) error {
	switch b := b.(type) {
	case section:
		return p.section(b)
	case paragraph:
		p.Block(string(format.BlockStart(inline(b).Markdown(p.Links))))
	case quotation:
		p.Quote(inline(b).Markdown(p.Links))
	case command:
		p.Shell(string(b))
	case listing:
		var list strings.Builder
		for _, it := range b {
			list.WriteString("- " + string(format.BlockStart(it.Head.Markdown(p.Links))) + "\n")
			for _, note := range it.Notes {
				list.WriteString("  - " + string(format.BlockStart(note.Markdown(p.Links))) + "\n")
			}
		}
		p.Block(list.String())
	case *grid:
		t := format.NewTable(b.Columns...)
		for _, r := range b.Rows {
			row := make([]format.Text, len(r))
			for i, c := range r {
				row[i] = c.Markdown(p.Links && b.Linked)
			}
			t.Row(row...)
		}
		return p.Table(t)
	case figure:
		return p.figure(b)
	case *chart.Chart: // omitted: the tables contain its numbers
	}
	return nil
}

// Markdown returns the spans as Markdown, with or without links.
func (in inline) Markdown(links bool) format.Text {
	var all format.Text
	for _, s := range in {
		var m format.Text
		switch s.Style {
		case codeText:
			m = format.Code(s.Text)
		case bold:
			m = "**" + format.Plain(s.Text) + "**"
		case italic:
			m = "*" + format.Plain(s.Text) + "*"
		default:
			m = format.EscapeMarkdown(format.Unbroken(s.Text))
		}
		if links && s.Anchor != "" {
			m = "[" + m + "](#" + format.Text(s.Anchor) + ")"
		}
		all += m
	}
	return all
}
