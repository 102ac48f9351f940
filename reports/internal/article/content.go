package article

import (
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// A report is built once, as sections of blocks, and then written as Markdown
// or as HTML. Figures and sentences are plain text by then: no form has numbers
// or words of its own.

// Article is a report before it takes a form.
type Article struct {
	Title string
	// contents tells that the report is long enough for a table of contents; a
	// short one has no anchors in Markdown either.
	Contents bool
	Body     Section
}

// Block is one of Section, Paragraph, Quotation, Listing, *Grid, Formula, Command, Figure and
// *chart.Chart.
type Block interface{ Kind() string }

// Section has a heading and what is below it.
type Section struct {
	Anchor string
	Level  int // of the heading, 1 to 6
	Title  Inline
	Tone   string // of a claim's section: its verdict
	// Folded sections show their title alone until they are opened; on a page those with facets are found
	// and filtered by them.
	Folded bool
	Facets []Facet
	Blocks []Block
}

// Figure is a picture that has a file of its own beside the Markdown.
type Figure struct {
	File, Title string
	Alt         string // stands for the picture where it is not seen
	*chart.Chart
}

// Facet is something by which folded sections are filtered, beside their tone and the first part
// of their anchor.
type Facet struct{ Name, Value string }

type (
	Paragraph Inline
	Quotation Inline
	Listing   []Item
	// Formula is one in TeX, on a line of its own.
	Formula string
	// Command is a line for a shell.
	Command string
)

// Item of a list, with a list of its own.
type Item struct {
	Head  Inline
	Notes []Inline
}

// Grid is a table. Its rows have a cell for each column.
type Grid struct {
	Columns []markdown.Column
	Rows    [][]Inline
	// Wide tables become one card a row on a narrow page.
	Wide bool
	// Long titles, of series, are broken in the head of a table, and on a card stand
	// before their value.
	Long bool
}

func (Section) Kind() string   { return "section" }
func (Paragraph) Kind() string { return "paragraph" }
func (Quotation) Kind() string { return "quotation" }
func (Listing) Kind() string   { return "listing" }
func (Command) Kind() string   { return "command" }
func (Formula) Kind() string   { return "formula" }
func (*Grid) Kind() string     { return "grid" }
func (Figure) Kind() string    { return "figure" }

func (s *Section) Add(blocks ...Block) { s.Blocks = append(s.Blocks, blocks...) }
func (s *Section) Say(parts ...any)    { s.Add(Paragraph(Words(parts...))) }
func (g *Grid) Row(cells ...Inline)    { g.Rows = append(g.Rows, cells) }

// Style of a span.
type Style string

const (
	plainText Style = ""
	CodeText  Style = "code"
	Bold      Style = "strong"
	Italic    Style = "em"
)

// Span is a run of text in one style; with an anchor it leads there.
type Span struct {
	Style        Style
	Text, Anchor string
	Tone         string // a verdict, for its colour
}

// Line is the text without its styles, on one line.
func (in Inline) Line() string {
	var b strings.Builder
	for _, s := range in {
		b.WriteString(s.Text)
	}
	return markdown.OneLine(b.String())
}

func (s Span) plain() bool { return s == Span{Text: s.Text} }

// Inline is the text of a paragraph, heading or cell.
type Inline []Span

// Words joins strings, spans and inlines. Neighbouring plain strings become one
// span, so that what needs escaping is seen in its context.
func Words(parts ...any) Inline {
	var all Inline
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			all = append(all, Span{Text: p})
		case Span:
			all = append(all, p)
		case Inline:
			all = append(all, p...)
		}
	}
	var merged Inline
	for _, s := range all {
		if n := len(merged) - 1; n >= 0 && s.plain() && merged[n].plain() {
			merged[n].Text += s.Text
		} else if s.Text != "" {
			merged = append(merged, s)
		}
	}
	return merged
}

func Mono(s string) Span   { return Span{Style: CodeText, Text: s} }
func Strong(s string) Span { return Span{Style: Bold, Text: s} }
func Label(s string) Span  { return Span{Style: Italic, Text: s} }

// ClaimLink leads to the section of a claim.
func ClaimLink(id string) Span { return Span{Style: CodeText, Text: id, Anchor: Anchor(id)} }

// Anchor is an id as a fragment of an address: what an id cannot hold becomes a
// hyphen. Ids of claims have a slash; no other section has one in its anchor.
func Anchor(id string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-", r) {
			return r
		}
		return '-'
	}, id)
}

func VerdictSpan(v verify.Verdict) Span {
	return Span{Text: v.Symbol() + " " + string(v), Tone: string(v)}
}

// Capital is a word at the beginning of a sentence; a letter of a formula stays as it is.
func Capital[S ~string](v S) string {
	if v == "" || v[0] >= utf8.RuneSelf {
		return string(v)
	}
	return strings.ToUpper(string(v[:1])) + string(v[1:])
}
