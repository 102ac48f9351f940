package diagnosis

import (
	"encoding/json"
	"math"
	"reflect"
)

// InputDistance returns the sum of the absolute differences of all numbers in two inputs. The inputs are numbers,
// booleans, or nested lists of these, also as JSON. If one list has one more item, the item's size is added and
// resized is true. The distance is 0 for other or equal inputs, and if the sum is not finite.
func InputDistance(a, b any) (distance float64, resized bool) {
	var s sum
	if !s.differ(decoded(a), decoded(b)) || !finite(s.total) {
		return 0, false
	}
	return s.total, s.resized
}

// decoded returns the input, decoded if it is JSON.
func decoded(input any) reflect.Value {
	if text, ok := input.(json.RawMessage); ok {
		var v any
		if json.Unmarshal(text, &v) != nil {
			return reflect.Value{}
		}
		input = v
	}
	return inner(reflect.ValueOf(input))
}

func inner(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// sum is a sum of differences.
type sum struct {
	total   float64
	resized bool // includes the size of an item that only one list has
}

// differ adds the differences of two values. It returns false if they are not numbers.
func (s *sum) differ(u, v reflect.Value) bool {
	if x, ok := number(u); ok {
		y, ok := number(v)
		if ok {
			s.total += math.Abs(x - y)
		}
		return ok
	}
	if !list(u) || !list(v) {
		return u.IsValid() && v.IsValid() && u.CanInterface() && v.CanInterface() &&
			reflect.DeepEqual(u.Interface(), v.Interface())
	}
	n, m := u.Len(), v.Len()
	if n == m {
		for i := range n {
			if !s.differ(inner(u.Index(i)), inner(v.Index(i))) {
				return false
			}
		}
		return true
	}
	// The additional item is at the first position at which the lists differ.
	long, short := u, v
	if n < m {
		long, short = v, u
	}
	if long.Len() != short.Len()+1 {
		return false
	}
	at := 0
	for at < short.Len() && equal(long.Index(at), short.Index(at)) {
		at++
	}
	for i := at; i < short.Len(); i++ {
		if !equal(long.Index(i+1), short.Index(i)) {
			return false
		}
	}
	s.resized = true
	return s.item(inner(long.Index(at)))
}

func equal(u, v reflect.Value) bool {
	return inner(u).CanInterface() && inner(v).CanInterface() &&
		reflect.DeepEqual(inner(u).Interface(), inner(v).Interface())
}

// item adds the size of an item that only one input has.
func (s *sum) item(u reflect.Value) bool {
	if x, ok := number(u); ok {
		s.total += math.Abs(x)
		return true
	}
	if !list(u) {
		return false
	}
	for i := range u.Len() {
		if !s.item(inner(u.Index(i))) {
			return false
		}
	}
	return true
}

func list(v reflect.Value) bool { return v.Kind() == reflect.Slice || v.Kind() == reflect.Array }

func number(v reflect.Value) (float64, bool) {
	switch {
	case !v.IsValid():
		return 0, false
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return 1, true
		}
		return 0, true
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}
