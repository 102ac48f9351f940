// Package console writes for a terminal: within its width, and in colours where it has them.
package console

import (
	"regexp"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/reports/internal/markdown"
)

// Screen is what a terminal can show.
type Screen struct {
	Width int  // in columns; less than Narrowest counts as that
	Color bool // escape sequences for colours
}

// Narrowest screen, in columns, that is written for.
const Narrowest = 60

// Bold is the escape sequence of what stands out.
const (
	Bold  = "\x1b[1m"
	Reset = "\x1b[0m"
)

// escapes are the colours of the marks; the mark and the word say the same without them.
var escapes = map[string]string{"✗": "\x1b[31m", "∅": "\x1b[33m", "✓": "\x1b[32m", "?": "\x1b[36m"}

// colors matches the sequences of Paint.
var colors = regexp.MustCompile("\x1b\\[(?:[01]|3[1236])m")

// Escape is the colour of a verdict's mark; "" for what is none.
func Escape(mark string) string { return escapes[mark] }

// Writer collects the lines for a screen.
type Writer struct {
	Screen
	b strings.Builder
}

// New is a writer for a screen.
func New(s Screen) *Writer {
	s.Width = max(s.Width, Narrowest)
	return &Writer{Screen: s}
}

func (w *Writer) String() string { return w.b.String() }

// Line writes one line: hidden characters are shown as escapes, except the colors of [Writer.Paint], and no line
// is a command to a workflow.
func (w *Writer) Line(s string) {
	s = strings.TrimRight(s, " ")
	var line strings.Builder
	for s != "" {
		before, color := s, ""
		if at := colors.FindStringIndex(s); at != nil && w.Color {
			before, color = s[:at[0]], s[at[0]:at[1]]
		}
		line.WriteString(visible.Inert(visible.Line(before)) + color)
		s = s[len(before)+len(color):]
	}
	w.b.WriteString(line.String() + "\n")
}

// Paint is a text in a colour, where the screen has colours.
func (w *Writer) Paint(escape, s string) string {
	if !w.Color || escape == "" || s == "" {
		return s
	}
	return escape + s + Reset
}

// Wrapped writes words at an indentation within the width.
func (w *Writer) Wrapped(indent int, s string) { w.Hanging("", indent, s) }

// Hanging is Wrapped with a sign before the first line, inside the indentation.
func (w *Writer) Hanging(sign string, indent int, s string) {
	room, line := w.Width-indent, ""
	pad := sign + strings.Repeat(" ", indent-Columns(sign))
	for _, word := range strings.Fields(markdown.OneLine(s)) {
		if line != "" && Columns(line)+1+Columns(word) > room {
			w.Line(pad + line)
			pad, line = strings.Repeat(" ", indent), ""
		}
		if line != "" {
			line += " "
		}
		line += Cut(word, room)
	}
	if line != "" {
		w.Line(pad + line)
	}
}

// Columns that a text takes.
func Columns(s string) int { return displaywidth.String(s) }

// Cut is what of a text fits into some columns, with a sign that there is more.
func Cut(s string, columns int) string {
	s = markdown.OneLine(s)
	if Columns(s) <= columns {
		return s
	}
	for Columns(s) > columns-1 {
		runes := []rune(s)
		s = string(runes[:len(runes)-1])
	}
	return s + "…"
}
