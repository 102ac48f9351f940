package manual

import (
	"embed"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"strings"
)

// Source is the source of the package comment, so that the command and go doc tell the same.
//
//go:embed doc.go
var Source string

// pages are files to copy, by their names.
//
//go:embed pages
var pages embed.FS

// pageNames are the names of the pages, in order.
func pageNames() (names []string) {
	files, err := pages.ReadDir("pages")
	if err != nil {
		panic(err) // it has been compiled
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// text is the package comment.
func text() string {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", Source, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		panic(err) // it has been compiled
	}
	return (&ast.CommentGroup{List: file.Doc.List}).Text()
}

// Blocks are the manual in its parts: headings, paragraphs, lists and code.
func Blocks() []comment.Block { return new(comment.Parser).Parse(text()).Content }

// section is a chapter of the manual.
type section struct {
	topic  string // its title in lower case, with hyphens for spaces
	blocks []comment.Block
}

// heading begins the line of a chapter's title in the source.
const heading = "// # "

// sections are the manual's chapters, in order.
func sections() (out []section) {
	for _, b := range Blocks() {
		if h, ok := b.(*comment.Heading); ok {
			title := string((&comment.Printer{}).Text(&comment.Doc{Content: []comment.Block{&comment.Paragraph{Text: h.Text}}}))
			out = append(out, section{topic: topic(title)})
		}
		if len(out) > 0 {
			last := &out[len(out)-1]
			last.blocks = append(last.blocks, b)
		}
	}
	return out
}

func topic(title string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(title)), " ", "-")
}

// Topics are the chapters of the manual, in order, and its pages. Every command that starts names
// them, so that they are read off the source: to parse it takes longer than all else at the start.
func Topics() (names []string) {
	for line := range strings.Lines(Source) {
		if title, ok := strings.CutPrefix(line, heading); ok {
			names = append(names, topic(title))
		}
	}
	return append(names, pageNames()...)
}

// Topic is a chapter of the manual as text for a terminal, or a page as it is; not ok where there is none.
func Topic(name string) (shown []byte, ok bool) {
	for _, page := range pageNames() {
		if strings.EqualFold(page, name) {
			shown, err := pages.ReadFile("pages/" + page)
			return shown, err == nil
		}
	}
	for _, s := range sections() {
		if s.topic == strings.ToLower(name) {
			return (&comment.Printer{TextWidth: 100, TextCodePrefix: "    "}).Text(&comment.Doc{Content: s.blocks}), true
		}
	}
	return nil, false
}
