package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// comparedOnce caches the outputs of commands, because two tests need the same rows.
var comparedOnce = make(map[string]string)

func comparisonRun(t *testing.T, args string) string {
	t.Helper()
	if output, ok := comparedOnce[args]; ok {
		return output
	}
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), strings.Fields(args), &stdout, &stderr); code != codeFine {
		t.Fatalf("dpverify %s exits with %d: %s", args, code, &stderr)
	}
	comparedOnce[args] = stdout.String()
	return stdout.String()
}

// tableAfter returns the lines between a mark and excerptEnd.
func tableAfter(text, mark string) []string {
	_, rest, _ := strings.Cut(text, mark+"\n")
	table, _, _ := strings.Cut(rest, "\n"+excerptEnd)
	return strings.Split(table, "\n")
}

// withTable replaces the table after a mark.
func withTable(t *testing.T, text, mark string, table []string) string {
	t.Helper()
	before, rest, marked := strings.Cut(text, mark+"\n")
	_, after, ended := strings.Cut(rest, excerptEnd)
	if !marked || !ended {
		t.Fatalf("COMPARISON.md has no %s with %s after it", mark, excerptEnd)
	}
	return before + mark + "\n" + strings.Join(table, "\n") + "\n" + excerptEnd + after
}

// cellsOf returns the cells of a Markdown table by row, without the header.
func cellsOf(lines []string) (rows [][]string) {
	for _, line := range lines {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows[min(2, len(rows)):]
}

// aligned formats a Markdown table. It aligns texts to the left: the first column, the sources and the kinds of output.
func aligned(head []string, rows [][]string) []string {
	width := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, c := range row {
			width[i] = max(width[i], utf8.RuneCountInString(c), 3)
		}
	}
	line := func(cells []string) string {
		text := "|"
		for i, c := range cells {
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if leftAligned(head, i) {
				text += " " + c + space + " |"
			} else {
				text += " " + space + c + " |"
			}
		}
		return text
	}
	rule := "|"
	for i, w := range width {
		if leftAligned(head, i) {
			rule += ":" + strings.Repeat("-", w+1) + "|"
		} else {
			rule += strings.Repeat("-", w+1) + ":|"
		}
	}
	lines := []string{line(head), rule}
	for _, row := range rows {
		lines = append(lines, line(row))
	}
	return lines
}

func leftAligned(head []string, column int) bool {
	text := []string{accountingHead[atSource], eventsHead[eventTool], grossOutput}
	return column == 0 || slices.Contains(text, head[column])
}
