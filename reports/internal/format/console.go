package format

import (
	"regexp"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/dpverify/dpverify/internal/visible"
)

// Screen describes a terminal.
type Screen struct {
	Width int  // in columns; a smaller width than MinScreenWidth is raised to it
	Color bool // write escape sequences for colors
}

// MinScreenWidth is the narrowest screen that lines are written for, in columns.
const MinScreenWidth = 60

// Bold and Reset are the escape sequences that begin bold text and end any style.
const (
	Bold  = "\x1b[1m"
	Reset = "\x1b[0m"
)

// markColors maps a verdict's mark to its color. Color carries no information of its own: the mark and the word say
// the same.
var markColors = map[string]string{"✗": "\x1b[31m", "∅": "\x1b[33m", "✓": "\x1b[32m", "?": "\x1b[36m",
	"!": "\x1b[33m"}

// colors matches the escape sequences that Paint writes.
var colors = regexp.MustCompile("\x1b\\[(?:[01]|3[1236])m")

// MarkColor returns the color of a verdict's mark; "" for any other text.
func MarkColor(mark string) string { return markColors[mark] }

// ScreenWriter collects lines for a screen.
type ScreenWriter struct {
	Screen
	b strings.Builder
}

// NewScreenWriter returns a writer for a screen of at least [MinScreenWidth] columns.
func NewScreenWriter(s Screen) *ScreenWriter {
	s.Width = max(s.Width, MinScreenWidth)
	return &ScreenWriter{Screen: s}
}

func (w *ScreenWriter) String() string { return w.b.String() }

// Line writes one line: hidden characters are shown as escapes, except the colors of [ScreenWriter.Paint], and no line
// is a command to a workflow.
func (w *ScreenWriter) Line(s string) {
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

// Paint returns s between an escape sequence and Reset, or s itself if the screen has no colors.
func (w *ScreenWriter) Paint(escape, s string) string {
	if !w.Color || escape == "" || s == "" {
		return s
	}
	return escape + s + Reset
}

// Wrapped writes s in indented lines that fit the width.
func (w *ScreenWriter) Wrapped(indent int, s string) { w.Hanging("", indent, s) }

// Hanging writes s like Wrapped and puts a sign, which may contain colors, into the first line's indentation.
func (w *ScreenWriter) Hanging(sign string, indent int, s string) {
	room, line := w.Width-indent, ""
	pad := sign + strings.Repeat(" ", indent-DisplayWidth(colors.ReplaceAllString(sign, "")))
	for _, word := range strings.Fields(OneLine(s)) {
		if line != "" && DisplayWidth(line)+1+DisplayWidth(word) > room {
			w.Line(pad + line)
			pad, line = strings.Repeat(" ", indent), ""
		}
		if line != "" {
			line += " "
		}
		line += CutToWidth(word, room)
	}
	if line != "" {
		w.Line(pad + line)
	}
}

// DisplayWidth returns the number of terminal columns of a text.
func DisplayWidth(s string) int { return displaywidth.String(s) }

// CutToWidth returns s on one line, cut to the given number of columns. An ellipsis marks the cut.
func CutToWidth(s string, columns int) string {
	s = OneLine(s)
	if DisplayWidth(s) <= columns {
		return s
	}
	for DisplayWidth(s) > columns-1 {
		runes := []rune(s)
		s = string(runes[:len(runes)-1])
	}
	return s + "…"
}
