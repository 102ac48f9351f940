// Package strictjson checks that all readers read a JSON text alike: no object has a key twice, and a double can
// represent every number.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/dpverify/dpverify/internal/decimal"
)

// Check returns an error if an object of valid JSON has a key twice, or a number is beyond the range of a double.
// Different decoders may keep different values of a repeated key.
func Check(text []byte) error { return check(text, true) }

// KeysOnce returns an error if an object of valid JSON has a key twice.
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

// walker reads tokens.
type walker struct {
	*json.Decoder
	numbers bool // are checked as well
}

// value reads one value.
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
