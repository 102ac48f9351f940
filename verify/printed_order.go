package verify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// PrintedPair is two printed numbers that a text compares.
type PrintedPair struct {
	Left, Right PrintedCell
	Runs        int // repeated runs behind each number; for RepeatedRuns
	Examples    int // test examples behind each number; for SameTestSet and OwnTestSets
}

// PrintedPairs pairs the cells in order, each pair with the given sizes.
func PrintedPairs(left, right []PrintedCell, runs, examples int) []PrintedPair {
	pairs := make([]PrintedPair, max(len(left), len(right)))
	none := PrintedCell{err: fmt.Errorf("%d printed numbers are compared with %d: need equally many", len(left), len(right))}
	for i := range pairs {
		pairs[i] = PrintedPair{Left: none, Right: none, Runs: runs, Examples: examples}
		if i < len(left) {
			pairs[i].Left = left[i]
		}
		if i < len(right) {
			pairs[i].Right = right[i]
		}
	}
	return pairs
}

// PrintedOrder checks an ordering that a text claims against the numbers it
// prints: Left Sense Right in at least Need of the pairs. It holds where the
// numbers show it however they were rounded, is Inconsistent where no rounding
// makes it true, and Inconclusive in between. Deviations are not looked at.
type PrintedOrder struct {
	Quantity string // what the numbers are: "testing error rate"
	Sense    Sense  // Below, AtMost, AtLeast or Above
	Pairs    []PrintedPair
	Need     int // 0 means all pairs; "in most cases" is more than half of them

	err error
}

// PrintedMonotone is the claim that each of the cells, in the given order, is
// Sense every cell before it: with AtMost that they never rise. All pairs are
// compared, since three numbers may each agree with the next and the first not
// with the last.
func PrintedMonotone(quantity string, sense Sense, cells []PrintedCell) PrintedOrder {
	o := PrintedOrder{Quantity: quantity, Sense: sense}
	for i, c := range cells {
		if c.err != nil && o.err == nil {
			o.err = c.err
		}
		for _, earlier := range cells[:i] {
			o.Pairs = append(o.Pairs, PrintedPair{Left: c, Right: earlier})
		}
	}
	if o.err == nil && len(cells) < 2 {
		o.err = fmt.Errorf("%s: %d numbers have no order: need at least 2", quantity, len(cells))
	}
	return o
}

// printedStanding is that of a statement about rounded numbers.
type printedStanding int

const (
	impossible printedStanding = iota // false however they were rounded
	open
	certain // true however they were rounded
)

// standingOf is that of a difference known to lie in [low, high].
func standingOf(s Sense, low, high *big.Rat) printedStanding {
	switch s {
	case Above:
		return standingFrom(low.Sign() > 0, high.Sign() > 0)
	case AtLeast:
		return standingFrom(low.Sign() >= 0, high.Sign() >= 0)
	case Below:
		return standingFrom(high.Sign() < 0, low.Sign() < 0)
	default:
		return standingFrom(high.Sign() <= 0, low.Sign() <= 0)
	}
}

func standingFrom(sure, possible bool) printedStanding {
	switch {
	case sure:
		return certain
	case possible:
		return open
	}
	return impossible
}

// Prepare compares every pair; nothing is left to sample.
func (o PrintedOrder) Prepare(context.Context, Settings) (Trial, error) {
	need, err := o.validate()
	if err != nil {
		return nil, err
	}
	count := standings{}
	findings := make([]printedFinding, 0, len(o.Pairs))
	for _, p := range o.Pairs {
		left, right, err := p.numbers()
		if err != nil {
			return nil, err
		}
		low, high := new(big.Rat).Sub(left.low, right.high), new(big.Rat).Sub(left.high, right.low)
		difference := float(new(big.Rat).Sub(left.value, right.value))
		f := printedFinding{standing: standingOf(o.Sense, low, high), cell: Cell{
			At: p.at(), Claimed: Num(0), Measured: Num(difference), Lower: Num(float(low)), Upper: Num(float(high)),
		}}
		f.excess = difference
		if o.Sense == Above || o.Sense == AtLeast {
			f.excess = -difference
		}
		count[f.standing]++
		findings = append(findings, f)
	}
	e := Evidence{
		Exact: true, Quantity: o.Quantity + ", left − right", Sense: o.Sense, Verdict: Inconclusive,
		Method: fmt.Sprintf("rational arithmetic on the intervals that the printed numbers stand for; claimed in at least %d of %d pairs: certain in %d, open in %d, impossible in %d",
			need, len(o.Pairs), count[certain], count[open], count[impossible]),
	}
	switch {
	case count[certain] >= need:
		e.Verdict = Holds
	case count[certain]+count[open] < need:
		e.Verdict = Inconsistent
	}
	fillFindings(&e, findings)
	e.lookAgain(&orderLook{printedLook{findings, "pair", e.Verdict}, count, need})
	return Decided(e), nil
}

func (o PrintedOrder) validate() (need int, err error) {
	if o.err != nil {
		return 0, o.err
	}
	if !slices.Contains([]Sense{AtMost, Below, AtLeast, Above}, o.Sense) {
		return 0, fmt.Errorf("%s: an order with the sense %q: need <, ≤, ≥ or >", o.Quantity, o.Sense)
	}
	return needOf(o.Need, len(o.Pairs))
}

// needOf is how many of the pairs a claim is about.
func needOf(need, pairs int) (int, error) {
	switch {
	case pairs == 0:
		return 0, errors.New("no pairs of printed numbers to compare")
	case need < 0 || need > pairs:
		return 0, fmt.Errorf("claimed in at least %d of %d pairs: need from 1 to %d, or 0 for all", need, pairs, pairs)
	case need == 0:
		return pairs, nil
	}
	return need, nil
}

func (p PrintedPair) numbers() (left, right decimal, err error) {
	if left, err = p.Left.number(); err != nil {
		return left, right, err
	}
	right, err = p.Right.number()
	return left, right, err
}

// at names the pair and quotes both numbers.
func (p PrintedPair) at() string {
	return fmt.Sprintf("%s: %s; %s: %s", p.Left.At, p.Left.Text, p.Right.At, p.Right.Text)
}

// printedFinding is one statement about printed numbers.
type printedFinding struct {
	cell     Cell
	standing printedStanding
	excess   float64 // how far it is on the wrong side
}

// fillFindings fills the rows of the report and the figures of the finding that
// stands worst.
func fillFindings(e *Evidence, findings []printedFinding) {
	for _, f := range findings[:min(len(findings), maxCells-len(e.Cells))] {
		e.Cells = append(e.Cells, f.cell)
	}
	e.worstCell(worstFinding(findings).cell, len(e.Cells)) // it is beyond the last one shown, if anywhere
}

// worstFinding is the one that stands worst, the furthest off of them.
func worstFinding(findings []printedFinding) printedFinding {
	worst := findings[0]
	for _, f := range findings {
		if f.standing < worst.standing || f.standing == worst.standing && f.excess > worst.excess {
			worst = f
		}
	}
	return worst
}

// standings counts findings.
type standings map[printedStanding]int
