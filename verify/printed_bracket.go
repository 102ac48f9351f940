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
	look := bracketsLook{cases: Cases[Cell]{Noun: "figure", Ordered: "in the order of printing"}, margin: math.Inf(1)}
	worst, off := certain, -1.0
	for i, row := range rows {
		if !(row.Lower <= row.Upper) || !(row.Low <= row.High) {
			return nil, fmt.Errorf("%s: the bracket [%v, %v] of %s, printed as one of [%v, %v]: want both in order", row.At, row.Lower, row.Upper, p.Quantity, row.Low, row.High)
		}
		c := Cell{At: row.At, Claimed: Num(row.Printed), Measured: Num(row.Estimate), Lower: Num(row.Lower), Upper: Num(row.Upper)}
		e.Cells = append(e.Cells, c)
		look.see(c, row, p.Sense)
		standing, further := row.standing(p.Sense), math.Abs(row.Estimate-row.Printed)/row.Printed
		if i == 0 || standing < worst || standing == worst && further > off {
			worst, off = standing, further
			e.WorstOf(c)
			look.worst = c
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
	e.lookAgain(&look)
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

// margin is how far the bracket is from the nearer end of what the row allows.
func (b PrintedBracket) margin(s Sense) float64 {
	above := b.High - b.Upper
	if s == AtMost {
		return above
	}
	return math.Min(above, b.Lower-b.Low)
}

// bracketsLook is what a second look at brackets needs.
type bracketsLook struct {
	cases          Cases[Cell]
	nearest, worst Cell
	margin         float64 // of the nearest
}

func (l *bracketsLook) see(c Cell, row PrintedBracket, s Sense) {
	l.cases.See(c, row.standing(s) == impossible)
	if m := row.margin(s); l.nearest.At == "" || m < l.margin {
		l.nearest, l.margin = c, m
	}
}

func (l *bracketsLook) attempt() string {
	c := l.nearest
	return fmt.Sprintf("%s; the nearest to breaking, %s, printed %.4g, is by computation in [%.4g, %.4g]: %.2g from what a number printed so allows",
		l.cases.Tried(Cell.place), c.At, c.Claimed.X, c.Lower.X, c.Upper.X, l.margin)
}

func (l *bracketsLook) counterexample() Counterexample { return l.cases.Simplest(Cell.itself) }

func (l *bracketsLook) needed() string {
	return fmt.Sprintf("a bracket that is narrower than [%.6g, %.6g] at %s", l.worst.Lower.X, l.worst.Upper.X, l.worst.At)
}
