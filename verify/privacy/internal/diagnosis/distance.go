package diagnosis

import (
	"encoding/json"
	"math"
	"reflect"
)

// Distance of two inputs.
type Distance struct {
	Sum, Root float64 // of the differences of all their numbers, and of the squares of these
	// Reach is the largest magnitude of what differs, by the same two measures: what adding or removing it moves.
	Reach, ReachRoot float64
}

// InputDistance is the distance of two inputs that are numbers, truth values, or lists of such of any depth, also as
// JSON.
// Of lists of which one has an item more, it is that item's size. Not ok of others.
func InputDistance(a, b any) (d Distance, ok bool) {
	u, v := decoded(a), decoded(b)
	var s sums
	if !s.differ(u, v) || !(s.sum > 0) || !finite(s.sum) || !finite(s.squares) {
		return d, false
	}
	return Distance{s.sum, math.Sqrt(s.squares), math.Max(s.ofA, s.ofB), math.Sqrt(math.Max(s.squaresA, s.squaresB))}, true
}

// decoded is an input that is JSON as what it is.
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

// sums of what differs.
type sums struct {
	sum, squares  float64
	ofA, squaresA float64
	ofB, squaresB float64
}

func (s *sums) add(x, y float64) {
	s.sum, s.squares = s.sum+math.Abs(x-y), s.squares+(x-y)*(x-y)
	if x != y {
		s.ofA, s.squaresA = s.ofA+math.Abs(x), s.squaresA+x*x
		s.ofB, s.squaresB = s.ofB+math.Abs(y), s.squaresB+y*y
	}
}

// differ adds what two values differ in; not ok where that is no number.
func (s *sums) differ(u, v reflect.Value) bool {
	if x, ok := number(u); ok {
		y, ok := number(v)
		if ok {
			s.add(x, y)
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
	// The first place from which they differ has the item that is more.
	long, short, inA := u, v, true
	if n < m {
		long, short, inA = v, u, false
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
	return s.alone(inner(long.Index(at)), inA)
}

func equal(u, v reflect.Value) bool {
	return inner(u).CanInterface() && inner(v).CanInterface() &&
		reflect.DeepEqual(inner(u).Interface(), inner(v).Interface())
}

// alone adds an item that only one input has.
func (s *sums) alone(u reflect.Value, inA bool) bool {
	if x, ok := number(u); ok {
		if inA {
			s.add(x, 0)
		} else {
			s.add(0, x)
		}
		return true
	}
	if !list(u) {
		return false
	}
	for i := range u.Len() {
		if !s.alone(inner(u.Index(i)), inA) {
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
