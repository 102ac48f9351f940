package witness

import (
	"fmt"
	"math"
	"slices"
)

// Feature is one number computed from an encoded output. None is made for a
// named mechanism: they are what outputs of any kind can differ in.
type Feature struct {
	Name string // in words: "output[3] − output[2]"
	eval func(row []float64) float64
}

// maxPositions bounds the positions that get features of their own; beyond it
// the linear scores speak for them.
const maxPositions = 160

// featuresOf returns the features that fit the rows of both samples, without
// those that are constant. Widths: a scalar has one position; a sequence has its
// length at position 0 and its values after it.
func featuresOf(t *table) []Feature {
	var all []Feature
	values := t.rows.values()
	for i := 0; i < min(values, maxPositions+1); i++ {
		all = append(all, at(i, t.rows.name(i)))
	}
	for i := 2; i < min(values, maxPositions+1); i++ {
		all = append(all, step(i))
	}
	if values > 2 {
		for _, f := range sequenceFeatures {
			all = append(all, Feature{f.Name,
				func(row []float64) float64 { return Coarse(f.eval(row[:values]), size(row[:values])) }})
		}
		for _, f := range sequenceCounts {
			all = append(all, Feature{f.Name, func(row []float64) float64 { return f.eval(row[:values]) }})
		}
	}
	all = append(all, detailFeatures(t.rows)...)
	return slices.DeleteFunc(all, func(f Feature) bool { return constant(f, t) })
}

// name of the value at a position.
func (s *Rows) name(i int) string {
	switch {
	case s.values() == 1:
		return "output"
	case i == 0:
		return "length"
	}
	return fmt.Sprintf("output[%d]", i-1)
}

// detailFeatures are those of the details of the first values.
func detailFeatures(s *Rows) (out []Feature) {
	if s.plan == nil {
		return nil
	}
	for _, d := range s.plan.details {
		if d.position > maxPositions {
			break
		}
		name := s.name(d.position)
		if d.kind == textDetail {
			out = append(out, textFeatures(d, name)...)
			continue
		}
		for i := range d.cells {
			digits := fmt.Sprintf("number in the last %d digits of %s", groupDigits, name)
			if i > 0 {
				digits = fmt.Sprintf("number in the digits 10^%d to 10^%d of %s", i*groupDigits, (i+1)*groupDigits-1, name)
			}
			out = append(out, at(d.at+i, digits))
		}
	}
	return out
}

func at(i int, name string) Feature {
	return Feature{name, func(row []float64) float64 { return row[i] }}
}

// step is the difference of neighbours; for symbols, whether they are equal.
func step(i int) Feature {
	return Feature{fmt.Sprintf("output[%d] − output[%d]", i-1, i-2), func(row []float64) float64 {
		u, v := row[i-1], row[i]
		if IsSymbol(u) || IsSymbol(v) {
			return indicator(math.Float64bits(u) == math.Float64bits(v))
		}
		if d := v - u; !math.IsNaN(d) {
			return Coarse(d, math.Max(math.Abs(u), math.Abs(v)))
		}
		return indicator(same(u, v)) // infinities and NaN: equal or not
	}}
}

func same(u, v float64) bool { return u == v || math.Float64bits(u) == math.Float64bits(v) }

// sequenceFeatures are properties of a whole sequence; row[0] is its length.
var sequenceFeatures = []Feature{
	{"sum", func(row []float64) float64 { return fold(row, 0, func(s, v float64) float64 { return s + v }) }},
	{"largest value", func(row []float64) float64 { return fold(row, math.Inf(-1), math.Max) }},
	{"smallest value", func(row []float64) float64 { return fold(row, math.Inf(1), math.Min) }},
	{"range", func(row []float64) float64 {
		return fold(row, math.Inf(-1), math.Max) - fold(row, math.Inf(1), math.Min)
	}},
	{"gap between the two largest values", func(row []float64) float64 { return topGap(row, 1) }},
	{"gap between the two smallest values", func(row []float64) float64 { return topGap(row, -1) }},
}

// sequenceCounts are those that are whole numbers: counts and positions.
var sequenceCounts = []Feature{
	{"position of the largest value", func(row []float64) float64 { return extremePosition(row, 1) }},
	{"position of the smallest value", func(row []float64) float64 { return extremePosition(row, -1) }},
	{"number of values that are not finite", func(row []float64) float64 {
		return count(row, func(_ int, v float64) bool { return IsSymbol(v) || math.IsNaN(v) || math.IsInf(v, 0) })
	}},
	{"number of values equal to the first", func(row []float64) float64 {
		return count(row, func(_ int, v float64) bool { return same(v, row[1]) })
	}},
	{"number of values equal to their neighbour", func(row []float64) float64 {
		return count(row, func(i int, v float64) bool { return i > 1 && same(v, row[i-1]) })
	}},
	{"length of the run at the start", func(row []float64) float64 {
		n := 1
		for n < len(row)-1 && same(row[n+1], row[1]) {
			n++
		}
		return float64(n)
	}},
}

// size of a row is its largest finite magnitude, at least 1 for the counts.
func size(row []float64) float64 {
	return fold(row, 1, func(s, v float64) float64 { return math.Max(s, math.Abs(v)) })
}

// fold runs over the finite values.
func fold(row []float64, start float64, f func(acc, v float64) float64) float64 {
	for _, v := range row[1:] {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			start = f(start, v)
		}
	}
	return start
}

func count(row []float64, f func(i int, v float64) bool) float64 {
	n := 0
	for i := 1; i < len(row); i++ {
		if f(i, row[i]) {
			n++
		}
	}
	return float64(n)
}

// extremePosition is the position of the largest (sign 1) or smallest (sign −1)
// value, −1 where no value is finite.
func extremePosition(row []float64, sign float64) float64 {
	best, where := math.Inf(-1), -1
	for i, v := range row[1:] {
		if v *= sign; v > best && !math.IsInf(v, 1) {
			best, where = v, i
		}
	}
	return float64(where)
}

func topGap(row []float64, sign float64) float64 {
	first, second := math.Inf(-1), math.Inf(-1)
	for _, v := range row[1:] {
		switch v *= sign; {
		case v > first:
			first, second = v, first
		case v > second:
			second = v
		}
	}
	return first - second
}

func constant(f Feature, t *table) bool {
	for i := 1; i < len(t.a); i++ {
		if !same(f.eval(t.rows.Row(i)), f.eval(t.rows.Row(0))) {
			return false
		}
	}
	return true
}
