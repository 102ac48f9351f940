package event

import (
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
	return ParseNode(file.Docs[0].Body)
}

// ParseNode is ParseEvents for a part of a file that plainyaml has parsed.
func ParseNode(body ast.Node) (e Event, adjacency *Adjacency, err error) {
	if err := checkKeys(body); err != nil {
		return Event{}, nil, err
	}
	nodes := []ast.Node{body}
	if fields, ok := fieldsIn(body); ok {
		list, one := body, false
		for _, f := range fields {
			switch f.key {
			case "adjacency":
				a, err := ParseAdjacency(fmt.Sprint(plainyaml.Value(f.value)))
				if err != nil {
					return Event{}, nil, placed(f.value, err)
				}
				adjacency = &a
			case "events":
				list = f.value
			default:
				one = true
			}
		}
		if body = list; !one && len(fields) > 0 {
			nodes = nil
		}
	} else {
		nodes = nil
	}
	if sequence, ok := body.(*ast.SequenceNode); ok && nodes == nil {
		nodes = sequence.Values
	}
	if len(nodes) == 0 {
		return Event{}, nil, placed(body, DomainError("no events: want a list of them, or a mapping with the key events"))
	}
	events := make([]Event, len(nodes))
	for i, node := range nodes {
		d, err := description(node, adjacency != nil)
		if err == nil {
			events[i], err = eventOf(d, node)
		}
		if err != nil {
			return Event{}, nil, within(fmt.Sprintf("event %d", i+1), err)
		}
	}
	return Compose(events...), adjacency, nil
}

// fault is an error at a node.
type fault struct {
	node ast.Node
	err  error
}

func (f *fault) Error() string {
	at := plainyaml.Token(f.node).Position
	return fmt.Sprintf("%d:%d: %v", at.Line, at.Column, f.err)
}

func (f *fault) Unwrap() error { return f.err }

func placed(node ast.Node, err error) error { return &fault{node, err} }

// within says of an error what it is in.
func within(what string, err error) error {
	if f := (*fault)(nil); errors.As(err, &f) {
		return &fault{f.node, fmt.Errorf("%s: %w", what, f.err)}
	}
	return err
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

// field is a key of a mapping in its one spelling, and its value.
type field struct {
	key       string
	at, value ast.Node
}

// fieldsIn are the fields of a mapping, in their order.
func fieldsIn(node ast.Node) (fields []field, ok bool) {
	var values []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return nil, false
	}
	for _, v := range values {
		fields = append(fields, field{plainKey(v.Key.GetToken().Value), v.Key, v.Value})
	}
	return fields, true
}

// description reads one event; the adjacency of a whole may stand in it, and is skipped.
func description(node ast.Node, withAdjacency bool) (d Description, err error) {
	fields, ok := fieldsIn(node)
	if !ok {
		return d, placed(node, fmt.Errorf("%s stands where a mapping is wanted, as in {mechanism: gaussian, sigma: 2}",
			shown(node)))
	}
	if withAdjacency {
		fields = slices.DeleteFunc(fields, func(f field) bool { return f.key == "adjacency" })
	}
	if len(fields) == 1 {
		if inner, ok := fieldsIn(fields[0].value); ok && fieldsOf[plainName(fields[0].key)] != "" {
			d.Mechanism, fields = plainName(fields[0].key), inner
		}
	}
	for _, f := range fields {
		if f.key == "mechanism" {
			name, _ := plainyaml.Value(f.value).(string)
			if d.Mechanism = plainName(name); fieldsOf[d.Mechanism] == "" {
				return d, placed(f.value, &NameError{"mechanism", shown(f.value), mechanismNames()})
			}
		}
	}
	if d.Mechanism == "" {
		return d, placed(node, fmt.Errorf("mechanism is missing: want one of %s", strings.Join(mechanismNames(), ", ")))
	}
	for _, f := range fields {
		if err := d.take(f); err != nil {
			return d, err
		}
	}
	return d, nil
}

// take reads a field.
func (d *Description) take(f field) error {
	uses := append(strings.Fields(fieldsOf[d.Mechanism]), "sampling", "sampling-rate", "batches", "count")
	switch {
	case f.key == "mechanism":
		return nil
	case slices.Contains(uses, f.key):
	case slices.Contains(keys, f.key):
		return placed(f.at, fmt.Errorf("%s does not use %s: it uses %s", d.Mechanism, f.key, strings.Join(uses, ", ")))
	default:
		return placed(f.at, &NameError{"key", f.key, uses})
	}
	if f.key == "events" {
		return d.takeEvents(f.value)
	}
	text, err := json.Marshal(map[string]any{f.key: whole(plainyaml.Value(f.value))})
	if err == nil {
		err = json.Unmarshal(text, d)
	}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		return placed(f.value, fmt.Errorf("%s is %s: want %s", f.key, shown(f.value), wanted[kind.Type.Kind()]))
	}
	if err != nil {
		return placed(f.value, fmt.Errorf("%s has no form in JSON: %w", f.key, err))
	}
	return inDomain(f)
}

// takeEvents reads the parts of a composition.
func (d *Description) takeEvents(node ast.Node) error {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return placed(node, fmt.Errorf("events is %s: want a list", shown(node)))
	}
	for i, v := range list.Values {
		part, err := description(v, false)
		if err == nil {
			_, err = eventOf(part, v)
		}
		if err != nil {
			return within(fmt.Sprintf("event %d", i+1), err)
		}
		d.Events = append(d.Events, part)
	}
	return nil
}

// eventOf builds an event; what is wrong with it is wrong at its node.
func eventOf(d Description, node ast.Node) (Event, error) {
	e, err := d.Event()
	if err != nil {
		err = placed(node, err)
	}
	return e, err
}

// keys of all mechanisms.
var keys = func() (names []string) {
	t := reflect.TypeFor[Description]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}()

// wanted says what the fields of a description are.
var wanted = map[reflect.Kind]string{
	reflect.Float64: "a number without quotes, up to 1.8e308", reflect.Int64: "a whole number below 2^63, without quotes",
	reflect.Int: "a whole number below 2^63, without quotes", reflect.String: "a word", reflect.Slice: "a list",
}

// domains of numbers: at a value outside no event is built, so that its place is told.
var domains = []struct {
	keys   string
	within func(x float64) bool
	want   string
}{
	{"sigma scale rate noise-multiplier noise-multipliers", func(x float64) bool { return x > 0 },
		"a finite number above 0"},
	{"epsilon0 rho", func(x float64) bool { return x >= 0 }, "a finite number of at least 0"},
	{"sampling-rate delta0", func(x float64) bool { return x >= 0 && x <= 1 }, "a probability in [0, 1]"},
	{"sensitivity", func(x float64) bool { return x > 0 },
		"a number; it must be above 0. Leave it out for what it is unless told"},
	{"count steps-each", func(x float64) bool { return x >= 1 },
		"a whole number; it must be above 0. Leave it out for what it is unless told"},
	{"batches", func(x float64) bool { return x >= 1 }, "a whole number of at least 1"},
	{"categories", func(x float64) bool { return x >= 2 }, "a whole number of at least 2"},
}

// inDomain refuses numbers that are out of their domain.
func inDomain(f field) error {
	nodes := []ast.Node{f.value}
	if list, ok := f.value.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	for _, domain := range domains {
		if !slices.Contains(strings.Fields(domain.keys), f.key) {
			continue
		}
		for _, node := range nodes {
			n, number := plainyaml.Value(node).(json.Number)
			switch x, near := plainyaml.Double(n.String()); {
			case !number:
			case !near:
				return placed(node, DomainError("%s is %s, which is beyond the range of a double, 4.9e-324 to 1.8e308", f.key, n))
			case !domain.within(x):
				return placed(node, DomainError("%s is %s: want %s", f.key, n, domain.want))
			}
		}
	}
	return nil
}

// whole writes whole numbers as such, however they are written.
func whole(v any) any {
	switch v := v.(type) {
	case json.Number:
		if x, err := v.Float64(); err == nil && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return int64(x)
		}
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = whole(v[key])
		}
	}
	return v
}

// shown is a node in a message.
func shown(node ast.Node) string {
	switch n := node.(type) {
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.NullNode:
		return "nothing"
	case ast.ScalarNode:
		return n.GetToken().Value
	}
	return "something else"
}

// plainName is the name of a mechanism in its one spelling.
func plainName(name string) string { return strings.ReplaceAll(name, "_", "-") }

// plainKey is a key in its one spelling.
func plainKey(key string) string {
	key = strings.ReplaceAll(strings.ToLower(key), "_", "-")
	if key == "event" || key == "type" {
		return "mechanism"
	}
	return key
}
