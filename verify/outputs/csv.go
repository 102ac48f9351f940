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

// csvHeader holds the column names of a CSV file.
type csvHeader struct {
	at    string   // file and line of the first row
	names []string // nil if the first row is an output
}

// csvReader reads the rows of one file.
type csvReader struct {
	name string
	rows *csv.Reader
	take func(line int, v any) error

	first      []string // the first row
	firstLine  int
	words      map[string]int // number of occurrences of each row that contains text, for at most maxWords rows
	rowsOfData int
}

// maxWords is the number of distinct rows of text up to which their occurrences are counted.
const maxWords = 1000

// readCSV passes each output of a CSV file to take, with its line number, and compares the column names with the other
// file's.
func (d *recordReader) readCSV(name string, r io.Reader, take func(int, any) error) error {
	rows := csv.NewReader(r)
	rows.TrimLeadingSpace = true
	rows.FieldsPerRecord = -1 // the reader's own check reports only one line
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
				return c.value(c.firstLine, c.first) // value rejects such a row
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
	if err := c.checkFirstRow(); err != nil {
		return err
	}
	return d.sameHeader(header)
}

// names reports whether the first row names the columns. Either the second row has only numbers and the first row does
// not, or the first row has no number and the second row has one.
func names(first, second []string) bool {
	return !numeric(first) && numeric(second) ||
		!slices.ContainsFunc(first, isNumber) && slices.ContainsFunc(second, isNumber)
}

// next returns the next row and its line number.
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
		return nil, 0, fmt.Errorf("%s:%d: %s begins like a comment, which CSV does not have: leave it out", c.name, line,
			QuotedExcerpt([]byte(fields[0])))
	case c.first != nil && len(fields) != len(c.first):
		return nil, 0, fmt.Errorf("%s:%d: %d fields, but line %d has %d (a fraction is written with a point)", c.name, line,
			len(fields), c.firstLine, len(c.first))
	}
	return fields, line, nil
}

// likeNumber matches a text that begins like a number, after signs of any kind.
var likeNumber = regexp.MustCompile(`^[^\p{L}\p{N}]*\p{N}`)

// value rejects a row with ambiguous fields, and adds any other row as an output.
func (c *csvReader) value(line int, fields []string) error {
	for i, f := range fields {
		place := fmt.Sprintf("%s:%d: field %d", c.name, line, i+1)
		switch {
		case f == "":
			return fmt.Errorf("%s is empty: remove an extra comma, or record the outputs as JSON, with null", place)
		case f == "-0" && len(fields) > 1:
			return fmt.Errorf("%s is -0, which may come from -0,5 with a decimal comma: write fractions with a point, and "+
				"zero as 0",
				place)
		case strings.TrimSpace(f) != f:
			return fmt.Errorf("%s, %q, begins or ends with white space, which may or may not be part of the value: remove "+
				"it, "+
				"or record the outputs as JSON", place, f)
		case !isNumber(f) && likeNumber.MatchString(f):
			return fmt.Errorf("%s, %s, begins like a number but is not one: write decimal digits with a point, "+
				"no unit, and commas between columns; record text of this form as JSON", place, QuotedExcerpt([]byte(f)))
		}
	}
	if c.rowsOfData++; !numeric(fields) && len(c.words) <= maxWords {
		c.words[strings.Join(fields, ",")]++
	}
	return c.take(line, csvValue(fields))
}

// checkFirstRow rejects a first row of text that occurs only once although all other rows of text are repeated. It may
// name the columns.
func (c *csvReader) checkFirstRow() error {
	if c.words[strings.Join(c.first, ",")] != 1 || len(c.words) > maxWords {
		return nil
	}
	for row, n := range c.words {
		if n == 1 && row != strings.Join(c.first, ",") {
			return nil
		}
	}
	return fmt.Errorf("%s:%d: %s occurs only in the first line, but all other outputs are repeated: remove it if it "+
		"names the column, or record the outputs as JSON", c.name, c.firstLine, QuotedExcerpt([]byte(strings.Join(c.first,
		","))))
}

// sameHeader returns an error if one of two files names its columns and the other does not, or if the names differ.
func (d *recordReader) sameHeader(h csvHeader) error {
	switch {
	case d.header == nil:
		d.header = &h
	case (h.names == nil) != (d.header.names == nil):
		if h.names == nil {
			h, *d.header = *d.header, h
		}
		return fmt.Errorf("%s: the first line, %s, names the columns, but the first line of %s does not: both files "+
			"must, or neither",
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

// isNumber reports whether a text is a finite number in JSON form, or NaN or infinity in any spelling.
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

// csvValue returns the output in a row, with fields that are numbers as numbers.
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
			out[i] = json.Number(f) // ReadValue rejects it
		case !is: // a misspelt NaN or infinity: ReadValue rejects it
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
