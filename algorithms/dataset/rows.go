package dataset

import (
	"errors"
	"fmt"
	"io"
)

// example is one row of a file. The next call of next overwrites its slices.
type example struct {
	line    int
	class   int // the coder's class, 0 or 1
	row     Row
	missing int // number of NaN values
}

// rowReader reads a file row by row. After the last row next returns io.EOF. It returns a [*ParseError] for an
// invalid row and for a file without rows.
type rowReader interface {
	next() (example, error)
	classes() *coder
}

// noRows returns the error for a file without rows; left is the number of omitted rows.
func noRows(name string, left int) error {
	if left == 0 {
		return &ParseError{File: name, Err: errors.New("no rows: the file is empty")}
	}
	return &ParseError{File: name, Err: fmt.Errorf("no rows: all %d were left out because of their class or a missing "+
		"value", left)}
}

// room returns an error if the number of rows or of values exceeds its limit.
func (o Options) room(rows, values int) error {
	switch {
	case rows > o.MaxRows:
		return fmt.Errorf("%w: more than %d rows: give fewer", ErrTooLarge, o.MaxRows)
	case values > o.MaxValues:
		return fmt.Errorf("%w: more than %d values: give fewer rows", ErrTooLarge, o.MaxValues)
	}
	return nil
}

// collect reads all rows into memory. dim returns the dimension after the last row.
func collect(rows rowReader, name string, o Options, dim func() (int, error)) (*Dataset, error) {
	s := &Dataset{}
	var classes []int8
	for {
		x, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := o.room(len(classes)+1, len(s.values)+len(x.row.Values)); err != nil {
			return nil, &ParseError{File: name, Line: x.line, Err: err}
		}
		classes = append(classes, int8(x.class))
		s.values = append(s.values, x.row.Values...)
		s.missing += x.missing
		if x.row.Columns != nil {
			s.starts = append(s.starts, len(s.values)-len(x.row.Values))
			s.columns = append(s.columns, x.row.Columns...)
		}
	}
	if s.starts != nil {
		s.starts = append(s.starts, len(s.values))
	}
	signs, err := rows.classes().signs()
	if err != nil {
		return nil, &ParseError{File: name, Err: err}
	}
	s.labels = make([]float64, len(classes))
	for i, class := range classes {
		s.labels[i] = signs[class]
	}
	if s.dim, err = dim(); err != nil {
		return nil, &ParseError{File: name, Err: err}
	}
	return s, nil
}
