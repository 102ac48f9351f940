package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/reports"
)

// defaultWidth in columns is that of what is shown on no terminal and tells no width.
const defaultWidth = 100

// widthVariable names the environment variable with the width, in columns, of what is no terminal: a
// pager, a test.
const widthVariable = "COLUMNS"

// colorModes are the answers to when a terminal has colours; auto is where NO_COLOR is not set.
var colorModes = []string{"auto", "always", "never"}

// screenOf returns the screen behind a writer, with colours when they are wanted, and reports whether it is a terminal.
// The error is for a width in the environment that is not a number: the screen has the usual width instead.
func screenOf(w io.Writer, color string) (s reports.Screen, terminal bool, err error) {
	file, terminal := terminalOf(w)
	if terminal {
		s.Width, _, err = term.GetSize(int(file.Fd()))
	}
	if !terminal || err != nil {
		s.Width, err = givenWidth(os.Getenv(widthVariable))
	}
	wanted := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	s.Color = color == "always" || color == "auto" && terminal && wanted
	return s, terminal, err
}

// terminalOf returns the file behind a writer, and reports whether it is a terminal.
func terminalOf(w io.Writer) (file *os.File, terminal bool) {
	file, isFile := w.(*os.File)
	return file, isFile && term.IsTerminal(int(file.Fd()))
}

// givenWidth reads a width in columns. An empty text and 0, which some containers set, give the usual one.
func givenWidth(text string) (int, error) {
	if text == "" {
		return defaultWidth, nil
	}
	switch columns, err := decimal.Count(text); {
	case err != nil:
		return defaultWidth, fmt.Errorf("%s=%s is ignored: want a whole number of columns", widthVariable, text)
	case columns == 0:
		return defaultWidth, nil
	default:
		return columns, nil
	}
}
