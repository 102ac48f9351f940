package distinguisher

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"reflect"
	"slices"

	"github.com/dpverify/dpverify/internal/decimal"
)

// isWhole reports whether x is an integer that a float64 holds exactly.
func isWhole(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= decimal.ExactWhole }

// keptBits is the number of significand bits by which the search distinguishes numbers, including the leading one.
const keptBits = 41

// Rounded rounds a number to [keptBits] significant bits, for comparison in the search. Integers up to 2⁵³, infinities,
// NaN and −0 are not rounded, nor are the smallest subnormal numbers, which have no more bits. A finite number stays
// finite. A leak through floating-point rounding is not a privacy loss over the reals, which the search measures. The
// precision check tests the low-order bits.
func Rounded(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return math.NaN() // one bit pattern: others could be read as a symbol
	case math.IsInf(x, 0) || isWhole(x):
		return x
	}
	b := math.Float64bits(x)
	drop := 53 - keptBits
	if magnitude := b &^ (1 << 63); magnitude < 1<<52 { // subnormal
		if drop = bits.Len64(magnitude) - keptBits; drop <= 0 {
			return x
		}
	}
	low := uint64(1)<<drop - 1
	if out := math.Float64frombits((b + (low+1)/2) &^ low); !math.IsInf(out, 0) {
		return out
	}
	return math.Float64frombits(b &^ low)
}

// Encoder returns the function that maps outputs of type O to rows: it appends the cells of o to dst, which must be
// empty. The row of a slice begins with its length. Integers keep all digits, other numbers keep 40 bits. Encoder
// returns an error for types other than float64, bool, string, the integer types, slices of these, and decoded JSON
// (any).
func Encoder[O any]() (func(dst []float64, o O) []float64, error) {
	if known, ok := encoders[reflect.TypeFor[O]()]; ok {
		return known.(func([]float64, O) []float64), nil
	}
	if reflect.TypeFor[O]() != reflect.TypeFor[any]() {
		return nil, fmt.Errorf("outputs of type %v: want a float64, an integer type, bool, string, a slice of "+
			"these, or decoded JSON", reflect.TypeFor[O]())
	}
	return any(encodeJSON).(func([]float64, O) []float64), nil
}

// encoders holds the encoders of the supported types and of slices of them.
var encoders = func() map[reflect.Type]any {
	m := make(map[reflect.Type]any)
	register(m, Rounded, nil)
	register(m, indicator, nil)
	register(m, Symbol, appendText)
	registerInteger[int](m)
	registerInteger[int8](m)
	registerInteger[int16](m)
	registerInteger[int32](m)
	registerInteger[int64](m)
	registerInteger[uint](m)
	registerInteger[uint8](m)
	registerInteger[uint16](m)
	registerInteger[uint32](m)
	registerInteger[uint64](m)
	return m
}()

// register adds the encoders of T and []T. cell returns the cell of a value. details appends the details of the
// value at a position, and may be nil.
func register[T any](m map[reflect.Type]any, cell func(T) float64,
	details func(dst []float64, position int, v T) []float64) {
	m[reflect.TypeFor[T]()] = func(dst []float64, v T) []float64 {
		if details != nil {
			dst = details(dst, 0, v)
		}
		return append(dst, cell(v))
	}
	m[reflect.TypeFor[[]T]()] = func(dst []float64, list []T) []float64 {
		if details != nil {
			for i, v := range list {
				dst = details(dst, i+1, v)
			}
		}
		dst = append(dst, float64(len(list)))
		for _, v := range list {
			dst = append(dst, cell(v))
		}
		return dst
	}
}

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64
}

func registerInteger[T integer](m map[reflect.Type]any) {
	register(m, func(v T) float64 { return float64(v) }, appendInteger[T])
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// appendInteger appends the digits of an integer beyond 2⁵³.
func appendInteger[T integer](dst []float64, position int, v T) []float64 {
	sign, magnitude := 1.0, uint64(v)
	if v < 0 {
		sign, magnitude = -1, -magnitude
	}
	if magnitude <= decimal.ExactWhole {
		return dst
	}
	const group = 1_000_000_000_000_000
	return append(appendMark(dst, digitsDetail, position, 2), sign*float64(magnitude%group), sign*float64(magnitude/group))
}

// encodeJSON flattens a decoded JSON value. Numbers are kept. "nan", "inf" and "-inf" become the numbers that they
// name. Every other leaf becomes a symbol of its type and text. An array becomes its length followed by its values;
// an empty or nested array also has a detail, because its length could be a number. Go integers and [json.Number]
// are numbers. An object becomes a symbol of its length, its values in the order of [Keys], and its keys as
// symbols.
func encodeJSON(dst []float64, v any) []float64 {
	if x, ok := v.(float64); ok {
		return append(dst, Rounded(x))
	}
	if list, ok := v.([]any); ok && len(list) == 0 {
		dst = append(appendMark(dst, listDetail, 0, 1), 1)
	}
	position := 0
	dst = appendDetails(dst, v, &position)
	return appendCells(dst, v)
}

// Keys returns the keys of an object in the order in which its values are encoded. The order is alphabetical, with
// arrays and objects last, because their lengths may vary between outputs.
func Keys(object map[string]any) []string {
	width := func(key string) int {
		switch object[key].(type) {
		case []any, map[string]any:
			return 1
		}
		return 0
	}
	return slices.SortedFunc(maps.Keys(object), func(a, b string) int {
		return cmp.Or(cmp.Compare(width(a), width(b)), cmp.Compare(a, b))
	})
}

func appendCells(dst []float64, v any) []float64 {
	switch v := v.(type) {
	case []any:
		dst = append(dst, float64(len(v)))
		for _, e := range v {
			dst = appendCells(dst, e)
		}
		return dst
	case map[string]any:
		dst = append(dst, Symbol(fmt.Sprintf("object:%d", len(v)))) // an array cannot have this length
		keys := Keys(v)
		for _, key := range keys {
			dst = appendCells(dst, v[key])
		}
		for _, key := range keys { // constant if all outputs have the same keys
			dst = append(dst, Symbol("key:"+key))
		}
		return dst
	}
	if x, _, ok := leafNumber(v); ok {
		return append(dst, x)
	}
	if s, ok := v.(string); ok {
		return append(dst, Symbol("string:"+s))
	}
	return append(dst, Symbol(fmt.Sprintf("%T:%v", v, v))) // true, false, null
}

// appendDetails appends the details of all leaves and counts their positions.
func appendDetails(dst []float64, v any, position *int) []float64 {
	start := *position
	*position++
	switch v := v.(type) {
	case []any:
		if start > 0 && start <= maxPositions {
			dst = append(appendMark(dst, listDetail, start, 1), 1)
		}
		for _, e := range v {
			dst = appendDetails(dst, e, position)
		}
		return dst
	case map[string]any:
		for _, key := range Keys(v) {
			dst = appendDetails(dst, v[key], position)
		}
		*position += len(v)
		return dst
	}
	if _, digits, ok := leafNumber(v); ok {
		return appendDigits(dst, start, digits)
	}
	if s, ok := v.(string); ok {
		return appendText(dst, start, s)
	}
	return dst
}

// leafNumber returns the cell of a decoded number, and its digits if it is an integer beyond 2⁵³. ok is false if v
// is not a number.
func leafNumber(v any) (x float64, digits string, ok bool) {
	switch v := v.(type) {
	case float64:
		return Rounded(v), "", true
	case json.Number:
		parsed, isNumber, err := decimal.Parse(string(v))
		if err != nil || !isNumber {
			return 0, "", false
		}
		if n, large := parsed.(json.Number); large {
			x, _ := n.Float64() // within the range of a double
			return x, string(n), true
		}
		return Rounded(parsed.(float64)), "", true
	case string:
		switch v {
		case "nan":
			return math.NaN(), "", true
		case "inf":
			return math.Inf(1), "", true
		case "-inf":
			return math.Inf(-1), "", true
		}
		return 0, "", false
	case nil, bool:
		return 0, "", false
	}
	switch r := reflect.ValueOf(v); {
	case r.CanInt(), r.CanUint():
		return leafNumber(json.Number(fmt.Sprint(v)))
	case r.CanFloat():
		return Rounded(r.Float()), "", true
	}
	return 0, "", false
}

// appendDigits appends the decimal digits of an integer, if there are any.
func appendDigits(dst []float64, position int, digits string) []float64 {
	if digits == "" {
		return dst
	}
	sign := 1.0
	if digits[0] == '-' {
		sign, digits = -1, digits[1:]
	}
	dst = appendMark(dst, digitsDetail, position, (len(digits)+groupDigits-1)/groupDigits)
	for end := len(digits); end > 0; end -= groupDigits {
		var group uint64
		for _, d := range digits[max(0, end-groupDigits):end] {
			group = 10*group + uint64(d-'0')
		}
		dst = append(dst, sign*float64(group))
	}
	return dst
}
