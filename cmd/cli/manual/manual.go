package manual

import (
	"embed"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"strings"
)

// sources have the package comment, which go doc joins in the order of the files: the command tells the same.
//
//go:embed doc*.go
var sources embed.FS

// Source is a part of the package comment, as it stands in a file.
type Source struct{ Name, Text string }

// Sources are the parts of the package comment, in order.
func Sources() (out []Source) {
	for _, name := range namesIn(sources, ".") {
		text, err := sources.ReadFile(name)
		if err != nil {
			panic(err) // it has been compiled
		}
		out = append(out, Source{name, string(text)})
	}
	return out
}

// pages are files to copy, by their names.
//
//go:embed pages
var pages embed.FS

// pageNames are the names of the pages, in order.
func pageNames() []string { return namesIn(pages, "pages") }

func namesIn(of embed.FS, folder string) (names []string) {
	files, err := of.ReadDir(folder)
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
	var parts []string
	for _, source := range Sources() {
		mode := parser.ParseComments | parser.PackageClauseOnly
		file, err := parser.ParseFile(token.NewFileSet(), source.Name, source.Text, mode)
		if err != nil {
			panic(err) // it has been compiled
		}
		parts = append(parts, (&ast.CommentGroup{List: file.Doc.List}).Text())
	}
	return strings.Join(parts, "\n")
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
	for _, source := range Sources() {
		for line := range strings.Lines(source.Text) {
			if title, ok := strings.CutPrefix(line, heading); ok {
				names = append(names, topic(title))
			}
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
