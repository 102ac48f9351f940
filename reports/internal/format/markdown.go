package format

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/visible"
)

// Text is text that is Markdown already. Plain text becomes markdown through
// text or code and in no other way.
type Text string

// Plain escapes what Markdown would take for markup. It stays one line.
func Plain(s string) Text { return EscapeMarkdown(OneLine(s)) }

// EscapeMarkdown is [Plain] without the trimming, for a piece of a line.
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

// isMarkupRune tells whether a rune can begin or end markup where it stands.
func isMarkupRune(runes []rune, i int) bool {
	next := func(f func(rune) bool) bool { return i+1 < len(runes) && f(runes[i+1]) }
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch runes[i] {
	case '\\', '`', '*', '$', '~':
		return true
	case '<': // a comparison needs none; a tag, a comment and an address do
		return next(func(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune("/!?", r) })
	case '&':
		return next(func(r rune) bool { return word(r) || r == '#' })
	case '_': // after a letter it is an index, which cannot begin emphasis
		return !(i > 0 && word(runes[i-1]))
	case ']': // a link
		return next(func(r rune) bool { return r == '(' || r == '[' || r == ':' })
	}
	return false
}

// OneLine is text on one line, with characters that could drive a terminal or cannot be seen as escapes;
// see [visible.Line].
func OneLine(s string) string { return strings.TrimSpace(Unbroken(s)) }

// Unbroken is OneLine with the blanks at its ends.
func Unbroken(s string) string { return visible.Line(s) }

// Code is a code span. A backslash before a bar cannot stand in the code span of
// a table; such text is escaped instead.
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

// fenceFor is a run of at least n backquotes that is longer than any in s.
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

// Page collects the blocks of a document, a blank line between them.
type Page struct {
	B     strings.Builder
	Links bool // headings have anchors, and words may lead there
}

// String returns the page as the program writes it. It contains no hidden character, and no line is a workflow
// command.
func (p *Page) String() string { return visible.Text(p.B.String()) }

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

// Say adds a paragraph. The arguments of its format are markdown or numbers.
func (p *Page) Say(format string, args ...any) { p.Block(fmt.Sprintf(format, args...)) }

func (p *Page) Quote(s Text) { p.Block("> " + string(BlockStart(s))) }

func (p *Page) Shell(command string) {
	command = OneLine(command)
	fence := fenceFor(command, 3)
	p.Block(fence + "sh\n" + command + "\n" + fence)
}

func (p *Page) Table(t *Table) error {
	s, err := t.Render()
	p.Block(s)
	return err
}

// BlockStart keeps the first character of a block from making it a heading, a
// list, a quotation or a rule.
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

// Stopped ends s with a full stop.
func Stopped(s string) string {
	s = OneLine(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// Sentence also begins with a capital, where the first word is a word and not a
// symbol of a formula.
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
