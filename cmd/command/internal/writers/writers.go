// Package writers knows the forms of judged claims by the names that a user gives them.
package writers

import (
	"io"

	"github.com/dpverify/dpverify/reports"
)

// Of is what writes a form, Markdown where none of the name is another.
func Of(name string) func(io.Writer, reports.Document) error {
	switch name {
	case "json":
		return reports.JSON
	case "html":
		return reports.HTML
	case "junit":
		return reports.JUnit
	case "sarif":
		return reports.SARIF
	case "erratum":
		return reports.Erratum
	}
	return reports.Markdown
}
