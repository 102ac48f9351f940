package dataset

import (
	"errors"
	"io"
	"iter"
	"math"
)

// Record is one row of a stream. The row's slices are valid until the next
// record is asked for.
type Record struct {
	Line  int     // of the file, from 1
	Label float64 // -1 or +1
	Row   Row     // NaN holds the place of a missing value that [MissingKeep] keeps
}

// Stream reads a file, as [Load] does, row by row in bounded memory, so that
// it may be larger than memory. The file is open while the sequence is ranged
// over, and a second range reads it again. The first error is the last
// element; its record is empty. Rows of a LIBSVM file are checked against
// Options.Dim where it is set, and against MaxDim otherwise.
//
// Errors: those of Load, and labels without names: which class is -1 must be
// known before the first row.
func Stream(path string, o Options) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		text, o, err := open(path, o, math.MaxInt64)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer text.Close()
		if o.Format == FormatLIBSVM {
			StreamLIBSVM(text, path, o)(yield)
		} else {
			StreamCSV(text, path, o)(yield)
		}
	}
}

// StreamCSV is [Stream] for CSV text; it can be ranged over once.
func StreamCSV(r io.Reader, name string, o Options) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		p, err := newCSV(r, name, o, math.MaxInt64)
		stream(p, err, o.Labels, yield)
	}
}

// StreamLIBSVM is [Stream] for LIBSVM text; it can be ranged over once.
func StreamLIBSVM(r io.Reader, name string, o Options) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		p, err := newLIBSVM(r, name, o, math.MaxInt64)
		stream(p, err, o.Labels, yield)
	}
}

func stream(rows rowReader, err error, labels Labels, yield func(Record, error) bool) {
	if err == nil && !labels.named() {
		err = errors.New("dataset: a stream needs the names of the negative and the positive class (option Labels)")
	}
	if err != nil {
		yield(Record{}, err)
		return
	}
	signs := [2]float64{-1, 1} // of named classes
	for {
		x, err := rows.next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(Record{}, err)
			return
		}
		if !yield(Record{Line: x.line, Label: signs[x.class], Row: x.row}, nil) {
			return
		}
	}
}
