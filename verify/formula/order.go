package formula

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// Pair holds two reported numbers that a text compares.
type Pair struct {
	Left, Right Cell
	Runs        int // number of repeated runs per reported number; for RepeatedRuns
	Examples    int // number of test examples per reported number; for SameTestSet and OwnTestSets
}

// Pairs combines the cells in order, each pair with the given sizes. If the lengths differ, the check that uses the
// pairs fails.
func Pairs(left, right []Cell, runs, examples int) []Pair {
	pairs := make([]Pair, max(len(left), len(right)))
	none := Cell{err: fmt.Errorf("%d printed numbers are compared with %d: need equally many", len(left), len(right))}
	for i := range pairs {
		pairs[i] = Pair{Left: none, Right: none, Runs: runs, Examples: examples}
		if i < len(left) {
			pairs[i].Left = left[i]
		}
		if i < len(right) {
			pairs[i].Right = right[i]
		}
	}
	return pairs
}

// Order checks a claimed ordering against the reported numbers: Left Sense Right in at least Need of the pairs. The
// verdict is Holds if it is true for all values that round to the reported ones, Contradictory if it is false for all,
// and Inconclusive otherwise. Standard deviations are ignored.
type Order struct { // name of the numbers, for example "testing error rate"
	Quantity string       // what the numbers are: "testing error rate"
	Sense    verify.Sense // Below, AtMost, AtLeast or Above
	Pairs    []Pair
	Need     int // minimum number of pairs; 0 means all. "In most cases" is more than half.
}

// printedStanding classifies a statement about rounded numbers.
type printedStanding int

const (
	impossible printedStanding = iota // false for all values that round to the reported ones
	open
	certain // true for all values that round to the reported ones
)

// standingOf classifies a difference in [low, high].
func standingOf(s verify.Sense, low, high *big.Rat) printedStanding {
	switch s {
	case verify.Above:
		return standingFrom(low.Sign() > 0, high.Sign() > 0)
	case verify.AtLeast:
		return standingFrom(low.Sign() >= 0, high.Sign() >= 0)
	case verify.Below:
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

// Prepare compares every pair. It needs no samples.
func (o Order) Prepare(context.Context, verify.Settings) (verify.Trial, error) {
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
		f := printedFinding{standing: standingOf(o.Sense, low, high), cell: verify.Cell{
			Label: p.at(), Claimed: verify.Num(0), Measured: verify.Num(difference), Lower: verify.Num(float(low)),
			Upper: verify.Num(float(high)),
		}}
		f.excess = difference
		if o.Sense == verify.Above || o.Sense == verify.AtLeast {
			f.excess = -difference
		}
		count[f.standing]++
		findings = append(findings, f)
	}
	e := verify.Evidence{
		Exact: true, Quantity: o.Quantity + ", left − right", Sense: o.Sense, Verdict: verify.Inconclusive,
		Method: fmt.Sprintf("rational arithmetic on the rounding intervals of the reported numbers; claimed in at least "+
			"%d of %s: certain in %d, open in %d, impossible in %d",
			need, verify.Plural(len(o.Pairs), "pair"), count[certain], count[open], count[impossible]),
	}
	switch {
	case count[certain] >= need:
		e.Verdict = verify.Holds
	case count[certain]+count[open] < need:
		e.Verdict = verify.Contradictory
	}
	fillFindings(&e, findings)
	e.LookAgain(&orderLook{printedLook{findings, "pair"}, count, need})
	return verify.Decided(e), nil
}

func (o Order) validate() (need int, err error) {
	if !slices.Contains([]verify.Sense{verify.AtMost, verify.Below, verify.AtLeast, verify.Above}, o.Sense) {
		return 0, fmt.Errorf("%s: an order with the sense %q: need <, ≤, ≥ or >", o.Quantity, o.Sense)
	}
	return needOf(o.Need, len(o.Pairs))
}

// needOf returns the minimum number of pairs in which the claim must be true.
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

func (p Pair) numbers() (left, right decimal, err error) {
	if left, err = p.Left.number(); err != nil {
		return left, right, err
	}
	right, err = p.Right.number()
	return left, right, err
}

// at returns the places and texts of both numbers.
func (p Pair) at() string {
	return fmt.Sprintf("%s: %s; %s: %s", p.Left.Place, p.Left.Text, p.Right.Place, p.Right.Text)
}

// printedFinding is the result for one statement about reported numbers.
type printedFinding struct {
	cell     verify.Cell
	standing printedStanding
	excess   float64       // amount by which the statement is violated
	room     verify.Number // overlap of a recomputed number with the rounding interval
}

// fillFindings sets the rows of the report and the figures of the worst finding.
func fillFindings(e *verify.Evidence, findings []printedFinding) {
	for _, f := range findings[:min(len(findings), verify.MaxCells-len(e.Cells))] {
		e.Cells = append(e.Cells, f.cell)
	}
	e.WorstCell(worstFinding(findings).cell, len(e.Cells)) // the worst may be beyond the last row shown
}

// worstFinding returns the finding with the worst standing, and among these the largest excess.
func worstFinding(findings []printedFinding) printedFinding {
	worst := findings[0]
	for _, f := range findings {
		if f.standing < worst.standing || f.standing == worst.standing && f.excess > worst.excess {
			worst = f
		}
	}
	return worst
}

// standings counts findings by standing.
type standings map[printedStanding]int
