package markdown

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// InWords says what is wrong with a file of JSON without the types of the program.
func InWords(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("%s stands where a mapping is wanted", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %s is of the wrong kind there", kind.Field, kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no JSON from byte %d on", syntax.Offset)
	}
	return errors.New(strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown key", 1))
}
