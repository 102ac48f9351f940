package formula

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// printedLook holds the findings that describe attempts and counterexamples.
type printedLook struct {
	findings []printedFinding
	noun     string
}

// cases returns the findings in the paper's order.
func (l *printedLook) cases() *verify.Cases[verify.Cell] {
	c := &verify.Cases[verify.Cell]{Noun: l.noun, Ordered: "in the order of printing"}
	for _, f := range l.findings {
		c.See(f.cell, f.standing == impossible)
	}
	return c
}

// nearest returns the finding whose reported number is closest to an end of its computed range. If one has no range or
// is impossible, it returns the worst finding.
func (l *printedLook) nearest() printedFinding {
	nearest, near := worstFinding(l.findings), math.Inf(-1)
	if nearest.standing == impossible {
		return nearest
	}
	for _, f := range l.findings {
		c := f.cell
		if n := verify.DistanceFromEnd(c.Claimed.X, c.Lower.X,
			c.Upper.X); c.Lower.Set && c.Upper.X > c.Lower.X && n > near {
			nearest, near = f, n
		}
	}
	return nearest
}

func (l *printedLook) Tried() verify.Tried {
	f := l.nearest()
	t := l.cases().Tried(verify.Cell.Place, f.cell)
	t.Margin = f.room
	return t
}

func (l *printedLook) Attempt() string {
	text := verify.Plural(len(l.findings), l.noun)
	nearest := l.nearest().cell
	if !(nearest.Upper.X > nearest.Lower.X) {
		return fmt.Sprintf("%s; the furthest off, %s, is %.6g by computation", text, nearest.Label, nearest.Measured.X)
	}
	return fmt.Sprintf("%s, each at the rounding that favours it least; the nearest to breaking, %s, is by "+
		"computation in [%.6g, %.6g]", text, nearest.Label, nearest.Lower.X, nearest.Upper.X)
}

func (l *printedLook) Counterexample() verify.Counterexample {
	return l.cases().Simplest(verify.Cell.Itself)
}

// Needed is unused: a recomputed number either agrees or is impossible.
func (l *printedLook) Needed() string { return "" }

// orderLook extends printedLook by the counts for an Order.
type orderLook struct {
	printedLook
	count standings
	need  int
}

// nearest returns the certain pair whose difference is closest to 0, or the worst pair if too few are certain.
func (l *orderLook) nearest() printedFinding {
	var nearest printedFinding
	for _, f := range l.findings {
		if f.standing == certain && (nearest.cell.Label == "" || f.margin() < nearest.margin()) {
			nearest = f
		}
	}
	if l.count[certain] < l.need {
		return worstFinding(l.findings)
	}
	return nearest
}

func (l *orderLook) Tried() verify.Tried { return l.cases().Tried(verify.Cell.Place, l.nearest().cell) }

// Attempt describes the certain pair whose difference is closest to 0.
func (l *orderLook) Attempt() string {
	nearest := l.nearest()
	return fmt.Sprintf("%s, of which %d are certain at the rounding that favours them least and %d are needed; the "+
		"nearest of these to breaking, %s, has a difference in [%.6g, %.6g]",
		verify.Plural(len(l.findings), l.noun), l.count[certain], l.need, nearest.cell.Label, nearest.cell.Lower.X,
		nearest.cell.Upper.X)
}

// margin returns the distance of a difference of certain sign from 0.
func (f printedFinding) margin() float64 {
	return math.Min(math.Abs(f.cell.Lower.X), math.Abs(f.cell.Upper.X))
}

// Needed returns the number of additional digits that would decide the open pairs. Each digit divides the rounding
// interval by ten.
func (l *orderLook) Needed() string {
	places := 0
	for _, f := range l.findings {
		if f.standing != open {
			continue
		}
		c := f.cell
		if c.Measured.X == 0 {
			return fmt.Sprintf("more printed places, how many is not known: %s are open, and %s are printed alike",
				verify.Plural(l.count[open], l.noun), c.Label)
		}
		places = max(places, int(math.Ceil(math.Log10((c.Upper.X-c.Lower.X)/2/math.Abs(c.Measured.X))+1e-9)), 1)
	}
	return fmt.Sprintf("about %s where it is open, in %s, if the differences stay as they are",
		verify.Plural(places, "more printed place"), verify.Plural(l.count[open], l.noun))
}

// significanceLook holds the p-values that describe attempts and counterexamples.
type significanceLook struct {
	level    float64
	all      []pRange // one per pair, or one for all rows
	decisive pRange
	pairs    int
	test     Test
}

func (l *significanceLook) Tried() verify.Tried {
	return verify.Tried{
		Cases: int64(l.pairs), Case: "pair", Nearest: l.decisive.cell(l.level),
		From: l.all[0].at, To: l.all[len(l.all)-1].at,
	}
}

func (l *significanceLook) Attempt() string {
	p := l.decisive
	return fmt.Sprintf("%s tested, at the rounding that favours the claim least; the decisive figure, %s, has p = %.3g "+
		"and there %.3g, where %.3g would be too much",
		verify.Plural(l.pairs, "pair"), p.at, p.value, p.high, l.level)
}

func (l *significanceLook) Counterexample() verify.Counterexample {
	c := verify.Cases[pRange]{Noun: "pair", Ordered: "in the order of printing"}
	for _, p := range l.all {
		c.See(p, p.above(l.level))
	}
	if len(l.all) == 1 && l.pairs > 1 {
		c.Noun = "test of all rows"
	}
	x := c.Simplest(func(p pRange) verify.Cell { return p.cell(l.level) })
	if c.Broken() == 0 { // each pair is below the level, but their combination is not
		x = verify.Counterexample{Cell: l.decisive.cell(l.level),
			Choice: "the decisive pair, with the correction for the number of pairs"}
	}
	return x
}

func (l *significanceLook) Needed() string {
	p := l.decisive
	text := fmt.Sprintf("more printed places: what is printed leaves p between %.3g and %.3g, on both "+
		"sides of the level %.3g", p.low, p.high, l.level)
	if l.test == SameTestSet {
		return "the number of examples that both got wrong, or " + text
	}
	return text
}
