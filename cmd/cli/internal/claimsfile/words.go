package claimsfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// SplitWords splits a line into words as a shell does, without expansions. Blanks separate words. Single quotes
// protect everything. Within double quotes a backslash escapes a quote or a backslash, outside quotes any character.
func SplitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune // the open quote, or 0
	begun, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	switch {
	case quote != 0:
		return nil, errors.New("a quote is not closed")
	case escaped:
		return nil, errors.New("a backslash at the end escapes nothing")
	case begun:
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("no command to run")
	}
	return words, nil
}

// DidYouMean suggests names that are similar to a misspelt one, by cobra's rule for commands. It returns "" if there
// are none.
func DidYouMean(given string, known []string) string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range known {
		names.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	near := names.SuggestionsFor(given)
	longer := func(name string) bool { return strings.HasPrefix(name, given) }
	if slices.ContainsFunc(near, longer) { // an abbreviation
		near = slices.DeleteFunc(near, func(name string) bool { return !longer(name) })
	}
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
}

// FromRoot returns a path with slashes, relative to the current directory if the path is below it, as pipelines
// expect.
func FromRoot(path string) string {
	if filepath.IsAbs(path) {
		if dir, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
				path = rel
			}
		}
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// DidYouMeanBelow is like DidYouMean for names like paper/fig-4, which may also be given without the part before the
// last slash.
func DidYouMeanBelow(given string, known []string) string {
	var near []string
	for _, full := range known {
		if strings.HasSuffix(full, "/"+given) {
			near = append(near, full)
		}
	}
	if len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return DidYouMean(given, known)
}
