package reports

import (
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Sheet is a report or a set of tables in sections of blocks, which can be written as Markdown, as an HTML page or as
// lines for a terminal. Its figures and sentences are plain text, so that all forms have the same.
type Sheet struct {
	Title string
	// Contents says that the report has a table of contents. A report without one has no anchors in Markdown.
	Contents bool
	Body     section
}

// block is one of section, paragraph, quotation, listing, *grid, command, figure and
// *chart.Chart.
type block interface{ Kind() string }

// section has a heading and blocks.
type section struct {
	Anchor string
	Level  int // of the heading, 1 to 6
	Title  inline
	Tone   string // of a claim's section: its verdict
	// Folded sections show only their title until they are opened. A page can search them, and filter them by Facets.
	Folded bool
	Facets []facet
	Blocks []block
}

// figure is a picture in a file of its own, next to the Markdown file.
type figure struct {
	File, Title string
	Alt         string // text alternative
	*chart.Chart
}

// facet is a property by which a page filters folded sections, in addition to their tone and the first part of their
// anchor.
type facet struct{ Name, Value string }

type (
	paragraph inline
	quotation inline
	listing   []item
	// command is a line for a shell.
	command string
)

// item of a list, with a list of its own.
type item struct {
	Head  inline
	Notes []inline
}

// grid is a table. Its rows have a cell for each column.
type grid struct {
	Columns []format.Column
	Rows    [][]inline
	// Linked tables have links in Markdown. Links widen the columns.
	Linked bool
	// Wide tables have a card for each row on a narrow page.
	Wide bool
	// Long titles, which name series, are wrapped in the header of a table. A card shows them before their values.
	Long bool
}

func (section) Kind() string   { return "section" }
func (paragraph) Kind() string { return "paragraph" }
func (quotation) Kind() string { return "quotation" }
func (listing) Kind() string   { return "listing" }
func (command) Kind() string   { return "command" }
func (*grid) Kind() string     { return "grid" }
func (figure) Kind() string    { return "figure" }

func (s *section) Add(blocks ...block) { s.Blocks = append(s.Blocks, blocks...) }
func (s *section) Say(parts ...any)    { s.Add(paragraph(words(parts...))) }
func (g *grid) Row(cells ...inline)    { g.Rows = append(g.Rows, cells) }

// style of a span.
type style string

const (
	plainText style = ""
	codeText  style = "code"
	bold      style = "strong"
	italic    style = "em"
)

// span is a run of text in one style. If it has an anchor, it is a link there.
type span struct {
	Style        style
	Text, Anchor string
	Tone         string // a verdict, for its color
}

// Line returns the text without styles, on one line.
func (in inline) Line() string {
	var b strings.Builder
	for _, s := range in {
		b.WriteString(s.Text)
	}
	return format.OneLine(b.String())
}

func (s span) plain() bool { return s == span{Text: s.Text} }

// inline is the text of a paragraph, heading or cell.
type inline []span

// words joins strings, spans and inlines. Neighboring plain strings become one span, so that escaping sees their
// context.
func words(parts ...any) inline {
	var all inline
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			all = append(all, span{Text: p})
		case span:
			all = append(all, p)
		case inline:
			all = append(all, p...)
		}
	}
	var merged inline
	for _, s := range all {
		if n := len(merged) - 1; n >= 0 && s.plain() && merged[n].plain() {
			merged[n].Text += s.Text
		} else if s.Text != "" {
			merged = append(merged, s)
		}
	}
	return merged
}

func mono(s string) span   { return span{Style: codeText, Text: s} }
func strong(s string) span { return span{Style: bold, Text: s} }
func label(s string) span  { return span{Style: italic, Text: s} }

// claimLink returns a link to the section of a claim.
func claimLink(id string) span { return span{Style: codeText, Text: id, Anchor: anchor(id)} }

// anchor turns an id into a fragment of an address: other characters become hyphens. Anchors of claims contain a
// slash, and no other anchors do.
func anchor(id string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-", r) {
			return r
		}
		return '-'
	}, id)
}

func verdictSpan(v verify.Verdict) span {
	return span{Text: mark(v) + " " + string(v), Tone: string(v)}
}

// capital begins a word with a capital. It keeps the letter of a formula.
func capital[S ~string](v S) string {
	if v == "" || v[0] >= utf8.RuneSelf {
		return string(v)
	}
	return strings.ToUpper(string(v[:1])) + string(v[1:])
}

// sheetOf returns a sheet of blocks without a title.
func sheetOf(blocks ...block) Sheet { return Sheet{Body: section{Blocks: blocks}} }
