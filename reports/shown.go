package reports

import (
	"strings"

	"github.com/dpverify/dpverify/internal/visible"
)

// shown is text for a form that a program reads and a person is shown: hidden characters are encoded as escapes
// that can be seen, and no line is a command to a workflow.
type shown string

func (s shown) MarshalText() ([]byte, error) {
	return []byte(visible.Text(string(s))), nil
}

// unlinked is shown text for SARIF, in which [text](address) is a link (SARIF 2.1.0, 3.11.6). A backslash keeps
// text of a claim from being one.
type unlinked string

func (s unlinked) MarshalText() ([]byte, error) {
	return shown(strings.ReplaceAll(string(s), "](", `]\(`)).MarshalText()
}
