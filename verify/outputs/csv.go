package outputs

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/decimal"
)

// csvHeader is the first row of a CSV file, if that names the columns.
type csvHeader struct {
	at    string   // file and line
	names []string // nil: there are none
}

// csvReader reads the rows of one file.
type csvReader struct {
	name string
	rows *csv.Reader
	take func(line int, v any) error

	first      []string // the first row
	firstLine  int
	words      map[string]int // how often rows of words come, as long as they are few
	rowsOfData int
}

// mostWords are the different rows of words that are counted.
const mostWords = 1000

func (d *recordReader) readCSV(name string, r io.Reader, take func(int, any) error) error {
	rows := csv.NewReader(r)
	rows.TrimLeadingSpace = true
	rows.FieldsPerRecord = -1 // the reader's own check names one line
	c := &csvReader{name: name, rows: rows, take: take, words: make(map[string]int)}
	header := csvHeader{at: name + ":1"}
	for n := 0; ; n++ {
		fields, line, err := c.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch {
		case n == 0:
			c.first, c.firstLine = fields, line
			continue
		case n == 1 && names(c.first, fields):
			for i, f := range c.first {
				c.first[i] = strings.TrimSpace(f)
			}
			if i := slices.IndexFunc(c.first, otherwiseNumber); i >= 0 {
				return c.value(c.firstLine, c.first) // which rejects it
			}
			header = csvHeader{fmt.Sprintf("%s:%d", name, c.firstLine), c.first}
			if slices.Contains(c.first, "") {
				return fmt.Errorf("%s: a column without a name: does it number the rows? Leave it out", header.at)
			}
		case n == 1:
			if err := c.value(c.firstLine, c.first); err != nil {
				return err
			}
		}
		if err := c.value(line, fields); err != nil {
			return err
		}
	}
	if c.first != nil && c.rowsOfData == 0 && numeric(c.first) {
		if err := c.value(c.firstLine, c.first); err != nil {
			return err
		}
	}
	if err := c.wordOfItsOwn(); err != nil {
		return err
	}
	return d.sameHeader(header)
}

// names tells whether a first row names the columns of a second one: that is of numbers and the
// first is not, or has some, and the first none.
func names(first, second []string) bool {
	return !numeric(first) && numeric(second) ||
		!slices.ContainsFunc(first, isNumber) && slices.ContainsFunc(second, isNumber)
}

// next is a row, with its line.
func (c *csvReader) next() (fields []string, line int, err error) {
	fields, err = c.rows.Read()
	var syntax *csv.ParseError
	switch {
	case errors.As(err, &syntax):
		return nil, 0, fmt.Errorf("%s:%d:%d: %w", c.name, syntax.Line, syntax.Column, syntax.Err)
	case errors.Is(err, io.EOF):
		return nil, 0, err
	case err != nil:
		return nil, 0, fmt.Errorf("%s: %w", c.name, err)
	}
	line, _ = c.rows.FieldPos(0)
	for i, f := range fields {
		if !utf8.ValidString(f) {
			return nil, 0, fmt.Errorf("%s:%d: %s is not in UTF-8", c.name, line, QuotedExcerpt([]byte(f)))
		}
		if strings.ContainsAny(f, "\r\x00") {
			return nil, 0, fmt.Errorf("%s:%d: %s holds a carriage return or a zero byte: save the file as "+
				"text with a line feed "+
				"at the end of each line", c.name, line, QuotedExcerpt([]byte(f)))
		}
		if trimmed := strings.TrimSpace(f); trimmed == "" || isNumber(trimmed) {
			fields[i] = trimmed
		}
	}
	switch {
	case strings.HasPrefix(fields[0], "#"):
		return nil, 0, fmt.Errorf("%s:%d: %s begins as a comment, which CSV has none of: leave it out", c.name, line,
			QuotedExcerpt([]byte(fields[0])))
	case c.first != nil && len(fields) != len(c.first):
		return nil, 0, fmt.Errorf("%s:%d: %d fields where line %d has %d (a fraction is written with a point)", c.name, line,
			len(fields), c.firstLine, len(c.first))
	}
	return fields, line, nil
}

// likeNumber is what begins as a number, behind signs of whatever kind.
var likeNumber = regexp.MustCompile(`^[^\p{L}\p{N}]*\p{N}`)

// value takes a row as an output.
func (c *csvReader) value(line int, fields []string) error {
	for i, f := range fields {
		place := fmt.Sprintf("%s:%d: field %d", c.name, line, i+1)
		switch {
		case f == "":
			return fmt.Errorf("%s is empty: take away a comma too many, or record the outputs as JSON, with null", place)
		case f == "-0" && len(fields) > 1:
			return fmt.Errorf("%s is -0, which a decimal comma leaves of -0,5: write fractions with a point, and zero as 0",
				place)
		case strings.TrimSpace(f) != f:
			return fmt.Errorf("%s, %q, has white space at an end, which may be a value or a matter of form: take it away, or "+
				"record the outputs as JSON", place, f)
		case !isNumber(f) && likeNumber.MatchString(f):
			return fmt.Errorf("%s, %s, begins as a number and is none: write decimal digits with a point, no unit, and commas "+
				"between columns; a word of that form is recorded as JSON", place, QuotedExcerpt([]byte(f)))
		}
	}
	if c.rowsOfData++; !numeric(fields) && len(c.words) <= mostWords {
		c.words[strings.Join(fields, ",")]++
	}
	return c.take(line, csvValue(fields))
}

// wordOfItsOwn refuses a first row of words that never comes again, where all others do: it may
// name the columns.
func (c *csvReader) wordOfItsOwn() error {
	if c.words[strings.Join(c.first, ",")] != 1 || len(c.words) > mostWords {
		return nil
	}
	for row, n := range c.words {
		if n == 1 && row != strings.Join(c.first, ",") {
			return nil
		}
	}
	return fmt.Errorf("%s:%d: %s stands in the first line alone, where all other outputs come again: take "+
		"it away if it names "+
		"the column, or record the outputs as JSON", c.name, c.firstLine, QuotedExcerpt([]byte(strings.Join(c.first,
		","))))
}

// sameHeader compares the names of the columns with those of the other file.
func (d *recordReader) sameHeader(h csvHeader) error {
	switch {
	case d.header == nil:
		d.header = &h
	case (h.names == nil) != (d.header.names == nil):
		if h.names == nil {
			h, *d.header = *d.header, h
		}
		return fmt.Errorf("%s: the first line, %s, names the columns, and that of %s does not: both files must, or neither",
			h.at,
			QuotedExcerpt([]byte(strings.Join(h.names, ","))), strings.TrimSuffix(d.header.at, ":1"))
	case !slices.Equal(h.names, d.header.names):
		return fmt.Errorf("%s: the columns are %s, unlike %s in %s: both files must have the same, in the same order", h.at,
			QuotedExcerpt([]byte(strings.Join(h.names, ","))), QuotedExcerpt([]byte(strings.Join(d.header.names,
				","))),
			d.header.at)
	}
	return nil
}

// isNumber tells a number, finite or not.
func isNumber(text string) bool {
	if decimal.Is(text) || slices.Contains(MisspeltNumbers, text) {
		return true
	}
	x, is, err := decimal.Parse(text)
	f, _ := x.(float64)
	return is && err == nil && (math.IsNaN(f) || math.IsInf(f, 0))
}

// otherwiseNumber reports whether a text is a number in another form than JSON's, or one that cannot be represented.
func otherwiseNumber(text string) bool {
	_, is, err := decimal.Parse(text)
	return is && err != nil
}

func numeric(fields []string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool { return !isNumber(f) })
}

// csvValue is the output in a row: of numbers, where the fields are.
func csvValue(fields []string) any {
	out := make([]any, len(fields))
	for i, f := range fields {
		out[i] = f
		if !isNumber(f) {
			continue
		}
		v, is, err := decimal.Parse(f)
		switch x, _ := v.(float64); {
		case err != nil:
			out[i] = json.Number(f) // which ReadValue refuses
		case !is: // one that is misspelt, which ReadValue refuses as well
		case math.IsNaN(x):
			out[i] = "nan"
		case math.IsInf(x, 1):
			out[i] = "inf"
		case math.IsInf(x, -1):
			out[i] = "-inf"
		default:
			out[i] = v
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return out
}
