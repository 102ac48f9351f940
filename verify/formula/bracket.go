package formula

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// Brackets checks printed numbers against brackets that are known to hold what
// they should be, such as those of an accountant. Equals asks whether the bracket lies
// within what was rounded, AtMost whether it lies below the upper end of that. It is
// Refuted where a number cannot be right, Inconclusive where the bracket is too wide to
// tell.
type Brackets struct {
	Quantity, Method string
	Sense            verify.Sense // Equals or AtMost
	// Contradiction marks printed numbers that the paper's own text determines: one that
	// cannot be is Contradictory and not Refuted.
	Contradiction bool
	Rows          func() ([]Bracket, error)
}

// Bracket is a printed number, the interval it was rounded from, and the bracket.
type Bracket struct {
	Place                  string
	Reported, Low, High    float64 // Low may be −Inf where only AtMost is asked
	Lower, Estimate, Upper float64 // Lower ≤ truth ≤ Upper; ends may be infinite
}

// Prepare computes all rows; nothing is left to sample.
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
			return nil, fmt.Errorf("%s: the bracket [%v, %v] of %s, printed as one of [%v, %v]: want both in order", row.Place,
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

// margin is how far the bracket is from the nearer end of what the row allows.
func (b Bracket) margin(s verify.Sense) float64 {
	above := b.High - b.Upper
	if s == verify.AtMost {
		return above
	}
	return math.Min(above, b.Lower-b.Low)
}

// bracketsLook is what a second look at brackets needs.
type bracketsLook struct {
	cases          verify.Cases[verify.Cell]
	nearest, worst verify.Cell
	margin         float64 // of the nearest
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
