package reports

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown is text that is Markdown already. Plain text becomes markdown through
// text or code and in no other way.
type markdown string

// text escapes what Markdown would take for markup. It stays one line.
func text(s string) markdown { return escape(oneLine(s)) }

// escape is text without the trimming, for a piece of a line.
func escape(s string) markdown {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if special(runes, i) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return markdown(b.String())
}

// special tells whether a rune can begin or end markup where it stands.
func special(runes []rune, i int) bool {
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

// oneLine replaces line breaks and other control characters, which could also
// drive a terminal, by blanks.
func oneLine(s string) string { return strings.TrimSpace(unbroken(s)) }

// unbroken is oneLine with the blanks at its ends.
func unbroken(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// code is a code span. A backslash before a bar cannot stand in the code span of
// a table; such text is escaped instead.
func code(s string) markdown {
	s = oneLine(s)
	if s == "" || strings.Contains(s, `\|`) {
		return text(s)
	}
	fence := fenceFor(s, 1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return markdown(fence + s + fence)
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

// page collects the blocks of a document, a blank line between them.
type page struct {
	b     strings.Builder
	links bool // headings have anchors, and words may lead there
}

func (p *page) block(s string) {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return
	}
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	p.b.WriteString(s + "\n")
}

func (p *page) heading(level int, s markdown) {
	p.block(strings.Repeat("#", level) + " " + string(s))
}

// say adds a paragraph. The arguments of its format are markdown or numbers.
func (p *page) say(format string, args ...any) { p.block(fmt.Sprintf(format, args...)) }

func (p *page) quote(s markdown) { p.block("> " + string(blockStart(s))) }

func (p *page) shell(command string) {
	command = oneLine(command)
	fence := fenceFor(command, 3)
	p.block(fence + "sh\n" + command + "\n" + fence)
}

// entry is an item of a list with a list of its own.
type entry struct {
	head  markdown
	notes []markdown
}

func (p *page) entries(list []entry) {
	var b strings.Builder
	for _, e := range list {
		b.WriteString("- " + string(blockStart(e.head)) + "\n")
		for _, s := range e.notes {
			b.WriteString("  - " + string(blockStart(s)) + "\n")
		}
	}
	p.block(b.String())
}

// items adds a list.
func (p *page) items(list []markdown) {
	entries := make([]entry, len(list))
	for i, s := range list {
		entries[i].head = s
	}
	p.entries(entries)
}

func (p *page) table(t *table) error {
	s, err := t.render()
	p.block(s)
	return err
}

// blockStart keeps the first character of a block from making it a heading, a
// list, a quotation or a rule.
func blockStart(s markdown) markdown {
	rest := strings.TrimLeft(string(s), "0123456789")
	ordered := len(rest) < len(s) && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ")"))
	switch {
	case ordered:
		return s[:len(string(s))-len(rest)] + "\\" + markdown(rest)
	case s != "" && strings.ContainsRune("#>-+=", rune(s[0])):
		return "\\" + s
	}
	return s
}

// stopped ends s with a full stop.
func stopped(s string) string {
	s = oneLine(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// sentence also begins with a capital, where the first word is a word and not a
// symbol of a formula.
func sentence(s string) string {
	s = stopped(s)
	word, rest, _ := strings.Cut(s, " ")
	next, _ := utf8.DecodeRuneInString(rest)
	article := word == "a" && unicode.IsLower(next)
	if article || len(word) > 1 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz,-") == "" {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}
