package claimsfile

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictyaml"
)

// checkType returns an error unless a node has the type that it is decoded into. The decoder is more lenient than the
// schema of the file: it reads "1" as a number, 1 as a word, and 2000.5 as 2000. A field of type any accepts every
// node.
func checkType(node ast.Node, t reflect.Type) error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	fits := false
	switch t.Kind() {
	case reflect.Interface:
		return nil
	case reflect.Struct:
		return typedFields(node, t)
	case reflect.Slice:
		list, ok := node.(*ast.SequenceNode)
		if !ok {
			break
		}
		for _, v := range list.Values {
			if err := checkType(v, t.Elem()); err != nil {
				return err
			}
		}
		return nil
	case reflect.String:
		switch node.(type) {
		case *ast.StringNode, *ast.LiteralNode:
			fits = !strictyaml.IsNumber(node) // the library parses a number beyond its range as a string
		}
	case reflect.Bool:
		_, fits = node.(*ast.BoolNode)
	case reflect.Float64:
		_, near := decimal.Near(node.GetToken().Value)
		if fits = strictyaml.IsNumber(node); fits && !near {
			return strictyaml.At(node, "%s is beyond the range of a double, 4.9e-324 to 1.8e308", node.GetToken().Value)
		}
	case reflect.Int64, reflect.Uint64:
		if fits = strictyaml.IsNumber(node); fits && !isWholeNumber(node.GetToken().Value, t) {
			return strictyaml.At(node, "got %s, want a whole number %s", node.GetToken().Value,
				integerBounds[t.Kind()])
		}
	}
	if fits {
		return nil
	}
	return strictyaml.At(node, "got %s, want %s%s", describe(node), kindWord(t), quoteHint(node, t))
}

// typedFields checks the keys and values of a mapping against the fields of a struct.
func typedFields(node ast.Node, t reflect.Type) error {
	var fields []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		fields = n.Values
	case *ast.MappingValueNode:
		fields = []*ast.MappingValueNode{n}
	default:
		return strictyaml.At(node, "got %s, want a mapping, as in %s", describe(node), exampleOf(t))
	}
	for _, f := range fields {
		key := f.Key.GetToken().Value
		field, known := fieldNamed(t, key)
		if !known {
			return strictyaml.At(f.Key, "unknown key %q%s", key, keyHint(t, key))
		}
		err := checkType(f.Value, field.Type)
		if want := field.Tag.Get("want"); want != "" && (err != nil || strictyaml.Value(f.Value) == "") {
			return strictyaml.At(f.Value, "got %s, want %s", describe(f.Value), want)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func fieldNamed(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("yaml") == key {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

// given returns which of the keys have a value other than the zero value.
func given(fields any, keys ...string) (present []string) {
	v := reflect.ValueOf(fields)
	for _, key := range keys {
		if field, _ := fieldNamed(v.Type(), key); !v.FieldByIndex(field.Index).IsZero() {
			present = append(present, key)
		}
	}
	return present
}

// fieldForms holds the mappings of the file with the key that each belongs to.
var fieldForms = []struct {
	under   string
	example string
	t       reflect.Type
}{
	{"the top of the file", "claims: […]", reflect.TypeFor[auditFile]()},
	{"claims", "{name: …, exec: […], pairs: […], guarantee: {…}}", reflect.TypeFor[claimFields]()},
	{"pairs", "{a: [1, 0], b: [1, 1]}", reflect.TypeFor[pairFields]()},
	{"inputs", "{space: " + exampleSpace + ", neighbours: add-or-remove-one, search: 200}",
		reflect.TypeFor[inputsFields]()},
	{"account", "{file: release.yaml}", reflect.TypeFor[accountFields]()},
	{"recorded", "{a: with.jsonl, b: without.jsonl}", reflect.TypeFor[recordedFields]()},
	{"guarantee", "{epsilon: 1, delta: 1e-6}", reflect.TypeFor[guaranteeFields]()},
	{"training", "{log: run.jsonl, sampling: poisson, rate: 0.01, clipping-norm: 1, noise-multiplier: 1.1, divisor: 64, " +
		"steps: 1000}", reflect.TypeFor[trainingLogFields]()},
	{"states", "{epsilon: 1.32, delta: 1e-5}", reflect.TypeFor[statesFields]()},
	{"unbiased", "{input: [1, 0, 1], of: [2], range: [0, 10]}", reflect.TypeFor[unbiasedFields]()},
	{"sensitivity", "{norm: l1, bound: 1}", reflect.TypeFor[sensitivityFields]()},
	{"rate", "{grid: [10, 20, 40, 80, 160], exponent: -0.5, range: [0, 1]}", reflect.TypeFor[rateFields]()},
}

// keyHint returns a hint for an unknown key: a similar key, the place where the key belongs, or all keys.
func keyHint(t reflect.Type, key string) string {
	var own []string
	for i := range t.NumField() {
		own = append(own, t.Field(i).Tag.Get("yaml"))
	}
	if near := DidYouMean(key, own); near != "" {
		return near
	}
	for _, f := range fieldForms {
		if _, known := fieldNamed(f.t, key); known {
			return "; it belongs under " + f.under
		}
	}
	return "; there are " + strings.Join(own, ", ")
}

func exampleOf(t reflect.Type) string {
	for _, f := range fieldForms {
		if f.t == t {
			return f.example
		}
	}
	return "{key: value}"
}

// integerBounds names the ranges of whole numbers.
var integerBounds = map[reflect.Kind]string{
	reflect.Int64: "below 2^63", reflect.Uint64: "from 0 to 2^64 - 1",
}

// isWholeNumber reports whether a number is whole and fits its type. The decoder converts a number with a point or an
// exponent to a double, which must represent it exactly.
func isWholeNumber(text string, t reflect.Type) bool {
	const longExponent = 4 // digits; a larger exponent is slow to evaluate and fits no type
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if len(exponent) > longExponent {
		return false
	}
	x, ok := new(big.Rat).SetString(text)
	if !ok || !x.IsInt() {
		return false
	}
	if _, exact := x.Float64(); !exact && (exponent != "" || strings.Contains(mantissa, ".")) {
		return false
	}
	if t.Kind() == reflect.Uint64 {
		return x.Num().IsUint64()
	}
	return x.Num().IsInt64()
}

// describe names the value of a node.
func describe(node ast.Node) string {
	switch node.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.BoolNode:
		return "the truth value " + node.GetToken().Value
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	}
	text := node.GetToken().Value
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + "…"
	}
	if strictyaml.IsNumber(node) {
		return "the number " + text
	}
	return fmt.Sprintf("the word %q", text)
}

func kindWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a word"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "a number"
}

// quoteHint returns a hint about missing or superfluous quotes or brackets.
func quoteHint(node ast.Node, t reflect.Type) string {
	switch node.(type) {
	case *ast.NullNode:
		return "; leave the key out for the default"
	case *ast.StringNode:
		text := node.GetToken().Value
		if _, err := strconv.ParseFloat(text, 64); err == nil && t.Kind() != reflect.Slice {
			return ": write it without quotes"
		}
		if t.Kind() == reflect.Slice {
			return ", as in [" + strings.Join(strings.Fields(text), ", ") + "]"
		}
		return ""
	}
	if _, scalar := node.(ast.ScalarNode); scalar && t.Kind() == reflect.String {
		return fmt.Sprintf(": write %q in quotes", node.GetToken().Value)
	}
	return ""
}
