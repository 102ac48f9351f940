package dataset

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// Format is a file format.
type Format int

// The formats; FormatAuto takes the one that the file name's ending tells.
const (
	FormatAuto Format = iota
	FormatLIBSVM
	FormatCSV
)

// Header says whether a CSV file begins with a line of column names.
type Header int

// HeaderNone reads every line as data, HeaderFirst skips the first line, and
// HeaderDetect skips it where one of its feature fields is neither a number
// nor a mark of a missing value.
const (
	HeaderNone Header = iota
	HeaderFirst
	HeaderDetect
)

// Limits that a reader applies where [Options] does not set its own.
const (
	DefaultMaxDim   = 1 << 24 // a weight vector of 128 MiB
	DefaultMaxBytes = 1 << 30 // of text, after decompression
)

// Options are the choices of a reader. The zero value reads LIBSVM files and
// CSV files without a header whose last column is the label.
type Options struct {
	Format Format // used by Load alone
	Labels Labels // which class is -1 and which is +1

	// CSV alone.
	Header      Header
	LabelColumn int  // from 1; 0 is the last column
	Comma       rune // the separator; 0 is ','

	// LIBSVM alone: the dimension of the rows; 0 is the largest index in the file.
	Dim int

	MaxDim   int   // refuse rows of a larger dimension; 0 is DefaultMaxDim
	MaxBytes int64 // refuse longer texts, after decompression; 0 is DefaultMaxBytes
}

// withDefaults checks the options and fills in the limits.
func (o Options) withDefaults() (Options, error) {
	if o.MaxDim == 0 {
		o.MaxDim = DefaultMaxDim
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Comma == 0 {
		o.Comma = ','
	}
	switch {
	case o.MaxDim < 1 || o.MaxDim > math.MaxInt32:
		return o, fmt.Errorf("dataset: option MaxDim %d: need 1 to %d", o.MaxDim, math.MaxInt32)
	case o.MaxBytes < 1:
		return o, fmt.Errorf("dataset: option MaxBytes %d: need at least 1", o.MaxBytes)
	case o.Dim < 0 || o.Dim > o.MaxDim:
		return o, fmt.Errorf("dataset: option Dim %d: need 0 (from the file) to %d", o.Dim, o.MaxDim)
	case o.LabelColumn < 0:
		return o, fmt.Errorf("dataset: option LabelColumn %d: need 0 (the last column) or a column from 1", o.LabelColumn)
	case o.Header < HeaderNone || o.Header > HeaderDetect:
		return o, fmt.Errorf("dataset: option Header %d is unknown", o.Header)
	}
	return o, o.Labels.check()
}

// Load reads a file, gzipped or not (told by its first bytes). With
// FormatAuto the ending of the name, without ".gz", chooses the format:
// .libsvm, .svm, .svmlight and .t are LIBSVM, .csv and .data are CSV.
//
// Errors: a file that cannot be opened, an unknown ending, wrong options, and
// a [*ParseError] for everything wrong inside the file.
func Load(path string, o Options) (*Dataset, error) {
	if o.Format == FormatAuto {
		format, err := formatOf(path)
		if err != nil {
			return nil, err
		}
		o.Format = format
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer file.Close()
	text, err := decompressed(file)
	if err != nil {
		return nil, &ParseError{File: path, Err: err}
	}
	switch o.Format {
	case FormatLIBSVM:
		return ReadLIBSVM(text, path, o)
	case FormatCSV:
		return ReadCSV(text, path, o)
	}
	return nil, fmt.Errorf("dataset: option Format %d is unknown", o.Format)
}

func formatOf(path string) (Format, error) {
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	for _, ending := range []string{".libsvm", ".svm", ".svmlight", ".t"} {
		if strings.HasSuffix(name, ending) {
			return FormatLIBSVM, nil
		}
	}
	for _, ending := range []string{".csv", ".data"} {
		if strings.HasSuffix(name, ending) {
			return FormatCSV, nil
		}
	}
	return FormatAuto, fmt.Errorf("dataset: %s: the ending does not tell the format (.libsvm, .svm, .svmlight, .t or .csv, .data, each also .gz): name the format", path)
}

// decompressed reads through gzip where the stream begins with its magic bytes.
func decompressed(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(magic) == "\x1f\x8b" {
		return gzip.NewReader(buffered)
	}
	return buffered, nil
}

// capped is a reader that fails, instead of ending, after left bytes.
type capped struct {
	r    io.Reader
	left int64
	max  int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		var probe [1]byte
		n, err := c.r.Read(probe[:])
		if n > 0 {
			return 0, fmt.Errorf("the text is longer than %d bytes: raise the limit (option MaxBytes) to read it into memory", c.max)
		}
		return 0, err
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	return n, err
}

// textReader caps the stream and drops a leading byte order mark.
func textReader(r io.Reader, o Options) *bufio.Reader {
	buffered := bufio.NewReaderSize(&capped{r: r, left: o.MaxBytes, max: o.MaxBytes}, 1<<16)
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		_, _ = buffered.Discard(3) // cannot fail: the three bytes are buffered
	}
	return buffered
}

// number reads a finite value; the error says what stands there instead.
func number(text string) (float64, error) {
	if missing(text) {
		return 0, fmt.Errorf("missing value %q: drop the row or fill it in before reading", text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	if !isFinite(v) {
		return 0, fmt.Errorf("%q is not a finite number", text)
	}
	return v, nil
}
