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

// progressBar is a line of a terminal that is redrawn as the work proceeds.
type progressBar struct {
	w            io.Writer
	width        func() int // columns of the terminal
	began, drawn time.Time
	shown        int // columns of the drawn line
}

const (
	barWidth = 30
	barEvery = 100 * time.Millisecond
	// The remaining time is shown from this progress and this time on.
	estimateFrom  = 0.02
	estimateAfter = 2 * time.Second
)

// draw shows the progress, unless it was drawn a moment ago.
func (b *progressBar) draw(now time.Time, done float64, state string) {
	if now.Sub(b.drawn) < barEvery {
		return
	}
	b.clear()
	full := int(done * barWidth)
	line := fmt.Sprintf("[%s%s] %3.0f %% %s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), 100*done,
		b.times(now, done))
	line = cutLine(line+"  "+state, b.width()-1) // a full line would wrap
	fmt.Fprint(b.w, line)
	b.drawn, b.shown = now, utf8.RuneCountInString(line)
}

// times returns the elapsed time, and an estimate of the remaining time if there is one.
func (b *progressBar) times(now time.Time, done float64) string {
	elapsed := now.Sub(b.began)
	text := elapsed.Round(time.Second).String()
	if done >= estimateFrom && done < 1 && elapsed >= estimateAfter {
		left := time.Duration(float64(elapsed) * (1 - done) / done)
		text += ", " + left.Round(time.Second).String() + " left"
	}
	return text
}

// clear empties the line. It writes blanks, because some terminals do not support escape sequences.
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

// terminalWidth returns a function that measures the columns of a terminal; 80 if that fails.
func terminalWidth(f *os.File) func() int {
	return func() int {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
		return 80
	}
}
