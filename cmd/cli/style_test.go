package cli

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/testutil"
)

// longestLine is the maximum number of columns of a Go line; a tab counts as one.
const longestLine = 120

// longLines returns the numbers of lines that are too long, except within raw strings and preformatted comments.
func longLines(source []byte) (long []int) {
	var s scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	s.Init(file, source, nil, 0)
	raw := map[int]bool{}
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
		shown := strings.HasPrefix(line, "//\t") || strings.HasPrefix(line, "//go:")
		if utf8.RuneCountInString(line) > longestLine && !raw[i+1] && !shown {
			long = append(long, i+1)
		}
	}
	return long
}

func TestLinesAreShort(t *testing.T) {
	testutil.Skip(t)
	seen := 0
	for _, dir := range []string{"bounds", "cmd", "empirical", "reports", "verify"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			source, err := os.ReadFile(path)
			for _, line := range longLines(source) {
				t.Errorf("%s:%d is longer than %d columns", path, line, longestLine)
			}
			seen++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("%d files were looked at", seen)
	}
	wide := strings.Repeat("x", longestLine)
	source := "package p\n// " + wide + "\nvar a = `\n" + wide + wide + "`\n//\t" + wide + "\nvar b = `" + wide + "`\n// ε" + wide[4:] + "\n"
	if got, want := longLines([]byte(source)), []int{2, 6}; !slices.Equal(got, want) {
		t.Errorf("lines %v are too long, want %v", got, want)
	}
}
