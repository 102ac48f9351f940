package claimsfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictjson"
)

// InputPair is a pair of inputs as JSON.
type InputPair struct{ A, B json.RawMessage }

// ParsePair parses two different inputs given as JSON on the command line.
func ParsePair(a, b string) (InputPair, error) {
	for _, side := range []struct{ flag, text string }{{"--a", a}, {"--b", b}} {
		if !json.Valid([]byte(side.text)) {
			return InputPair{}, fmt.Errorf("%s: %.60q is not valid JSON; a word needs its own quotes, as in '\"word\"'",
				side.flag,
				side.text)
		}
		if err := strictjson.Check([]byte(side.text)); err != nil {
			return InputPair{}, fmt.Errorf("%s: %w", side.flag, err)
		}
	}
	p := InputPair{json.RawMessage(a), json.RawMessage(b)}
	if p.equal() {
		return p, fmt.Errorf("--a and --b are the same input, %s: want two different inputs", a)
	}
	return p, nil
}

// equal reports whether both inputs have the same value, in any notation.
func (p InputPair) equal() bool {
	a, errA := decodeInput(p.A)
	b, errB := decodeInput(p.B)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// decodeInput decodes JSON for comparison. It keeps all digits of whole numbers, and the text of a number that cannot
// be represented.
func decodeInput(text json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return comparableValue(v), err
}

func comparableValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		if x, _, err := decimal.Parse(string(v)); err == nil {
			if x, ok := x.(float64); ok {
				return x + 0 // -0 equals 0
			}
			return x
		}
	case []any:
		for i := range v {
			v[i] = comparableValue(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = comparableValue(v[k])
		}
	}
	return v
}
