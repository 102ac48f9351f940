package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dpverify/dpverify/internal/bounded"
)

// ReadCSV reads dense rows from comma-separated text (RFC 4180, blanks around fields ignored). Every line has the
// same number of fields, and one of them is the label. Errors name the source by name.
//
// Errors: invalid options, or a [*ParseError].
func ReadCSV(r io.Reader, name string, o Options) (*Dataset, error) {
	p, err := newCSV(r, name, o, DefaultMaxBytes)
	if err != nil {
		return nil, err
	}
	return collect(p, name, p.options, func() (int, error) { return p.plan.dim, nil })
}

// csvReader reads a CSV file row by row.
type csvReader struct {
	name    string
	options Options
	source  *bounded.Reader
	records *csv.Reader
	coder   *coder

	plan      *csvPlan // nil before the first record
	fields    int      // number of fields in every record
	firstLine int      // the line of the first record
	values    []float64
	read      int // rows read, omitted rows included
	left      int // rows omitted by the options
}

func newCSV(r io.Reader, name string, o Options, maxBytes int64) (*csvReader, error) {
	o, err := o.withDefaults(maxBytes)
	if err != nil {
		return nil, err
	}
	labels, err := newCoder(o.Labels)
	if err != nil {
		return nil, err
	}
	text, limits := newSource(r, o)
	records := csv.NewReader(text)
	records.Comma = o.Comma
	records.FieldsPerRecord = -1 // the reader's own check names both lines
	records.ReuseRecord = true
	records.TrimLeadingSpace = true
	return &csvReader{name: name, options: o, source: limits, records: records, coder: labels}, nil
}

func (p *csvReader) classes() *coder { return p.coder }

func (p *csvReader) next() (example, error) {
	for {
		record, err := p.records.Read()
		if errors.Is(err, io.EOF) {
			if p.read == p.left {
				return example{}, noRows(p.name, p.left)
			}
			return example{}, io.EOF
		}
		if err != nil {
			return example{}, p.readError(err)
		}
		p.source.Done()
		line, _ := p.records.FieldPos(0)
		header, err := p.shape(record, line)
		if err != nil {
			return example{}, &ParseError{File: p.name, Line: line, Err: err}
		}
		if header {
			continue
		}
		x, keep, err := p.row(record, line)
		if err != nil {
			return example{}, err
		}
		p.read++
		if keep {
			return x, nil
		}
		p.left++
	}
}

// shape chooses the columns at the first record and checks the number of fields of later records. It reports
// whether the record is a header.
func (p *csvReader) shape(record []string, line int) (header bool, err error) {
	if p.plan != nil {
		if len(record) != p.fields {
			return false, fmt.Errorf("%d fields where line %d has %d", len(record), p.firstLine, p.fields)
		}
		return false, nil
	}
	if p.plan, err = newPlan(p.options, len(record)); err != nil {
		return false, err
	}
	p.fields, p.firstLine = len(record), line
	p.values = make([]float64, p.plan.dim)
	return p.isHeader(record), nil
}

func (p *csvReader) isHeader(record []string) bool {
	if p.options.Header != HeaderDetect {
		return p.options.Header == HeaderFirst
	}
	for _, f := range p.plan.features {
		text := strings.TrimSpace(record[f.field])
		if _, err := number(text); f.classes == nil && err != nil && !missing(text) {
			return true
		}
	}
	return false
}

// row reads one record into the buffer. keep is false if the options omit the row.
func (p *csvReader) row(record []string, line int) (x example, keep bool, err error) {
	class, err := p.coder.class(strings.TrimSpace(record[p.plan.label]))
	if err != nil {
		return x, false, p.fieldError(p.plan.label, err)
	}
	if class == left {
		return x, false, nil
	}
	x = example{line: line, class: class, row: Row{Values: p.values}}
	for _, f := range p.plan.features {
		err := f.read(strings.TrimSpace(record[f.field]), p.values)
		if err == nil {
			continue
		}
		if _, gap := errors.AsType[missingValue](err); !gap || p.options.Missing == MissingRefuse {
			return x, false, p.fieldError(f.field, p.explained(f.field, err))
		}
		if p.options.Missing == MissingDrop {
			return x, false, nil
		}
		for k := range f.width {
			p.values[f.column+k] = math.NaN()
		}
		x.missing += f.width
	}
	return x, true, nil
}

// explained adds the field's number to an error. For the first row it suggests that the line may be a header.
func (p *csvReader) explained(field int, err error) error {
	_, gap := errors.AsType[missingValue](err)
	if p.read == 0 && !gap && p.options.Header == HeaderNone {
		return fmt.Errorf("field %d: %w (if this line names the columns, set the header option)", field+1, err)
	}
	return fmt.Errorf("field %d: %w", field+1, err)
}

func (p *csvReader) fieldError(field int, err error) error {
	line, column := p.records.FieldPos(field)
	return &ParseError{File: p.name, Line: line, Column: column, Err: err}
}

// readError adds the file and, for a CSV syntax error, the line and column to an error.
func (p *csvReader) readError(err error) error {
	if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
		return &ParseError{File: p.name, Line: syntax.Line, Column: syntax.Column, Err: syntax.Err}
	}
	return &ParseError{File: p.name, Err: err}
}
