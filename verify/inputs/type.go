package inputs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Type is a set of JSON values. They are represented as package json decodes them, but for whole
// numbers, which are int64, and for NaN, which is the string "nan" as it is among the outputs of a
// process.
type Type interface {
	// String is the type in the notation that [ParseType] reads.
	String() string
	// check names the parameter that is out of its domain, by its path.
	check(at string) error
	// corners are values at the edges, each once: the simplest first, to which others are shrunk.
	corners() []any
	draw(r *rand.Rand) any
	// near is a value like v.
	near(r *rand.Rand, v any) any
	// onward goes on from the value a to b, and a part of the way or twice as far beyond it.
	onward(r *rand.Rand, a, b any) any
	// simpler are values simpler than v, the boldest steps first; every chain of them ends. One may come twice.
	simpler(v any) iter.Seq[any]
	// replaced is v with its numbers replaced, in order, by numbers of their types.
	replaced(v any, by func(n number) any) any
}

// number is one within a value: an int64 or a float64, with its type.
type number struct {
	value any
	numeric
}

// numeric is a type of numbers.
type numeric interface {
	// at returns a number of the type near x: whole numbers are cut off.
	at(x float64) any
	// mixed returns the number of the type at a share of the way between the ends of its range.
	mixed(share float64) any
	// plus returns a number of the type, moved by a step as far as the range allows and by no more than the step,
	// exactly: what rounding would add is left out.
	plus(v any, step float64) any
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

// JSONText is a value as JSON; keys of objects are in alphabetical order.
func JSONText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(inDigits(v)); err != nil { // no value of a type that was checked
		return fmt.Sprintf("%v", v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// inDigits returns a value with all the digits of its large whole numbers. Package json writes the fewest digits that
// give the same double, and zeros after them: a reader with integers of any size would have another number.
func inDigits(v any) any {
	switch v := v.(type) {
	case float64:
		if size := math.Abs(v); size >= 1<<53 && size < 1e21 { // from there on package json writes exponents
			return json.Number(strconv.FormatFloat(v, 'f', 0, 64))
		}
	case []any:
		return mapped(v, inDigits)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, x := range v {
			out[key] = inDigits(x)
		}
		return out
	}
	return v
}

func mapped(list []any, by func(any) any) []any {
	if list == nil {
		return nil
	}
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = by(x)
	}
	return out
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

// finest is how many times the half of a range is halved again, at the most, to a step within it. In a wide
// range numbers are moved by factors, up to the farthest.
const (
	finest         = 12
	wide, farthest = 1000, 1000
)

// moved is a number near x within a range, before it is clamped: by a step, by a factor, or half the way
// to c.
func moved(r *rand.Rand, x, lo, hi, c float64) float64 {
	sign := float64(2*r.IntN(2) - 1)
	switch move := r.IntN(8); {
	case move < 2 && isWide(lo, hi), move == 2:
		if x == 0 {
			return sign
		}
		return x * math.Pow(farthest, sign*r.Float64())
	case move == 3:
		return x/2 + c/2
	case move == 4:
		return x + sign
	}
	return x + sign*(hi/2-lo/2)*math.Exp2(-finest*r.Float64())
}

func isWide(lo, hi float64) bool {
	return math.Max(math.Abs(lo), math.Abs(hi)) > wide || lo > 0 && hi/lo > wide || hi < 0 && lo/hi > wide
}

// beyond goes on from a to b, where both have one sign and the range is wide by their ratio.
func beyond(r *rand.Rand, a, b, lo, hi float64) float64 {
	share := []float64{0.5, 1, 2}[r.IntN(3)]
	if a*b > 0 && isWide(lo, hi) {
		return b * math.Pow(b/a, share)
	}
	return b + (b-a)*share
}

// spread draws from a range: evenly, or from a wide one evenly by magnitude.
func spread(r *rand.Rand, lo, hi float64) float64 {
	u := r.Float64()
	if !isWide(lo, hi) || r.IntN(2) == 0 {
		return lo*(1-u) + hi*u
	}
	end := hi
	if lo < 0 && (hi <= 0 || r.IntN(2) == 0) {
		end = lo
	}
	if least := math.Min(math.Abs(lo), math.Abs(hi)); lo*hi > 0 && least > 0 {
		return math.Copysign(least*math.Pow(math.Max(math.Abs(lo), math.Abs(hi))/least, u), hi)
	}
	return math.Copysign(math.Pow(math.Abs(end)+1, u)-1, end)
}

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
	clamped := func(x int64) int64 { return min(max(x, t.lo), t.hi) }
	return distinct(t.simplest(), t.hi, t.lo, clamped(1), clamped(t.lo/2+t.hi/2)) // halves of odd ends are cut off
}

func (t intType) draw(r *rand.Rand) any {
	if r.IntN(2) == 0 {
		return pick(r, t.corners())
	}
	if span := uint64(t.hi) - uint64(t.lo); span < wide {
		return t.lo + int64(r.Uint64N(span+1))
	}
	return t.whole(spread(r, float64(t.lo), float64(t.hi)))
}

// whole is a number to the nearest one of the type.
func (t intType) whole(x float64) int64 {
	switch x = math.Round(x); {
	case !(x > float64(t.lo)):
		return t.lo
	case !(x < float64(t.hi)):
		return t.hi
	}
	return int64(x)
}

func (t intType) near(r *rand.Rand, v any) any {
	x, ok := v.(int64)
	if !ok || r.IntN(4) == 0 {
		return t.draw(r)
	}
	y := t.whole(moved(r, float64(x), float64(t.lo), float64(t.hi), float64(pick(r, t.corners()).(int64))))
	if y == x { // a step of one, or what doubles do not tell apart
		if y = x + 1 - 2*int64(r.IntN(2)); y < t.lo || y > t.hi || (y > x) != (y-x == 1) {
			return t.draw(r)
		}
	}
	return y
}

func (t intType) onward(r *rand.Rand, a, b any) any {
	x, ok := a.(int64)
	y, also := b.(int64)
	if !ok || !also || x == y {
		return b
	}
	return t.whole(beyond(r, float64(x), float64(y), float64(t.lo), float64(t.hi)))
}

func (t intType) simpler(v any) iter.Seq[any] {
	x, ok := v.(int64)
	s := t.simplest()
	switch {
	case !ok || x == s:
		return slices.Values([]any(nil))
	case x > s:
		return slices.Values(distinct(s, s+int64(uint64(x-s)/2), x-1))
	}
	return slices.Values(distinct(s, s-int64(uint64(s-x)/2), x+1))
}

func (t intType) replaced(v any, by func(n number) any) any {
	if _, ok := v.(int64); !ok {
		return v
	}
	return by(number{v, t})
}

func (t intType) at(x float64) any { return t.whole(math.Trunc(x)) }

func (t intType) mixed(share float64) any { return t.at(float64(t.lo)*(1-share) + float64(t.hi)*share) }

// plus moves by whole steps. The arithmetic is that of 64 bits: doubles do not tell large numbers apart.
func (t intType) plus(v any, step float64) any {
	x, size := v.(int64), math.Trunc(math.Abs(step))
	room := uint64(t.hi) - uint64(x)
	if step < 0 {
		room = uint64(x) - uint64(t.lo)
	}
	far := room
	if size < float64(room) {
		far = min(uint64(size), room)
	}
	if step < 0 {
		return int64(uint64(x) - far)
	}
	return int64(uint64(x) + far)
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
	return t.clamped(spread(r, t.lo, t.hi))
}

func (t floatType) near(r *rand.Rand, v any) any {
	x, ok := v.(float64)
	if !ok || r.IntN(4) == 0 {
		return t.draw(r)
	}
	c, ok := pick(r, t.corners()).(float64)
	if !ok {
		return nan
	}
	return t.clamped(moved(r, x, t.lo, t.hi, c))
}

func (t floatType) onward(r *rand.Rand, a, b any) any {
	x, ok := a.(float64)
	y, also := b.(float64)
	if !ok || !also || x == y {
		return b
	}
	return t.clamped(beyond(r, x, y, t.lo, t.hi))
}

// fineSteps is how near to the simplest value steps of one are tried.
const fineSteps = 32

func (t floatType) simpler(v any) iter.Seq[any] {
	s := t.clamped(0)
	x, ok := v.(float64)
	if !ok {
		return slices.Values([]any{s})
	}
	var out []any
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
	return slices.Values(distinct(out...))
}

func (t floatType) replaced(v any, by func(n number) any) any {
	if _, ok := v.(float64); !ok {
		return v
	}
	return by(number{v, t})
}

func (t floatType) at(x float64) any { return t.clamped(x) }

func (t floatType) mixed(share float64) any { return t.at(t.lo*(1-share) + t.hi*share) }

// plus takes the next double towards v, if the sum was rounded away from v.
func (t floatType) plus(v any, step float64) any {
	x := v.(float64)
	y := x + step
	back := y - x // Knuth's TwoSum: lost is the exact sum less y
	if lost := (x - (y - back)) + (step - back); lost != 0 && (lost < 0) != (step < 0) {
		y = math.Nextafter(y, x)
	}
	return t.clamped(y)
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
	return "{enum: " + JSONText(t.values) + "}"
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
			return wrong(fmt.Sprintf("%s.enum[%d]", at, i), "%s stands twice: want each value once", JSONText(v))
		}
	}
	return nil
}

func (t enumType) corners() []any                         { return t.values[:min(len(t.values), mostCorners)] }
func (t enumType) draw(r *rand.Rand) any                  { return pick(r, t.values) }
func (t enumType) near(r *rand.Rand, _ any) any           { return t.draw(r) }
func (t enumType) onward(_ *rand.Rand, _, b any) any      { return b }
func (t enumType) replaced(v any, _ func(number) any) any { return v }

func (t enumType) simpler(v any) iter.Seq[any] {
	at := slices.IndexFunc(t.values, func(w any) bool { return reflect.DeepEqual(v, w) })
	return slices.Values(t.values[:max(0, min(at, mostCorners))])
}
