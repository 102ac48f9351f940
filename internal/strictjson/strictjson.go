// Package strictjson rejects JSON texts that parsers may read differently: texts with a duplicate key in an object,
// or with a number that is not representable as a double.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dpverify/dpverify/internal/decimal"
)

// InWords returns the message of an error of package json without the names of Go types.
func InWords(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends in the middle: is it complete?")
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("want a mapping, got %s", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %s is of the wrong type", kind.Field, kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not valid JSON from byte %d on", syntax.Offset)
	}
	return errors.New(strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown key", 1))
}

// Check returns an error if an object of valid JSON has a duplicate key, or if a number is beyond the range of a
// double. Decoders differ in which value of a duplicate key they keep.
func Check(text []byte) error { return check(text, true) }

// KeysOnce returns an error if an object of valid JSON has a duplicate key.
func KeysOnce(text []byte) error {
	if bytes.IndexByte(text, '{') < 0 {
		return nil
	}
	return check(text, false)
}

func check(text []byte, numbers bool) error {
	w := walker{json.NewDecoder(bytes.NewReader(text)), numbers}
	w.UseNumber()
	return w.value()
}

// walker checks a JSON text token by token.
type walker struct {
	*json.Decoder
	numbers bool // whether numbers are checked too
}

// value checks one value.
func (w walker) value() error {
	t, err := w.Token()
	if err != nil {
		return err
	}
	if x, number := t.(json.Number); number && w.numbers {
		_, err := decimal.Float(string(x))
		return err
	}
	if t != json.Delim('{') && t != json.Delim('[') {
		return nil
	}
	seen := make(map[json.Token]bool)
	for w.More() {
		if t == json.Delim('{') {
			key, err := w.Token()
			if err != nil {
				return err
			}
			if seen[key] {
				return fmt.Errorf("an object has the key %q twice", key)
			}
			seen[key] = true
		}
		if err := w.value(); err != nil {
			return err
		}
	}
	_, err = w.Token() // the closing bracket
	return err
}
