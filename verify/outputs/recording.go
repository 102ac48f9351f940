package outputs

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/verify"
)

const (
	maxRecordedLine  = 16 << 20 // bytes of one recorded output
	maxRecordedBytes = 1 << 30  // of a file
	maxRecorded      = 16 << 20 // values in a file, including those in arrays
)

// ReadRecordings reads the outputs at two neighboring inputs; see [ReadRecording]. It returns an error if the files
// have outputs of different kinds or different column names.
func ReadRecordings(nameA string, a io.Reader, nameB string, b io.Reader) (first, second Recording, err error) {
	return ReadFewRecordings(nameA, a, nameB, b, nil)
}

// ReadFewRecordings does the same as [ReadRecordings]. It also accepts a recording with fewer than 200 outputs if few
// returns true for it.
func ReadFewRecordings(nameA string, a io.Reader, nameB string, b io.Reader,
	few func(Recording) bool) (first, second Recording, err error) {
	reader := recordReader{few: few}
	if first, err = reader.read(nameA, a); err == nil {
		second, err = reader.read(nameB, b)
	}
	return first, second, err
}

// ReadRecording reads recorded outputs. A name that ends in .csv means CSV with one output a row. Other files are
// JSON with one value a line. A CSV row with one field is a scalar, and one with several fields is an array. The
// first row names the columns if the second row has only numbers and the first does not, or if the first row has no
// number and the second has one. Empty lines are ignored. Integers keep all their digits; see [decimal.Parse].
//
// CSV has commas between fields and points in fractions. Ambiguous text is an error: fields that begin like a number
// but are not one (1_000, "1,5", 1.5 m, 0x10, 18-25), empty fields, rows of different lengths, comments, and a first
// row of text that occurs once although all other rows of text are repeated. Record such outputs as JSON.
//
// Errors name the file and the line of an invalid value, of a number that cannot be represented, or of an output of
// another kind than the first. Fewer than 200 outputs are also an error. The kinds are numbers, strings, booleans,
// arrays and objects; null matches any kind.
func ReadRecording(name string, r io.Reader) (Recording, error) {
	reader := recordReader{}
	return reader.read(name, r)
}

// recordReader reads files whose outputs must have the same kind.
type recordReader struct {
	like   any        // the first output
	likeAt string     // place of the first output
	header *csvHeader // header of the first CSV file, once it is read
	few    func(Recording) bool
	text   *bounded.Reader // the file being read
}

func (d *recordReader) read(name string, r io.Reader) (Recording, error) {
	out := Recording{Name: filepath.Base(name)}
	last, outputs := 0, 0
	take := func(line int, v any) error {
		last = line
		d.text.Done()
		at := func() string { return fmt.Sprintf("%s:%d", name, line) }
		if outputs += size(v); outputs > maxRecorded {
			return fmt.Errorf("%s: there are more than %d values: give fewer outputs", at(), maxRecorded)
		}
		v, err := ReadValue(v)
		if err != nil {
			return fmt.Errorf("%s: %w", at(), err)
		}
		if d.likeAt == "" {
			d.like, d.likeAt = v, at()
		}
		if !alike(d.like, v) {
			return fmt.Errorf("%s: %s, unlike %s in %s: all outputs must be of one kind", at(), describeKind(v),
				describeKind(d.like), d.likeAt)
		}
		out.Outputs = append(out.Outputs, v)
		return nil
	}
	read := readJSONLines
	if strings.EqualFold(filepath.Ext(name), ".csv") {
		read = d.readCSV
	}
	d.text = bounded.NewReader(r, maxRecordedBytes, maxRecordedLine)
	text, err := withoutMark(name, d.text)
	if err == nil {
		err = read(name, text, take)
	}
	if err != nil {
		return out, err
	}
	if enough := d.few != nil && len(out.Outputs) > 0 && d.few(out); len(out.Outputs) < verify.MinSamples && !enough {
		if last == 0 {
			return out, fmt.Errorf("%s: the file contains no outputs: want at least %d", name, verify.MinSamples)
		}
		return out, fmt.Errorf("%s:%d: the file ends after %d outputs: want at least %d", name, last, len(out.Outputs),
			verify.MinSamples)
	}
	return out, nil
}

// withoutMark removes the byte order mark of UTF-8, and rejects a text with the mark of UTF-16.
func withoutMark(name string, r io.Reader) (io.Reader, error) {
	text := bufio.NewReader(r)
	begin, err := text.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch mark := string(begin); {
	case mark == "\uFEFF":
		_, err := text.Discard(len(mark))
		return text, err
	case strings.HasPrefix(mark, "\xff\xfe"), strings.HasPrefix(mark, "\xfe\xff"):
		return nil, fmt.Errorf("%s:1: the file is in UTF-16: save it in UTF-8", name)
	}
	return text, nil
}

// maxKnown is the maximum number of distinct lines whose values are kept, so that equal outputs share memory.
const maxKnown = 4096

// readJSONLines passes each value of a file of JSON lines to take, with its line number.
func readJSONLines(name string, r io.Reader, take func(int, any) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRecordedLine)
	n, known := 0, make(map[string]any)
	for lines.Scan() {
		n++
		text := lines.Bytes()
		if v, again := known[string(text)]; again {
			if err := take(n, v); err != nil {
				return err
			}
			continue
		}
		if v, ok := ReadNumbers(text); ok {
			if _, array := v.([]any); !array && len(known) < maxKnown {
				known[string(text)] = v
			}
			if err := take(n, v); err != nil {
				return err
			}
			continue
		}
		if len(strings.TrimSpace(string(text))) == 0 {
			continue
		}
		if !utf8.Valid(text) {
			return fmt.Errorf("%s:%d: %s is not in UTF-8", name, n, QuotedExcerpt(text))
		}
		v, err := DecodeValue(text)
		if err != nil {
			return fmt.Errorf("%s:%d: %s is not a JSON value: %w", name, n, QuotedExcerpt(text), err)
		}
		if err := take(n, v); err != nil {
			return err
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("the line is longer than %d MiB: want one output per line", maxRecordedLine>>20)
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	return nil
}

// size returns the number of values in an output.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += size(e)
		}
	case map[string]any:
		for _, e := range v {
			n += size(e)
		}
	}
	return n
}

// alike reports whether two outputs have the same kind. Arrays also need elements of the same kind up to the shorter
// length, and objects need values of the same kind under common keys. null matches any kind.
func alike(a, b any) bool {
	if x, ok := a.(map[string]any); ok {
		y, _ := b.(map[string]any)
		for key, v := range x {
			if w, both := y[key]; both && !alike(v, w) {
				return false
			}
		}
	}
	x, ok := a.([]any)
	y, also := b.([]any)
	if !ok || !also {
		return a == nil || b == nil || ValueKind(a) == ValueKind(b)
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
	if err != nil { // not a value from a file
		return ValueKind(v)
	}
	return ValueKind(v) + " " + QuotedExcerpt(text)
}

// Recording holds outputs of a mechanism at one input, from independent releases that the user recorded.
type Recording struct {
	Name    string // name of the file
	Outputs []any  // decoded JSON values, in file order
}
