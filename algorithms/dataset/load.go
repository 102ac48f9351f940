package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/internal/decimal"
)

// Load reads a file, gzipped or not (determined by its first bytes). With FormatAuto the ending of the name,
// without ".gz", selects the format: .libsvm, .svm, .svmlight and .t are LIBSVM, .csv and .data are CSV.
//
// Errors: a file that cannot be opened, an unknown ending, invalid options, and a [*ParseError] for every error in
// the file. It wraps [ErrTooLarge] if the file is larger than Options.MaxBytes.
func Load(path string, o Options) (*Dataset, error) {
	text, o, err := open(path, o, DefaultMaxBytes)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	if o.Format == FormatLIBSVM {
		return ReadLIBSVM(text, path, o)
	}
	return ReadCSV(text, path, o)
}

// open opens the text of a file and determines its format and limits.
func open(path string, o Options, maxBytes int64) (io.ReadCloser, Options, error) {
	o, err := o.withDefaults(maxBytes)
	if err != nil {
		return nil, o, err
	}
	text, err := openPlain(path, o.MaxBytes)
	if err != nil {
		return nil, o, err
	}
	if o.Format == FormatAuto {
		o.Format, err = formatOf(path)
	} else if o.Format != FormatLIBSVM && o.Format != FormatCSV {
		err = fmt.Errorf("dataset: option Format %d is unknown", o.Format)
	}
	if err != nil {
		text.Close()
		return nil, o, err
	}
	return text, o, nil
}

// plainFile is a file that is decompressed while it is read, if it is gzipped.
type plainFile struct {
	io.Reader
	io.Closer
}

// openPlain opens a file for reading its decompressed bytes. It rejects a file whose own size is above the limit.
func openPlain(path string, maxBytes int64) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > maxBytes {
		file.Close()
		return nil, &ParseError{File: path, Err: bounded.TooLarge(maxBytes)}
	}
	plain, err := decompressed(file, strings.HasSuffix(strings.ToLower(path), ".gz"))
	if err != nil {
		file.Close()
		return nil, &ParseError{File: path, Err: err}
	}
	return plainFile{plain, file}, nil
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
	return FormatAuto, fmt.Errorf("dataset: %s: the ending does not tell the format (.libsvm, .svm, .svmlight, .t or "+
		".csv, .data, each also .gz): name the format", path)
}

// decompressed decompresses a stream that begins with gzip's magic bytes. zipped means that the file name ends in
// .gz.
func decompressed(r io.Reader, zipped bool) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, 1<<16)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(magic) != "\x1f\x8b" {
		if zipped {
			return nil, errors.New("the name ends in .gz, but the content is not gzip: rename the file, or fetch it again " +
				"if it is damaged")
		}
		return buffered, nil
	}
	plain, err := bounded.Gunzip(buffered)
	if err != nil {
		return nil, fmt.Errorf("it begins as gzip, but cannot be decompressed: %w", err)
	}
	return plain, nil
}

const sourceBuffer = 1 << 16

// newSource applies the limits to a stream, buffers it and drops a leading byte order mark.
func newSource(r io.Reader, o Options) (*bufio.Reader, *bounded.Reader) {
	s := bounded.NewReader(r, o.MaxBytes, o.MaxRecord)
	buffered := bufio.NewReaderSize(s, sourceBuffer)
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		_, _ = buffered.Discard(3) // cannot fail: the three bytes are buffered
	}
	return buffered, s
}

// number reads a finite value. The error describes the text. It is a missingValue if the text marks a missing
// value.
func number(text string) (float64, error) {
	v, err := decimal.Float(text)
	if err != nil && missing(text) {
		return 0, missingValue(text)
	}
	return v, err
}

// missingValue is the error for a text that marks a missing value.
type missingValue string

func (m missingValue) Error() string {
	return fmt.Sprintf("missing value %q: fill it in, or leave such rows out", string(m))
}
