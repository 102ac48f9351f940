package reports

import (
	"strings"

	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// A report is built once, as sections of blocks, and then written as Markdown
// or as HTML. Figures and sentences are plain text by then: no form has numbers
// or words of its own.

// article is a report before it takes a form.
type article struct {
	title string
	// contents tells that the report is long enough for a table of contents; a
	// short one has no anchors in Markdown either.
	contents bool
	body     section
}

// block is one of section, paragraph, quotation, listing, *grid, command and *chart.
type block interface{ Kind() string }

// section has a heading and what is below it.
type section struct {
	Anchor string
	Level  int // of the heading, 1 to 6
	Title  inline
	Tone   string // of a claim's section: its verdict
	Blocks []block
}

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
	Columns []markdown.Column
	Rows    [][]inline
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

func (s *section) add(blocks ...block) { s.Blocks = append(s.Blocks, blocks...) }
func (s *section) say(parts ...any)    { s.add(paragraph(words(parts...))) }
func (g *grid) row(cells ...inline)    { g.Rows = append(g.Rows, cells) }

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
	return span{Text: v.Symbol() + " " + string(v), Tone: string(v)}
}

// capital is a word at the beginning of a sentence.
func capital[S ~string](v S) string { return strings.ToUpper(string(v[:1])) + string(v[1:]) }
