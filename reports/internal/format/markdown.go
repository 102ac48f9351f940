package format

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/visible"
)

// Text is Markdown. Plain text becomes Text only through [Plain], [EscapeMarkdown] and [Code].
type Text string

// Plain returns a text on one line with Markdown's markup escaped.
func Plain(s string) Text { return EscapeMarkdown(OneLine(s)) }

// EscapeMarkdown escapes the markup in a part of a line. Unlike [Plain] it keeps spaces at the ends.
func EscapeMarkdown(s string) Text {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if isMarkupRune(runes, i) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return Text(b.String())
}

// isMarkupRune reports whether the rune at index i can begin or end markup.
func isMarkupRune(runes []rune, i int) bool {
	next := func(f func(rune) bool) bool { return i+1 < len(runes) && f(runes[i+1]) }
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch runes[i] {
	case '\\', '`', '*', '$', '~':
		return true
	case '<': // of a tag, a comment or an address, not of a comparison
		return next(func(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune("/!?", r) })
	case '&':
		return next(func(r rune) bool { return word(r) || r == '#' })
	case '_': // cannot begin emphasis after a letter, as in an index
		return !(i > 0 && word(runes[i-1]))
	case ']': // of a link, or of a link definition, which begins a line
		return next(func(r rune) bool { return r == '(' || r == '[' || r == ':' && !bracketInLine(runes[:i]) })
	}
	return false
}

// bracketInLine reports whether the text before a closing bracket contains its opening bracket after other text. Such
// brackets do not begin a line.
func bracketInLine(before []rune) bool {
	text := strings.TrimSpace(string(before))
	return strings.LastIndexByte(text, '[') > 0
}

// OneLine returns a text on one trimmed line. Characters that are hidden or could control a terminal become escapes;
// see [visible.Line].
func OneLine(s string) string { return strings.TrimSpace(Unbroken(s)) }

// Unbroken does the same without trimming.
func Unbroken(s string) string { return visible.Line(s) }

// Code returns a code span. Text with a backslash before a bar is escaped instead, because a table's code span cannot
// contain it.
func Code(s string) Text {
	s = OneLine(s)
	if s == "" || strings.Contains(s, `\|`) {
		return Plain(s)
	}
	fence := fenceFor(s, 1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return Text(fence + s + fence)
}

// fenceFor returns at least n backquotes, more than any run of backquotes in s has.
func fenceFor(s string, n int) string {
	run := 0
	for _, r := range s {
		if r == '`' {
			run++
			n = max(n, run+1)
		} else {
			run = 0
		}
	}
	return strings.Repeat("`", n)
}

// Page collects the blocks of a document, with a blank line between them.
type Page struct {
	B     strings.Builder
	Links bool // write anchors of headings, and links to them
}

// String returns the page without hidden characters. No line of it is a workflow command.
func (p *Page) String() string { return visible.Text(p.B.String()) }

// Block adds a block of Markdown, unless it is empty.
func (p *Page) Block(s string) {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return
	}
	if p.B.Len() > 0 {
		p.B.WriteByte('\n')
	}
	p.B.WriteString(s + "\n")
}

func (p *Page) Heading(level int, s Text) {
	p.Block(strings.Repeat("#", level) + " " + string(s))
}

// Say adds a paragraph. The arguments of its format are numbers or [Text].
func (p *Page) Say(format string, args ...any) { p.Block(fmt.Sprintf(format, args...)) }

// Quote adds a block quotation.
func (p *Page) Quote(s Text) { p.Block("> " + string(BlockStart(s))) }

// Shell adds a command in a fenced code block.
func (p *Page) Shell(command string) {
	command = OneLine(command)
	fence := fenceFor(command, 3)
	p.Block(fence + "sh\n" + command + "\n" + fence)
}

// Table adds a table. It returns the error of [Table.Render].
func (p *Page) Table(t *Table) error {
	s, err := t.Render()
	p.Block(s)
	return err
}

// BlockStart escapes the first character of a block if it would make the block a heading, a list, a quotation or a
// rule.
func BlockStart(s Text) Text {
	rest := strings.TrimLeft(string(s), "0123456789")
	ordered := len(rest) < len(s) && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ")"))
	switch {
	case ordered:
		return s[:len(string(s))-len(rest)] + "\\" + Text(rest)
	case s != "" && strings.ContainsRune("#>-+=", rune(s[0])):
		return "\\" + s
	}
	return s
}

// Stopped ends s with a period.
func Stopped(s string) string {
	s = OneLine(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// Sentence ends s with a period, and begins it with a capital unless the first word is a symbol of a formula.
func Sentence(s string) string {
	s = Stopped(s)
	word, rest, _ := strings.Cut(s, " ")
	next, _ := utf8.DecodeRuneInString(rest)
	article := word == "a" && unicode.IsLower(next)
	if article || len(word) > 1 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz,-") == "" {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}
