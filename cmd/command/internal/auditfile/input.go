package auditfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/dpverify/dpverify/empirical/numeral"
)

// InputPair is two inputs as JSON.
type InputPair struct{ A, B json.RawMessage }

func ParsePair(a, b string) (InputPair, error) {
	for _, side := range []struct{ flag, text string }{{"--a", a}, {"--b", b}} {
		if !json.Valid([]byte(side.text)) {
			return InputPair{}, fmt.Errorf("%s: %q is no JSON; a word needs quotes of its own, as in '\"word\"'", side.flag,
				side.text)
		}
	}
	p := InputPair{json.RawMessage(a), json.RawMessage(b)}
	if p.equal() {
		return p, fmt.Errorf("--a and --b are the same input, %s: an audit compares two", a)
	}
	return p, nil
}

// equal tells inputs of one value, however they are written.
func (p InputPair) equal() bool {
	a, errA := decodeInput(p.A)
	b, errB := decodeInput(p.B)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// decodeInput keeps all digits of whole numbers, and the text of a number that cannot
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
		if x, _, err := numeral.Parse(string(v)); err == nil {
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

// jsonNumber is the form of a number in JSON.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// asWritten is a decoded value of YAML with its numbers as they are written, where that
// is JSON: the decoder cuts digits, and makes strings of numbers beyond 64 bits.
func asWritten(node ast.Node, v any) any {
	switch n := node.(type) {
	case *ast.SequenceNode:
		if list, ok := v.([]any); ok && len(list) == len(n.Values) {
			for i := range list {
				list[i] = asWritten(n.Values[i], list[i])
			}
		}
	case *ast.MappingValueNode:
		if m, ok := v.(map[string]any); ok {
			fieldAsWritten(n, m)
		}
	case *ast.MappingNode:
		if m, ok := v.(map[string]any); ok {
			for _, field := range n.Values {
				fieldAsWritten(field, m)
			}
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.StringNode:
		t := node.GetToken()
		if quoted := t.Type == token.SingleQuoteType ||
			t.Type == token.DoubleQuoteType; !quoted && jsonNumber.MatchString(t.Value) {
			return json.Number(t.Value)
		}
	}
	return v
}

func fieldAsWritten(field *ast.MappingValueNode, m map[string]any) {
	key := field.Key.GetToken().Value
	if v, ok := m[key]; ok {
		m[key] = asWritten(field.Value, v)
	}
}
