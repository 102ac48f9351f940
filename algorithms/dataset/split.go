package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Split divides the rows at random into a training and a test set. The test set gets the share testShare of the
// rows, rounded to the nearest integer. Each part gets at least one row.
//
// Errors: testShare outside (0, 1) or NaN, or fewer than 2 rows.
func (s *Dataset) Split(r *rand.Rand, testShare float64) (train, test *Dataset, err error) {
	if !(testShare > 0 && testShare < 1) {
		return nil, nil, fmt.Errorf("dataset: test share %v: need a number in (0, 1)", testShare)
	}
	n := s.Len()
	if n < 2 {
		return nil, nil, fmt.Errorf("dataset: cannot split %d row: need at least 2", n)
	}
	size := min(max(int(math.Round(testShare*float64(n))), 1), n-1)
	order := r.Perm(n)
	if test, err = s.Subset(order[:size]); err != nil {
		return nil, nil, err
	}
	train, err = s.Subset(order[size:])
	return train, test, err
}

// Columns returns the set with the given columns (from 0), in that order, as dense rows. The "random projection"
// of Hardwarsing (2018, Sect. 4.1), a random choice of d features, is s.Columns(r.Perm(s.Dim())[:d]).
//
// Errors: no column, a column outside [0, Dim()), a repeated column, or more than 2²⁷ values (1 GiB).
func (s *Dataset) Columns(columns []int) (*Dataset, error) {
	if len(columns) == 0 || s.Len() > maxDenseValues/len(columns) {
		return nil, fmt.Errorf("dataset: %d columns of %d rows: need 1 to %d values", len(columns), s.Len(), maxDenseValues)
	}
	seen := make([]bool, s.dim)
	for _, k := range columns {
		if k < 0 || k >= s.dim || seen[k] {
			return nil, fmt.Errorf("dataset: column %d is outside [0, %d) or named twice", k, s.dim)
		}
		seen[k] = true
	}
	out := &Dataset{dim: len(columns), labels: s.labels, values: make([]float64, 0, s.Len()*len(columns))}
	row := make([]float64, s.dim)
	for i := range s.labels {
		clear(row)
		s.Row(i).AddTo(row, 1)
		for _, k := range columns {
			out.values = append(out.values, row[k])
		}
	}
	out.countMissing(s.missing > 0)
	return out, nil
}
