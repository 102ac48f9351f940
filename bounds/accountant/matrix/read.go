package matrix

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dpverify/dpverify/internal/decimal"
)

const (
	// MaxRows is the maximum number of steps of a matrix given by its entries.
	MaxRows = 4096
	// leastEntry and mostEntry limit the absolute value of nonzero entries, so that squares neither overflow nor
	// underflow.
	leastEntry, mostEntry = 1e-140, 1e140
)

// New returns the strategy with matrix C, a square matrix of at most MaxRows rows with zeros above the diagonal. Row i
// − 1 is what step i releases, apart from noise. New does not keep the rows. An entry represents every real number that
// rounds to it.
//
// It returns an error that wraps ErrDomain, with row and column numbers from 1, if the matrix is not square or not
// lower-triangular, or if the absolute value of a nonzero entry is outside [1e-140, 1e140].
func New(rows [][]float64) (*Strategy, error) {
	return checked(rows, func(row int) string { return fmt.Sprintf("row %d", row+1) })
}

// Read reads C from comma-separated text without a header: one line for each row, with all n numbers, including the
// zeros above the diagonal. It ignores empty lines, spaces around numbers and lines that begin with #. C is the
// strategy matrix, or encoder, not its inverse, which correlates the noise.
//
// Errors are those of r, or wrap ErrDomain and contain the line number; see New.
func Read(r io.Reader) (*Strategy, error) {
	text := csv.NewReader(r)
	text.Comment = '#'
	text.FieldsPerRecord = -1
	text.TrimLeadingSpace = true
	text.ReuseRecord = true
	var rows [][]float64
	var lines []int
	for {
		record, err := text.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
			return nil, domainError("line %d: %w", parse.Line, parse.Err)
		}
		if err != nil {
			return nil, err
		}
		line, _ := text.FieldPos(0)
		row, err := numbers(record, line)
		if err != nil {
			return nil, err
		}
		switch {
		case len(rows) > 0 && len(row) != len(rows[0]):
			return nil, domainError("line %d has %d numbers, where line %d has %d: want as many in each, zeros included",
				line, len(row), lines[0], len(rows[0]))
		case len(rows) == 0 && len(row) > MaxRows, len(rows) == MaxRows:
			return nil, domainError("line %d: more than %d rows or columns", line, MaxRows)
		}
		rows, lines = append(rows, row), append(lines, line)
	}
	return checked(rows, func(row int) string { return fmt.Sprintf("line %d", lines[row]) })
}

func numbers(record []string, line int) ([]float64, error) {
	row := make([]float64, len(record))
	for i, field := range record {
		x, err := decimal.Float(strings.TrimSpace(field))
		if err != nil {
			return nil, domainError("line %d, column %d: %w", line, i+1, err)
		}
		row[i] = x
	}
	return row, nil
}

// checked returns the strategy with these rows. at names a row in error messages.
func checked(rows [][]float64, place func(row int) string) (*Strategy, error) {
	n := len(rows)
	if n == 0 {
		return nil, domainError("no rows: want a square matrix, a row for each step")
	}
	if n > MaxRows {
		return nil, domainError("%d rows: want at most %d", n, MaxRows)
	}
	for i, row := range rows {
		if len(row) != n {
			return nil, domainError("%s: %d numbers per row and %d rows: want a square matrix, a row for each step",
				place(i), len(row), n)
		}
		for j, x := range row {
			switch size := math.Abs(x); {
			case x == 0:
			case j > i:
				return nil, domainError("%s, column %d: %v is above the diagonal: want a lower-triangular matrix, "+
					"since a step releases nothing of later ones", place(i), j+1, x)
			case !(size >= leastEntry && size <= mostEntry):
				return nil, domainError("%s, column %d: %v is neither 0 nor of a size from %v to %v", place(i), j+1, x,
					leastEntry, mostEntry)
			}
		}
	}
	d := newDense(rows)
	if d.shifts && d.falls() {
		return &Strategy{name: "file", steps: n, form: newToeplitz(d.column[0], n, false)}, nil
	}
	return &Strategy{name: "file", steps: n, form: d}, nil
}
