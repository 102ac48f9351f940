package event

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/decimal"
)

// ReadVotes reads the votes for PATE's queries from a CSV file, which has a row for each query and a column for each
// class. The first row may contain the names of the classes. Errors contain the path and the line.
func ReadVotes(path string) ([][]float64, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	rows, err := votesOfCSV(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return rows, nil
}

func votesOfCSV(data []byte) (rows [][]float64, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\uFEFF"))))
	for first := true; ; first = false {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
			return nil, fmt.Errorf("%d: %w: want a column for each class", wrong.Line, wrong.Err)
		}
		line, _ := r.FieldPos(0)
		if len(fields) < 2 {
			return nil, fmt.Errorf("%d: the row has 1 column: want a column for each of at least 2 classes", line)
		}
		row, err := votesOfRow(fields)
		if first && row == nil && !slices.ContainsFunc(fields, unlikelyName) {
			continue // the names of the classes
		}
		if err == nil && first && areIndices(row) {
			err = errors.New("the row 0, 1, 2, … may be names or votes: want names that are not numbers, or another first " +
				"query")
		}
		if err != nil {
			return nil, fmt.Errorf("%d: %w", line, err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, errors.New(" no votes: want a row for each query and a column for each class")
	}
	return rows, nil
}

// unlikelyName reports whether the text is empty or may be a number in another notation, such as "1,000". A first row
// with such a text is not skipped, because an account without the query would be too small.
func unlikelyName(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " \t'\"+-.,#"))
	return strings.TrimSpace(text) == "" || unicode.IsDigit(first)
}

// areIndices reports whether a row of at least three numbers is 0, 1, 2, … Then they are probably the names of classes.
func areIndices(row []float64) bool {
	for i, x := range row {
		if x != float64(i) {
			return false
		}
	}
	return len(row) >= 3
}

// votesOfRow returns the votes in a row, or nil and an error if no field is a number.
func votesOfRow(fields []string) (row []float64, err error) {
	votes, any := make([]float64, len(fields)), false
	for i, text := range fields {
		text = strings.TrimSpace(text)
		x, wrong := decimal.Float(text)
		any = any || wrong == nil
		if wrong != nil || !(x >= 0 && x <= 1<<53 && x == math.Trunc(x)) {
			err = fmt.Errorf("column %d is %q: want a whole number of votes, 0 to 2^53", i+1, text)
		}
		votes[i] = x
	}
	if any {
		row = votes
	}
	return row, err
}
