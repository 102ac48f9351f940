package reports

import (
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// A report is built once, as sections of blocks, and then written as Markdown
// or as HTML. Figures and sentences are plain text by then: no form has numbers
// or words of its own.

// Sheet is a report, or tables and what is said of them, before it is written in a form: Markdown, HTML or lines for
// a screen.
type Sheet struct {
	Title string
	// contents tells that the report is long enough for a table of contents; a
	// short one has no anchors in Markdown either.
	Contents bool
	Body     section
}

// block is one of section, paragraph, quotation, listing, *grid, command, figure and
// *chart.Chart.
type block interface{ Kind() string }

// section has a heading and what is below it.
type section struct {
	Anchor string
	Level  int // of the heading, 1 to 6
	Title  inline
	Tone   string // of a claim's section: its verdict
	// Folded sections show their title alone until they are opened; on a page those with facets are found
	// and filtered by them.
	Folded bool
	Facets []facet
	Blocks []block
}

// figure is a picture that has a file of its own beside the Markdown.
type figure struct {
	File, Title string
	Alt         string // stands for the picture where it is not seen
	*chart.Chart
}

// facet is something by which folded sections are filtered, beside their tone and the first part
// of their anchor.
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
	// Linked tables have links in Markdown, too. Links widen the columns.
	Linked bool
	// Wide tables become one card a row on a narrow page.
	Wide bool
	// Long titles, of series, are broken in the head of a table, and on a card stand
	// before their value.
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

// span is a run of text in one style; with an anchor it leads there.
type span struct {
	Style        style
	Text, Anchor string
	Tone         string // a verdict, for its colour
}

// Line is the text without its styles, on one line.
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

// words joins strings, spans and inlines. Neighbouring plain strings become one
// span, so that what needs escaping is seen in its context.
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

// claimLink leads to the section of a claim.
func claimLink(id string) span { return span{Style: codeText, Text: id, Anchor: anchor(id)} }

// anchor is an id as a fragment of an address: what an id cannot hold becomes a
// hyphen. Ids of claims have a slash; no other section has one in its anchor.
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

// capital is a word at the beginning of a sentence; a letter of a formula stays as it is.
func capital[S ~string](v S) string {
	if v == "" || v[0] >= utf8.RuneSelf {
		return string(v)
	}
	return strings.ToUpper(string(v[:1])) + string(v[1:])
}

// sheetOf has blocks alone, without a title.
func sheetOf(blocks ...block) Sheet { return Sheet{Body: section{Blocks: blocks}} }
