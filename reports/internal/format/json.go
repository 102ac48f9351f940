package format

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/dpverify/dpverify/internal/visible"
)

// WriteJSON writes a value as indented JSON. Hidden characters are written as escapes.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(visible.JSON(b.Bytes()))
	return err
}
