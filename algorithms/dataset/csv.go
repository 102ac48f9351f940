package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ReadCSV reads dense rows from comma-separated text (RFC 4180, blanks around
// fields ignored): every line has the same number of fields, one of which is
// the label. The name stands for the source in errors.
//
// Errors: wrong options, else a [*ParseError].
func ReadCSV(r io.Reader, name string, o Options) (*Dataset, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	labels, err := newCoder(o.Labels)
	if err != nil {
		return nil, err
	}
	records := csv.NewReader(textReader(r, o))
	records.Comma = o.Comma
	records.FieldsPerRecord = -1 // the parser's own check names both lines
	records.ReuseRecord = true
	records.TrimLeadingSpace = true
	p := &csvParser{name: name, options: o, records: records, labels: labels}
	for {
		record, err := records.Read()
		if errors.Is(err, io.EOF) {
			return p.finish()
		}
		if err != nil {
			return nil, p.readError(err)
		}
		if err := p.record(record); err != nil {
			return nil, err
		}
	}
}

type csvParser struct {
	name      string
	options   Options
	records   *csv.Reader
	labels    *coder
	values    []float64
	fields    int // fields of every record; 0 before the first
	firstLine int // the line of the first record
}

// record reads one line of fields.
func (p *csvParser) record(record []string) error {
	for k := range record {
		record[k] = strings.TrimSpace(record[k])
	}
	line, _ := p.records.FieldPos(0)
	if p.fields == 0 {
		if err := p.first(record, line); err != nil {
			return err
		}
		if p.isHeader(record) {
			return nil
		}
	}
	if len(record) != p.fields {
		return &ParseError{File: p.name, Line: line, Err: fmt.Errorf("%d fields where line %d has %d", len(record), p.firstLine, p.fields)}
	}
	for k, text := range record {
		if err := p.field(k, text); err != nil {
			line, column := p.records.FieldPos(k)
			return &ParseError{File: p.name, Line: line, Column: column, Err: err}
		}
	}
	return nil
}

// first fixes the number of fields and the place of the label.
func (p *csvParser) first(record []string, line int) error {
	fail := func(format string, args ...any) error {
		return &ParseError{File: p.name, Line: line, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case len(record) < 2:
		return fail("one field: a row needs a label and at least one feature (is the separator %q?)", p.options.Comma)
	case len(record)-1 > p.options.MaxDim:
		return fail("%d features are above the limit %d (option MaxDim)", len(record)-1, p.options.MaxDim)
	case p.options.LabelColumn > len(record):
		return fail("the label column %d is beyond the %d fields", p.options.LabelColumn, len(record))
	}
	p.fields, p.firstLine = len(record), line
	return nil
}

// labelField is the place of the label, from 0.
func (p *csvParser) labelField() int {
	if p.options.LabelColumn == 0 {
		return p.fields - 1
	}
	return p.options.LabelColumn - 1
}

func (p *csvParser) isHeader(record []string) bool {
	if p.options.Header != HeaderDetect {
		return p.options.Header == HeaderFirst
	}
	for k, text := range record {
		if _, err := number(text); k != p.labelField() && err != nil && !missing(text) {
			return true
		}
	}
	return false
}

func (p *csvParser) field(k int, text string) error {
	if k == p.labelField() {
		return p.labels.add(text)
	}
	value, err := number(text)
	if err == nil {
		p.values = append(p.values, value)
		return nil
	}
	if len(p.labels.codes) == 0 && p.options.Header == HeaderNone {
		return fmt.Errorf("field %d: %w (if this line names the columns, set the header option)", k+1, err)
	}
	return fmt.Errorf("field %d: %w", k+1, err)
}

// readError places an error of the CSV syntax or of the stream.
func (p *csvParser) readError(err error) error {
	if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
		return &ParseError{File: p.name, Line: syntax.Line, Column: syntax.Column, Err: syntax.Err}
	}
	return &ParseError{File: p.name, Err: err}
}

func (p *csvParser) finish() (*Dataset, error) {
	if len(p.labels.codes) == 0 {
		return nil, &ParseError{File: p.name, Err: errors.New("no rows: the file is empty")}
	}
	labels, err := p.labels.finish()
	if err != nil {
		return nil, &ParseError{File: p.name, Err: err}
	}
	return NewDense(p.fields-1, p.values, labels)
}
