package cli

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

// manual holds a Markdown file for each topic, and in pages the files to copy.
//
//go:embed manual
var manual embed.FS

// manualFiles lists the files that “help” prints: topics in reading order, then pages.
func manualFiles() (files []string) {
	for _, pattern := range []string{"manual/[0-9]*.md", "manual/pages/*"} {
		found, err := fs.Glob(manual, pattern)
		if err != nil {
			panic(err) // the pattern is valid
		}
		files = append(files, found...)
	}
	return files
}

// topicOf returns the name of a file's topic: the title in lower case, with hyphens, or the name of a page.
func topicOf(file string) string {
	return strings.TrimLeft(strings.TrimSuffix(path.Base(file), ".md"), "0123456789-")
}

// topics lists the topics of the manual in the order of manualFiles.
func topics() (names []string) {
	for _, file := range manualFiles() {
		names = append(names, topicOf(file))
	}
	return names
}

// topic returns a topic's file as it is. It reports false if there is no such topic.
func topic(name string) ([]byte, bool) {
	for _, file := range manualFiles() {
		if strings.EqualFold(topicOf(file), name) {
			text, err := manual.ReadFile(file)
			return text, err == nil
		}
	}
	return nil, false
}
