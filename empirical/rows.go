package empirical

import (
	"fmt"
	"hash/fnv"
	"math"
)

// Rows is a sample of outputs, each encoded as the same number of float64
// values, in one flat slice.
//
// A value is a number, or a symbol: something that is equal to itself and has no
// order. Symbols are NaNs that carry a code, so that a row needs no other type.
type Rows struct {
	Width int // values in a row, at least 1
	data  []float64
}

// NewRows returns no rows of the given width, with room for n.
func NewRows(width, n int) *Rows { return &Rows{Width: width, data: make([]float64, 0, width*n)} }

// Len is the number of rows.
func (s *Rows) Len() int { return len(s.data) / s.Width }

// Row is row i; it must not be changed.
func (s *Rows) Row(i int) []float64 { return s.data[i*s.Width : (i+1)*s.Width : (i+1)*s.Width] }

// Slice is the rows from one index up to another.
func (s *Rows) Slice(from, to int) *Rows {
	return &Rows{Width: s.Width, data: s.data[from*s.Width : to*s.Width : to*s.Width]}
}

// Append adds a copy of row, cut or filled with Absent to the width of s.
func (s *Rows) Append(row []float64) {
	for i := range s.Width {
		if i < len(row) {
			s.data = append(s.data, row[i])
		} else {
			s.data = append(s.data, Absent)
		}
	}
}

// symbolTag marks the bits of a NaN that is a symbol. The NaNs of arithmetic
// have other bits.
const symbolTag = 0xFFFA << 48

// Symbol returns the code of a name.
func Symbol(name string) float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return math.Float64frombits(symbolTag | h.Sum64()&(1<<48-1))
}

// Absent fills a row that is shorter than others.
var Absent = math.Float64frombits(symbolTag | 1)

// IsSymbol tells a symbol from a number; arithmetic's NaN is a number here.
func IsSymbol(x float64) bool { return math.Float64bits(x)&(0xFFFF<<48) == symbolTag }

// rounded keeps 40 bits of a number's significand. What the rounding of floating
// point betrays of an input is no privacy loss over the reals, which is what a
// witness is to find; the precision probe looks at the low bits.
func rounded(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	const drop = 52 - 40
	return math.Float64frombits((math.Float64bits(x) + 1<<(drop-1)) &^ (1<<drop - 1))
}

// Coarse rounds the result of arithmetic on numbers of at most the given size to a
// grid of 2⁻³⁰ of it: a difference keeps nothing of its operands' rounding.
func Coarse(x, size float64) float64 {
	if !finite(x) || !finite(size) || size == 0 {
		return x
	}
	_, exponent := math.Frexp(size)
	grid := math.Ldexp(1, exponent-30)
	return math.Round(x/grid) * grid
}

// Encoder returns the map from outputs of type O to rows: it appends the values
// of o to dst. A slice's row begins with its length. Types other than numbers,
// bools, strings, slices of them, and decoded JSON are an error.
func Encoder[O any]() (func(dst []float64, o O) []float64, error) {
	var encode any
	switch any(*new(O)).(type) {
	case float64:
		encode = func(dst []float64, o float64) []float64 { return append(dst, rounded(o)) }
	case int:
		encode = func(dst []float64, o int) []float64 { return append(dst, float64(o)) }
	case int64:
		encode = func(dst []float64, o int64) []float64 { return append(dst, float64(o)) }
	case bool:
		encode = func(dst []float64, o bool) []float64 { return append(dst, indicator(o)) }
	case string:
		encode = func(dst []float64, o string) []float64 { return append(dst, Symbol(o)) }
	case []float64:
		encode = encodeSlice(rounded)
	case []int:
		encode = encodeSlice(func(v int) float64 { return float64(v) })
	case []int8:
		encode = encodeSlice(func(v int8) float64 { return float64(v) })
	case []bool:
		encode = encodeSlice(indicator)
	case []string:
		encode = encodeSlice(Symbol)
	default:
		var zero O
		if _, isInterface := any(&zero).(*any); !isInterface {
			return nil, fmt.Errorf("outputs of type %T: want a number, bool, string, a slice of these, or decoded JSON", zero)
		}
		encode = func(dst []float64, o any) []float64 { return encodeJSON(dst, o) }
	}
	return encode.(func([]float64, O) []float64), nil
}

func encodeSlice[T any](value func(T) float64) func([]float64, []T) []float64 {
	return func(dst []float64, o []T) []float64 {
		dst = append(dst, float64(len(o)))
		for _, v := range o {
			dst = append(dst, value(v))
		}
		return dst
	}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// encodeJSON flattens a decoded JSON value: numbers as they are, "nan", "inf"
// and "-inf" as the numbers they name, every other leaf as a symbol of its type
// and text, and an array as its length followed by its values.
func encodeJSON(dst []float64, v any) []float64 {
	switch v := v.(type) {
	case float64:
		return append(dst, rounded(v))
	case []any:
		dst = append(dst, float64(len(v)))
		for _, e := range v {
			dst = encodeJSON(dst, e)
		}
		return dst
	case string:
		switch v {
		case "nan":
			return append(dst, math.NaN())
		case "inf":
			return append(dst, math.Inf(1))
		case "-inf":
			return append(dst, math.Inf(-1))
		}
		return append(dst, Symbol("string:"+v))
	default: // true, false, null
		return append(dst, Symbol(fmt.Sprintf("%T:%v", v, v)))
	}
}

// Sample collects rows whose width is not known beforehand.
type Sample struct {
	data    []float64
	ends    []int
	scratch []float64
	width   int
}

// Scratch is an empty slice to build a row in.
func (s *Sample) Scratch() []float64 { return s.scratch[:0] }

// Add copies a row.
func (s *Sample) Add(row []float64) {
	s.scratch = row
	s.data = append(s.data, row...)
	s.ends = append(s.ends, len(s.data))
	s.width = max(s.width, len(row))
}

// Rows returns what was collected; shorter rows are filled with Absent.
func (s *Sample) Rows() *Rows {
	out := NewRows(max(1, s.width), len(s.ends))
	start := 0
	for _, end := range s.ends {
		out.Append(s.data[start:end])
		start = end
	}
	return out
}

// SameWidth widens the narrower of two samples with Absent.
func SameWidth(a, b *Rows) (*Rows, *Rows) {
	if a.Width > b.Width {
		b, a = SameWidth(b, a)
		return a, b
	}
	if a.Width == b.Width {
		return a, b
	}
	wide := NewRows(b.Width, a.Len())
	for i := range a.Len() {
		wide.Append(a.Row(i))
	}
	return wide, b
}

// Distinct is the number of different rows.
func (s *Rows) Distinct() int {
	seen := make(map[uint64]bool)
	for i := range s.Len() {
		seen[rowKey(s.Row(i))] = true
	}
	return len(seen)
}

// Join puts the rows of b behind those of a, which may be nil.
func Join(a, b *Rows) *Rows {
	if a == nil {
		return b
	}
	a, b = SameWidth(a, b)
	return &Rows{Width: a.Width, data: append(a.data, b.data...)}
}
