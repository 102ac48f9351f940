// Package screen tells on what a result is shown.
package screen

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/dpverify/dpverify/reports"
)

// usualWidth in columns is that of what is shown on no terminal and tells no width.
const usualWidth = 100

// widthVariable names the environment variable with the width, in columns, of what is no terminal: a
// pager, a test.
const widthVariable = "COLUMNS"

// Whens are the answers to when a terminal has colours; auto is where NO_COLOR is not set.
var Whens = []string{"auto", "always", "never"}

// Of is the screen behind a writer, with colours when they are wanted; terminal tells whether it is one.
func Of(w io.Writer, color string) (s reports.Screen, terminal bool) {
	file, isFile := w.(*os.File)
	terminal = isFile && term.IsTerminal(int(file.Fd()))
	s.Width = usualWidth
	if columns, err := strconv.Atoi(os.Getenv(widthVariable)); err == nil && columns > 0 {
		s.Width = columns
	}
	if terminal {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil {
			s.Width = columns
		}
	}
	wanted := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	s.Color = color == "always" || color == "auto" && terminal && wanted
	return s, terminal
}
