package reports

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// schemaFiles holds the JSON Schemas, draft 2020-12, of the forms that dpverify reads and writes. They are open if the
// forms only ever gain fields, and closed if an unknown key is a mistake: in a baseline and in a claims file.
//
//go:embed schema/*.schema.json
var schemaFiles embed.FS

// schemaSuffix ends the name of every schema file.
const schemaSuffix = ".v1.schema.json"

// SchemaNames returns the names of the schemas.
func SchemaNames() []string {
	entries, err := schemaFiles.ReadDir("schema")
	if err != nil {
		panic(err) // the directory is part of the binary
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(path.Base(e.Name()), schemaSuffix))
	}
	return names
}

// SchemaText returns the schema with a name. An unknown name is an error.
func SchemaText(name string) ([]byte, error) {
	text, err := schemaFiles.ReadFile("schema/" + name + schemaSuffix)
	if err != nil {
		return nil, fmt.Errorf("no schema %q: choose one of %s", name, strings.Join(SchemaNames(), ", "))
	}
	return text, nil
}
