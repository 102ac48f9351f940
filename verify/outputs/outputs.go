package outputs

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
)

// MaxDepth is the maximum nesting depth of pointers, structs, sequences, maps and interfaces.
const MaxDepth = 16

// Supported reports whether the checks accept outputs of type O without conversion. An interface type is not
// supported, because its type does not show whether its values were read from JSON.
func Supported[O any]() bool {
	if reflect.TypeFor[O]().Kind() == reflect.Interface {
		return false
	}
	_, err := distinguisher.Encoder[O]()
	return err == nil
}

// CheckType returns an error that names the first part of type O that cannot be flattened; nil if there is none.
func CheckType[O any]() error {
	at, t, ok := unsupported(reflect.TypeFor[O](), "output", map[reflect.Type]bool{})
	if ok {
		return nil
	}
	return fmt.Errorf("outputs of type %v: %s is of type %v, which cannot be compared; return the released "+
		"values as numbers, strings, slices, maps or structs of them", reflect.TypeFor[O](), at, t)
}

// unsupported returns a part of a type that cannot be flattened, and its place. ok is true if there is none.
func unsupported(t reflect.Type, at string, seen map[reflect.Type]bool) (place string, part reflect.Type, ok bool) {
	if seen[t] || special(t) {
		return "", nil, true
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
		return at, t, false
	case reflect.Pointer:
		return unsupported(t.Elem(), at, seen)
	case reflect.Slice, reflect.Array:
		return unsupported(t.Elem(), at+"[…]", seen)
	case reflect.Map:
		if place, part, ok := unsupported(t.Key(), "a key of "+at, seen); !ok {
			return place, part, ok
		}
		return unsupported(t.Elem(), at+"[…]", seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if place, part, ok := unsupported(t.Field(i).Type, at+"."+t.Field(i).Name, seen); !ok {
				return place, part, ok
			}
		}
	}
	return "", nil, true
}

// Flat returns the mechanism with flattened outputs; see [Value].
func Flat[D, O any](m verify.Mechanism[D, O]) verify.Mechanism[D, any] { return flat[D, O]{m} }

type flat[D, O any] struct{ verify.Mechanism[D, O] }

func (f flat[D, O]) Release(r *rand.Rand, input D) (any, error) {
	o, err := f.Mechanism.Release(r, input)
	if err != nil {
		return nil, err
	}
	return Value(o)
}

// Value flattens an output by the rules in the package comment. The result is a float64, an int64, uint64 or
// [json.Number] for an integer above 2⁵³, a string, a bool, nil, or a list of these. It returns an error if a part of
// the output cannot be flattened.
func Value(output any) (any, error) {
	v := addressable(output)
	var w writer
	if err := w.value(v, "output", 0); err != nil {
		return nil, err
	}
	if len(w.out) == 1 && scalar(v) {
		return w.out[0], nil
	}
	if len(w.out) == 1 { // a list of one value
		if list, ok := w.out[0].([]any); ok {
			return list, nil
		}
	}
	if w.out == nil {
		w.out = []any{}
	}
	return w.out, nil
}

// addressable returns a copy of the output whose unexported fields can be read.
func addressable(output any) reflect.Value {
	v := reflect.ValueOf(output)
	if v.IsValid() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		return c
	}
	return v
}

// scalar reports whether a value flattens to a single value instead of a list.
func scalar(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return v.Kind() == reflect.Interface || width(v.Type(), 0) == 1 && !sequence(v.Type())
		}
		v = v.Elem()
	}
	return !v.IsValid() || !sequence(v.Type())
}

// sequence reports whether the values of a type are lists even if they contain one value.
func sequence(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		if special(t) {
			return false
		}
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct:
		return t == timeType || !special(t)
	case reflect.Array, reflect.Slice, reflect.Map, reflect.Complex64, reflect.Complex128:
		return true
	}
	return false
}

// Vectors converts outputs to vectors of their numbers: true is 1, false is 0, and a map contributes its values in
// key order. The zero value is ready to use, also by several goroutines.
type Vectors struct{ shape atomic.Pointer[string] }

// Numbers appends the numbers in an output to dst. It returns an error if the output contains a nil or a string. It
// also returns an error if the lengths or keys differ from the first output's, because each entry of the vector must
// have one meaning. The caller compares the lengths of plain []float64 outputs.
func (v *Vectors) Numbers(dst []float64, output any) ([]float64, error) {
	switch o := output.(type) { // common types, without reflection
	case float64:
		return append(dst, o), nil
	case int:
		return append(dst, float64(o)), nil
	case []float64:
		return append(dst, o...), nil
	}
	var shape strings.Builder
	w := writer{shape: &shape}
	if err := w.value(addressable(output), "output", 0); err != nil {
		return nil, err
	}
	dst, err := appendNumbers(dst, w.out, output)
	if err != nil {
		return nil, err
	}
	now := shape.String()
	if v.shape.CompareAndSwap(nil, &now) {
		return dst, nil
	}
	if first := *v.shape.Load(); first != now {
		return nil, fmt.Errorf("output %s has another shape than the first one (%s, not %s): want the same lengths and "+
			"keys in all outputs, so that each number has one meaning", excerpt(output), cut(now), cut(first))
	}
	return dst, nil
}

// appendNumbers appends the numbers in a flattened output.
func appendNumbers(dst []float64, v, output any) ([]float64, error) {
	switch v := v.(type) {
	case float64:
		return append(dst, v), nil
	case bool:
		if v {
			return append(dst, 1), nil
		}
		return append(dst, 0), nil
	case int64:
		return append(dst, float64(v)), nil
	case uint64:
		return append(dst, float64(v)), nil
	case json.Number:
		x, err := v.Float64()
		return append(dst, x), err
	case []any:
		for _, e := range v {
			var err error
			if dst, err = appendNumbers(dst, e, output); err != nil {
				return nil, err
			}
		}
		return dst, nil
	case nil:
		return nil, fmt.Errorf("output %s holds nil: want only numbers", excerpt(output))
	}
	return nil, fmt.Errorf("output %s holds %s: want only numbers", excerpt(output), excerpt(v))
}

// excerpt formats a value in Go syntax, shortened.
func excerpt(v any) string { return cut(fmt.Sprintf("%#v", v)) }

// cut shortens a text to 80 characters. The shape of a plain number is empty and becomes "a number".
func cut(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	if text == "" {
		return "a number"
	}
	return text
}

// Places returns the names of output[0], output[1] and so on in flattened outputs of type O. For a struct these are its
// fields, up to the first one without a fixed size. For other types it returns nil, since the indices say enough.
func Places[O any]() []string {
	t := reflect.TypeFor[O]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || special(t) {
		return nil
	}
	names, _ := places(nil, t, "output", 0)
	return names
}

// places appends the names of the values in a type. complete is false if later values have no fixed place.
func places(names []string, t reflect.Type, at string, depth int) (all []string, complete bool) {
	whole := t
	for t.Kind() == reflect.Pointer && !special(t) {
		t = t.Elem()
	}
	if width(whole, depth) == 0 && (t.Kind() != reflect.Struct || whole != t && depth > 0) {
		if t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			names = append(names, "the length of "+at)
		}
		return names, false
	}
	switch {
	case special(t), t.Kind() != reflect.Struct && t.Kind() != reflect.Array:
		for i := range width(t, depth) {
			names = append(names, at+[]string{"", " (second part)"}[min(i, 1)])
		}
		return names, true
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			names, _ = places(names, t.Elem(), fmt.Sprintf("%s[%d]", at, i), depth+1)
		}
		return names, true
	}
	for _, i := range order(t) {
		if names, complete = places(names, t.Field(i).Type, at+"."+t.Field(i).Name, depth+1); !complete {
			return names, false
		}
	}
	return names, true
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	bigType      = reflect.TypeFor[big.Int]()
	stringerType = reflect.TypeFor[fmt.Stringer]()
)

// special reports whether a type is not flattened by its kind: a time, a big integer, or a struct without exported
// fields that has a String method.
func special(t reflect.Type) bool {
	if t == timeType || t == bigType {
		return true
	}
	if t.Kind() != reflect.Struct || !t.Implements(stringerType) && !reflect.PointerTo(t).Implements(stringerType) {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			return false
		}
	}
	return true
}
