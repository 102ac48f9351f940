package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/dpverify/dpverify/empirical"
)

// inputPair is two inputs as JSON.
type inputPair struct{ a, b json.RawMessage }

func parsePair(a, b string) (inputPair, error) {
	for flag, text := range map[string]string{"--a": a, "--b": b} {
		if !json.Valid([]byte(text)) {
			return inputPair{}, fmt.Errorf("%s: %q is no JSON; a word needs quotes of its own, as in '\"word\"'", flag, text)
		}
	}
	p := inputPair{json.RawMessage(a), json.RawMessage(b)}
	if p.equal() {
		return p, fmt.Errorf("--a and --b are the same input, %s: an audit compares two", a)
	}
	return p, nil
}

// equal tells inputs of one value, however they are written.
func (p inputPair) equal() bool {
	a, errA := decodeInput(p.a)
	b, errB := decodeInput(p.b)
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
		if x, _, err := empirical.ParseNumber(string(v)); err == nil {
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
		if quoted := t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType; !quoted && jsonNumber.MatchString(t.Value) {
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
