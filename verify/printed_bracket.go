package verify

import (
	"context"
	"fmt"
	"math"
)

// PrintedBrackets checks printed numbers against brackets that are known to hold what
// they should be, such as those of an accountant. Equals asks whether the bracket lies
// within what was rounded, AtMost whether it lies below the upper end of that. It is
// Refuted where a number cannot be right, Inconclusive where the bracket is too wide to
// tell.
type PrintedBrackets struct {
	Quantity, Method string
	Sense            Sense // Equals or AtMost
	// Contradiction marks printed numbers that the paper's own text determines: one that
	// cannot be is Inconsistent and not Refuted.
	Contradiction bool
	Rows          func() ([]PrintedBracket, error)
}

// PrintedBracket is a printed number, the interval it was rounded from, and the bracket.
type PrintedBracket struct {
	At                     string
	Printed, Low, High     float64 // Low may be −Inf where only AtMost is asked
	Lower, Estimate, Upper float64 // Lower ≤ truth ≤ Upper; ends may be infinite
}

// Prepare computes all rows; nothing is left to sample.
func (p PrintedBrackets) Prepare(context.Context, Settings) (Trial, error) {
	if p.Sense != Equals && p.Sense != AtMost {
		return nil, fmt.Errorf("%s: brackets with the sense %q: want = or ≤", p.Quantity, p.Sense)
	}
	rows, err := p.Rows()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no printed numbers to check", p.Quantity)
	}
	e := Evidence{Exact: true, Quantity: p.Quantity, Sense: p.Sense, Verdict: Holds, Method: p.Method}
	worst, off := certain, -1.0
	for i, row := range rows {
		if !(row.Lower <= row.Upper) || !(row.Low <= row.High) {
			return nil, fmt.Errorf("%s: the bracket [%v, %v] of %s, printed as one of [%v, %v]: want both in order", row.At, row.Lower, row.Upper, p.Quantity, row.Low, row.High)
		}
		c := Cell{At: row.At, Claimed: Num(row.Printed), Measured: Num(row.Estimate), Lower: Num(row.Lower), Upper: Num(row.Upper)}
		e.Cells = append(e.Cells, c)
		standing, further := row.standing(p.Sense), math.Abs(row.Estimate-row.Printed)/row.Printed
		if i == 0 || standing < worst || standing == worst && further > off {
			worst, off = standing, further
			e.WorstOf(c)
		}
	}
	switch {
	case worst == impossible && p.Contradiction:
		e.Verdict = Inconsistent
	case worst == impossible:
		e.Verdict = Refuted
	case worst == open:
		e.Verdict = Inconclusive
	}
	return Decided(e), nil
}

func (b PrintedBracket) standing(s Sense) printedStanding {
	below := b.Upper <= b.High
	switch {
	case s == AtMost && below, s == Equals && below && b.Lower >= b.Low:
		return certain
	case b.Lower > b.High, s == Equals && b.Upper < b.Low:
		return impossible
	}
	return open
}
