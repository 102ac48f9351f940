package distinguisher

import (
	"hash/fnv"
	"math"
	"slices"
)

// Rows is a sample of outputs, each encoded as the same number of float64 values, in one slice.
//
// A value is a number or a symbol. A symbol equals itself and has no order. Symbols are NaNs with a code. Details
// that one float64 cannot hold, the digits of a large integer or the form of a string, precede the values of a row:
// see detailKind.
type Rows struct {
	Width int // cells in a row, at least 1
	data  []float64
	plan  *arrangement // layout of rows whose details were moved behind the values; else nil
}

// NewRows returns an empty sample of the given width with capacity for n rows.
func NewRows(width, n int) *Rows { return &Rows{Width: width, data: make([]float64, 0, width*n)} }

// Len returns the number of rows.
func (s *Rows) Len() int { return len(s.data) / s.Width }

// Row returns row i; it must not be changed.
func (s *Rows) Row(i int) []float64 { return s.data[i*s.Width : (i+1)*s.Width : (i+1)*s.Width] }

// Slice returns the rows with indices from ≤ i < to.
func (s *Rows) Slice(from, to int) *Rows {
	return &Rows{Width: s.Width, data: s.data[from*s.Width : to*s.Width : to*s.Width], plan: s.plan}
}

// Numbers returns the encoded values of all rows, row by row. [RowsOf] is the inverse.
func (s *Rows) Numbers() []float64 { return slices.Clone(s.data) }

// RowsOf returns the rows of the given width with these values. The number of values must be a multiple of the width.
func RowsOf(width int, values []float64) *Rows { return &Rows{Width: width, data: slices.Clip(values)} }

// values returns the number of value cells in a row, which come first.
func (s *Rows) values() int {
	if s.plan == nil {
		return s.Width
	}
	return s.plan.values
}

// Append adds a copy of row, cut or padded with Absent to the width of s.
func (s *Rows) Append(row []float64) {
	for i := range s.Width {
		if i < len(row) {
			s.data = append(s.data, row[i])
		} else {
			s.data = append(s.data, Absent)
		}
	}
}

// Symbol returns the symbol of a name.
func Symbol(name string) float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return math.Float64frombits(symbolTag | h.Sum64()&(1<<48-1))
}

// Absent pads short rows.
var Absent = math.Float64frombits(symbolTag | 1)

// IsSymbol reports whether x is a symbol. An arithmetic NaN is a number here.
func IsSymbol(x float64) bool { return bitsAreSymbol(x) }

// Coarse rounds the result of arithmetic on numbers of at most the given size to a grid of 2⁻³⁰ of this size. The
// result of a subtraction then does not depend on the rounding of its operands.
func Coarse(x, size float64) float64 { return nearestOnGrid(x, size) }

// Sample collects rows of unknown width. The zero value is empty.
type Sample struct {
	data     []float64
	ends     []int
	scratch  []float64
	width    int
	ragged   bool // rows have different widths
	expected int  // expected number of rows; 0 if unknown
}

// NewSample returns an empty sample with capacity for the given number of rows.
func NewSample(rows int) *Sample { return &Sample{expected: rows, ends: make([]int, 0, rows)} }

// Scratch returns an empty slice in which the next row can be built.
func (s *Sample) Scratch() []float64 { return s.scratch[:0] }

// Add copies a row.
func (s *Sample) Add(row []float64) {
	if len(s.ends) == 0 {
		s.width = len(row)
		s.data = slices.Grow(s.data, s.expected*len(row))
	}
	s.scratch = row
	s.data = append(s.data, row...)
	s.ends = append(s.ends, len(s.data))
	s.ragged = s.ragged || len(row) != s.width
	s.width = max(s.width, len(row))
}

// Rows returns the collected rows, padded with Absent to a common width. The sample must not be used afterwards.
func (s *Sample) Rows() *Rows {
	if !s.ragged && s.width > 0 {
		return &Rows{Width: s.width, data: s.data}
	}
	out := NewRows(max(1, s.width), len(s.ends))
	start := 0
	for _, end := range s.ends {
		out.Append(s.data[start:end])
		start = end
	}
	return out
}

// SameWidth pads the narrower of two samples with Absent.
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

// Distinct returns the number of distinct rows.
func (s *Rows) Distinct() int {
	seen := make(map[uint64]bool)
	for i := range s.Len() {
		seen[rowKey(s.Row(i))] = true
	}
	return len(seen)
}

// Join concatenates rows and pads them to the largest width. It ignores nil.
func Join(all ...*Rows) *Rows {
	all = slices.DeleteFunc(slices.Clone(all), func(s *Rows) bool { return s == nil })
	if len(all) == 1 {
		return all[0]
	}
	out, cells := &Rows{Width: 1}, 0
	for _, s := range all {
		out.Width = max(out.Width, s.Width)
	}
	for _, s := range all {
		cells += s.Len() * out.Width
	}
	if len(all) > 0 && all[0].Width == out.Width {
		out.data, all = slices.Grow(all[0].data, cells-len(all[0].data)), all[1:]
	}
	for _, s := range all {
		if s.Width == out.Width {
			out.data = append(out.data, s.data...)
			continue
		}
		for i := range s.Len() {
			out.Append(s.Row(i))
		}
	}
	return out
}

// nearestOnGrid returns the nearest multiple of 2⁻³⁰ times the size, which is rounded to a power of two. Halves
// round away from 0. It returns x if x or the size is not finite, or the size is 0.
func nearestOnGrid(x, size float64) float64 {
	const fraction, bias, maxExponent = 52, 1023, 0x7ff
	if math.Float64bits(x)>>fraction&maxExponent == maxExponent ||
		math.Float64bits(size)>>fraction&maxExponent == maxExponent || size == 0 {
		return x
	}
	// The unit is 2^k, and k+29 is the exponent of the size. Below this range the unit is subnormal.
	if e := math.Float64bits(size) >> fraction & maxExponent; e > 29 {
		unit, inverse := math.Float64frombits((e-29)<<fraction), math.Float64frombits((2*bias+29-e)<<fraction)
		return round(x*inverse) * unit
	}
	_, exponent := math.Frexp(size)
	unit := math.Ldexp(1, exponent-30)
	return math.Round(x/unit) * unit
}

// round is math.Round with fewer steps.
func round(x float64) float64 {
	t := math.Trunc(x)
	if math.Abs(x-t) >= 0.5 {
		t += math.Copysign(1, x)
	}
	return t
}
