// Package visible shows text from users and mechanisms without characters that drive a terminal, change the
// order of the text, or cannot be seen.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with every hidden character and every invalid byte as an escape of Go, for example \x1b, \u202e or
// \U000e0041. Line breaks and tabs stay, \r\n becomes \n, and workflow commands are disabled by [Inert].
func Text(s string) string { return Inert(Markup(s)) }

// Markup returns Text without Inert, for HTML and SVG, because a line of a style sheet may begin with ::.
func Markup(s string) string { return shown(s, false) }

// Line returns Markup on one line. Line breaks and tabs become blanks.
func Line(s string) string { return shown(s, true) }

func shown(s string, oneLine bool) string {
	if !strings.ContainsFunc(s, special) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case (r == '\n' || r == '\r' || r == '\t') && oneLine:
			b.WriteByte(' ')
		case r == '\r' && strings.HasPrefix(s[i:], "\r\n"):
		case r == '\n' || r == '\t' || !Hidden(r):
			b.WriteString(s[i : i+size])
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}

// special reports whether a rune may need to be shown. Invalid bytes decode to U+FFFD.
func special(r rune) bool { return r == utf8.RuneError || Hidden(r) }

// Hidden reports whether a rune has no visible shape: a control character, a direction mark, a zero-width character,
// a line separator, or a private-use, unassigned or non-character code point.
func Hidden(r rune) bool {
	if ' ' <= r && r < 0x7f {
		return false
	}
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// JSON replaces hidden characters in a JSON text by JSON escapes. The value of the text stays the same.
func JSON(text []byte) []byte {
	s := string(text)
	if !strings.ContainsFunc(s, hiddenInJSON) {
		return text
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hiddenInJSON(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return []byte(b.String())
}

// hiddenInJSON reports whether JSON must escape a rune. Control characters are already escaped in strings, and the
// line breaks and blanks between values stay.
func hiddenInJSON(r rune) bool { return r >= 0x7f && Hidden(r) }

// Inert returns s with an escape in every command to the runner of a GitHub workflow, ::error:: or ##[error]. The
// runner skips blanks before the first form and finds the second form anywhere in a line.
func Inert(s string) string {
	if !strings.Contains(s, "::") && !strings.Contains(s, "##[") {
		return s
	}
	lines := strings.SplitAfter(s, "\n")
	for i, line := range lines {
		if rest := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(rest, "::") {
			lines[i] = line[:len(line)-len(rest)] + `\x3a` + rest[1:]
		}
	}
	return strings.ReplaceAll(strings.Join(lines, ""), "##[", `#\x23[`)
}
