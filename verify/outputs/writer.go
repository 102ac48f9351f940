package outputs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dpverify/dpverify/internal/decimal"
)

// writer flattens values into a list.
type writer struct {
	out   []any
	shape *strings.Builder // if not nil, gets the lengths of slices, and the keys of maps instead of the list
}

// shaped appends to the shape, if the writer has one.
func (w *writer) shaped(format string, args ...any) {
	if w.shape != nil {
		fmt.Fprintf(w.shape, format, args...)
	}
}

func (w *writer) add(v any) { w.out = append(w.out, v) }

// value appends the flattened v. at is its place, for error messages, and depth its nesting depth.
func (w *writer) value(v reflect.Value, at string, depth int) error {
	if depth > MaxDepth {
		return fmt.Errorf("the output is nested more than %d deep, at %s: return only the "+
			"released values", MaxDepth, shortened(at))
	}
	if !v.IsValid() {
		w.add(nil)
		return nil
	}
	if special(v.Type()) {
		return w.special(v, at)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			for range max(1, width(v.Type(), depth)) {
				w.add(nil)
			}
			return nil
		}
		return w.value(v.Elem(), at, depth+1)
	case reflect.Interface:
		return w.value(v.Elem(), at, depth+1)
	case reflect.Struct:
		return w.fields(v, at, depth)
	case reflect.Array:
		for i := range v.Len() {
			if err := w.value(v.Index(i), at, depth+1); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice:
		w.shaped("[%d]", v.Len())
		return w.nested(func(in *writer) error {
			for i := range v.Len() {
				if err := in.value(v.Index(i), at, depth+1); err != nil {
					return err
				}
			}
			return nil
		})
	case reflect.Map:
		return w.nested(func(in *writer) error { return in.entries(v, at, depth) })
	}
	return w.leaf(v, at)
}

// nested appends the values that f writes as one sequence.
func (w *writer) nested(f func(in *writer) error) error {
	in := writer{out: []any{}, shape: w.shape}
	if err := f(&in); err != nil {
		return err
	}
	w.add(in.out)
	return nil
}

// fields appends the fields of a struct.
func (w *writer) fields(v reflect.Value, at string, depth int) error {
	for _, i := range order(v.Type()) {
		if err := w.value(v.Field(i), at+"."+v.Type().Field(i).Name, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// entries appends the keys of a map with their values, in the order of the keys.
func (w *writer) entries(v reflect.Value, at string, depth int) error {
	type entry struct {
		key   writer
		name  string  // text of the key
		order float64 // the number that the key begins with
		value reflect.Value
		text  string // text of the value, which orders keys with equal names, such as NaN
	}
	var all []entry
	named := make(map[string]int)
	for each := v.MapRange(); each.Next(); {
		e := entry{value: each.Value()}
		if err := e.key.value(each.Key(), "a key of "+at, depth+1); err != nil {
			return err
		}
		e.name, e.order = fmt.Sprintf("%#v", e.key.out), number(e.key.out)
		if len(e.key.out) == 1 {
			if text, ok := e.key.out[0].(string); ok { // in alphabetical order
				e.name = text
			}
		}
		named[e.name]++
		all = append(all, e)
	}
	for i := range all {
		if e := &all[i]; named[e.name] > 1 {
			if w.shape != nil {
				return fmt.Errorf("%s has %d keys %q: want different keys", at, named[e.name], e.name)
			}
			var in writer
			if err := in.value(e.value, at+"[…]", depth+1); err != nil {
				return err
			}
			e.text = fmt.Sprintf("%#v", in.out)
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.name, b.name), cmp.Compare(a.text, b.text))
	})
	for _, e := range all {
		if w.shape == nil {
			w.out = append(w.out, e.key.out...)
		}
		w.shaped("{%q}", e.name)
		if err := w.value(e.value, at+"[…]", depth+1); err != nil {
			return err
		}
	}
	return nil
}

// number returns the number that a key begins with; 0 if there is none.
func number(key []any) float64 {
	if len(key) == 0 {
		return 0
	}
	switch v := key[0].(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return 0
}

// leaf appends a number, a string or a boolean.
func (w *writer) leaf(v reflect.Value, at string) error {
	switch {
	case v.Type() == reflect.TypeFor[json.Number]():
		w.add(json.Number(v.String()))
	case v.Kind() == reflect.Bool:
		w.add(v.Bool())
	case v.Kind() == reflect.String:
		w.add(quotedText(v.String()))
	case v.CanInt():
		if n := v.Int(); n >= -decimal.ExactWhole && n <= decimal.ExactWhole {
			w.add(float64(n))
		} else {
			w.add(n)
		}
	case v.CanUint() && v.Kind() != reflect.Uintptr:
		if n := v.Uint(); n <= decimal.ExactWhole {
			w.add(float64(n))
		} else {
			w.add(n)
		}
	case v.CanFloat():
		w.add(v.Float())
	case v.CanComplex():
		w.add(real(v.Complex()))
		w.add(imag(v.Complex()))
	default:
		return fmt.Errorf("%s is of type %v, which cannot be compared; return the released values as numbers, "+
			"strings, slices, maps or structs of them", at, v.Type())
	}
	return nil
}

// quotedText returns the value of a Go string. In recorded outputs, "nan", "inf" and "-inf" are numbers, so a Go string
// with this text is quoted. Strings that look like such a quoted string are also quoted, so that different strings stay
// different.
func quotedText(s string) string {
	switch strings.Trim(s, `"\`) {
	case "nan", "inf", "-inf":
		return strconv.Quote(s)
	}
	return s
}

// special appends a value of a special type: a time, a big integer, or a struct that becomes its string.
func (w *writer) special(v reflect.Value, at string) error {
	if !v.CanInterface() { // in an unexported field: a copy can be read
		c := reflect.New(v.Type()).Elem()
		if !v.CanAddr() {
			return fmt.Errorf("%s is of type %v in an unexported field, in which its String method cannot be called: "+
				"export the field, or return only the released values", at, v.Type())
		}
		c.Set(reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem())
		v = c
	}
	if !v.CanAddr() { // the method may have a pointer receiver
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		w.add(float64(x.Unix()))
		w.add(float64(x.Nanosecond()))
	case *big.Int:
		if n := json.Number(x.String()); x.IsInt64() && x.Int64() >= -decimal.ExactWhole && x.Int64() <= decimal.ExactWhole {
			w.add(float64(x.Int64()))
		} else {
			w.add(n)
		}
	case fmt.Stringer:
		w.add(quotedText(x.String()))
	}
	return nil
}

// order returns the indices of a struct's fields: those of fixed width first.
func order(t reflect.Type) []int {
	if known, ok := orders.Load(t); ok {
		return known.([]int)
	}
	var fixed, others []int
	for i := range t.NumField() {
		if width(t.Field(i).Type, 0) > 0 || t.Field(i).Type.Size() == 0 {
			fixed = append(fixed, i)
		} else {
			others = append(others, i)
		}
	}
	all := append(fixed, others...)
	orders.Store(t, all)
	return all
}

var orders sync.Map // by reflect.Type

// width returns the number of values that each value of a type is flattened to, or 0 if this number varies.
func width(t reflect.Type, depth int) int {
	switch {
	case depth > MaxDepth: // a recursive type
		return 0
	case t == timeType:
		return 2
	case special(t):
		return 1
	}
	switch t.Kind() {
	case reflect.Pointer:
		return width(t.Elem(), depth+1)
	case reflect.Slice, reflect.Map, reflect.Interface:
		return 0
	case reflect.Complex64, reflect.Complex128:
		return 2
	case reflect.Array:
		return t.Len() * width(t.Elem(), depth+1)
	case reflect.Struct:
		sum := 0
		for i := range t.NumField() {
			w := width(t.Field(i).Type, depth+1)
			if w == 0 && t.Field(i).Type.Size() > 0 {
				return 0
			}
			sum += w
		}
		return sum
	}
	return 1
}

// shortened returns the last 80 characters of a place.
func shortened(at string) string {
	if r := []rune(at); len(r) > 80 {
		return "…" + string(r[len(r)-80:])
	}
	return at
}
