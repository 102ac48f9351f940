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

	"github.com/dpverify/dpverify/bounds/accountant/matrix"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictyaml"
)

// ParseEvents reads a composition from YAML or JSON. The input is a list of descriptions, or a mapping with the list
// under "events" and optionally "adjacency". Keys may contain underscores instead of hyphens. "event" and "type" are
// synonyms of "mechanism", and {gaussian: {sigma: 1}} is short for {mechanism: gaussian, sigma: 1}. adjacency is nil if
// the input does not contain it. Numbers have JSON syntax. Unknown keys, duplicate keys in any spelling and keys
// without a value are errors. Errors begin with line and column, so that the caller can prepend the path and a colon.
// File paths in the input are relative to the working directory.
func ParseEvents(data []byte) (e Event, adjacency *Adjacency, err error) {
	body, err := strictyaml.Parse(data)
	if err != nil {
		return Event{}, nil, err
	}
	return ParseNode(body, "")
}

// ParseNode is like ParseEvents, for a node that package strictyaml has parsed. Paths are relative to dir.
func ParseNode(body ast.Node, dir string) (e Event, adjacency *Adjacency, err error) {
	d, err := ParseDescriptions(body, dir)
	if err != nil {
		return Event{}, nil, err
	}
	e, err = d.Event()
	return e, d.Adjacency, err
}

// Descriptions contains the events of a file, in sequence.
type Descriptions struct {
	Events    []Description
	Adjacency *Adjacency // nil if the file does not contain it
	Group     int64      // size of the group, 0 if the file does not contain it
}

// Event returns the composition of the events, for the group if there is one.
func (d Descriptions) Event() (Event, error) {
	events := make([]Event, len(d.Events))
	for i, one := range d.Events {
		var err error
		if events[i], err = one.Event(); err != nil {
			return Event{}, wrapped(fmt.Sprintf("event %d", i+1), placed(one.node, err))
		}
	}
	if d.Group > 0 {
		e := Group(d.Group, Compose(events...))
		return e, e.Validate()
	}
	return Compose(events...), nil
}

// ParseDescriptions is like ParseNode, but does not build the event. One number may be missing.
func ParseDescriptions(body ast.Node, dir string) (d Descriptions, err error) {
	if err := checkKeys(body); err != nil {
		return d, err
	}
	nodes, whole := []ast.Node{body}, []string(nil)
	if fields, ok := fieldsIn(body); ok {
		list, one := body, false
		for _, f := range fields {
			switch f.key {
			case "adjacency":
				a, err := ParseAdjacency(fmt.Sprint(strictyaml.Value(f.value)))
				if err != nil {
					return d, placed(f.value, err)
				}
				d.Adjacency, whole = &a, append(whole, f.key)
			case "group":
				if d.Group, err = groupSize(f.value); err != nil {
					return d, err
				}
				whole = append(whole, f.key)
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
		return d, placed(body, DomainError("no events: want a list of them, or a mapping with the key events"))
	}
	for i, node := range nodes {
		one, err := description(node, dir, whole)
		if err != nil {
			return d, wrapped(fmt.Sprintf("event %d", i+1), err)
		}
		d.Events = append(d.Events, one)
	}
	return d, nil
}

// fault is an error with the node that caused it.
type fault struct {
	node ast.Node
	err  error
}

func (f *fault) Error() string {
	pos := strictyaml.Token(f.node).Position
	return fmt.Sprintf("%d:%d: %v", pos.Line, pos.Column, f.err)
}

func (f *fault) Unwrap() error { return f.err }

// placed adds a node to an error, unless the node is nil or the error already has one.
func placed(node ast.Node, err error) error {
	if f := (*fault)(nil); node == nil || errors.As(err, &f) {
		return err
	}
	return &fault{node, err}
}

// wrapped prefixes an error with the part of the file that contains it.
func wrapped(what string, err error) error {
	if f := (*fault)(nil); errors.As(err, &f) {
		return &fault{f.node, fmt.Errorf("%s: %w", what, f.err)}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// checkKeys returns an error for keys that occur twice in different spellings, because one value would be lost, and for
// keys without a value, which would count as absent.
func checkKeys(body ast.Node) (err error) {
	for _, node := range ast.Filter(ast.MappingType, body) {
		seen := make(map[string]string)
		for _, field := range node.(*ast.MappingNode).Values {
			key := field.Key.GetToken().Value
			if first, twice := seen[plainKey(key)]; twice {
				return strictyaml.At(field.Key, "%s and %s are the same key: give only one", first, key)
			}
			seen[plainKey(key)] = key
			if _, null := field.Value.(*ast.NullNode); null {
				return strictyaml.At(field.Key, "%s has no value: give one, or omit the key for the default", key)
			}
		}
	}
	return nil
}

// field is an entry of a mapping. key is in canonical spelling.
type field struct {
	key            string
	keyNode, value ast.Node
}

// mappingValues returns the entries of a mapping in their order. It reports false for other nodes.
func mappingValues(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// fieldsIn returns the fields of a mapping in their order.
func fieldsIn(node ast.Node) (fields []field, ok bool) {
	values, ok := mappingValues(node)
	if !ok {
		return nil, false
	}
	for _, v := range values {
		fields = append(fields, field{plainKey(v.Key.GetToken().Value), v.Key, v.Value})
	}
	return fields, true
}

// groupSize reads the size of a group.
func groupSize(node ast.Node) (int64, error) {
	k, ok := wholeToInt(strictyaml.Value(node)).(int64)
	if !ok || k < 1 || k > MaxGroup {
		return 0, placed(node, DomainError("group is %s: want a whole number of records, 1 to %d", shown(node), MaxGroup))
	}
	return k, nil
}

// description reads one event of a file in directory dir. It ignores the keys of the whole release, which the caller
// has read.
func description(node ast.Node, dir string, whole []string) (d Description, err error) {
	d.dir, d.node, d.sensitivities = dir, node, map[string]matrix.Sensitivity{}
	fields, ok := fieldsIn(node)
	if !ok {
		return d, placed(node, fmt.Errorf("found %s, want a mapping, as in {mechanism: gaussian, sigma: 2}",
			shown(node)))
	}
	fields = slices.DeleteFunc(fields, func(f field) bool { return slices.Contains(whole, f.key) })
	if len(fields) == 1 {
		if inner, ok := fieldsIn(fields[0].value); ok && fieldsOf[plainName(fields[0].key)] != "" {
			d.Mechanism, fields = plainName(fields[0].key), inner
		}
	}
	for _, f := range fields {
		if f.key == "sampling" {
			d.Sampling, _ = strictyaml.Value(f.value).(string) // needed early, because it determines the allowed fields
		}
		if f.key == "mechanism" {
			name, _ := strictyaml.Value(f.value).(string)
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

// take reads one field.
func (d *Description) take(f field) error {
	uses := uses(d.Mechanism, d.Sampling)
	switch {
	case f.key == "mechanism":
		return nil
	case f.key == "votes" && slices.Contains([]string{"noisy-argmax", "laplace-argmax"}, d.Mechanism):
		return placed(f.keyNode, fmt.Errorf("votes: a file of events cannot have votes, because a data-dependent ε is not a "+
			"guarantee: want the flag, dpverify account %s --votes FILE", d.Mechanism))
	case slices.Contains(uses, f.key):
	case slices.Contains(keys, f.key):
		return placed(f.keyNode, fmt.Errorf("%s does not use %s: it uses %s", d.Mechanism, f.key, strings.Join(uses, ", ")))
	default:
		return placed(f.keyNode, &NameError{"key", f.key, uses})
	}
	switch f.key {
	case "events":
		return d.takeEvents(f.value)
	case "participation":
		return d.takeParticipation(f.value)
	}
	text, err := json.Marshal(map[string]any{f.key: wholeToInt(strictyaml.Value(f.value))})
	if err == nil {
		err = json.Unmarshal(text, d)
	}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		return placed(f.value, fmt.Errorf("%s is %s: want %s", f.key, shown(f.value), wanted[kind.Type.Kind()]))
	}
	if err != nil {
		return placed(f.value, fmt.Errorf("%s cannot be written as JSON: %w", f.key, err))
	}
	return inDomain(f)
}

// takeParticipation reads the steps in which a record may take part.
func (d *Description) takeParticipation(node ast.Node) error {
	fields, ok := fieldsIn(node)
	if !ok {
		return placed(node, fmt.Errorf("participation is %s: want a mapping, as in {times: 4, separation: 256}", shown(node)))
	}
	p, uses := matrix.Participation{}, []string{"times", "separation", "every"}
	for _, f := range fields {
		if !slices.Contains(uses, f.key) {
			return placed(f.keyNode, &NameError{"key", f.key, uses})
		}
		text, err := json.Marshal(map[string]any{f.key: wholeToInt(strictyaml.Value(f.value))})
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		if err != nil {
			return placed(f.value, fmt.Errorf("%s is %s: want %s", f.key, shown(f.value), wanted[reflect.Int]))
		}
		if err := inDomain(f); err != nil {
			return err
		}
	}
	d.Participation = &p
	return nil
}

// takeEvents reads the parts of a composition.
func (d *Description) takeEvents(node ast.Node) error {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return placed(node, fmt.Errorf("events is %s: want a list", shown(node)))
	}
	for i, v := range list.Values {
		part, err := description(v, d.dir, nil)
		if err != nil {
			return wrapped(fmt.Sprintf("event %d", i+1), err)
		}
		d.Events = append(d.Events, part)
	}
	return nil
}

// keys lists the keys of all mechanisms.
var keys = func() (names []string) {
	t := reflect.TypeFor[Description]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}()

// wanted describes the types of the fields in error messages.
var wanted = map[reflect.Kind]string{
	reflect.Float64: "a number without quotes, up to 1.8e308", reflect.Int64: "a whole number below 2^63, without quotes",
	reflect.Int: "a whole number below 2^63, without quotes", reflect.String: "a word", reflect.Slice: "a list",
}

// domains lists the domains of numbers. Checking them before the event is built gives errors a position.
var domains = []struct {
	keys  string
	valid func(x float64) bool
	want  string
}{
	{"sigma scale rate noise-multiplier noise-multipliers bound threshold epsilon1 epsilon2",
		func(x float64) bool { return x > 0 }, "a finite number above 0"},
	{"epsilon0 rho", func(x float64) bool { return x >= 0 }, "a finite number of at least 0"},
	{"sampling-rate delta0", func(x float64) bool { return x >= 0 && x <= 1 }, "a probability in [0, 1]"},
	{"sensitivity", func(x float64) bool { return x > 0 },
		"a number above 0; leave it out for the default"},
	{"count steps-each", func(x float64) bool { return x >= 1 },
		"a whole number above 0; leave it out for the default"},
	{"shifts", func(x float64) bool { return x >= 0 }, "a finite number of at least 0"},
	{"weights outputs", func(x float64) bool { return x >= 0 && x <= 1 }, "a probability in [0, 1]"},
	{"batches steps picks records batch k cutoff bandwidth restart cycle times separation every",
		func(x float64) bool { return x >= 1 }, "a whole number of at least 1"},
	{"eta", func(x float64) bool { return x > -1 }, "a finite number above -1"},
	{"gamma", func(x float64) bool { return x > 0 && x < 1 }, "a number between 0 and 1"},
	{"categories", func(x float64) bool { return x >= 2 }, "a whole number of at least 2"},
}

// inDomain returns an error for the first number of a field that is outside its domain.
func inDomain(f field) error {
	nodes := leaves(f.value)
	for _, domain := range domains {
		if !slices.Contains(strings.Fields(domain.keys), f.key) {
			continue
		}
		for _, node := range nodes {
			n, number := strictyaml.Value(node).(json.Number)
			switch x, near := decimal.Near(n.String()); {
			case !number:
			case !near:
				return placed(node, DomainError("%s is %s, which is beyond the range of a double, 4.9e-324 to 1.8e308", f.key, n))
			case !domain.valid(x):
				return placed(node, DomainError("%s is %s: want %s", f.key, n, domain.want))
			}
		}
	}
	return nil
}

// leaves returns the elements of a list and of the lists in it.
func leaves(node ast.Node) (all []ast.Node) {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return []ast.Node{node}
	}
	for _, v := range list.Values {
		all = append(all, leaves(v)...)
	}
	return all
}

// wholeToInt converts integers in any notation, such as 1e3, to int64.
func wholeToInt(v any) any {
	switch v := v.(type) {
	case json.Number:
		if x, err := v.Float64(); err == nil && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return int64(x)
		}
	case []any:
		for i := range v {
			v[i] = wholeToInt(v[i])
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			v[key] = wholeToInt(v[key])
		}
	}
	return v
}

// shown describes a node in an error message.
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

// plainName returns the canonical spelling of a mechanism's name.
func plainName(name string) string { return strings.ReplaceAll(name, "_", "-") }

// plainKey returns the canonical spelling of a key.
func plainKey(key string) string {
	key = strings.ReplaceAll(strings.ToLower(key), "_", "-")
	if key == "event" || key == "type" {
		return "mechanism"
	}
	return key
}
