package training

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictjson"
)

// maxRows is the maximum number of canaries in a file. Each takes nine bytes of memory, and four more while the rows
// are ordered.
const maxRows = 200_000_000

const (
	maxBytes = 8 << 30 // of a file, which is read one row at a time
	maxRow   = 1 << 20 // of a row, or of the comments before the first row
)

// Column names of a file.
const (
	scoreColumn    = "score"
	includedColumn = "included"
	idColumn       = "id"
)

// ReadScores reads scores and inclusion coins. A name that ends in .csv means CSV, with a first row that names the
// columns score and included. Other files are JSON: an array of objects {"score": 0.3, "included": true}, or one such
// object a line. Included is 0 or 1, false or true. A column id names the canaries, each of which has one row. Other
// columns are ignored.
//
// CSV lines before the columns that begin with # are comments, except for a line that states the score:
//
//	# score: likelihood-ratio sampling-rate=0.1 noise-multiplier=2 steps=30 signs=halves
//
// Rows are read one at a time. Errors name the file and line: a score that is not a finite number, an invalid coin, a
// row of another length or a repeated canary. Files with only one score value or only one coin value are also
// rejected.
func ReadScores(name string, r io.Reader) (*Scores, error) {
	s := &Scores{Name: filepath.Base(name)}
	in := reader{name: name, to: s, ids: make(map[string]int)}
	in.text = bounded.NewReader(r, maxBytes, maxRow)
	text := bufio.NewReaderSize(in.text, 1<<16)
	if mark, _ := text.Peek(3); string(mark) == "\uFEFF" {
		_, _ = text.Discard(3) // the three bytes were peeked before
	}
	read := in.json
	if strings.EqualFold(filepath.Ext(name), ".csv") {
		read = in.csv
	}
	if err := in.comments(text); err != nil {
		return nil, err
	}
	if err := read(text); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// reader reads the rows of one file.
type reader struct {
	name string
	to   *Scores
	ids  map[string]int // line number of each named canary

	skipped int // number of comment lines
	text    *bounded.Reader
}

// comments reads the lines before the columns that begin with #.
func (in *reader) comments(text *bufio.Reader) error {
	const mark = "score:"
	for csv := strings.EqualFold(filepath.Ext(in.name), ".csv"); csv; {
		if first, err := text.Peek(1); err != nil || first[0] != '#' {
			break
		}
		line, err := text.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		in.skipped++
		stated, score := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(line, "#")), mark)
		if !score {
			continue
		}
		if in.to.Score != (Score{}) {
			return in.errorf(in.skipped, "a second line states the score: want one")
		}
		if in.to.Score, err = ParseScore(stated); err != nil {
			return in.errorf(in.skipped, "%w", err)
		}
	}
	return nil
}

func (in *reader) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", in.name, line, fmt.Errorf(format, args...))
}

// take adds a row.
func (in *reader) take(line int, score, included, id string) error {
	in.text.Done()
	x, number, err := decimal.Parse(score)
	value, _ := x.(float64)
	if whole, exact := x.(json.Number); exact {
		value, err = strconv.ParseFloat(whole.String(), 64)
	}
	switch {
	case err != nil:
		return in.errorf(line, "score %s: %w", excerpt(score), err)
	case !number || score == "":
		return in.errorf(line, "score %s is not a number: write decimal digits with a point", excerpt(score))
	case value-value != 0:
		return in.errorf(line, "score %s: want a finite number (replace an infinite score by the largest finite one)",
			score)
	}
	coin := included == "1" || included == "true"
	if !coin && included != "0" && included != "false" {
		return in.errorf(line, "included is %s: want 1 for a canary that was in the training, and 0 for one that was not",
			excerpt(included))
	}
	if id != "" {
		if first, twice := in.ids[id]; twice {
			return in.errorf(line, "canary %s already has a row in line %d: each canary has one row, with an independent "+
				"coin",
				excerpt(id), first)
		}
		in.ids[id] = line
	}
	if len(in.to.values) >= maxRows {
		return in.errorf(line, "there are more than %d canaries", maxRows)
	}
	in.to.values = append(in.to.values, value+0)
	in.to.included = append(in.to.included, coin)
	return nil
}

func excerpt(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

func (in *reader) csv(r io.Reader) error {
	rows := csv.NewReader(r)
	rows.TrimLeadingSpace, rows.ReuseRecord, rows.FieldsPerRecord = true, true, -1
	var places map[string]int
	width := 0
	for {
		fields, err := rows.Read()
		if syntax := (*csv.ParseError)(nil); errors.As(err, &syntax) {
			return in.errorf(in.skipped+syntax.Line, "%w", syntax.Err)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		line, _ := rows.FieldPos(0)
		line += in.skipped
		if places == nil {
			if places, err = in.header(line, fields); err != nil {
				return err
			}
			width = len(fields)
			continue
		}
		if len(fields) != width {
			return in.errorf(line, "%d fields, but the first row has %d (a fraction is written with a point)", len(fields),
				width)
		}
		field := func(column string) string {
			if at, there := places[column]; there {
				return strings.TrimSpace(fields[at])
			}
			return ""
		}
		if err := in.take(line, field(scoreColumn), strings.ToLower(field(includedColumn)), field(idColumn)); err != nil {
			return err
		}
	}
	if places == nil {
		return in.errorf(in.skipped+1, "the file is empty: want a row that names the columns, score,included, and a row "+
			"for each canary")
	}
	return nil
}

// header finds the columns by their names.
func (in *reader) header(line int, fields []string) (map[string]int, error) {
	places := make(map[string]int)
	var names []string
	for i, f := range fields {
		name := strings.ToLower(strings.TrimSpace(f))
		if _, twice := places[name]; twice && slices.Contains([]string{scoreColumn, includedColumn, idColumn}, name) {
			return nil, in.errorf(line, "two columns are called %s", name)
		}
		places[name] = i
		names = append(names, excerpt(strings.TrimSpace(f)))
	}
	for _, want := range []string{scoreColumn, includedColumn} {
		if _, there := places[want]; !there {
			return nil, in.errorf(line, "no column is called %s: the first row names the columns, score,included, and has %s",
				want, strings.Join(names[:min(len(names), 6)], ", "))
		}
	}
	return places, nil
}

// json reads an array of objects, or one object a line.
func (in *reader) json(r io.Reader) error {
	lines := &lineCounter{r: r}
	d := json.NewDecoder(lines)
	d.UseNumber()
	begin := func() int { return lines.at(d.InputOffset()) }
	text, _ := r.(*bufio.Reader)
	first, err := firstByte(text, lines)
	if err != nil {
		return in.errorf(1, "the file is empty: want an object for each canary, as in {\"score\": 0.3, \"included\": true}")
	}
	if first == '[' {
		if _, err := d.Token(); err != nil {
			return in.errorf(begin(), "%w", err)
		}
	}
	for d.More() {
		var text json.RawMessage
		err := d.Decode(&text)
		row, object := map[string]any(nil), false
		if err == nil {
			row, object, err = rowOf(text)
		}
		line := begin()
		switch {
		case err != nil:
			return in.errorf(line, "%w: want an object for each canary, as in {\"score\": 0.3, \"included\": true}", err)
		case !object:
			return in.errorf(line, "%s is not an object: want one for each canary, as in {\"score\": 0.3, \"included\": "+
				"true}",
				excerpt(string(text)))
		}
		for _, want := range []string{scoreColumn, includedColumn} {
			if _, there := row[want]; !there {
				return in.errorf(line, "the object has no %s: want {\"score\": 0.3, \"included\": true}", want)
			}
		}
		id := ""
		if v, there := row[idColumn]; there && v != nil {
			id = fmt.Sprint(v)
		}
		if err := in.take(line, fmt.Sprint(row[scoreColumn]), fmt.Sprint(row[includedColumn]), id); err != nil {
			return err
		}
	}
	_, err = d.Token()
	if first == '[' {
		if err != nil {
			return in.errorf(begin(), "the array does not end: %w", err)
		}
		_, err = d.Token()
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil && first == '[':
		return in.errorf(begin(), "text follows the end of the array")
	}
	return in.errorf(begin(), "want an object for each canary: %w", err)
}

// rowOf reads the object of one canary; object is false if the text is not a JSON object.
func rowOf(text []byte) (row map[string]any, object bool, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := errors.Join(d.Decode(&v), strictjson.KeysOnce(text)); err != nil {
		return nil, false, err
	}
	row, object = v.(map[string]any)
	return row, object, nil
}

// firstByte returns the first byte that is not white space, without consuming it.
func firstByte(text *bufio.Reader, lines *lineCounter) (byte, error) {
	for {
		b, err := text.ReadByte()
		if err != nil {
			return 0, err
		}
		if !bytes.ContainsRune([]byte(" \t\r\n"), rune(b)) {
			return b, text.UnreadByte()
		}
		if b == '\n' {
			lines.before++
		}
	}
}

// lineCounter counts the lines of the text read through it.
type lineCounter struct {
	r      io.Reader
	before int     // lines before the text
	read   int64   // bytes so far
	ends   []int64 // offsets of line ends, from the last query on
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			l.ends = append(l.ends, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// at returns the line at an offset. The offsets of successive calls must not decrease.
func (l *lineCounter) at(offset int64) int {
	i, _ := slices.BinarySearch(l.ends, offset)
	l.before += i
	l.ends = l.ends[i:]
	return l.before + 1
}
