package claimsfile

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/strictyaml"
)

// FilesNamed returns the existing files that a claims file names anywhere, such as programs, data and recorded
// outputs. Every word that is the path of a file counts, relative to the directory of the claims and to the current
// one.
func FilesNamed(path string, claims []byte) []string {
	body, err := strictyaml.Parse(claims) // rejects deep nesting, which would exhaust memory
	if err != nil {
		return nil
	}
	return filesAmong(documentWords(strictyaml.Value(body), nil), filepath.Dir(path), "")
}

// FilesOfCommand returns the existing files that a command line and its JSON inputs name.
func FilesOfCommand(command string, inputs ...string) []string {
	found := documentWords(command, nil)
	for _, input := range inputs {
		var content any
		if json.Unmarshal([]byte(input), &content) == nil {
			found = documentWords(content, found)
		}
	}
	return filesAmong(found, "")
}

// documentWords appends all words of a document, except for the names of claims.
func documentWords(content any, to []string) []string {
	switch v := content.(type) {
	case string:
		to = append(to, v)
		if parts, err := SplitWords(v); err == nil {
			to = append(to, parts...)
			for _, part := range parts {
				if _, value, cut := strings.Cut(part, "="); cut { // as in --data=FILE
					to = append(to, value)
				}
			}
		}
	case []any:
		for _, x := range v {
			to = documentWords(x, to)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "name" {
				to = documentWords(v[key], to)
			}
		}
	}
	return to
}

func filesAmong(words []string, dirs ...string) (files []string) {
	seen := make(map[string]bool)
	for _, dir := range dirs {
		for _, word := range words {
			path := strings.TrimPrefix(word, "file:")
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if word == "" || seen[path] {
				continue
			}
			seen[path] = true
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				files = append(files, path)
			}
		}
	}
	return files
}
