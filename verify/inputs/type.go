package inputs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
)

// Type is a set of JSON values. They are represented as package json decodes them, but for whole
// numbers, which are int64, and for NaN, which is the string "nan" as it is among the outputs of a
// process.
type Type interface {
	// String is the type in the notation that [Parse] reads.
	String() string
	// check names the parameter that is out of its domain, by its path.
	check(at string) error
	// corners are values at the edges, each once: the simplest first, to which others are shrunk.
	corners() []any
	draw(r *rand.Rand) any
	// near is a value like v.
	near(r *rand.Rand, v any) any
	// simpler are values simpler than v, the boldest steps first; every chain of them ends.
	simpler(v any) []any
	// replaced is v with its numbers replaced, in order.
	replaced(v any, by func(n number) float64) any
}

// number is one within a value.
type number struct {
	x, lo, hi float64
	whole     bool
}

// Error is what is wrong with a type or a relation, and where: the path from its top, as in
// ".list.size[1]".
type Error struct{ Path, What string }

// Error renders the path, where there is one, and what is wrong there.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.What
	}
	return strings.TrimPrefix(e.Path, ".") + ": " + e.What
}

func wrong(at, format string, args ...any) error { return &Error{at, fmt.Sprintf(format, args...)} }

// Text is a value as JSON; keys of objects are in alphabetical order.
func Text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // no value of a type that was checked
		return fmt.Sprintf("%v", v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// distinct keeps the first of equal values.
func distinct(values ...any) (out []any) {
	for _, v := range values {
		if !slices.ContainsFunc(out, func(w any) bool { return reflect.DeepEqual(v, w) }) {
			out = append(out, v)
		}
	}
	return out
}

// pick is one of several values.
func pick(r *rand.Rand, values []any) any { return values[r.IntN(len(values))] }

// nan stands for the number that JSON does not have.
const nan = "nan"

// stepParts of a range, and then fractions of them, are steps within it.
const stepParts = 8

type intType struct{ lo, hi int64 }

// Int has the whole numbers from lo to hi.
func Int(lo, hi int64) Type { return intType{lo, hi} }

func (t intType) String() string { return fmt.Sprintf("{int: [%d, %d]}", t.lo, t.hi) }

func (t intType) check(at string) error {
	if t.lo > t.hi {
		return wrong(at+".int", "the range [%d, %d] is reversed: want the lower end first", t.lo, t.hi)
	}
	return nil
}

func (t intType) simplest() int64 { return min(max(0, t.lo), t.hi) }

func (t intType) corners() []any {
	return distinct(t.simplest(), t.hi, t.lo, min(max(1, t.lo), t.hi), t.lo/2+t.hi/2)
}

func (t intType) draw(r *rand.Rand) any {
	if r.IntN(2) == 0 {
		return pick(r, t.corners())
	}
	span := uint64(t.hi) - uint64(t.lo)
	if span == math.MaxUint64 {
		return int64(r.Uint64())
	}
	return int64(uint64(t.lo) + r.Uint64N(span+1))
}

func (t intType) near(r *rand.Rand, v any) any {
	x, ok := v.(int64)
	if !ok {
		return t.draw(r)
	}
	switch move := r.IntN(6); move {
	case 0, 1:
		step := int64(1)
		if r.IntN(2) == 0 { // a part of the way that there is
			step = 1 + int64((uint64(t.hi)-uint64(t.lo))/(stepParts<<r.IntN(3)))
		}
		if move == 0 {
			return x - int64(min(uint64(step), uint64(x)-uint64(t.lo)))
		}
		return x + int64(min(uint64(step), uint64(t.hi)-uint64(x)))
	case 2:
		c := pick(r, t.corners()).(int64)
		return x/2 + c/2 + (x%2+c%2)/2
	}
	return t.draw(r)
}

func (t intType) simpler(v any) []any {
	x, ok := v.(int64)
	s := t.simplest()
	switch {
	case !ok || x == s:
		return nil
	case x > s:
		return distinct(s, s+int64(uint64(x-s)/2), x-1)
	}
	return distinct(s, s-int64(uint64(s-x)/2), x+1)
}

func (t intType) replaced(v any, by func(n number) float64) any {
	x, ok := v.(int64)
	if !ok {
		return v
	}
	y := math.Trunc(by(number{float64(x), float64(t.lo), float64(t.hi), true}))
	switch {
	case !(y > float64(t.lo)):
		return t.lo
	case !(y < float64(t.hi)):
		return t.hi
	}
	return int64(y)
}

type floatType struct {
	lo, hi float64
	orNaN  bool
}

// Float has the doubles from lo to hi, both finite.
func Float(lo, hi float64) Type { return floatType{lo: lo, hi: hi} }

// FloatOrNaN has NaN, which is "nan" in JSON, besides the doubles from lo to hi.
func FloatOrNaN(lo, hi float64) Type { return floatType{lo, hi, true} }

func (t floatType) String() string {
	if t.orNaN {
		return fmt.Sprintf("{float: [%v, %v], nan: true}", t.lo, t.hi)
	}
	return fmt.Sprintf("{float: [%v, %v]}", t.lo, t.hi)
}

func (t floatType) check(at string) error {
	switch {
	case !(math.Abs(t.lo) <= math.MaxFloat64 && math.Abs(t.hi) <= math.MaxFloat64):
		return wrong(at+".float", "the range [%v, %v]: want two finite ends", t.lo, t.hi)
	case t.lo > t.hi:
		return wrong(at+".float", "the range [%v, %v] is reversed: want the lower end first", t.lo, t.hi)
	}
	return nil
}

func (t floatType) clamped(x float64) float64 { return math.Min(math.Max(x, t.lo), t.hi) + 0 }

func (t floatType) corners() []any {
	out := distinct(t.clamped(0), t.clamped(t.hi), t.clamped(t.lo), t.clamped(1), t.clamped(t.lo/2+t.hi/2))
	if t.orNaN {
		out = slices.Insert(out, 1, any(nan))
	}
	return out
}

func (t floatType) draw(r *rand.Rand) any {
	if r.IntN(2) == 0 {
		return pick(r, t.corners())
	}
	u := r.Float64()
	return t.clamped(t.lo*(1-u) + t.hi*u)
}

func (t floatType) near(r *rand.Rand, v any) any {
	x, ok := v.(float64)
	if !ok {
		return t.draw(r)
	}
	switch move := r.IntN(6); move {
	case 0, 1:
		step := 1.0
		if r.IntN(2) == 0 {
			step = (t.hi/stepParts - t.lo/stepParts) / float64(int(1)<<r.IntN(3))
		}
		return t.clamped(x + step*float64(2*move-1))
	case 2:
		return t.clamped(x * []float64{0.5, 0.9, 1.1, 2}[r.IntN(4)])
	case 3:
		if c, ok := pick(r, t.corners()).(float64); ok {
			return t.clamped(x/2 + c/2)
		}
	}
	return t.draw(r)
}

// fineSteps is how near to the simplest value steps of one are tried.
const fineSteps = 32

func (t floatType) simpler(v any) (out []any) {
	s := t.clamped(0)
	x, ok := v.(float64)
	if !ok {
		return []any{s}
	}
	step := math.Copysign(1, x-s)
	candidates := []float64{s, math.Trunc(s + (x-s)/2), math.Trunc(x)}
	if math.Abs(x-s) <= fineSteps {
		candidates = append(candidates, x-step)
	}
	for _, c := range candidates {
		if c == t.clamped(c) && math.Abs(c-s) < math.Abs(x-s) {
			out = append(out, c+0)
		}
	}
	return distinct(out...)
}

func (t floatType) replaced(v any, by func(n number) float64) any {
	x, ok := v.(float64)
	if !ok {
		return v
	}
	return t.clamped(by(number{x, t.lo, t.hi, false}))
}

type enumType struct{ values []any }

// Enum has the given values, of JSON, of which the first is the simplest.
func Enum(values ...any) Type { return enumType{values} }

// Bool has false and true.
func Bool() Type { return enumType{[]any{false, true}} }

// mostCorners bounds the edges of one type.
const mostCorners = 32

func (t enumType) String() string {
	if reflect.DeepEqual(t, Bool()) {
		return "bool"
	}
	return "{enum: " + Text(t.values) + "}"
}

func (t enumType) check(at string) error {
	if len(t.values) == 0 {
		return wrong(at+".enum", "no values: want at least one, as in [red, green]")
	}
	for i, v := range t.values {
		if _, err := json.Marshal(v); err != nil {
			return wrong(fmt.Sprintf("%s.enum[%d]", at, i), "the value has no form in JSON: %v", err)
		}
		if slices.ContainsFunc(t.values[:i], func(w any) bool { return reflect.DeepEqual(v, w) }) {
			return wrong(fmt.Sprintf("%s.enum[%d]", at, i), "%s stands twice: want each value once", Text(v))
		}
	}
	return nil
}

func (t enumType) corners() []any                             { return t.values[:min(len(t.values), mostCorners)] }
func (t enumType) draw(r *rand.Rand) any                      { return pick(r, t.values) }
func (t enumType) near(r *rand.Rand, _ any) any               { return t.draw(r) }
func (t enumType) replaced(v any, _ func(number) float64) any { return v }

func (t enumType) simpler(v any) []any {
	at := slices.IndexFunc(t.values, func(w any) bool { return reflect.DeepEqual(v, w) })
	return slices.Clone(t.values[:max(0, min(at, mostCorners))])
}
