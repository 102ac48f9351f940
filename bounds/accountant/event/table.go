package event

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictjson"
)

// table builds the event of a table, whose rows are in the description or in a file.
func (d Description) table() (Event, error) {
	switch {
	case d.File != "" && d.Outputs != nil:
		return Event{}, DomainError("table has outputs and file: give one of them")
	case d.File == "" && d.Outputs == nil:
		return Event{}, DomainError("table needs its outputs, as in outputs: [[0.75, 0.25], [0.25, 0.75]], or a file " +
			"with them")
	case d.Outputs != nil:
		return Table(d.Outputs), nil
	}
	rows, err := readTable(d.located(d.File))
	return Table(rows), err
}

// readTable reads the probabilities of outputs on neighboring inputs. The file is a CSV file with the columns p and q,
// or a JSON list of pairs [p, q]. Instead of q, a CSV file may contain the privacy loss log(p/q), which is inf if q is
// 0. If the resulting q add up to less than 1, the rest is the probability of outputs that are impossible under p.
// Errors contain the path and the line.
func readTable(path string) ([][2]float64, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	read := tableOfCSV
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		read = tableOfJSON
	}
	rows, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	if err := validTable(rows); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// readFile reads a regular file of at most mostBytes that an event refers to.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s: %v", path, wrong.Err)
	}
	if !info.Mode().IsRegular() || info.Size() > mostBytes {
		return nil, fmt.Errorf("%s: want a file of at most %d MiB", path, mostBytes>>20)
	}
	return bounded.ReadFile(path, mostBytes, "a matrix or a table")
}

// mostBytes is the maximum file size. A matrix with 4096 rows fits.
const mostBytes = 512 << 20

// located resolves a path relative to the description's file.
func (d Description) located(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.dir, path)
}

func tableOfJSON(data []byte) (rows [][2]float64, err error) {
	var lists [][]float64
	if err := json.Unmarshal(data, &lists); err != nil {
		return nil, fmt.Errorf(" want a JSON list of pairs of numbers, as in [[0.75, 0.25], [0.25, 0.75]]")
	}
	if err := strictjson.Check(data); err != nil {
		return nil, fmt.Errorf(" %w", err)
	}
	for i, list := range lists {
		if len(list) != 2 {
			return nil, fmt.Errorf(" row %d has %d numbers: want the probabilities on the two inputs", i+1, len(list))
		}
		rows = append(rows, [2]float64(list))
	}
	return rows, nil
}

func tableOfCSV(data []byte) (rows [][2]float64, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\uFEFF"))))
	r.TrimLeadingSpace = true
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf(" no rows: want a header p,q or p,loss and a row for each output")
	}
	column := func(name string) int {
		return slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
	}
	p, q, loss := column("p"), column("q"), column("loss")
	if p < 0 || (q < 0) == (loss < 0) {
		return nil, fmt.Errorf("1: the columns are %s: want p and q, or p and loss", strings.Join(header, ", "))
	}
	rest := 1.0
	for {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		line, _ := r.FieldPos(0)
		if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
			return nil, fmt.Errorf("%d: %v", wrong.Line, wrong.Err)
		}
		row, err := rowOf(fields[p], fields[max(q, loss)], loss >= 0)
		if err != nil {
			return nil, fmt.Errorf("%d: %v", line, err)
		}
		rest -= row[1]
		rows = append(rows, row)
	}
	if loss >= 0 && rest > 1e-12 {
		rows = append(rows, [2]float64{0, rest})
	}
	return rows, nil
}

// rowOf parses p, and then q or the privacy loss.
func rowOf(p, other string, loss bool) (row [2]float64, err error) {
	for i, text := range [2]string{p, other} {
		text = strings.TrimSpace(text)
		x, err := decimal.Float(text)
		if infinite := strings.EqualFold(text, "inf"); infinite && loss && i == 1 {
			x, err = math.Inf(1), nil
		}
		if err != nil {
			return row, err
		}
		if row[i] = x; (i == 0 || !loss) && !(x >= 0 && x <= 1) {
			return row, fmt.Errorf("%s is not a probability: want a number in [0, 1]", text)
		}
	}
	if loss {
		if row[1] = row[0] * math.Exp(-row[1]); !(row[1] <= 1) {
			return row, fmt.Errorf("p = %v at a loss of %s makes q = %.4g: want at most 1", row[0],
				strings.TrimSpace(other), row[1])
		}
	}
	return row, nil
}
