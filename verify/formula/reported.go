package formula

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	paper "github.com/dpverify/dpverify/bounds/printed"
)

// Reported numbers are rounded decimals. All decisions use rational arithmetic on their rounding intervals, so that no
// verdict depends on the last bit of a float64.

// Rounding defines the interval of values that a reported number x can represent; u is one unit of its last digit.
type Rounding int

const (
	Nearest     Rounding = iota // [x − u/2, x + u/2], ties either way
	AnyRounding                 // [x − u, x + u]: rounded, truncated, floor or ceiling
	AsReported                  // exactly x: counts and definitions
)

// Cell is one number of a paper with its location. Text is copied as printed with trailing zeros, for example "0.9470",
// "98.3%", "16,100", "1.2e-3", or with a standard deviation "0.1980±0.0019".
type Cell struct {
	Place, Text string
	Rounding    Rounding

	err error // the table has no such cell; the check that uses the cell returns this error
}

// Table is a table as printed, with the rounding of its numbers.
type Table struct {
	paper.Table
	Rounding Rounding
}

// Cell returns the entry at a row and a column. If the table is malformed or has no such entry, the check that uses the
// cell returns the error.
func (t Table) Cell(row, column string) Cell {
	text, err := t.Entry(row, column)
	if err != nil {
		return Cell{err: err}
	}
	return t.cell(row, column, text)
}

// Column returns the entries of a column from top to bottom, without absent ones.
func (t Table) Column(column string) []Cell {
	if err := t.Validate(); err != nil {
		return []Cell{{err: err}}
	}
	j := slices.Index(t.Columns, column)
	if j < 0 {
		return []Cell{{err: fmt.Errorf("%s has no column %q", t.Name, column)}}
	}
	var cells []Cell
	for _, row := range t.Rows {
		if !paper.Absent(row.Cells[j]) {
			cells = append(cells, t.cell(row.Name, column, row.Cells[j]))
		}
	}
	return cells
}

func (t Table) cell(row, column, text string) Cell {
	return Cell{Place: fmt.Sprintf("%s, %s, %s", t.Name, row, column), Text: text, Rounding: t.Rounding}
}

// decimal is a reported number with its rounding interval.
type decimal struct{ value, low, high *big.Rat }

func (d decimal) floats() (value, low, high float64) {
	return float(d.value), float(d.low), float(d.high)
}

// parse reads the number before the ± sign and the deviation after it, if any.
func (c Cell) parse() (mean decimal, deviation *decimal, err error) {
	if c.err != nil {
		return decimal{}, nil, c.err
	}
	before, after, found := cutDeviation(c.Text)
	if found && strings.HasSuffix(before, "%") && !strings.HasSuffix(after, "%") {
		return decimal{}, nil, fmt.Errorf("%s: %q: is the deviation a percentage too? Write the sign behind "+
			"it or behind neither", c.Place, c.Text)
	}
	if found && strings.HasSuffix(after, "%") && !strings.HasSuffix(before, "%") {
		before += "%" // "98.3±0.2%" is a percentage on both sides
	}
	if mean, err = c.Rounding.read(before); err != nil {
		return decimal{}, nil, fmt.Errorf("%s: %w", c.Place, err)
	}
	if !found {
		return mean, nil, nil
	}
	d, err := c.Rounding.read(after)
	if err == nil && d.value.Sign() < 0 {
		err = fmt.Errorf("a negative deviation %q", after)
	}
	if err != nil {
		return decimal{}, nil, fmt.Errorf("%s: %w", c.Place, err)
	}
	if d.low.Sign() < 0 {
		d.low = new(big.Rat)
	}
	return mean, &d, nil
}

// number returns the number and ignores a deviation.
func (c Cell) number() (decimal, error) {
	d, _, err := c.parse()
	return d, err
}

func numbersOf(cells []Cell) ([]decimal, error) {
	numbers := make([]decimal, len(cells))
	for i, c := range cells {
		var err error
		if numbers[i], err = c.number(); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

func cutDeviation(text string) (before, after string, found bool) {
	for _, sign := range []string{"±", "+/-", `\pm`} {
		if before, after, found = strings.Cut(text, sign); found {
			return strings.TrimSpace(before), strings.TrimSpace(after), true
		}
	}
	return strings.TrimSpace(text), "", false
}

// digits with or without commas, a fraction, a power of ten, a percent sign
var printedNumber = regexp.MustCompile(`^([+\-−]?)(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?` +
	`(?:[eE]([+\-−]?\d{1,3}))?\s*(%?)$`)

var errNoNumber = errors.New(`want one like "0.155", "-3", "16,100", "1.2e-3" or "98.3%"`)

// read parses a reported number and computes its rounding interval.
func (r Rounding) read(text string) (decimal, error) {
	parts := printedNumber.FindStringSubmatch(text)
	if parts == nil || parts[2]+parts[3] == "" || len(text) > 64 {
		return decimal{}, fmt.Errorf("%q is not a printed number: %w", text, errNoNumber)
	}
	digits := strings.ReplaceAll(parts[2], ",", "") + parts[3]
	power := -len(parts[3])
	if parts[4] != "" {
		e, err := strconv.Atoi(strings.Replace(parts[4], "−", "-", 1))
		if err != nil || max(e, -e) > 200 { // with at most 64 digits, no float64 overflows
			return decimal{}, fmt.Errorf("%q has a power of ten beyond ±200: %w", text, errNoNumber)
		}
		power += e
	}
	if parts[5] == "%" {
		power -= 2
	}
	units, _ := new(big.Int).SetString(digits, 10)
	if parts[1] == "-" || parts[1] == "−" {
		units.Neg(units)
	}
	unit := powerOfTen(power)
	value := new(big.Rat).Mul(new(big.Rat).SetInt(units), unit)
	var slack *big.Rat
	switch r {
	case Nearest:
		slack = unit.Quo(unit, big.NewRat(2, 1))
	case AnyRounding:
		slack = unit
	case AsReported:
		slack = new(big.Rat)
	default:
		return decimal{}, fmt.Errorf("unknown rounding %d of %q", r, text)
	}
	return decimal{value: value, low: new(big.Rat).Sub(value, slack), high: new(big.Rat).Add(value, slack)}, nil
}

func powerOfTen(power int) *big.Rat {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(power, -power))), nil)
	if power < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), ten)
	}
	return new(big.Rat).SetInt(ten)
}

func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}
