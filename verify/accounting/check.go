package accounting

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
)

// AtMost returns the check of a guarantee: the quantity of the release is at most the value. The value is finite and at
// least 0; a δ is below 1.
func (r Release) AtMost(q Quantity, value float64) verify.Check {
	return check{release: r, quantity: q, sense: verify.AtMost, value: value, low: math.Inf(-1), high: value}
}

// Equals returns the check of a reported number: the exact quantity of the release, not only a bound on it, rounds to
// this number.
func (r Release) Equals(q Quantity, p Reported) verify.Check {
	value, low, high, err := p.interval()
	return check{release: r, quantity: q, sense: verify.Equals, value: value, low: low, high: high, printed: &p, err: err}
}

// AtMostReported returns the check of a reported bound: the quantity is at most a number that rounds to it.
func (r Release) AtMostReported(q Quantity, p Reported) verify.Check {
	value, _, high, err := p.interval()
	return check{release: r, quantity: q, sense: verify.AtMost, value: value, low: math.Inf(-1), high: high, printed: &p,
		err: err}
}

// check compares a bracket with the claim.
type check struct {
	release   Release
	quantity  Quantity
	sense     verify.Sense
	value     float64
	low, high float64 // values that the claim allows
	printed   *Reported
	err       error
}

// Check returns an error if the description or the claim is outside its domain.
func (c check) Check() error {
	if c.err != nil {
		return c.err
	}
	if err := c.quantity.Guarantee(c.value).Check(); err != nil {
		return err
	}
	return c.release.Check()
}

// Prepare accounts for the release, as precisely as the decision needs.
func (c check) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	e, err := c.judge(ctx, s.Budget)
	e.Statistics = verify.NewStatistics(Method, c.statistics())
	return verify.Decided(e), err
}

func (c check) judge(ctx context.Context, budget verify.Budget) (e verify.Evidence, err error) {
	a, how, err := c.decide(ctx, budget)
	if err != nil {
		return e, err
	}
	e = verify.Evidence{Exact: true, Quantity: c.quantity.String(), Sense: c.sense, Warnings: a.warnings,
		Method: fmt.Sprintf("%s: %s; %s", how, c.release.Event, strings.Join(a.assumptions, "; "))}
	switch c.standing(a.Bracket) {
	case below:
		e.Verdict = verify.Holds
	case beyond:
		e.Verdict = verify.Refuted
	default:
		e.Verdict = verify.Inconclusive
	}
	cell := verify.Cell{Label: c.release.String(), Claimed: verify.Num(c.value), Measured: verify.Num(a.Estimate),
		Lower: verify.Num(a.Lower), Upper: verify.Num(a.Upper)}
	e.CopyWorst(cell)
	look := look{check: c, bracket: a.Bracket, cell: cell,
		cases: verify.Cases[verify.Cell]{Noun: "description"}}
	look.cases.See(cell, e.Verdict == verify.Refuted)
	if e.Verdict == verify.Refuted {
		if look.corrected, err = c.corrected(a.Bracket); err != nil {
			return e, err
		}
	}
	e.LookAgain(&look)
	return e, nil
}

type standing int

const (
	open   standing = iota
	below           // the claim holds
	beyond          // the claim is false
)

func (c check) standing(b accountant.Bracket) standing {
	switch {
	case b.Lower >= c.low && b.Upper <= c.high:
		return below
	case b.Lower > c.high, b.Upper < c.low:
		return beyond
	}
	return open
}

// refinements is the number of times that an undecided bracket is narrowed, by budget.
var refinements = map[verify.Budget]int{verify.Quick: 1, verify.Standard: 2, verify.Thorough: 3}

// finer is the factor of the bracket's width at each refinement. A refinement takes about four times as long.
const finer = 1. / 30

// narrowest is the relative width below which a bracket is not narrowed, since rounding contributes to the width.
const narrowest = 1e-9

// decide narrows the bracket until it decides the claim, cannot be narrowed, or the budget is used up. It intersects
// all brackets, since each is proven. It also returns the method.
func (c check) decide(ctx context.Context, budget verify.Budget) (account, string, error) {
	best, err := c.release.account(c.quantity, accountant.Precision{})
	if err != nil {
		return best, "", err
	}
	if how, err := c.decideEpsilon(&best.Bracket); how != "" || err != nil {
		return best, how, err
	}
	for range refinements[budget] {
		width := best.Width()
		if err := ctx.Err(); err != nil {
			return best, "", err
		}
		if c.standing(best.Bracket) != open || !(width > narrowest*best.Upper && width <= math.MaxFloat64) {
			break
		}
		w := accountant.Precision{Width: width * finer}
		if c.quantity.kind == deltaKind { // the precision of δ is relative
			w.Width /= best.Upper
		}
		next, err := c.release.account(c.quantity, w)
		if err != nil {
			return best, "", err
		}
		if best.Bracket, err = best.Meet(next.Bracket); err != nil {
			return best, "", err
		}
		const gain = 0.9 // a bracket that shrinks by less cannot be narrowed
		if best.Width() > gain*width {
			break
		}
	}
	return best, "accounted", ctx.Err()
}

// decideEpsilon decides a claimed bound on ε that the bracket of ε leaves open, and narrows this bracket. It uses basic
// composition in rational numbers, which can show equality, or the bracket of δ at the claimed ε. It returns the
// method, or "" if both leave the claim open.
func (c check) decideEpsilon(b *accountant.Bracket) (how string, err error) {
	if c.sense != verify.AtMost || c.printed != nil || c.quantity.kind != epsilonKind || c.standing(*b) != open {
		return "", nil
	}
	holds := accountant.Bracket{Estimate: c.value, Upper: c.value}
	if epsilon, delta, ok := c.release.basic(); ok && delta.Cmp(event.Decimal(c.quantity.at)) <= 0 &&
		epsilon.Cmp(event.Decimal(c.value)) <= 0 {
		*b, err = b.Meet(holds)
		return "basic composition (Dwork et al. 2006), in rational numbers", err
	}
	at, err := c.release.account(DeltaAt(c.value), accountant.Precision{})
	switch {
	case err != nil:
		return "", err
	case at.Upper <= c.quantity.at:
		*b, err = b.Meet(holds)
		return fmt.Sprintf("accounted by δ at ε = %g, which is at most %s", c.value, upwards(at.Upper)), err
	case at.Lower > c.quantity.at:
		more := math.Nextafter(c.value, math.Inf(1))
		*b, err = b.Meet(accountant.Bracket{Lower: more, Estimate: more, Upper: math.Inf(1)})
		return fmt.Sprintf("accounted by δ at ε = %g, which is at least %s", c.value, downwards(at.Lower)), err
	}
	return "", nil
}

// corrected returns a true statement that can replace a refuted claim.
func (c check) corrected(b accountant.Bracket) (string, error) {
	if c.sense == verify.Equals {
		return c.printed.corrected(b), nil
	}
	if math.IsInf(b.Upper, 1) {
		return fmt.Sprintf("no %s is proven to hold", c.quantity.symbol()), nil
	}
	text := fmt.Sprintf("%s holds", c.quantity.Guarantee(outward(b.Upper)))
	if c.quantity.kind != epsilonKind {
		return text, nil
	}
	at, err := c.release.account(DeltaAt(c.value), accountant.Precision{})
	if err == nil && at.Upper < 1 {
		text += fmt.Sprintf(", and with ε = %g, δ = %s", c.value, upwards(at.Upper))
	}
	return text, err
}

// outward rounds a number up to six digits and to the nearest double.
func outward(x float64) float64 {
	d, ok := new(big.Rat).SetString(upwards(x))
	if !ok {
		return x
	}
	f, _ := d.Float64()
	return f
}
