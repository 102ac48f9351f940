package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/internal/decimal"
)

// ReadLIBSVM reads sparse rows in LIBSVM's text format: one row per line, "label index:value index:value …", with
// strictly increasing indices from 1. It skips blank lines and text after '#'. A row may have no features. Errors
// name the source by name.
//
// Errors: invalid options, or a [*ParseError].
func ReadLIBSVM(r io.Reader, name string, o Options) (*Dataset, error) {
	p, err := newLIBSVM(r, name, o, DefaultMaxBytes)
	if err != nil {
		return nil, err
	}
	return collect(p, name, p.options, p.dim)
}

// libsvmReader reads a LIBSVM file row by row.
type libsvmReader struct {
	name    string
	options Options
	source  *bounded.Reader
	text    *bufio.Reader
	coder   *coder

	lines   int // number of lines read
	ended   bool
	class   int
	columns []int32
	values  []float64
	largest int // the largest index seen, from 1
	read    int // rows read, omitted rows included
	left    int // rows omitted by the options
}

func newLIBSVM(r io.Reader, name string, o Options, maxBytes int64) (*libsvmReader, error) {
	o, err := o.withDefaults(maxBytes)
	if err != nil {
		return nil, err
	}
	labels, err := newCoder(o.Labels)
	if err != nil {
		return nil, err
	}
	text, limits := newSource(r, o)
	// columns is not nil even if empty, because nil columns mean a dense row.
	return &libsvmReader{name: name, options: o, source: limits, text: text, coder: labels, columns: []int32{}}, nil
}

func (p *libsvmReader) classes() *coder { return p.coder }

func (p *libsvmReader) next() (example, error) {
	for !p.ended {
		p.lines++
		text, err := p.text.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return example{}, &ParseError{File: p.name, Line: p.lines, Err: err}
		}
		p.ended = err != nil
		p.source.Done()
		row, column, err := p.line(text)
		if err != nil {
			return example{}, &ParseError{File: p.name, Line: p.lines, Column: column, Err: err}
		}
		if !row {
			continue
		}
		p.read++
		if p.class != left {
			return example{line: p.lines, class: p.class, row: Row{Columns: p.columns, Values: p.values}}, nil
		}
		p.left++
	}
	if p.read == p.left {
		return example{}, noRows(p.name, p.left)
	}
	return example{}, io.EOF
}

// line reads one line and reports whether it contains a row. An error comes with its column.
func (p *libsvmReader) line(text string) (row bool, column int, err error) {
	if comment := strings.IndexByte(text, '#'); comment >= 0 {
		text = text[:comment]
	}
	label, start, next := token(text, 0)
	if label == "" {
		return false, 0, nil
	}
	if strings.ContainsRune(label, ':') {
		return false, start + 1, fmt.Errorf("%q is in the place of the label: a line begins with its label", label)
	}
	if p.class, err = p.coder.class(label); err != nil {
		return false, start + 1, err
	}
	p.columns, p.values = p.columns[:0], p.values[:0]
	for previous := 0; ; {
		var pair string
		pair, start, next = token(text, next)
		if pair == "" {
			return true, 0, nil
		}
		index, offset, err := p.pair(pair, previous)
		if err != nil {
			return false, start + offset + 1, err
		}
		previous = index
	}
}

// pair reads "index:value" and stores it. With an error it returns the offset of the error in text.
func (p *libsvmReader) pair(text string, previous int) (index, offset int, err error) {
	left, right, found := strings.Cut(text, ":")
	if !found {
		return 0, 0, fmt.Errorf("%q is not an index:value pair", text)
	}
	n, err := decimal.Int(left)
	if err != nil {
		return 0, 0, fmt.Errorf("feature index: %w", err)
	}
	if n > int64(p.options.MaxDim) {
		return 0, 0, fmt.Errorf("feature index %s is above the limit %d", left, p.options.MaxDim)
	}
	switch index = int(n); {
	case index < 1:
		return 0, 0, fmt.Errorf("feature index %d: indices begin at 1", index)
	case index <= previous:
		return 0, 0, fmt.Errorf("feature index %d after %d: indices must increase along a line", index, previous)
	case p.options.Dim > 0 && index > p.options.Dim:
		return 0, 0, fmt.Errorf("feature index %d is above the given dimension %d", index, p.options.Dim)
	}
	value, err := number(right)
	if err != nil {
		return 0, len(left) + 1, fmt.Errorf("feature %d: %w", index, err)
	}
	p.columns = append(p.columns, int32(index-1))
	p.values = append(p.values, value)
	p.largest = max(p.largest, index)
	return index, 0, nil
}

// dim returns the dimension of the rows after all rows have been read.
func (p *libsvmReader) dim() (int, error) {
	if p.options.Dim > 0 {
		return p.options.Dim, nil
	}
	if p.largest == 0 {
		return 0, errors.New("no row has a feature")
	}
	return p.largest, nil
}

// token returns the next run of non-blank bytes at or after from, its start, and the offset after it. The run is
// empty at the end of the line.
func token(text string, from int) (tok string, start, next int) {
	for from < len(text) && blank(text[from]) {
		from++
	}
	start = from
	for from < len(text) && !blank(text[from]) {
		from++
	}
	return text[start:from], start, from
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }
