package recording

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/empirical/numeral"
	"github.com/dpverify/dpverify/verify/internal/sizes"
	"github.com/dpverify/dpverify/verify/internal/values"
)

const (
	maxRecordedLine  = 16 << 20 // bytes of one recorded output
	maxRecordedBytes = 1 << 30  // of a file
	maxRecorded      = 16 << 20 // values of a file, those within arrays included
)

// ReadPair reads the outputs at two neighbouring inputs; see Read.
// Outputs of other kinds in the second than in the first are an error.
func ReadPair(nameA string, a io.Reader, nameB string, b io.Reader) (first, second Recording, err error) {
	reader := recordReader{}
	if first, err = reader.read(nameA, a); err == nil {
		second, err = reader.read(nameB, b)
	}
	return first, second, err
}

// Read reads recorded outputs: CSV, a row an output, where the name ends in
// .csv, and otherwise JSON, a value a line. A CSV row of one field is a scalar, one of
// several is an array; a first row that alone is not made of numbers names the columns.
// Empty lines are passed over.
//
// Whole numbers keep all their digits; see [numeral.Parse].
//
// Errors name file and line: what is no value, numbers that cannot be represented, outputs of
// another kind than the first (numbers, strings, booleans and arrays are kinds; null is of any), fewer than 200.
func Read(name string, r io.Reader) (Recording, error) {
	reader := recordReader{}
	return reader.read(name, r)
}

// recordReader reads files whose outputs must be alike.
type recordReader struct {
	like   any    // the first output
	likeAt string // its place
}

func (d *recordReader) read(name string, r io.Reader) (Recording, error) {
	out := Recording{Name: filepath.Base(name)}
	last, outputs := 0, 0
	take := func(line int, v any) error {
		last = line
		at := fmt.Sprintf("%s:%d", name, line)
		if outputs += size(v); outputs > maxRecorded {
			return fmt.Errorf("%s: there are more than %d values: give fewer outputs", at, maxRecorded)
		}
		v, err := values.ReadValue(v)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if d.likeAt == "" {
			d.like, d.likeAt = v, at
		}
		if !alike(d.like, v) {
			return fmt.Errorf("%s: %s, unlike %s in %s: all outputs must be of one kind", at, describeKind(v),
				describeKind(d.like), d.likeAt)
		}
		out.Outputs = append(out.Outputs, v)
		return nil
	}
	read := readJSONLines
	if strings.EqualFold(filepath.Ext(name), ".csv") {
		read = readCSV
	}
	limited := &io.LimitedReader{R: r, N: maxRecordedBytes}
	if err := read(name, limited, take); err != nil {
		return out, err
	}
	if limited.N == 0 {
		return out, fmt.Errorf("%s:%d: the file is larger than %d MiB: give fewer outputs", name, last, maxRecordedBytes>>20)
	}
	if len(out.Outputs) < sizes.LeastSamples {
		return out, fmt.Errorf("%s:%d: the file ends after %d outputs: want at least %d", name, last, len(out.Outputs),
			sizes.LeastSamples)
	}
	return out, nil
}

func readJSONLines(name string, r io.Reader, take func(int, any) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRecordedLine)
	n := 0
	for lines.Scan() {
		n++
		text := lines.Bytes()
		if len(strings.TrimSpace(string(text))) == 0 {
			continue
		}
		if !utf8.Valid(text) {
			return fmt.Errorf("%s:%d: %s is not in UTF-8", name, n, values.Excerpt(text))
		}
		v, err := values.DecodeValue(text)
		if err != nil {
			return fmt.Errorf("%s:%d: %s is no JSON value: %w", name, n, values.Excerpt(text), err)
		}
		if err := take(n, v); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	return nil
}

// size is the number of values in an output.
func size(v any) int {
	list, _ := v.([]any)
	n := 1
	for _, e := range list {
		n += size(e)
	}
	return n
}

func readCSV(name string, r io.Reader, take func(int, any) error) error {
	rows := csv.NewReader(r)
	rows.TrimLeadingSpace = true
	var header []string
	headerLine := 0
	for n := 0; ; n++ {
		fields, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, _ := rows.FieldPos(0)
		if n == 0 {
			fields[0] = strings.TrimPrefix(fields[0], "\uFEFF") // that some programs begin a file with
		}
		if i := slices.IndexFunc(fields, func(f string) bool { return !utf8.ValidString(f) }); i >= 0 {
			return fmt.Errorf("%s:%d: %s is not in UTF-8", name, line, values.Excerpt([]byte(fields[i])))
		}
		if n == 0 && !numeric(fields) {
			header, headerLine = fields, line
			continue
		}
		if n == 1 && header != nil && !numeric(fields) { // it was no header
			if err := take(headerLine, csvValue(header)); err != nil {
				return err
			}
		}
		if err := take(line, csvValue(fields)); err != nil {
			return err
		}
	}
}

// csvValue is the output in a row: of numbers, where the fields are.
func csvValue(fields []string) any {
	values := make([]any, len(fields))
	for i, f := range fields {
		values[i] = f
		trimmed := strings.TrimSpace(f)
		v, is, err := numeral.Parse(trimmed)
		switch x, _ := v.(float64); {
		case err != nil:
			values[i] = json.Number(trimmed) // which values.ReadValue refuses
		case !is:
		case math.IsNaN(x):
			values[i] = "nan"
		case math.IsInf(x, 1):
			values[i] = "inf"
		case math.IsInf(x, -1):
			values[i] = "-inf"
		default:
			values[i] = v
		}
	}
	if len(values) == 1 {
		return values[0]
	}
	return values
}

func numeric(fields []string) bool {
	for _, f := range fields {
		trimmed := strings.TrimSpace(f)
		if _, is, _ := numeral.Parse(trimmed); !is && !slices.Contains(values.Misspelt, trimmed) {
			return false
		}
	}
	return true
}

// alike tells whether two outputs are of one kind; arrays, as far as both reach.
func alike(a, b any) bool {
	x, ok := a.([]any)
	y, also := b.([]any)
	if !ok || !also {
		return a == nil || b == nil || values.Kind(a) == values.Kind(b)
	}
	for i := range min(len(x), len(y)) {
		if !alike(x[i], y[i]) {
			return false
		}
	}
	return true
}

func describeKind(v any) string {
	text, err := json.Marshal(v)
	if err != nil { // no value that was read
		return values.Kind(v)
	}
	return values.Kind(v) + " " + values.Excerpt(text)
}

// Recording is outputs of a mechanism at one input, drawn independently by whoever
// recorded them. Outputs are decoded JSON.
type Recording struct {
	Name    string // of its file
	Outputs []any
}
