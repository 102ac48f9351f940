package distinguisher

import (
	"hash/fnv"
	"math"
	"slices"
)

// Rows is a sample of outputs, each encoded as the same number of float64
// values, in one flat slice.
//
// A value is a number, or a symbol: something that is equal to itself and has no
// order. Symbols are NaNs that carry a code, so that a row needs no other type. What
// one float64 cannot hold, the digits of a large number or the form of a string,
// stands before the values of the row: see detailKind.
type Rows struct {
	Width int // cells in a row, at least 1
	data  []float64
	plan  *arrangement // of rows whose details were moved behind the values; else nil
}

// NewRows returns no rows of the given width, with room for n.
func NewRows(width, n int) *Rows { return &Rows{Width: width, data: make([]float64, 0, width*n)} }

// Len is the number of rows.
func (s *Rows) Len() int { return len(s.data) / s.Width }

// Row is row i; it must not be changed.
func (s *Rows) Row(i int) []float64 { return s.data[i*s.Width : (i+1)*s.Width : (i+1)*s.Width] }

// Slice is the rows from one index up to another.
func (s *Rows) Slice(from, to int) *Rows {
	return &Rows{Width: s.Width, data: s.data[from*s.Width : to*s.Width : to*s.Width], plan: s.plan}
}

// values is how many cells of a row, its first ones, are values.
func (s *Rows) values() int {
	if s.plan == nil {
		return s.Width
	}
	return s.plan.values
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

// Symbol returns the code of a name.
func Symbol(name string) float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return math.Float64frombits(symbolTag | h.Sum64()&(1<<48-1))
}

// Absent fills a row that is shorter than others.
var Absent = math.Float64frombits(symbolTag | 1)

// IsSymbol tells a symbol from a number; arithmetic's NaN is a number here.
func IsSymbol(x float64) bool { return bitsAreSymbol(x) }

// Coarse rounds the result of arithmetic on numbers of at most the given size to a
// grid of 2⁻³⁰ of it: a difference keeps nothing of its operands' rounding.
func Coarse(x, size float64) float64 { return nearestOnGrid(x, size) }

// Sample collects rows whose width is not known beforehand. The zero value is an empty one.
type Sample struct {
	data     []float64
	ends     []int
	scratch  []float64
	width    int
	ragged   bool // not all rows have the same width
	expected int  // rows; 0 where it is not known
}

// NewSample returns an empty sample for so many rows.
func NewSample(rows int) *Sample { return &Sample{expected: rows, ends: make([]int, 0, rows)} }

// Scratch is an empty slice to build a row in.
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

// Rows returns what was collected; shorter rows are filled with Absent. The sample is not to be used
// afterwards.
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

// Join puts rows behind each other, as wide as the widest of them; nil is none.
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

// nearestOnGrid is the multiple of 2⁻³⁰ of the size, rounded to a power of two, that is next to x, away from 0 half way
// between two; x itself where either is not finite or the size is 0.
func nearestOnGrid(x, size float64) float64 {
	const fraction, bias, most = 52, 1023, 0x7ff
	if math.Float64bits(x)>>fraction&most == most || math.Float64bits(size)>>fraction&most == most || size == 0 {
		return x
	}
	// The unit is 2^k, k+29 being the exponent of the size; below this range it is no normal number.
	if e := math.Float64bits(size) >> fraction & most; e > 29 {
		unit, inverse := math.Float64frombits((e-29)<<fraction), math.Float64frombits((2*bias+29-e)<<fraction)
		return round(x*inverse) * unit
	}
	_, exponent := math.Frexp(size)
	unit := math.Ldexp(1, exponent-30)
	return math.Round(x/unit) * unit
}

// round is math.Round, in fewer steps.
func round(x float64) float64 {
	t := math.Trunc(x)
	if math.Abs(x-t) >= 0.5 {
		t += math.Copysign(1, x)
	}
	return t
}
