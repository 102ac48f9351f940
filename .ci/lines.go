//go:build ignore

// Lines prints the lines of Go files that have more than 120 columns:
//
//	go run .ci/lines.go -- $(git ls-files '*.go' ':!*_test.go')
//
// A tab counts as one column. Raw strings, preformatted comments and directives may be longer.
package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

const longest = 120 // columns

func main() {
	names := os.Args[1:]
	if len(names) > 0 && names[0] == "--" { // go run would build the names before it
		names = names[1:]
	}
	if err := detects(); err != nil {
		fail(err)
	}
	if len(names) == 0 {
		fail(fmt.Errorf("no files: give the names of the Go files to check"))
	}
	found := false
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			fail(err)
		}
		for _, line := range longLines(source) {
			found = true
			fmt.Printf("%s:%d: longer than %d columns\n", name, line, longest)
		}
	}
	if found {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "lines:", err)
	os.Exit(1)
}

// longLines returns the numbers of the lines that are too long.
func longLines(source []byte) (long []int) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, source, nil, 0)
	raw := make(map[int]bool)
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			break
		}
		if first, breaks := file.Line(pos), strings.Count(text, "\n"); kind == token.STRING && breaks > 0 {
			for line := first; line <= first+breaks; line++ {
				raw[line] = true
			}
		}
	}
	for i, line := range strings.Split(string(source), "\n") {
		exempt := strings.HasPrefix(line, "//\t") || strings.HasPrefix(line, "//go:")
		if utf8.RuneCountInString(line) > longest && !raw[i+1] && !exempt {
			long = append(long, i+1)
		}
	}
	return long
}

// detects checks longLines on a source whose long lines are known.
func detects() error {
	wide := strings.Repeat("x", longest)
	source := "package p\n// " + wide + "\nvar a = `\n" + wide + wide + "`\n//\t" + wide + "\nvar b = `" + wide + "`\n// ε" + wide[4:] + "\n"
	if got, want := longLines([]byte(source)), []int{2, 6}; !slices.Equal(got, want) {
		return fmt.Errorf("lines %v of the test source are too long, want %v", got, want)
	}
	return nil
}
