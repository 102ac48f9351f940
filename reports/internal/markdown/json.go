package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dpverify/dpverify/internal/visible"
)

// WriteJSON writes a value with indentation. Hidden characters are escapes, as controls are in any JSON.
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

// InWords says what is wrong with a file of JSON without the types of the program.
func InWords(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends in the middle: is it whole?")
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("%s stands where a mapping is wanted", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %s is of the wrong kind there", kind.Field, kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no JSON from byte %d on", syntax.Offset)
	}
	return errors.New(strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown key", 1))
}
