package accounting

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
)

// look is what a second look at an account needs.
type look struct {
	check   check
	bracket accountant.Bracket
	cell    verify.Cell
	cases   verify.Cases[verify.Cell]
	right   string // what could be claimed in the place of what is refuted
}

func (l *look) Tried() verify.Tried {
	t := l.cases.Tried(verify.Cell.Place, l.cell)
	t.Margin = verify.Num(l.margin())
	return t
}

// margin is how far the bracket is within what is allowed, below 0 how far beyond it.
func (l *look) margin() float64 {
	c, b := l.check, l.bracket
	within := math.Min(gap(c.high, b.Upper), gap(b.Lower, c.low))
	if c.standing(b) == beyond {
		return -math.Max(gap(b.Lower, c.high), gap(c.low, b.Upper))
	}
	return within
}

// gap is a − b, 0 of one infinity.
func gap(a, b float64) float64 {
	if a == b {
		return 0
	}
	return a - b
}

func (l *look) Attempt() string {
	c := l.check
	if c.sense == verify.Equals {
		return fmt.Sprintf("the %s of this description is in [%s, %s], and what is printed stands for [%.6g, %.6g]",
			c.quantity, downwards(l.bracket.Lower), upwards(l.bracket.Upper), c.low, c.high)
	}
	return fmt.Sprintf("no neighbours and no event make the %s of this description more than %s, where %.6g is claimed",
		c.quantity, upwards(l.bracket.Upper), c.value)
}

func (l *look) Counterexample() verify.Counterexample {
	x := l.cases.Simplest(verify.Cell.Itself)
	x.Choice += "; " + l.right
	return x
}

func (l *look) Needed() string {
	return fmt.Sprintf("a narrower bracket than [%s, %s], or a description of which more is known",
		downwards(l.bracket.Lower), upwards(l.bracket.Upper))
}
