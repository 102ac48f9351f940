package accounting

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
)

// look describes the account to a reviewer of the evidence.
type look struct {
	check   check
	bracket accountant.Bracket
	cell    verify.Cell
	cases   verify.Cases[verify.Cell]

	corrected string // a true statement that replaces a refuted claim
}

func (l *look) Tried() verify.Tried {
	t := l.cases.Tried(verify.Cell.Place, l.cell)
	t.Margin = verify.Num(l.margin())
	return t
}

// margin returns the smallest distance from an end of the bracket to an end of the allowed values. It is negative if
// the bracket is not among the allowed values.
func (l *look) margin() float64 {
	c, b := l.check, l.bracket
	within := math.Min(gap(c.high, b.Upper), gap(b.Lower, c.low))
	if c.standing(b) == beyond {
		return -math.Max(gap(b.Lower, c.high), gap(c.low, b.Upper))
	}
	return within
}

// gap returns a − b, and 0 for two equal infinities.
func gap(a, b float64) float64 {
	if a == b {
		return 0
	}
	return a - b
}

func (l *look) Attempt() string {
	c := l.check
	if c.sense == verify.Equals {
		return fmt.Sprintf("the %s of this description is in [%s, %s], and values in [%.6g, %.6g] round to the reported "+
			"number",
			c.quantity, downwards(l.bracket.Lower), upwards(l.bracket.Upper), c.low, c.high)
	}
	return fmt.Sprintf("the %s of this description is at most %s for all neighbors and events; %.6g is claimed",
		c.quantity, upwards(l.bracket.Upper), c.value)
}

func (l *look) Counterexample() verify.Counterexample {
	x := l.cases.Simplest(verify.Cell.Itself)
	x.Choice += "; " + l.corrected
	return x
}

func (l *look) Needed() string {
	return fmt.Sprintf("a narrower bracket than [%s, %s], or a description with more details",
		downwards(l.bracket.Lower), upwards(l.bracket.Upper))
}
