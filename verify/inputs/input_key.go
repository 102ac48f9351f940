package inputs

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// PairKey returns a pair's inputs in Go syntax, as [InputKey] does for one input. Equal keys mean equal pairs, unless
// an input contains a function or a channel.
func PairKey[D any](p Pair[D]) string {
	key, _ := pairKey(p)
	return key
}

func pairKey[D any](p Pair[D]) (key string, opaque bool) {
	a, aIsOpaque := valueKey(p.A)
	b, bIsOpaque := valueKey(p.B)
	return a + ", " + b, aIsOpaque || bIsOpaque
}

// InputKey returns a text that identifies an input: its value in Go syntax, the same in every run of a program. Unlike
// %#v, it follows pointers, calls no methods, and writes the types of values in interfaces. It writes -0 as 0, and NaN
// with its bits. Functions and channels are represented only by their types. A text longer than 64 KiB is shortened to
// its beginning and its SHA-256 digest.
func InputKey[D any](input D) string {
	key, _ := valueKey(input)
	return key
}

func valueKey[D any](input D) (key string, opaque bool) {
	e := encoder{exact: true}
	e.encode(reflect.ValueOf(&input).Elem(), 0)
	if len(e.out) > longValue {
		return fmt.Sprintf("%s… (%d bytes, SHA-256 %x)", e.out[:shownValue], len(e.out), sha256.Sum256(e.out)), e.opaque
	}
	return string(e.out), e.opaque
}

// longValue is the length in bytes beyond which only shownValue bytes and a digest are kept: a search stores the texts
// of all inputs.
const longValue, shownValue = 1 << 16, 200

// InputText returns an input in Go syntax for messages. It formats like %#v but prints the values behind pointers
// instead of addresses.
func InputText(input any) string {
	e := encoder{methods: true}
	e.encode(reflect.ValueOf(input), 0)
	return string(e.out)
}

// ComparePairs orders pairs by the length of their Go syntax, then alphabetically.
func ComparePairs[D any](p, q Pair[D]) int {
	x, y := syntax(p), syntax(q)
	if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
		return c
	}
	return cmp.Compare(PairKey(p), PairKey(q))
}

// PairLength returns the length of a pair's Go syntax.
func PairLength[D any](p Pair[D]) int { return len(syntax(p)) }

// syntax formats a pair like %#v if it has no pointers, negative zeros or methods.
func syntax[D any](p Pair[D]) string {
	var a, b encoder
	a.encode(reflect.ValueOf(&p.A).Elem(), 0)
	b.encode(reflect.ValueOf(&p.B).Elem(), 0)
	return string(a.out) + ", " + string(b.out)
}

// EqualInputs reports whether two inputs are equal: by [InputKey] if neither contains a function or a channel, or by
// reflect.DeepEqual.
func EqualInputs[D any](a, b D) bool {
	x, aIsOpaque := valueKey(a)
	y, bIsOpaque := valueKey(b)
	return x == y && !aIsOpaque && !bIsOpaque || reflect.DeepEqual(a, b)
}

// encoder writes a value as %#v does, with the exceptions that [InputKey] lists.
type encoder struct {
	exact   bool // write the types of values in interfaces, and the bits of NaN
	methods bool // format values by their own methods
	out     []byte
	opaque  bool // the value contains a function, a channel or an unsafe pointer
	stack   []memoryPlace
	back    int // the outermost index in stack that an inner value refers to
	known   map[memoryPlace]known
}

// memoryPlace identifies a slice, map or pointer by its address.
type memoryPlace struct {
	of      reflect.Type
	address uintptr
	size    int
}

// known is the encoding of a pointer that occurred before: its text, or its number if the text is long or contains a
// cycle.
type known struct {
	text   string
	number int
}

// longCopy is the longest text of a pointer that is repeated: repeating longer ones could grow exponentially.
const longCopy = 256

func (e *encoder) write(text string) { e.out = append(e.out, text...) }

func (e *encoder) encode(v reflect.Value, depth int) {
	if !v.IsValid() {
		e.write("<nil>")
		return
	}
	if e.own(v) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		e.out = strconv.AppendBool(e.out, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.out = strconv.AppendInt(e.out, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.out = strconv.AppendUint(append(e.out, "0x"...), v.Uint(), 16)
	case reflect.Float32, reflect.Float64:
		e.float(v.Float(), v.Kind() == reflect.Float32)
	case reflect.Complex64, reflect.Complex128:
		if c := v.Complex(); v.Kind() == reflect.Complex64 {
			e.write(fmt.Sprintf("%#v", complex(float32(real(c))+0, float32(imag(c))+0)))
		} else {
			e.write(fmt.Sprintf("%#v", complex(real(c)+0, imag(c)+0)))
		}
	case reflect.String:
		e.out = strconv.AppendQuote(e.out, v.String())
	case reflect.Interface:
		e.inInterface(v, depth)
	case reflect.Struct:
		e.structure(v, depth)
	case reflect.Array:
		e.list(v, depth)
	case reflect.Slice, reflect.Map, reflect.Pointer:
		e.reference(v, depth)
	default: // functions, channels and unsafe pointers
		e.opaque = e.opaque || !v.IsNil()
		e.write("(" + v.Type().String() + map[bool]string{true: ")(nil)", false: ")"}[v.IsNil()])
	}
}

// own writes times, and values that format themselves if methods is set. It reports whether it wrote the value.
func (e *encoder) own(v reflect.Value) bool {
	if v.Type() == reflect.TypeFor[time.Time]() {
		if v.CanInterface() && !e.exact {
			e.write(v.Interface().(time.Time).GoString())
			return true
		}
		location := "UTC" // a location contains caches that change
		if l := v.FieldByName("loc"); !l.IsNil() {
			location = l.Elem().FieldByName("name").String()
		}
		e.write(fmt.Sprintf("time.Time{%d, %d, %q}", v.FieldByName("wall").Uint(), v.FieldByName("ext").Int(), location))
		return true
	}
	if !e.methods || !v.CanInterface() || v.Kind() == reflect.Interface {
		return false
	}
	switch x := v.Interface().(type) {
	case fmt.Formatter, fmt.GoStringer:
		e.write(fmt.Sprintf("%#v", x))
		return true
	}
	return false
}

func (e *encoder) float(x float64, single bool) {
	switch {
	case math.IsNaN(x) && e.exact && math.Float64bits(x) != math.Float64bits(math.NaN()):
		e.write(fmt.Sprintf("NaN(%#x)", math.Float64bits(x)))
	case single:
		e.write(fmt.Sprintf("%#v", float32(x)+0))
	default:
		e.write(fmt.Sprintf("%#v", x+0))
	}
}

func (e *encoder) inInterface(v reflect.Value, depth int) {
	if v.IsNil() {
		if depth == 0 && !e.exact {
			e.write("<nil>")
			return
		}
		e.write(v.Type().String() + "(nil)")
		return
	}
	if v = v.Elem(); e.exact {
		name := v.Type().String()
		if path := v.Type().PkgPath(); path != "" {
			name = path + "." + v.Type().Name()
		}
		e.write(name)
		e.write("(")
		defer e.write(")")
	}
	if depth > 0 {
		depth++
	}
	e.encode(v, depth)
}

func (e *encoder) structure(v reflect.Value, depth int) {
	e.write(v.Type().String() + "{")
	for i := range v.NumField() {
		if i > 0 {
			e.write(", ")
		}
		e.write(v.Type().Field(i).Name + ":")
		e.encode(v.Field(i), depth+1)
	}
	e.write("}")
}

func (e *encoder) list(v reflect.Value, depth int) {
	name := v.Type().String()
	if depth == 0 && v.Type() == reflect.TypeFor[[]byte]() {
		name = "[]byte" // as fmt prints it
	}
	e.write(name + "{")
	if v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[byte]() { // JSON text, often long
		for i, b := range v.Bytes() {
			if i > 0 {
				e.write(", ")
			}
			e.out = strconv.AppendUint(append(e.out, "0x"...), uint64(b), 16)
		}
		e.write("}")
		return
	}
	var values []any // decoded JSON, often long
	if v.CanInterface() && v.Type() == reflect.TypeFor[[]any]() {
		values = v.Interface().([]any)
	}
	for i := range v.Len() {
		if i > 0 {
			e.write(", ")
		}
		if values != nil && e.exact {
			if x, ok := values[i].(int64); ok {
				e.out = append(strconv.AppendInt(append(e.out, "int64("...), x, 10), ')')
				continue
			}
		}
		e.encode(v.Index(i), depth+1)
	}
	e.write("}")
}

// reference writes the target of a slice, map or pointer. Inside that target, it writes the number of levels up
// instead.
func (e *encoder) reference(v reflect.Value, depth int) {
	if v.IsNil() {
		name := v.Type().String()
		if v.Kind() == reflect.Pointer {
			name = "(" + name + ")"
		}
		e.write(name + "(nil)")
		return
	}
	at := memoryPlace{of: v.Type(), address: v.Pointer()}
	if v.Kind() == reflect.Slice {
		at.size = v.Len()
	}
	if i := slices.Index(e.stack, at); i >= 0 && (v.Kind() != reflect.Slice || at.size > 0) {
		e.back = min(e.back, i)
		e.write(fmt.Sprintf("(%s)(up %d)", v.Type(), len(e.stack)-i))
		return
	}
	if len(e.stack) == 0 {
		e.back = math.MaxInt
	}
	e.stack = append(e.stack, at)
	switch v.Kind() {
	case reflect.Slice:
		e.list(v, depth)
	case reflect.Map:
		e.mapping(v, depth)
	default:
		e.pointer(v, at, depth)
	}
	e.stack = e.stack[:len(e.stack)-1]
	if e.back >= len(e.stack) {
		e.back = math.MaxInt
	}
}

func (e *encoder) pointer(v reflect.Value, at memoryPlace, depth int) {
	if k, ok := e.known[at]; ok {
		if e.write(k.text); k.text == "" {
			e.write(fmt.Sprintf("(%s)(pointer %d)", v.Type(), k.number))
		}
		return
	}
	begin := len(e.out)
	e.write("&")
	e.encode(v.Elem(), depth+1)
	k := known{number: len(e.known)}
	if text := e.out[begin:]; len(text) <= longCopy && e.back >= len(e.stack) {
		k.text = string(text)
	}
	if e.known == nil {
		e.known = map[memoryPlace]known{}
	}
	e.known[at] = k
}

// mapping writes a map in key order.
func (e *encoder) mapping(v reflect.Value, depth int) {
	type entry struct {
		key, value reflect.Value
	}
	var entries []entry
	for it := v.MapRange(); it.Next(); {
		entries = append(entries, entry{key: it.Key(), value: it.Value()})
	}
	alone := func(v reflect.Value) string {
		by := encoder{exact: true, stack: slices.Clone(e.stack)}
		by.encode(v, 1)
		return string(by.out)
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if c, ok := compareMapKeys(a.key, b.key); ok && c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(alone(a.key), alone(b.key)), cmp.Compare(alone(a.value), alone(b.value)))
	})
	e.write(v.Type().String() + "{")
	for i, m := range entries {
		if i > 0 {
			e.write(", ")
		}
		e.encode(m.key, depth+1)
		e.write(":")
		e.encode(m.value, depth+1)
	}
	e.write("}")
}

// compareMapKeys compares two map keys. It returns false if their kind has no order.
func compareMapKeys(a, b reflect.Value) (int, bool) {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int()), true
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint()), true
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float()), true
	case a.Kind() == reflect.String:
		return cmp.Compare(a.String(), b.String()), true
	case a.Kind() == reflect.Bool && a.Bool() != b.Bool():
		if b.Bool() {
			return -1, true
		}
		return 1, true
	}
	return 0, false
}
