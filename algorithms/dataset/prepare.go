package dataset

import (
	"fmt"
	"math"
)

// Scaling selects how rows are scaled into the ℓ2 ball of radius 1, which the Lipschitz constants of the papers
// assume.
type Scaling int

// ScaleNone does not scale. ScaleRows divides each row by its own norm (zero rows stay zero). ScaleMax divides all
// rows by the largest norm of the training set, which preserves their ratios; a test row may then be outside the
// ball.
const (
	ScaleNone Scaling = iota
	ScaleRows
	ScaleMax
)

// maxDenseValues is the largest number of values of a dense set that this package makes (1 GiB).
const maxDenseValues = 1 << 27

// Preparation is the sequence of transformations of the rows before training, in the order of its fields. Its
// constants come from the training set and are applied to both sets. Computing them is not private: if privacy is
// claimed for the whole pipeline, they must be public or be part of the privacy budget.
type Preparation struct {
	// Fill selects the values that replace missing ones.
	Fill Fill
	// Standardize shifts and scales each column to mean 0 and standard deviation 1 (divisor n). A constant column
	// becomes 0. Sparse rows become dense.
	Standardize bool
	// Constant, unless 0, is appended to every row as a column. Its weight is the classifier's intercept.
	Constant float64
	// Scale selects how the rows are scaled into the ball.
	Scale Scaling
}

// Prepared holds the constants that a [Preparation] computed from a training set.
type Prepared struct {
	plan       Preparation
	dim        int
	fill       []float64 // per column, if missing values are filled
	mean, unit []float64 // mean and standard deviation per column, if columns are standardized
	factor     float64   // factor of ScaleMax
}

// Fit computes the constants from a training set.
//
// Errors: an unknown scaling or filling, a constant that is not finite, missing values without filling, a column
// with only missing values, sparse rows too large to standardize, values so large that the moments overflow, and
// ScaleMax on a set of zeros.
func (p Preparation) Fit(train *Dataset) (*Prepared, error) {
	if p.Scale < ScaleNone || p.Scale > ScaleMax {
		return nil, fmt.Errorf("dataset: scaling %d is unknown", p.Scale)
	}
	if !isFinite(p.Constant) {
		return nil, fmt.Errorf("dataset: constant column of %v: need a finite number", p.Constant)
	}
	f := &Prepared{plan: p, dim: train.Dim(), factor: 1}
	var err error
	if f.fill, err = p.Fill.constants(train); err != nil {
		return nil, err
	}
	if train, err = train.filled(f.fill); err != nil {
		return nil, err
	}
	if p.Standardize {
		if err := f.moments(train); err != nil {
			return nil, err
		}
	}
	if p.Scale != ScaleMax {
		return f, nil
	}
	unscaled, err := f.Apply(train)
	if err != nil {
		return nil, err
	}
	largest := unscaled.MaxNorm()
	if !(largest > 0) || math.IsInf(1/largest, 0) {
		return nil, fmt.Errorf("dataset: the largest row norm is %v: rows of zeros cannot be scaled by it", largest)
	}
	f.factor = 1 / largest
	return f, nil
}

// moments computes mean and standard deviation of every column in one pass (Welford), including the zeros that
// sparse rows do not store.
func (f *Prepared) moments(train *Dataset) error {
	if err := checkDensity(train); err != nil {
		return err
	}
	f.mean, f.unit = make([]float64, f.dim), make([]float64, f.dim)
	buffer := make([]float64, f.dim)
	for i := range train.Len() {
		clear(buffer)
		train.Row(i).AddTo(buffer, 1)
		for k, v := range buffer {
			delta := v - f.mean[k]
			f.mean[k] += delta / float64(i+1)
			f.unit[k] += delta * (v - f.mean[k])
		}
	}
	for k := range f.unit {
		f.unit[k] = math.Sqrt(f.unit[k] / float64(train.Len()))
		if !isFinite(f.unit[k]) || !isFinite(f.mean[k]) {
			return fmt.Errorf("dataset: column %d is too large to be standardized", k+1)
		}
	}
	return nil
}

func checkDensity(s *Dataset) error {
	if s.Sparse() && s.Len() > maxDenseValues/s.Dim() {
		return fmt.Errorf("dataset: %d × %d sparse rows are too many to be standardized, which makes them dense: scale "+
			"the rows instead", s.Len(), s.Dim())
	}
	return nil
}

// Apply prepares a set with the training set's constants.
//
// Errors: a dimension other than the training set's, or values outside the range of float64.
func (f *Prepared) Apply(s *Dataset) (*Dataset, error) {
	if s.Dim() != f.dim {
		return nil, fmt.Errorf("dataset: rows of dimension %d, prepared for %d: widen the narrower set", s.Dim(), f.dim)
	}
	out, err := s.filled(f.fill)
	if err != nil {
		return nil, err
	}
	if f.plan.Standardize {
		if out, err = f.standardized(out); err != nil {
			return nil, err
		}
	}
	if f.plan.Constant != 0 {
		out = out.withConstant(f.plan.Constant)
	}
	switch f.plan.Scale {
	case ScaleRows:
		return out.scaled(func(r Row) float64 { return 1 / r.Norm() })
	case ScaleMax:
		return out.scaled(func(Row) float64 { return f.factor })
	}
	return out, nil
}

// Both prepares a training and a test set with the training set's constants.
//
// Errors: errors of [Preparation.Fit] and [Prepared.Apply].
func (p Preparation) Both(train, test *Dataset) (*Dataset, *Dataset, error) {
	fitted, err := p.Fit(train)
	if err != nil {
		return nil, nil, err
	}
	if train, err = fitted.Apply(train); err != nil {
		return nil, nil, err
	}
	test, err = fitted.Apply(test)
	return train, test, err
}

// Split returns the first n rows of an order and the remaining rows, prepared with the constants of the first n.
//
// Errors: errors of [Dataset.Subset] and [Preparation.Both].
func (p Preparation) Split(data *Dataset, order []int, n int) (train, test *Dataset, err error) {
	if train, err = data.Subset(order[:n]); err != nil {
		return nil, nil, err
	}
	if test, err = data.Subset(order[n:]); err != nil {
		return nil, nil, err
	}
	return p.Both(train, test)
}

func (f *Prepared) standardized(s *Dataset) (*Dataset, error) {
	if err := checkDensity(s); err != nil {
		return nil, err
	}
	values := make([]float64, s.Len()*s.Dim())
	for i := range s.Len() {
		row := values[i*s.Dim() : (i+1)*s.Dim()]
		s.Row(i).AddTo(row, 1)
		for k := range row {
			if row[k] -= f.mean[k]; f.unit[k] > 0 {
				row[k] /= f.unit[k]
			} else {
				row[k] = 0
			}
		}
	}
	return NewDense(s.Dim(), values, s.labels)
}

// withConstant appends a column to every row.
func (s *Dataset) withConstant(c float64) *Dataset {
	out := &Dataset{dim: s.dim + 1, labels: s.labels, values: make([]float64, 0, len(s.values)+s.Len())}
	if s.Sparse() {
		out.starts = append(make([]int, 0, s.Len()+1), 0)
		out.columns = make([]int32, 0, len(s.columns)+s.Len())
	}
	for i := range s.labels {
		row := s.Row(i)
		out.values = append(append(out.values, row.Values...), c)
		if s.Sparse() {
			out.columns = append(append(out.columns, row.Columns...), int32(s.dim))
			out.starts = append(out.starts, len(out.values))
		}
	}
	return out
}

// scaled multiplies each row by its factor. A row of zeros is unchanged.
func (s *Dataset) scaled(factor func(Row) float64) (*Dataset, error) {
	out := *s
	out.values = make([]float64, len(s.values))
	copy(out.values, s.values)
	for i := range out.labels {
		row := out.Row(i)
		if row.Norm() == 0 {
			continue
		}
		c := factor(row)
		for k := range row.Values {
			row.Values[k] *= c
			if !isFinite(row.Values[k]) {
				return nil, fmt.Errorf("dataset: row %d leaves the range of float64 when multiplied by %v", i, c)
			}
		}
	}
	return &out, nil
}
