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

// ReadLIBSVM reads sparse rows in LIBSVM's text form: one row a line,
// "label index:value index:value …", indices from 1 and strictly increasing;
// blank lines and text after '#' are skipped. A row may have no features.
// The name stands for the source in errors.
//
// Errors: wrong options, else a [*ParseError].
func ReadLIBSVM(r io.Reader, name string, o Options) (*Dataset, error) {
	p, err := newLIBSVM(r, name, o, DefaultMaxBytes)
	if err != nil {
		return nil, err
	}
	return collect(p, name, p.options, p.dim)
}

// libsvmReader reads one row after the other.
type libsvmReader struct {
	name    string
	options Options
	source  *bounded.Reader
	text    *bufio.Reader
	coder   *coder

	at      int // lines read
	ended   bool
	class   int
	columns []int32
	values  []float64
	largest int // the largest index seen, from 1
	read    int // rows read, those left out among them
	left    int // rows left out
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
	// Not nil even while empty: a row without columns is sparse all the same.
	return &libsvmReader{name: name, options: o, source: limits, text: text, coder: labels, columns: []int32{}}, nil
}

func (p *libsvmReader) classes() *coder { return p.coder }

func (p *libsvmReader) next() (example, error) {
	for !p.ended {
		p.at++
		text, err := p.text.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return example{}, &ParseError{File: p.name, Line: p.at, Err: err}
		}
		p.ended = err != nil
		p.source.Done()
		row, column, err := p.line(text)
		if err != nil {
			return example{}, &ParseError{File: p.name, Line: p.at, Column: column, Err: err}
		}
		if !row {
			continue
		}
		p.read++
		if p.class != left {
			return example{line: p.at, class: p.class, row: Row{Columns: p.columns, Values: p.values}}, nil
		}
		p.left++
	}
	if p.read == p.left {
		return example{}, noRows(p.name, p.left)
	}
	return example{}, io.EOF
}

// line reads one line, which may hold no row; with an error comes the column
// of what is wrong.
func (p *libsvmReader) line(text string) (row bool, column int, err error) {
	if comment := strings.IndexByte(text, '#'); comment >= 0 {
		text = text[:comment]
	}
	label, at, next := token(text, 0)
	if label == "" {
		return false, 0, nil
	}
	if strings.ContainsRune(label, ':') {
		return false, at + 1, fmt.Errorf("%q stands where the label belongs: a line begins with its label", label)
	}
	if p.class, err = p.coder.class(label); err != nil {
		return false, at + 1, err
	}
	p.columns, p.values = p.columns[:0], p.values[:0]
	for previous := 0; ; {
		var pair string
		pair, at, next = token(text, next)
		if pair == "" {
			return true, 0, nil
		}
		index, offset, err := p.pair(pair, previous)
		if err != nil {
			return false, at + offset + 1, err
		}
		previous = index
	}
}

// pair reads "index:value" and stores it; the offset is where an error lies.
func (p *libsvmReader) pair(text string, previous int) (index, offset int, err error) {
	left, right, found := strings.Cut(text, ":")
	if !found {
		return 0, 0, fmt.Errorf("%q is no index:value pair", text)
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

// dim returns the dimension of the rows, once all are read.
func (p *libsvmReader) dim() (int, error) {
	if p.options.Dim > 0 {
		return p.options.Dim, nil
	}
	if p.largest == 0 {
		return 0, errors.New("no row has a feature")
	}
	return p.largest, nil
}

// token returns the next run of non-blank bytes from offset from, where it begins,
// and where to go on; it is empty at the end of the line.
func token(text string, from int) (tok string, at, next int) {
	for from < len(text) && blank(text[from]) {
		from++
	}
	at = from
	for from < len(text) && !blank(text[from]) {
		from++
	}
	return text[at:from], at, from
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }
