package dataset

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Fill selects the value that replaces the missing values of a column. It is computed from the column's present
// values in the training set.
type Fill int

// FillNone rejects missing values. FillMean uses the arithmetic mean, FillMedian the median (the mean of the two
// middle values for an even number), and FillMode the most frequent value (the smallest in a tie).
const (
	FillNone Fill = iota
	FillMean
	FillMedian
	FillMode
)

// constants returns the fill value of every column, or nil if nothing is filled.
func (f Fill) constants(train *Dataset) ([]float64, error) {
	if f < FillNone || f > FillMode {
		return nil, fmt.Errorf("dataset: filling %d is unknown", f)
	}
	if f == FillNone || train.Sparse() {
		return nil, nil
	}
	out := make([]float64, train.Dim())
	present := make([]float64, 0, train.Len())
	for k := range out {
		present = present[:0]
		for i := range train.Len() {
			if v := train.values[i*train.dim+k]; !math.IsNaN(v) {
				present = append(present, v)
			}
		}
		if len(present) == 0 {
			return nil, fmt.Errorf("dataset: column %d has no value in the training set to fill missing values from: "+
				"leave the column out", k+1)
		}
		out[k] = f.value(present)
		if !isFinite(out[k]) {
			return nil, fmt.Errorf("dataset: column %d is too large to be filled", k+1)
		}
	}
	return out, nil
}

// value returns the fill value for a column with the given present values, at least one. It sorts them unless f is
// FillMean.
func (f Fill) value(present []float64) float64 {
	if f == FillMean {
		return floats.Sum(present) / float64(len(present))
	}
	slices.Sort(present)
	if f == FillMedian {
		middle := len(present) / 2
		if len(present)%2 == 1 {
			return present[middle]
		}
		return present[middle-1]/2 + present[middle]/2
	}
	best, count := present[0], 0
	for from := 0; from < len(present); {
		to := from
		for to < len(present) && present[to] == present[from] {
			to++
		}
		if to-from > count {
			best, count = present[from], to-from
		}
		from = to
	}
	return best
}

// filled returns the set with its missing values replaced by the constants.
func (s *Dataset) filled(constants []float64) (*Dataset, error) {
	if s.missing == 0 {
		return s, nil
	}
	if constants == nil {
		return nil, fmt.Errorf("dataset: %d values are missing: fill them (Preparation.Fill), or drop their rows when "+
			"reading", s.missing)
	}
	out := *s
	out.missing = 0
	out.values = slices.Clone(s.values)
	for k, v := range out.values {
		if math.IsNaN(v) {
			out.values[k] = constants[k%s.dim]
		}
	}
	return &out, nil
}
