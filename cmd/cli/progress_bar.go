package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// progressBar is a line of a terminal that is drawn again as the work goes on.
type progressBar struct {
	w            io.Writer
	width        func() int // columns of the terminal
	began, drawn time.Time
	shown        int // columns that are drawn
}

const (
	barWidth = 30
	barEvery = 100 * time.Millisecond
	// From here on the time left is told.
	foreseen      = 0.02
	foreseenAfter = 2 * time.Second
)

// draw shows how far the work is at a time, unless it has just been drawn.
func (b *progressBar) draw(now time.Time, done float64, state string) {
	if now.Sub(b.drawn) < barEvery {
		return
	}
	b.clear()
	full := int(done * barWidth)
	line := fmt.Sprintf("[%s%s] %3.0f %% %s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), 100*done,
		b.times(now, done))
	line = cutLine(line+"  "+state, b.width()-1) // a full line goes on below itself
	fmt.Fprint(b.w, line)
	b.drawn, b.shown = now, utf8.RuneCountInString(line)
}

// times are the time that has gone, and that which is left as far as it can be told.
func (b *progressBar) times(now time.Time, done float64) string {
	gone := now.Sub(b.began)
	told := gone.Round(time.Second).String()
	if done >= foreseen && done < 1 && gone >= foreseenAfter {
		left := time.Duration(float64(gone) * (1 - done) / done)
		told += ", " + left.Round(time.Second).String() + " left"
	}
	return told
}

// clear leaves an empty line, without the sequences that some terminals do not know.
func (b *progressBar) clear() {
	if b.shown > 0 {
		fmt.Fprintf(b.w, "\r%s\r", strings.Repeat(" ", b.shown))
		b.shown, b.drawn = 0, time.Time{}
	}
}

func cutLine(line string, columns int) string {
	if runes := []rune(line); len(runes) > max(1, columns) {
		return string(runes[:max(1, columns)])
	}
	return line
}

// terminalWidth tells the columns of a terminal.
func terminalWidth(f *os.File) func() int {
	return func() int {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
		return 80
	}
}
