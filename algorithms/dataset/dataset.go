package dataset

import (
	"fmt"
	"math"
)

// Dataset is n ≥ 1 rows of dimension d ≥ 1 with labels in {-1, +1}. All values are finite. The exception is a set
// read with [MissingKeep]: NaN marks a missing value until a [Preparation] fills it. A Dataset is immutable and
// safe for concurrent use.
type Dataset struct {
	dim    int
	labels []float64 // n labels, each -1 or +1
	values []float64 // sparse: the stored values; dense: n·dim values, row by row

	missing int // number of NaN values; dense rows only

	// Sparse rows only; starts is nil for a dense set.
	starts  []int   // n+1 offsets into columns and values
	columns []int32 // column indices from 0, strictly increasing in a row
}

// NewDense returns a dense set of len(labels) rows from values, stored row by row (len(values) = len(labels)·dim).
// It takes ownership of both slices.
//
// Errors: dim < 1, no rows, inconsistent lengths, a label other than -1 and +1, or a value that is NaN or
// infinite.
func NewDense(dim int, values, labels []float64) (*Dataset, error) {
	if err := checkShape(dim, labels); err != nil {
		return nil, err
	}
	if len(values)%dim != 0 || len(values)/dim != len(labels) {
		return nil, fmt.Errorf("dataset: %d values do not make %d rows of dimension %d", len(values), len(labels), dim)
	}
	for i, v := range values {
		if !isFinite(v) {
			return nil, fmt.Errorf("dataset: row %d, column %d is %v: values must be finite", i/dim, i%dim, v)
		}
	}
	return &Dataset{dim: dim, labels: labels, values: values}, nil
}

// NewSparse returns a set of len(labels) sparse rows. Row i has the values values[starts[i]:starts[i+1]] in the
// columns (from 0) columns[starts[i]:starts[i+1]]. It takes ownership of the slices.
//
// Errors: dim < 1 or above 2³¹-1, no rows, inconsistent offsets, columns outside [0, dim) or not strictly
// increasing in a row, a label other than -1 and +1, or a value that is NaN or infinite.
func NewSparse(dim int, starts []int, columns []int32, values, labels []float64) (*Dataset, error) {
	if err := checkShape(dim, labels); err != nil {
		return nil, err
	}
	if dim > math.MaxInt32 {
		return nil, fmt.Errorf("dataset: dimension %d is above %d", dim, math.MaxInt32)
	}
	if len(starts) != len(labels)+1 || starts[0] != 0 || starts[len(labels)] != len(values) ||
		len(columns) != len(values) {
		return nil, fmt.Errorf("dataset: %d offsets, %d columns and %d values do not make %d sparse rows", len(starts),
			len(columns), len(values), len(labels))
	}
	for i := range labels {
		if starts[i] > starts[i+1] || starts[i+1] > len(values) {
			return nil, fmt.Errorf("dataset: the offsets of row %d, %d to %d, are out of order", i, starts[i], starts[i+1])
		}
		previous := int32(-1)
		for k := starts[i]; k < starts[i+1]; k++ {
			if columns[k] <= previous || int(columns[k]) >= dim {
				return nil, fmt.Errorf("dataset: row %d has column %d after %d: columns must increase and stay below %d", i,
					columns[k], previous, dim)
			}
			if !isFinite(values[k]) {
				return nil, fmt.Errorf("dataset: row %d, column %d is %v: values must be finite", i, columns[k], values[k])
			}
			previous = columns[k]
		}
	}
	return &Dataset{dim: dim, labels: labels, values: values, starts: starts, columns: columns}, nil
}

func checkShape(dim int, labels []float64) error {
	if dim < 1 {
		return fmt.Errorf("dataset: dimension %d: need at least 1", dim)
	}
	if len(labels) == 0 {
		return fmt.Errorf("dataset: no rows: need at least 1")
	}
	for i, y := range labels {
		if y != -1 && y != 1 {
			return fmt.Errorf("dataset: row %d has label %v: labels must be -1 or +1", i, y)
		}
	}
	return nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Len returns the number of rows, n ≥ 1.
func (s *Dataset) Len() int { return len(s.labels) }

// Dim returns the dimension of a row, d ≥ 1.
func (s *Dataset) Dim() int { return s.dim }

// Sparse reports whether the rows are stored sparsely.
func (s *Dataset) Sparse() bool { return s.starts != nil }

// Missing returns the number of missing values (NaN). It is 0 except after [MissingKeep] and before filling.
func (s *Dataset) Missing() int { return s.missing }

// Label returns the label of row i, -1 or +1, for 0 ≤ i < Len().
func (s *Dataset) Label(i int) float64 { return s.labels[i] }

// Row returns row i, for 0 ≤ i < Len(). The row shares the set's memory and must not be changed.
func (s *Dataset) Row(i int) Row {
	if s.starts == nil {
		from, to := i*s.dim, (i+1)*s.dim
		return Row{Values: s.values[from:to:to]}
	}
	from, to := s.starts[i], s.starts[i+1]
	return Row{Columns: s.columns[from:to:to], Values: s.values[from:to:to]}
}

// Positives returns the number of rows labeled +1.
func (s *Dataset) Positives() int {
	n := 0
	for _, y := range s.labels {
		if y > 0 {
			n++
		}
	}
	return n
}

// MaxNorm returns the largest l2 norm of a row.
func (s *Dataset) MaxNorm() float64 {
	largest := 0.0
	for i := range s.labels {
		largest = math.Max(largest, s.Row(i).Norm())
	}
	return largest
}

// Subset returns the set of the given rows, in the given order. A row may be repeated.
//
// Errors: no rows, or a row outside [0, Len()).
func (s *Dataset) Subset(rows []int) (*Dataset, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("dataset: a subset of no rows: need at least 1")
	}
	out := &Dataset{dim: s.dim, labels: make([]float64, 0, len(rows))}
	if s.Sparse() {
		out.starts = append(make([]int, 0, len(rows)+1), 0)
	}
	for _, i := range rows {
		if i < 0 || i >= s.Len() {
			return nil, fmt.Errorf("dataset: row %d of a subset is outside [0, %d)", i, s.Len())
		}
		row := s.Row(i)
		out.labels = append(out.labels, s.labels[i])
		out.values = append(out.values, row.Values...)
		if s.Sparse() {
			out.columns = append(out.columns, row.Columns...)
			out.starts = append(out.starts, len(out.values))
		}
	}
	out.countMissing(s.missing > 0)
	return out, nil
}

// countMissing counts the NaN values if there may be some.
func (s *Dataset) countMissing(possible bool) {
	if !possible {
		return
	}
	for _, v := range s.values {
		if math.IsNaN(v) {
			s.missing++
		}
	}
}

// Widened returns the set with its sparse rows in a larger dimension; the new columns are zero. A LIBSVM file
// without a stated dimension has the dimension of its largest index, so the dimensions of a training set and its
// test set may differ. Widen the narrower set.
//
// Errors: dim < Dim(), or a dense set whose dimension would change.
func (s *Dataset) Widened(dim int) (*Dataset, error) {
	switch {
	case dim == s.dim:
		return s, nil
	case !s.Sparse():
		return nil, fmt.Errorf("dataset: dense rows of dimension %d cannot be read as %d columns", s.dim, dim)
	case dim < s.dim || dim > math.MaxInt32:
		return nil, fmt.Errorf("dataset: cannot widen rows of dimension %d to %d", s.dim, dim)
	}
	out := *s
	out.dim = dim
	return &out, nil
}
