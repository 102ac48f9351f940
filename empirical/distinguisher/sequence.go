package distinguisher

import (
	"math"
	"slices"
)

// ofSequences returns the nonconstant features of whole sequences with their values in all rows of a table. It
// reads each row once for all features.
func ofSequences(t *table) []Feature {
	values := t.shape.values()
	var out []Feature
	for _, f := range sequenceFeatures {
		out = append(out, Feature{Name: f.Name, complexity: severalValues,
			eval: func(row []float64) float64 { return Coarse(f.eval(row[:values]), rowSize(row[:values])) }})
	}
	for _, f := range sequenceCounts {
		out = append(out, Feature{Name: f.Name, complexity: severalValues,
			eval: func(row []float64) float64 { return f.eval(row[:values]) }})
	}
	columns := make([][]float64, len(out))
	for k := range columns {
		columns[k] = make([]float64, len(t.a))
		out[k].known = func(*table) []float64 { return columns[k] }
	}
	for i := range t.a {
		row := t.row(i)[:values]
		magnitude := rowSize(row)
		for k, f := range sequenceFeatures {
			columns[k][i] = Coarse(f.eval(row), magnitude)
		}
		for k, f := range sequenceCounts {
			columns[len(sequenceFeatures)+k][i] = f.eval(row)
		}
	}
	return slices.DeleteFunc(out, func(f Feature) bool {
		values := f.known(t)
		return !slices.ContainsFunc(values, func(v float64) bool { return !same(v, values[0]) })
	})
}

// sequenceFeatures holds numeric properties of a whole sequence; row[0] is its length.
var sequenceFeatures = []Feature{
	{Name: "sum", eval: sumFinite},
	{Name: "Euclidean norm", eval: normFinite},
	{Name: "largest value", eval: largestFinite},
	{Name: "smallest value", eval: smallestFinite},
	{Name: "range", eval: func(row []float64) float64 { return largestFinite(row) - smallestFinite(row) }},
	{Name: "gap between the two largest values", eval: func(row []float64) float64 { return topGapOf(row, 1) }},
	{Name: "gap between the two smallest values", eval: func(row []float64) float64 { return topGapOf(row, -1) }},
}

// sequenceCounts holds integer properties of a whole sequence: counts and positions.
var sequenceCounts = []Feature{
	{Name: "position of the largest value",
		eval: func(row []float64) float64 { return extremePosition(row, 1) }},
	{Name: "position of the smallest value",
		eval: func(row []float64) float64 { return extremePosition(row, -1) }},
	{Name: "number of values that are not finite", eval: func(row []float64) float64 {
		return countValues(row, func(_ int, v float64) bool { return IsSymbol(v) || math.IsNaN(v) || math.IsInf(v, 0) })
	}},
	{Name: "number of values equal to the first", eval: func(row []float64) float64 {
		return countValues(row, func(_ int, v float64) bool { return same(v, row[1]) })
	}},
	{Name: "number of values equal to their neighbour", eval: func(row []float64) float64 {
		return countValues(row, func(i int, v float64) bool { return i > 1 && same(v, row[i-1]) })
	}},
	{Name: "length of the run at the start", eval: func(row []float64) float64 {
		n := 1
		for n < len(row)-1 && same(row[n+1], row[1]) {
			n++
		}
		return float64(n)
	}},
}
