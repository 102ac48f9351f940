package guarantee

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/decimal"
)

const (
	maxRows  = 1000
	maxBytes = 1 << 20
)

// OpenCurve reads a privacy curve from a file, see [ReadCurve].
func OpenCurve(path string) (Guarantee, error) {
	file, err := os.Open(path)
	if err != nil {
		return Guarantee{}, err
	}
	defer file.Close()
	return ReadCurve(path, file)
}

// ReadCurve reads a claimed privacy curve from CSV with a header and one row per point. The header is one of
//
//	epsilon,delta   (ε, δ)-DP at every row: ε ≥ 0 increases, δ does not increase
//	alpha,beta      a trade-off function: minimum type II errors β at type I errors α
//	                that increase from 0; β ≤ 1 − α decreases to 0
//
// Between two rows a trade-off function is linear, so it lies above a smooth convex one. Give its rows at a small
// spacing, or give the points (ε, δ) instead, which imply the line between two rows. A line that starts with # is a
// comment. Errors start with the name and the line number.
func ReadCurve(name string, r io.Reader) (Guarantee, error) {
	rows, tradeOff, err := readRows(name, r)
	if err != nil {
		return Guarantee{}, err
	}
	points, err := points(name, rows, tradeOff)
	if err != nil {
		return Guarantee{}, err
	}
	g := CurveDP(points...)
	if err := g.Check(); err != nil {
		return g, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// row is a point with its line number in the file.
type row struct {
	x, y float64
	line int
}

// headers lists the valid headers.
var headers = [2][2]string{{"epsilon", "delta"}, {"alpha", "beta"}}

func readRows(name string, r io.Reader) (rows []row, tradeOff bool, err error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	in := csv.NewReader(limited)
	in.Comment, in.TrimLeadingSpace, in.FieldsPerRecord = '#', true, -1
	for kind := -1; ; {
		fields, err := in.Read()
		switch parse := (*csv.ParseError)(nil); {
		case errors.Is(err, io.EOF) && limited.N <= 0, len(rows) > maxRows:
			return nil, false, fmt.Errorf("%s: more than %d rows: want at most that many", name, maxRows)
		case errors.Is(err, io.EOF) && len(rows) == 0:
			return nil, false, fmt.Errorf("%s: no curve: want a header epsilon,delta (or alpha,beta) and one row per point",
				name)
		case errors.Is(err, io.EOF):
			return rows, kind == 1, nil
		case errors.As(err, &parse):
			return nil, false, fmt.Errorf("%s:%d: %w", name, parse.Line, parse.Err)
		case err != nil:
			return nil, false, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		if kind < 0 {
			if kind = kindOf(fields); kind < 0 {
				return nil, false, fmt.Errorf("%s:%d: %.60q is not a header: want epsilon,delta or alpha,beta", name, line,
					strings.Join(fields, ","))
			}
			continue
		}
		values, err := numbers(fields)
		if err != nil {
			return nil, false, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		rows = append(rows, row{values[0], values[1], line})
	}
}

// kindOf returns the index of the header in headers, or -1.
func kindOf(fields []string) int {
	if len(fields) != 2 {
		return -1
	}
	first := strings.TrimPrefix(fields[0], "\ufeff")
	return slices.Index(headers[:], [2]string{strings.ToLower(strings.TrimSpace(first)),
		strings.ToLower(strings.TrimSpace(fields[1]))})
}

func numbers(fields []string) (values [2]float64, err error) {
	if len(fields) != 2 {
		return values, fmt.Errorf("%d values: want 2 per row", len(fields))
	}
	for i, text := range fields {
		if values[i], err = decimal.Float(strings.TrimSpace(text)); err != nil {
			return values, err
		}
	}
	return values, nil
}

// points returns the points of the privacy curve that the rows describe.
func points(name string, rows []row, tradeOff bool) (points confidence.Lines, err error) {
	if tradeOff {
		return lines(name, rows)
	}
	for i, r := range rows {
		p := confidence.Line{Epsilon: r.x, Delta: r.y}
		var before *confidence.Line
		if i > 0 {
			before = &points[i-1]
		}
		if err := CheckPoint(p, before); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, r.line, err)
		}
		points = append(points, p)
	}
	return points, nil
}

// lines returns the (ε, δ) for the edges of a trade-off function, the lower convex hull of its rows. The edge of
// slope −t is β = 1 − δ − tα with t = e^ε. In the other order it is the same statement with 1/t and 1 − (1 − δ)/t.
func lines(name string, rows []row) (confidence.Lines, error) {
	var hull []corner
	for i, r := range rows {
		if err := checkRow(rows, i); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, r.line, err)
		}
		hull = extendHull(hull, corner{r.x, r.y})
	}
	var out confidence.Lines
	for i := 1; i < len(hull); i++ {
		a, b := hull[i-1], hull[i]
		t := (a.y - b.y) / (b.x - a.x)
		delta := 1 - a.y - t*a.x
		if t < 1 && t > 0 {
			t, delta = 1/t, 1-(1-delta)/t
		}
		if epsilon := math.Log(t); epsilon >= 0 && epsilon <= MaxEpsilon {
			out = append(out, confidence.Line{Epsilon: epsilon, Delta: math.Min(1, math.Max(0, delta))})
		}
	}
	slices.SortFunc(out, func(a, b confidence.Line) int {
		return cmp.Or(cmp.Compare(a.Epsilon, b.Epsilon), cmp.Compare(a.Delta, b.Delta))
	})
	var falling confidence.Lines // (ε, δ)-DP implies (ε′, δ)-DP for ε′ > ε
	for _, p := range out {
		if n := len(falling); n == 0 || p.Epsilon > falling[n-1].Epsilon && p.Delta < falling[n-1].Delta {
			falling = append(falling, p)
		}
	}
	if len(falling) == 0 {
		return nil, fmt.Errorf("%s: the trade-off function implies nothing that samples can refute", name)
	}
	return falling, nil
}

// checkRow returns an error if row i cannot belong to a trade-off function.
func checkRow(rows []row, i int) error {
	r := rows[i]
	switch {
	case !(r.x >= 0 && r.x <= 1):
		return fmt.Errorf("alpha = %v: want a probability", r.x)
	case !(r.y >= 0 && r.y <= 1):
		return fmt.Errorf("beta = %v: want a probability", r.y)
	case r.y > 1-r.x+1e-12:
		return fmt.Errorf("beta = %v at alpha = %v: a trade-off function is at most 1 − alpha", r.y, r.x)
	case i == 0 && r.x != 0:
		return fmt.Errorf("the first row has alpha = %v: want 0", r.x)
	case i > 0 && !(r.x > rows[i-1].x):
		return fmt.Errorf("alpha = %v after %v: want increasing values", r.x, rows[i-1].x)
	case i > 0 && r.y > rows[i-1].y:
		return fmt.Errorf("beta = %v at alpha = %v, after %v: a trade-off function does not increase", r.y, r.x, rows[i-1].y)
	case i == len(rows)-1 && r.y != 0:
		return fmt.Errorf("the last row has beta = %v: want 0", r.y)
	}
	return nil
}
