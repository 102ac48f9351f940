package formula

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// Brackets compares reported numbers with computed intervals that certainly contain the true value, such as those of an
// accountant. With Equals, the claim holds if the bracket lies within the interval of numbers that round to the
// reported one; with AtMost, if the bracket lies below its upper end. The verdict is refuted if the true value cannot
// fit, and inconclusive if the bracket is too wide to decide.
type Brackets struct {
	Quantity, Method string
	Sense            verify.Sense // Equals or AtMost
	// Contradiction marks reported numbers that the paper's own text determines. An impossible one is then Contradictory
	// instead of Refuted.
	Contradiction bool
	Rows          func() ([]Bracket, error)
}

// Bracket is a reported number, the interval of numbers that round to it, and the computed bracket of the true value.
type Bracket struct {
	Place                  string
	Reported, Low, High    float64 // Low may be −Inf for AtMost
	Lower, Estimate, Upper float64 // Lower ≤ true value ≤ Upper; both may be infinite
}

// Prepare computes and compares all rows. It needs no samples.
func (p Brackets) Prepare(context.Context, verify.Settings) (verify.Trial, error) {
	if p.Sense != verify.Equals && p.Sense != verify.AtMost {
		return nil, fmt.Errorf("%s: brackets with the sense %q: want = or ≤", p.Quantity, p.Sense)
	}
	rows, err := p.Rows()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no printed numbers to check", p.Quantity)
	}
	e := verify.Evidence{Exact: true, Quantity: p.Quantity, Sense: p.Sense, Verdict: verify.Holds, Method: p.Method}
	look := bracketsLook{cases: verify.Cases[verify.Cell]{Noun: "figure", Ordered: "in the order of printing"},
		margin: math.Inf(1)}
	worst, off := certain, -1.0
	for i, row := range rows {
		if !(row.Lower <= row.Upper) || !(row.Low <= row.High) {
			return nil, fmt.Errorf("%s: the bracket [%v, %v] of %s, printed as one of [%v, %v]: want both in order",
				row.Place,
				row.Lower, row.Upper, p.Quantity, row.Low, row.High)
		}
		c := verify.Cell{Label: row.Place, Claimed: verify.Num(row.Reported), Measured: verify.Num(row.Estimate),
			Lower: verify.Num(row.Lower), Upper: verify.Num(row.Upper)}
		e.Cells = append(e.Cells, c)
		look.see(c, row, p.Sense)
		standing, further := row.standing(p.Sense), math.Abs(row.Estimate-row.Reported)/row.Reported
		if i == 0 || standing < worst || standing == worst && further > off {
			worst, off = standing, further
			e.CopyWorst(c)
			look.worst = c
		}
	}
	switch {
	case worst == impossible && p.Contradiction:
		e.Verdict = verify.Contradictory
	case worst == impossible:
		e.Verdict = verify.Refuted
	case worst == open:
		e.Verdict = verify.Inconclusive
	}
	e.LookAgain(&look)
	return verify.Decided(e), nil
}

func (b Bracket) standing(s verify.Sense) printedStanding {
	below := b.Upper <= b.High
	switch {
	case s == verify.AtMost && below, s == verify.Equals && below && b.Lower >= b.Low:
		return certain
	case b.Lower > b.High, s == verify.Equals && b.Upper < b.Low:
		return impossible
	}
	return open
}

// margin returns the distance between the bracket and the nearer end of the allowed interval; it is negative outside.
func (b Bracket) margin(s verify.Sense) float64 {
	above := b.High - b.Upper
	if s == verify.AtMost {
		return above
	}
	return math.Min(above, b.Lower-b.Low)
}

// bracketsLook holds the rows that describe attempts and counterexamples.
type bracketsLook struct {
	cases          verify.Cases[verify.Cell]
	nearest, worst verify.Cell
	margin         float64 // of the nearest row
}

func (l *bracketsLook) see(c verify.Cell, row Bracket, s verify.Sense) {
	l.cases.See(c, row.standing(s) == impossible)
	if m := row.margin(s); l.nearest.Label == "" || m < l.margin {
		l.nearest, l.margin = c, m
	}
}

func (l *bracketsLook) Tried() verify.Tried {
	t := l.cases.Tried(verify.Cell.Place, l.nearest)
	t.Margin = verify.Num(l.margin)
	return t
}

func (l *bracketsLook) Attempt() string {
	c := l.nearest
	return fmt.Sprintf("%s; the nearest to breaking, %s, printed %.4g, is by computation in [%.4g, %.4g]: %.2g from "+
		"what a number printed so allows",
		l.cases.InWords(verify.Cell.Place), c.Label, c.Claimed.X, c.Lower.X, c.Upper.X, l.margin)
}

func (l *bracketsLook) Counterexample() verify.Counterexample {
	return l.cases.Simplest(verify.Cell.Itself)
}

func (l *bracketsLook) Needed() string {
	return fmt.Sprintf("a bracket that is narrower than [%.6g, %.6g] at %s", l.worst.Lower.X, l.worst.Upper.X,
		l.worst.Label)
}
