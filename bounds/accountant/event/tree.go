package event

import (
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/internal/strictyaml"
)

// A tree of DpEvents is JSON in one of three forms: a mapping of fields with class_name (and module_name, which is
// ignored), as to_named_tuple writes it; a list of both names followed by the fields in order, as the json package
// writes such a tuple; or {GaussianDpEvent: {…}}.

const suffix = "DpEvent"

// node is one event of a tree and its field values.
type node struct {
	ast.Node
	class  string
	fields map[string]ast.Node
	notes  *[]string // of the tree
}

// className returns the class of a node, or "" if it has none.
func className(n ast.Node) string {
	name := func(n ast.Node) string {
		if s, ok := strictyaml.Value(n).(string); ok && strings.HasSuffix(s, suffix) {
			return s[strings.LastIndexByte(s, '.')+1:]
		}
		return ""
	}
	if list, ok := n.(*ast.SequenceNode); ok {
		if len(list.Values) >= 2 {
			return name(list.Values[1])
		}
		return ""
	}
	fields, _ := fieldsOfObject(n)
	if class, ok := fields["class_name"]; ok {
		return name(class)
	}
	if len(fields) == 1 {
		key := slices.Sorted(maps.Keys(fields))[0]
		if strings.HasSuffix(key, suffix) {
			return key[strings.LastIndexByte(key, '.')+1:]
		}
	}
	return ""
}

// isTree reports whether a file contains a tree or a list of trees.
func isTree(n ast.Node) bool {
	if list, ok := n.(*ast.SequenceNode); ok && className(n) == "" {
		return len(list.Values) > 0 && className(list.Values[0]) != ""
	}
	fields, _ := fieldsOfObject(n)
	_, named := fields["class_name"]
	return named || className(n) != ""
}

func tree(n ast.Node) (File, error) {
	var e Event
	var err error
	f := File{Notes: []string{"a tree of dp_accounting's DpEvents; by default neighbors differ by a record added or " +
		"removed"}}
	if list, ok := n.(*ast.SequenceNode); ok && className(n) == "" {
		e, err = composedOf(list, &f.Notes)
	} else {
		e, err = eventOf(n, &f.Notes)
	}
	if err == nil {
		if wrong := e.Validate(); wrong != nil {
			err = strictyaml.At(n, "%v", wrong)
		}
	}
	if f.Event = e; e.has(KindWithoutReplacement) || e.has(KindWithReplacement) {
		replace := ReplaceOne
		f.Adjacency = &replace
		f.Notes[0] = "a tree of dp_accounting's DpEvents"
	}
	return f, err
}

// has reports whether a tree contains an event of a kind.
func (e Event) has(k Kind) bool {
	return e.Kind == k || slices.ContainsFunc(e.Parts, func(part Event) bool { return part.has(k) })
}

// eventOf converts a YAML or JSON node to an event.
func eventOf(n ast.Node, notes *[]string) (Event, error) {
	name := className(n)
	if name == "" {
		return Event{}, strictyaml.At(n, "want a DpEvent here, as in {class_name: GaussianDpEvent, "+
			"noise_multiplier: 1}")
	}
	switch known, ok := classes[name]; {
	case !ok:
		return Event{}, strictyaml.At(n, "%v", &NameError{What: "unsupported event: class", Given: name,
			Known: slices.Sorted(maps.Keys(classes))})
	case known.event == nil:
		return Event{}, strictyaml.At(n, "unsupported event: class %q: %s", name, known.reason)
	default:
		read, err := fieldsOfClass(n, name, strings.Fields(known.fields))
		if err != nil {
			return Event{}, err
		}
		read.notes = notes
		return known.event(read)
	}
}

// fieldsOfClass returns a node's field values in any of the three forms.
func fieldsOfClass(n ast.Node, class string, names []string) (*node, error) {
	out := &node{Node: n, class: class, fields: make(map[string]ast.Node)}
	if list, ok := n.(*ast.SequenceNode); ok {
		if values := list.Values[2:]; len(values) > len(names) {
			return nil, strictyaml.At(values[len(names)], "%s has only %d fields: this is one too many", class, len(names))
		}
		for i, v := range list.Values[2:] {
			out.fields[strings.TrimSuffix(names[i], "?")] = v
		}
	} else {
		fields, _ := fieldsOfObject(n)
		if _, named := fields["class_name"]; !named { // the class is the only key
			for _, key := range slices.Sorted(maps.Keys(fields)) {
				inner := fields[key]
				if fields, ok = fieldsOfObject(inner); !ok {
					return nil, strictyaml.At(inner, "the fields of %s are a mapping, as in {noise_multiplier: 1}", class)
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if key == "class_name" || key == "module_name" {
				continue
			}
			if !slices.Contains(names, key) && !slices.Contains(names, key+"?") {
				return nil, strictyaml.At(fields[key], "%s has no field %s: it has %s", class, key,
					strings.ReplaceAll(strings.Join(names, ", "), "?", ""))
			}
			out.fields[key] = fields[key]
		}
	}
	for _, name := range names {
		if _, given := out.fields[name]; !given && !strings.HasSuffix(name, "?") {
			return nil, strictyaml.At(n, "%s lacks its field %s", class, name)
		}
	}
	return out, nil
}
