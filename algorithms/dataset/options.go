package dataset

import (
	"fmt"
	"math"
)

// Format is a file format.
type Format int

// The formats. FormatAuto selects the format by the ending of the file name.
const (
	FormatAuto Format = iota
	FormatLIBSVM
	FormatCSV
)

// Header states whether a CSV file begins with a line of column names.
type Header int

// HeaderNone reads every line as data. HeaderFirst skips the first line. HeaderDetect skips it if one of its
// feature fields is neither a number nor a mark of a missing value.
const (
	HeaderNone Header = iota
	HeaderFirst
	HeaderDetect
)

// Missing selects the treatment of a CSV row with a missing value: an empty field, ?, NA, N/A, NaN, null or none.
// A missing label is always an error.
type Missing int

// MissingRefuse rejects the file. MissingDrop omits the row. MissingKeep keeps the row with NaN for the missing
// value. Such a set is incomplete ([Dataset.Missing]) until a [Preparation] fills it with constants of the
// training part.
const (
	MissingRefuse Missing = iota
	MissingDrop
	MissingKeep
)

// The limits that a reader applies if [Options] sets none.
const (
	DefaultMaxDim    = 1 << 24 // a weight vector of 128 MiB
	DefaultMaxBytes  = 1 << 30 // of text, after decompression
	DefaultMaxRecord = 1 << 26 // of text in one row

	DefaultMaxRows   = 10_000_000  // kept rows
	DefaultMaxValues = 100_000_000 // values of all rows: 1.2 GB if they are sparse
)

// Options are the options of a reader. The zero value reads LIBSVM files, and CSV files without a header whose
// last column is the label.
type Options struct {
	Format Format // used only by Load
	Labels Labels // the classes -1 and +1

	// CSV only. Columns of the file count from 1.
	Header      Header
	LabelColumn int     // 0 is the last column
	Comma       rune    // the separator; 0 is ','
	Missing     Missing // treatment of rows with missing values
	Columns     []int   // the columns to read as features, in this order; nil is all but the label
	Skip        []int   // columns that are not read; only if Columns is nil
	// OneHot gives the classes of a column of names. The column becomes one feature per class, in this order,
	// which is 1 for the row's class and 0 otherwise. A name that is not listed is an error.
	OneHot map[int][]string

	// LIBSVM only: the dimension of the rows; 0 means the largest index in the file.
	Dim int

	MaxDim    int   // largest dimension of a row; 0 is DefaultMaxDim
	MaxBytes  int64 // largest size of the decompressed text; 0 is DefaultMaxBytes
	MaxRecord int64 // largest size of a row, checked to within 64 KiB; 0 is DefaultMaxRecord
	MaxRows   int   // largest number of rows; 0 is DefaultMaxRows
	MaxValues int   // largest number of stored values; 0 is DefaultMaxValues
}

// withDefaults checks the options and fills in the limits.
func (o Options) withDefaults(maxBytes int64) (Options, error) {
	if o.MaxDim == 0 {
		o.MaxDim = DefaultMaxDim
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = maxBytes
	}
	if o.MaxRecord == 0 {
		o.MaxRecord = DefaultMaxRecord
	}
	if o.MaxRows == 0 {
		o.MaxRows = DefaultMaxRows
	}
	if o.MaxValues == 0 {
		o.MaxValues = DefaultMaxValues
	}
	if o.Comma == 0 {
		o.Comma = ','
	}
	switch {
	case o.MaxDim < 1 || o.MaxDim > math.MaxInt32:
		return o, fmt.Errorf("dataset: option MaxDim %d: need 1 to %d", o.MaxDim, math.MaxInt32)
	case o.MaxBytes < 1:
		return o, fmt.Errorf("dataset: option MaxBytes %d: need at least 1", o.MaxBytes)
	case o.MaxRecord < 1:
		return o, fmt.Errorf("dataset: option MaxRecord %d: need at least 1", o.MaxRecord)
	case o.MaxRows < 1:
		return o, fmt.Errorf("dataset: option MaxRows %d: need at least 1", o.MaxRows)
	case o.MaxValues < 1:
		return o, fmt.Errorf("dataset: option MaxValues %d: need at least 1", o.MaxValues)
	case o.Dim < 0 || o.Dim > o.MaxDim:
		return o, fmt.Errorf("dataset: option Dim %d: need 0 (from the file) to %d", o.Dim, o.MaxDim)
	case o.LabelColumn < 0:
		return o, fmt.Errorf("dataset: option LabelColumn %d: need 0 (the last column) or a column from 1", o.LabelColumn)
	case o.Header < HeaderNone || o.Header > HeaderDetect:
		return o, fmt.Errorf("dataset: option Header %d is unknown", o.Header)
	case o.Missing < MissingRefuse || o.Missing > MissingKeep:
		return o, fmt.Errorf("dataset: option Missing %d is unknown", o.Missing)
	case o.Columns != nil && o.Skip != nil:
		return o, fmt.Errorf("dataset: options Columns and Skip exclude each other: Columns lists all columns to read")
	}
	return o, o.Labels.check()
}
