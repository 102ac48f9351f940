package process

import (
	"regexp"
	"strings"
)

var (
	frameLine = regexp.MustCompile(`^\s*File ".*", line \d+`)
	caretLine = regexp.MustCompile(`^[\s^~]*$`)
)

// stderrText returns the standard error of a failed process on one line, without lines of carets. The cause of a Python
// traceback, its last line, comes first.
func stderrText(text string) string {
	var lines []string
	frame := -1 // index of the last frame
	for _, line := range strings.Split(text, "\n") {
		if caretLine.MatchString(line) || strings.HasPrefix(line, "Traceback (most recent call last)") {
			continue
		}
		if frameLine.MatchString(line) {
			frame = len(lines)
		}
		lines = append(lines, line)
	}
	for i := frame + 1; frame >= 0 && i < len(lines); i++ {
		if strings.TrimLeft(lines[i], " \t") == lines[i] {
			cause := joined(lines[i:])
			if strings.HasPrefix(cause, "ModuleNotFoundError") {
				cause += " (install it for the Python that exec runs)"
			}
			return cause + "; traceback: " + joined(lines[:i])
		}
	}
	return joined(lines)
}

// joined returns lines as one line.
func joined(lines []string) string {
	return strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
}
