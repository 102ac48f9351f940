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

// Type is a set of JSON values. A value is represented as package json decodes it, except that integers are int64 and
// NaN is the string "nan", as in the outputs of a process.
type Type interface {
	// String returns the type in the notation that [ParseType] reads.
	String() string
	// check returns an error with the path of the parameter outside its domain.
	check(at string) error
	// corners returns distinct values at the edges, the simplest first. Other values are shrunk towards the simplest.
	corners() []any
	draw(r *rand.Rand) any
	// near draws a value close to v.
	near(r *rand.Rand, v any) any
	// onward extrapolates from a to b, by 0.5, 1 or 2 times their distance beyond b.
	onward(r *rand.Rand, a, b any) any
	// simpler generates values simpler than v, largest simplification first. Every chain ends; a value may occur twice.
	simpler(v any) iter.Seq[any]
	// replaced returns v with each number replaced by the result of the function, in order.
	replaced(v any, by func(n number) any) any
}

// number is an int64 or float64 within a value, with its type.
type number struct {
	value any
	numeric
}

// numeric is a type of numbers.
type numeric interface {
	// at returns the number of the type near x. Integers are truncated.
	at(x float64) any
	// mixed returns the number at the given share of the way between the ends of the range.
	mixed(share float64) any
	// plus returns v moved by step, limited by the range. The exact change is at most the step: rounding is towards v.
	plus(v any, step float64) any
}

// Error describes an invalid part of a type or relation. Path locates it, for example ".list.size[1]".
type Error struct{ Path, What string }

// Error returns the path, if any, and the description.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.What
	}
	return strings.TrimPrefix(e.Path, ".") + ": " + e.What
}

func wrong(at, format string, args ...any) error { return &Error{at, fmt.Sprintf(format, args...)} }

// JSONText returns a value as JSON with object keys in alphabetical order.
func JSONText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(inDigits(v)); err != nil { // not a value of a valid type
		return fmt.Sprintf("%v", v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// inDigits returns a value whose large integers have all their digits. Package json writes only the digits that
// identify the double and then zeros, which a reader with big integers would read as another number.
func inDigits(v any) any {
	switch v := v.(type) {
	case float64:
		if size := math.Abs(v); size >= 1<<53 && size < 1e21 { // package json uses exponents from 1e21
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

// distinct removes repeated values.
func distinct(values ...any) (out []any) {
	for _, v := range values {
		if !slices.ContainsFunc(out, func(w any) bool { return reflect.DeepEqual(v, w) }) {
			out = append(out, v)
		}
	}
	return out
}

// pick draws one of the values.
func pick(r *rand.Rand, values []any) any { return values[r.IntN(len(values))] }

// nan represents NaN, which JSON lacks.
const nan = "nan"

// finest is the largest number of times that half the range is halved for a small step. In a range wider than wide,
// numbers are also multiplied by factors of up to farthest.
const (
	finest         = 12
	wide, farthest = 1000, 1000
)

// moved draws an unclamped number near x: by adding a step, multiplying by a factor, or moving half the way to c.
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

// beyond extrapolates from a to b: geometrically if both have one sign and the range is wide, otherwise linearly.
func beyond(r *rand.Rand, a, b, lo, hi float64) float64 {
	share := []float64{0.5, 1, 2}[r.IntN(3)]
	if a*b > 0 && isWide(lo, hi) {
		return b * math.Pow(b/a, share)
	}
	return b + (b-a)*share
}

// spread draws from a range: uniformly, or log-uniformly for half of the draws from a wide range.
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

// Int returns the type of integers from lo to hi.
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
	return distinct(t.simplest(), t.hi, t.lo, clamped(1), clamped(t.lo/2+t.hi/2)) // halves are truncated
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

// whole returns the integer of the type nearest to x.
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
	if y == x { // a step of one, also if doubles cannot represent the change
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

// plus uses 64-bit arithmetic, since doubles do not represent all large integers.
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

// Float returns the type of doubles from lo to hi, both finite.
func Float(lo, hi float64) Type { return floatType{lo: lo, hi: hi} }

// FloatOrNaN returns the type of doubles from lo to hi and NaN, which is "nan" in JSON.
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

// fineSteps is the distance to the simplest value within which steps of one are tried.
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

// plus uses the next double towards v if rounding increased the change.
func (t floatType) plus(v any, step float64) any {
	x := v.(float64)
	y := x + step
	back := y - x // Knuth's TwoSum: lost is the exact sum minus y
	if lost := (x - (y - back)) + (step - back); lost != 0 && (lost < 0) != (step < 0) {
		y = math.Nextafter(y, x)
	}
	return t.clamped(y)
}

type enumType struct{ values []any }

// Enum returns the type of the given JSON values, the simplest first.
func Enum(values ...any) Type { return enumType{values} }

// Bool returns the type of false and true.
func Bool() Type { return enumType{[]any{false, true}} }

// mostCorners bounds the corners of a type.
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
			return wrong(fmt.Sprintf("%s.enum[%d]", at, i), "%s is listed twice: list each value once", JSONText(v))
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
