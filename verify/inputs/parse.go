package inputs

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/decimal"
)

// ParseType reads a type in decoded JSON, with numbers as [json.Number] or as float64:
//
//	{int: [0, 120]}                          whole numbers, both ends included
//	{float: [0, 1e6], nan: true}             doubles; nan adds NaN, which is "nan" in JSON
//	bool                                     false and true
//	{enum: [red, green, 3, null]}            any values of JSON, the simplest first
//	{string: {alphabet: abc, length: [0, 8]}}
//	{list: {record: TYPE, size: [0, 50]}}
//	{object: {age: TYPE, income: TYPE}}
//	{tuple: [TYPE, TYPE]}
//	{vector: {of: TYPE, dimension: 3}}       a tuple of one type
//
// Every error is an [*Error] with the path of the invalid part.
func ParseType(v any) (Type, error) {
	t, err := parsed("", v, 0)
	if err != nil {
		return nil, err
	}
	return t, t.check("")
}

// forms maps each kind of type to an example.
var forms = map[string]string{
	"int": "{int: [0, 120]}", "float": "{float: [0, 1e6]}", "bool": "bool", "enum": "{enum: [red, green]}",
	"string": "{string: {alphabet: abc, length: [0, 8]}}", "list": "{list: {record: {int: [0, 9]}, size: [0, 50]}}",
	"object": "{object: {age: {int: [0, 120]}}}", "tuple": "{tuple: [{int: [0, 9]}, bool]}",
	"vector": "{vector: {of: {float: [0, 1]}, dimension: 3}}",
}

func kinds() string { return strings.Join(slices.Sorted(maps.Keys(forms)), ", ") }

// deepest is the maximum nesting depth of types.
const deepest = 16

func parsed(at string, v any, depth int) (Type, error) {
	if v == "bool" {
		return Bool(), nil
	}
	m, ok := v.(map[string]any)
	switch {
	case depth > deepest:
		return nil, wrong(at, "types are nested more than %d deep", deepest)
	case !ok:
		return nil, wrong(at, "%s is not a type: want one of %s, as in %s", shown(v), kinds(), forms["int"])
	}
	kind := ""
	for _, key := range slices.Sorted(maps.Keys(m)) {
		switch {
		case key == "nan" && m["float"] != nil:
		case key == "bool":
			return nil, wrong(at+"."+key, "bool has no parameters: write only the word")
		case forms[key] == "":
			return nil, wrong(at+"."+key, "unknown type %q: want one of %s", key, kinds())
		case kind != "":
			return nil, wrong(at, "two types, %s and %s: want one", kind, key)
		default:
			kind = key
		}
	}
	if kind == "" {
		return nil, wrong(at, "no type: want one of %s, as in %s", kinds(), forms["int"])
	}
	p := parser{at: at + "." + kind, kind: kind, depth: depth + 1}
	switch kind {
	case "int":
		return p.int(m[kind])
	case "float":
		return p.float(m[kind], m["nan"], at)
	case "enum":
		return p.enum(m[kind])
	case "string":
		return p.string(m[kind])
	case "list":
		return p.list(m[kind])
	case "object":
		return p.object(m[kind])
	case "tuple":
		return p.tuple(m[kind])
	}
	return p.vector(m[kind])
}

// parser reads the parameters of a type.
type parser struct {
	at, kind string
	depth    int
}

func shown(v any) string {
	text := []rune(JSONText(v))
	if len(text) > 40 {
		return string(text[:40]) + "…"
	}
	return string(text)
}

func (p parser) form() string { return "as in " + forms[p.kind] }

// scalar converts a JSON value; integers that fit become int64.
func scalar(v any) any {
	switch v := v.(type) {
	case json.Number:
		x, _, err := decimal.Parse(string(v))
		if digits, beyond := x.(json.Number); beyond { // 2⁵³
			if n, err := digits.Int64(); err == nil {
				return n
			}
			return digits
		} else if err != nil {
			return v
		}
		return scalar(x)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= decimal.ExactWhole {
			return int64(v)
		}
	case int:
		return int64(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = scalar(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = scalar(v[k])
		}
		return out
	}
	return v
}

// ends reads the two numbers of a range.
func (p parser) ends(at string, v any) (out [2]any, err error) {
	list, ok := v.([]any)
	if !ok || len(list) != 2 {
		return out, wrong(at, "%s: want the two ends of a range, %s", shown(v), p.form())
	}
	for i, x := range list {
		out[i] = scalar(x)
		switch out[i].(type) {
		case int64, float64:
		default:
			return out, wrong(fmt.Sprintf("%s[%d]", at, i), "%s: want a finite number, %s", shown(x), p.form())
		}
	}
	return out, nil
}

// whole reads the two integers of a range.
func (p parser) whole(at string, v any) (out [2]int64, err error) {
	ends, err := p.ends(at, v)
	for i := 0; i < 2 && err == nil; i++ {
		var ok bool
		if out[i], ok = ends[i].(int64); !ok {
			err = wrong(fmt.Sprintf("%s[%d]", at, i), "%s: want a whole number of 64 bits, %s", shown(ends[i]),
				p.form())
		}
	}
	return out, err
}

func (p parser) int(v any) (Type, error) {
	ends, err := p.whole(p.at, v)
	return Int(ends[0], ends[1]), err
}

func (p parser) float(v, orNaN any, at string) (Type, error) {
	ends, err := p.ends(p.at, v)
	if err != nil {
		return nil, err
	}
	var x [2]float64
	for i, e := range ends {
		switch e := e.(type) {
		case int64:
			x[i] = float64(e)
		case float64:
			x[i] = e
		}
	}
	with, ok := orNaN.(bool)
	if orNaN != nil && !ok {
		return nil, wrong(at+".nan", "%s: want true or false", shown(orNaN))
	}
	if with {
		return FloatOrNaN(x[0], x[1]), nil
	}
	return Float(x[0], x[1]), nil
}

func (p parser) enum(v any) (Type, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, wrong(p.at, "%s: want a list of values, %s", shown(v), p.form())
	}
	return Enum(scalar(list).([]any)...), nil
}

// fields reads a mapping that must have exactly the given keys.
func (p parser) fields(v any, names ...string) (map[string]any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, wrong(p.at, "%s: want a mapping, %s", shown(v), p.form())
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(names, key) {
			return nil, wrong(p.at+"."+key, "unknown key %q; there are %s", key, strings.Join(names, ", "))
		}
	}
	for _, name := range names {
		if _, given := m[name]; !given {
			return nil, wrong(p.at, "%s has no %s, %s", p.kind, name, p.form())
		}
	}
	return m, nil
}

func (p parser) string(v any) (Type, error) {
	m, err := p.fields(v, "alphabet", "length")
	if err != nil {
		return nil, err
	}
	alphabet, ok := m["alphabet"].(string)
	if !ok {
		return nil, wrong(p.at+".alphabet", "%s: want a word, the characters of the alphabet, %s",
			shown(m["alphabet"]), p.form())
	}
	ends, err := p.sizes(p.at+".length", m["length"])
	return String(alphabet, ends[0], ends[1]), err
}

// sizes reads two integers from 0 to mostSize.
func (p parser) sizes(at string, v any) (out [2]int, err error) {
	ends, err := p.whole(at, v)
	if err != nil {
		return out, err
	}
	for i, n := range ends {
		if n < 0 || n > mostSize {
			return out, wrong(fmt.Sprintf("%s[%d]", at, i), "%d: want a size, a whole number from 0 to %d", n,
				mostSize)
		}
		out[i] = int(n)
	}
	return out, nil
}

func (p parser) list(v any) (Type, error) {
	m, err := p.fields(v, "record", "size")
	if err != nil {
		return nil, err
	}
	record, err := parsed(p.at+".record", m["record"], p.depth)
	if err != nil {
		return nil, err
	}
	ends, err := p.sizes(p.at+".size", m["size"])
	return List(record, ends[0], ends[1]), err
}

func (p parser) object(v any) (Type, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, wrong(p.at, "%s: want a mapping of fields, %s", shown(v), p.form())
	}
	fields := make(map[string]Type, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		var err error
		if fields[name], err = parsed(p.at+"."+name, m[name], p.depth); err != nil {
			return nil, err
		}
	}
	return Object(fields), nil
}

func (p parser) tuple(v any) (Type, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, wrong(p.at, "%s: want a list of types, %s", shown(v), p.form())
	}
	var parts []Type
	for i, x := range list {
		part, err := parsed(fmt.Sprintf("%s[%d]", p.at, i), x, p.depth)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return Tuple(parts...), nil
}

func (p parser) vector(v any) (Type, error) {
	m, err := p.fields(v, "of", "dimension")
	if err != nil {
		return nil, err
	}
	of, err := parsed(p.at+".of", m["of"], p.depth)
	if err != nil {
		return nil, err
	}
	n, ok := scalar(m["dimension"]).(int64)
	if !ok || n < 1 || n > mostSize {
		return nil, wrong(p.at+".dimension", "%s: want a dimension, a whole number from 1 to %d",
			shown(m["dimension"]), mostSize)
	}
	return Vector(of, int(n)), nil
}
