package reports

import (
	"strings"

	"github.com/dpverify/dpverify/internal/visible"
)

// shown is text in a format that a program reads and displays to a person. It is encoded with visible escapes for
// hidden characters, and no line is a workflow command.
type shown string

func (s shown) MarshalText() ([]byte, error) {
	return []byte(visible.Text(string(s))), nil
}

// unlinked is shown text for SARIF, in which [text](address) is a link (SARIF 2.1.0, 3.11.6). A backslash prevents
// such text in a claim from becoming a link.
type unlinked string

func (s unlinked) MarshalText() ([]byte, error) {
	return shown(strings.ReplaceAll(string(s), "](", `]\(`)).MarshalText()
}
