package dataset

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ReadLIBSVM reads sparse rows in LIBSVM's text form: one row a line,
// "label index:value index:value …", indices from 1 and strictly increasing;
// blank lines and text after '#' are skipped. A row may have no features.
// The name stands for the source in errors.
//
// Errors: wrong options, else a [*ParseError].
func ReadLIBSVM(r io.Reader, name string, o Options) (*Dataset, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	labels, err := newCoder(o.Labels)
	if err != nil {
		return nil, err
	}
	p := &libsvmParser{options: o, labels: labels, starts: []int{0}}
	text := textReader(r, o)
	for line := 1; ; line++ {
		row, readErr := text.ReadString('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return nil, &ParseError{File: name, Line: line, Err: readErr}
		}
		if column, err := p.line(row); err != nil {
			return nil, &ParseError{File: name, Line: line, Column: column, Err: err}
		}
		if readErr != nil {
			break
		}
	}
	return p.finish(name)
}

type libsvmParser struct {
	options Options
	labels  *coder
	starts  []int
	columns []int32
	values  []float64
	largest int // the largest index seen, from 1
}

// line reads one line; with an error comes the column of what is wrong.
func (p *libsvmParser) line(text string) (column int, err error) {
	if comment := strings.IndexByte(text, '#'); comment >= 0 {
		text = text[:comment]
	}
	label, at, next := token(text, 0)
	if label == "" {
		return 0, nil
	}
	if strings.ContainsRune(label, ':') {
		return at + 1, fmt.Errorf("%q stands where the label belongs: a line begins with its label", label)
	}
	if err := p.labels.add(label); err != nil {
		return at + 1, err
	}
	for previous := 0; ; {
		var pair string
		pair, at, next = token(text, next)
		if pair == "" {
			p.starts = append(p.starts, len(p.values))
			return 0, nil
		}
		index, offset, err := p.pair(pair, previous)
		if err != nil {
			return at + offset + 1, err
		}
		previous = index
	}
}

// pair reads "index:value" and stores it; the offset is where an error lies.
func (p *libsvmParser) pair(text string, previous int) (index, offset int, err error) {
	left, right, found := strings.Cut(text, ":")
	if !found {
		return 0, 0, fmt.Errorf("%q is no index:value pair", text)
	}
	index, err = strconv.Atoi(left)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, 0, fmt.Errorf("%q is no feature index (a whole number from 1)", left)
	case err != nil || index > p.options.MaxDim:
		return 0, 0, fmt.Errorf("feature index %s is above the limit %d (option MaxDim)", left, p.options.MaxDim)
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

func (p *libsvmParser) finish(name string) (*Dataset, error) {
	if len(p.labels.codes) == 0 {
		return nil, &ParseError{File: name, Err: errors.New("no rows: the file is empty")}
	}
	labels, err := p.labels.finish()
	if err != nil {
		return nil, &ParseError{File: name, Err: err}
	}
	dim := p.options.Dim
	if dim == 0 {
		dim = p.largest
	}
	if dim == 0 {
		return nil, &ParseError{File: name, Err: errors.New("no row has a feature")}
	}
	return NewSparse(dim, p.starts, p.columns, p.values, labels)
}

// token is the next run of non-blank bytes from offset from, where it begins,
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
