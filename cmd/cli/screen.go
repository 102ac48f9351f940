package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/reports"
)

// defaultWidth is the width in columns of outputs that are not a terminal.
const defaultWidth = 100

// widthVariable names the environment variable with the width, in columns, of an output that is not a terminal.
const widthVariable = "COLUMNS"

// colorModes lists the values of --color. In auto mode, color is used on a terminal unless NO_COLOR is set.
var colorModes = []string{"auto", "always", "never"}

// screenOf returns the width and color of the screen behind a writer, and reports whether it is a terminal. It
// returns an error if the width in the environment is not a number; the screen then has the default width.
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

// givenWidth parses a width in columns. It returns the default for an empty text and for 0, which some containers
// set.
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
