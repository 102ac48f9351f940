// Package schema holds the JSON Schemas, draft 2020-12, of what dpverify reads and
// writes. They are open where the forms only ever gain fields, and closed where an
// unknown key is a mistake: in a baseline and in the file that audit reads.
package schema

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed *.schema.json
var files embed.FS

const suffix = ".v1.schema.json"

// Names lists the schemas.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the directory is part of the binary
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(path.Base(e.Name()), suffix))
	}
	return names
}

// Text is the schema of that name; an unknown name is an error.
func Text(name string) ([]byte, error) {
	text, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("no schema %q: there are %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}
