package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/internal/plainyaml"
)

// ParseEvents reads a composition from YAML or JSON: a list of descriptions, or a
// mapping with the list under "events" and, if wanted, "adjacency". Keys may be
// spelt with underscores; "event" and "type" stand for "mechanism", and
// {gaussian: {sigma: 1}} for {mechanism: gaussian, sigma: 1}. adjacency is nil
// where the file does not say. Numbers are written as in JSON. Unknown keys, keys that stand
// twice in whatever spelling and keys without a value are errors. Errors begin with the line and
// column, to stand behind the name of the file and a colon.
func ParseEvents(data []byte) (e Event, adjacency *Adjacency, err error) {
	_, file, err := plainyaml.Parse(data)
	if err != nil {
		return Event{}, nil, err
	}
	body := file.Docs[0].Body
	if err := checkKeys(body); err != nil {
		return Event{}, nil, err
	}
	tree := plainyaml.Value(body)
	list := tree
	nodes := []ast.Node{body}
	if m, ok := tree.(map[string]any); ok {
		m = plainKeys(m)
		if name, ok := m["adjacency"]; ok {
			a, err := ParseAdjacency(fmt.Sprint(name))
			if err != nil {
				return Event{}, nil, placed(valueOf(body, "adjacency"), err)
			}
			adjacency = &a
			delete(m, "adjacency")
		}
		if _, named := m["mechanism"]; !named && m["events"] != nil && len(m) == 1 {
			list, body = m["events"], valueOf(body, "events")
		} else {
			list = []any{m}
		}
	}
	if sequence, ok := body.(*ast.SequenceNode); ok {
		nodes = sequence.Values
	}
	parts, ok := list.([]any)
	if !ok || len(parts) == 0 {
		return Event{}, nil, placed(body, DomainError("no events: want a list of them, or a mapping with the key events"))
	}
	events := make([]Event, len(parts))
	for i, part := range parts {
		if events[i], err = parseEvent(part, nodes[i]); err != nil {
			return Event{}, nil, placed(nodes[i], fmt.Errorf("event %d: %w", i+1, err))
		}
	}
	return Compose(events...), adjacency, nil
}

// placed puts line and column before an error.
func placed(node ast.Node, err error) error {
	at := plainyaml.Token(node).Position
	return fmt.Errorf("%d:%d: %w", at.Line, at.Column, err)
}

// checkKeys refuses keys that are one in two spellings, of which one would be lost, and keys
// without a value, which would be taken for absent.
func checkKeys(body ast.Node) (err error) {
	for _, node := range ast.Filter(ast.MappingType, body) {
		seen := make(map[string]string)
		for _, field := range node.(*ast.MappingNode).Values {
			key := field.Key.GetToken().Value
			if first, twice := seen[plainKey(key)]; twice {
				return plainyaml.At(field.Key, "%s and %s are one key: give one of them", first, key)
			}
			seen[plainKey(key)] = key
			if _, null := field.Value.(*ast.NullNode); null {
				return plainyaml.At(field.Key, "%s has no value: leave it out for what it is unless told", key)
			}
		}
	}
	return nil
}

// valueOf is the value of a key, in whatever spelling, anywhere below a node; the node itself
// unless there is just one.
func valueOf(node ast.Node, key string) ast.Node {
	var found []ast.Node
	for _, m := range ast.Filter(ast.MappingType, node) {
		for _, field := range m.(*ast.MappingNode).Values {
			if plainKey(field.Key.GetToken().Value) == key {
				found = append(found, field.Value)
			}
		}
	}
	if len(found) != 1 {
		return node
	}
	return found[0]
}

// parseEvent builds one event of a file.
func parseEvent(tree any, node ast.Node) (Event, error) {
	if name := zeroed(tree); name != "" {
		return Event{}, DomainError("%s is 0, it must be above; leave it out for what it is unless told", name)
	}
	normal, err := json.Marshal(normalise(tree))
	if err != nil {
		return Event{}, fmt.Errorf("a value has no form in JSON: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(normal))
	decoder.DisallowUnknownFields()
	var d Description
	if err := decoder.Decode(&d); err != nil {
		var kind *json.UnmarshalTypeError
		if !errors.As(err, &kind) {
			return Event{}, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: "))
		}
		key := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		if key == "" {
			return Event{}, fmt.Errorf("a %s stands where a mapping is wanted, as in {mechanism: gaussian, sigma: 2}",
				kind.Value)
		}
		given := kind.Value
		if scalar, ok := valueOf(node, key).(ast.ScalarNode); ok {
			given = scalar.GetToken().Value
		}
		return Event{}, fmt.Errorf("%s is %s: want %s", key, given, wanted[kind.Type.Kind()])
	}
	return d.Event()
}

// wanted says what the fields of a description are.
var wanted = map[reflect.Kind]string{
	reflect.Float64: "a number without quotes, up to 1.8e308", reflect.Int64: "a whole number below 2^63, without quotes",
	reflect.Int: "a whole number below 2^63, without quotes", reflect.String: "a word", reflect.Slice: "a list",
	reflect.Struct: "a mapping, as in {mechanism: gaussian, sigma: 2}",
}

// zeroed names a field that is explicitly 0 where 0 would read as not given.
func zeroed(v any) string {
	switch v := v.(type) {
	case []any:
		for _, part := range v {
			if name := zeroed(part); name != "" {
				return name
			}
		}
	case map[string]any:
		fields := plainKeys(v)
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			value := fields[key]
			if slices.Contains([]string{"sensitivity", "steps-each", "count"}, key) && isZero(value) {
				return key
			}
			if name := zeroed(value); name != "" {
				return name
			}
		}
	}
	return ""
}

func isZero(v any) bool {
	number, ok := v.(json.Number)
	if !ok {
		return false
	}
	x, err := number.Float64()
	return err == nil && x == 0
}

// normalise brings the spellings ParseEvents accepts into one, also those of whole numbers.
func normalise(v any) any {
	switch v := v.(type) {
	case json.Number:
		if x, err := v.Float64(); err == nil && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return int64(x)
		}
	case []any:
		for i := range v {
			v[i] = normalise(v[i])
		}
	case map[string]any:
		m := plainKeys(v)
		if len(m) == 1 {
			for _, name := range slices.Sorted(maps.Keys(m)) {
				fields, ok := m[name].(map[string]any)
				if _, known := fieldsOf[name]; known && ok {
					m = plainKeys(fields)
					m["mechanism"] = name
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(m)) {
			m[key] = normalise(m[key])
		}
		return m
	}
	return v
}

func plainKeys(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		k, v := plainKey(key), m[key]
		if name, ok := v.(string); ok && k == "mechanism" {
			v = strings.ReplaceAll(name, "_", "-")
		}
		out[k] = v
	}
	return out
}

// plainKey is a key in its one spelling.
func plainKey(key string) string {
	key = strings.ReplaceAll(strings.ToLower(key), "_", "-")
	if key == "event" || key == "type" {
		return "mechanism"
	}
	return key
}
