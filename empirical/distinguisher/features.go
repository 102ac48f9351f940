package distinguisher

import (
	"fmt"
	"math"
	"slices"
)

// Feature is a number computed from an encoded output. No feature is specific to a mechanism.
type Feature struct {
	Name  string // for example "output[3] − output[2]"
	eval  func(row []float64) float64
	known func(t *table) []float64 // values in all rows, if they can be computed faster than by row
	complexity
}

// maxPositions is the number of positions that have features of their own. Only linear scores cover later
// positions.
const maxPositions = 160

// featuresOf returns the nonconstant features for the rows of both samples. A scalar has one position. A sequence
// has its length at position 0 and its values after it.
func featuresOf(t *table) []Feature {
	var all []Feature
	values := t.shape.values()
	for i := 0; i < min(values, maxPositions+1); i++ {
		all = append(all, cellFeature(i, t.shape.name(i)))
	}
	for i := 2; i < min(values, maxPositions+1); i++ {
		all = append(all, step(i))
	}
	fixed := func(f Feature) bool { return constant(f, t) }
	all = append(slices.DeleteFunc(all, fixed), zeroSigns(t)...)
	if values > 2 {
		all = append(all, ofSequences(t)...)
		all = append(all, slices.DeleteFunc(mixedFeatures(t), fixed)...)
	}
	return append(all, slices.DeleteFunc(detailFeatures(t.shape), fixed)...)
}

// name returns the name of the value at a position.
func (s *Rows) name(i int) string {
	switch {
	case s.values() == 1:
		return "output"
	case i == 0:
		return "length"
	}
	return fmt.Sprintf("output[%d]", i-1)
}

// detailFeatures returns the features of the details of the first values.
func detailFeatures(s *Rows) (out []Feature) {
	if s.plan == nil {
		return nil
	}
	for _, d := range s.plan.details {
		if d.position > maxPositions {
			break
		}
		name := s.name(d.position)
		switch d.kind {
		case textDetail:
			out = append(out, textFeatures(d, name)...)
			continue
		case listDetail:
			out = append(out, Feature{Name: "whether " + name + " is a list",
				eval: func(row []float64) float64 { return indicator(!IsSymbol(row[d.offset])) }})
			continue
		}
		for i := range d.cells {
			digits := fmt.Sprintf("number in the last %d digits of %s", groupDigits, name)
			if i > 0 {
				digits = fmt.Sprintf("number in the digits 10^%d to 10^%d of %s", i*groupDigits, (i+1)*groupDigits-1, name)
			}
			f := cellFeature(d.offset+i, digits)
			f.complexity = functionOfValue
			out = append(out, f)
		}
	}
	return out
}

func cellFeature(i int, name string) Feature {
	return Feature{Name: name, eval: func(row []float64) float64 { return row[i] },
		known: func(t *table) []float64 { return t.cell(i) }}
}

// step returns the difference of neighboring values. For symbols it is whether they are equal.
func step(i int) Feature {
	f := Feature{Name: fmt.Sprintf("output[%d] − output[%d]", i-1, i-2), complexity: severalValues,
		eval: func(row []float64) float64 { return rise(row[i-1], row[i]) }}
	if i%blockCells > 0 {
		f.known = func(t *table) []float64 { return t.rises(i) }
	}
	return f
}

// rise returns the difference from u to v, rounded by Coarse. For symbols, NaN and equal infinities it is whether
// they are the same.
func rise(u, v float64) float64 {
	if IsSymbol(u) || IsSymbol(v) {
		return indicator(math.Float64bits(u) == math.Float64bits(v))
	}
	if d := v - u; !math.IsNaN(d) {
		return Coarse(d, max(math.Abs(u), math.Abs(v)))
	}
	return indicator(same(u, v)) // infinities and NaN: equal or not
}

// rises returns, for all rows, the rise to the value at a position, which must be in the same block as its
// predecessor.
func (t *table) rises(i int) []float64 {
	to := t.cell(i)
	out := slices.Grow(t.scratch.values[:0], len(to))[:len(to)]
	for r, u := range t.cell(i - 1) {
		out[r] = rise(u, to[r])
	}
	t.scratch.values = out
	return out
}

// zeroSigns returns a feature for each of the first values that has a negative zero: −1 for −0, 1 for +0 and 0 for any
// other number. The order of numbers does not distinguish −0 from 0.
func zeroSigns(t *table) (out []Feature) {
	for i := range min(t.shape.values(), maxPositions+1) {
		if slices.ContainsFunc(t.cell(i), func(v float64) bool { return v == 0 && math.Signbit(v) }) {
			out = append(out, Feature{Name: zeroSignPrefix + t.shape.name(i), complexity: functionOfValue,
				eval: func(row []float64) float64 {
					if row[i] != 0 {
						return 0
					}
					return math.Copysign(1, row[i])
				}})
		}
	}
	return slices.DeleteFunc(out, func(f Feature) bool { return constant(f, t) })
}

func same(u, v float64) bool { return u == v || math.Float64bits(u) == math.Float64bits(v) }

func constant(f Feature, t *table) bool {
	for i := 1; i < len(t.a); i++ {
		if !same(f.eval(t.row(i)), f.eval(t.row(0))) {
			return false
		}
	}
	return true
}
