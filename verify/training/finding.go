package training

import (
	"fmt"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// usualAlpha is the error probability at which every report also states its limit.
const usualAlpha = 0.05

// checkGuarantee returns an error if no lower bound of a guarantee is known.
func checkGuarantee(g privacy.Guarantee, scores, runs string) error {
	if err := g.Check(); err != nil {
		return err
	}
	if _, gaussian := g.Gaussian(); !gaussian && !g.IsApproximate() {
		return fmt.Errorf("%s give bounds on ε (with δ) and on μ: no bound of a %s is known for %s", scores, g.Quantity(),
			runs)
	}
	return nil
}

// tradeOff returns the trade-off function that a guarantee allows.
func tradeOff(g privacy.Guarantee) confidence.TradeOff {
	if mu, gaussian := g.Gaussian(); gaussian {
		return confidence.GaussianTradeOff(mu)
	}
	return confidence.Lines{{Epsilon: g.Value(), Delta: g.Delta()}}
}

// counts holds the counts of several events that are tested together. Their shares of alpha add up to 1.
type counts[T any] struct {
	tallies []T
	rungs   []rung
	given   float64 // the share of alpha that tests use: see coins.given
}

// lower returns the largest lower limit of all events, and the index of that event.
func (c counts[T]) lower(alpha float64, limit func(T, float64) (float64, error)) (best float64, at int, err error) {
	for i, x := range c.tallies {
		value, err := limit(x, alpha*c.given*c.rungs[i].alpha)
		if err != nil {
			return 0, 0, err
		}
		if value > best {
			best, at = value, i
		}
	}
	return best, at, nil
}

// refuted reports whether the test of some event refutes.
func (c counts[T]) refuted(alpha float64, by func(T, float64) bool) bool {
	for i, x := range c.tallies {
		if by(x, alpha*c.given*c.rungs[i].alpha) {
			return true
		}
	}
	return false
}

// finding is the result of an audit.
type finding struct {
	guarantee privacy.Guarantee
	account   *Described
	alpha     float64 // error probability of the lower limit: half of the check's if there is an account

	lowest    float64 // certified lower limit
	most      float64 // limit that a perfect attack would have certified
	usual     float64 // limit certified at usualAlpha
	middle    float64 // point estimate
	broken    bool    // the claim is refuted
	described bool    // the account's trade-off function is refuted
	nearest   verify.Cell
	cells     verify.Cases[verify.Cell]

	verb, forbids string // words of the texts: "show", "does not allow for it"
}

// newFinding returns a finding without results; alpha is the check's error probability.
func newFinding(g privacy.Guarantee, account *Described, alpha float64, noun, verb, forbids string) finding {
	return finding{guarantee: g, account: account, alpha: account.share(alpha), verb: verb, forbids: forbids,
		cells: verify.Cases[verify.Cell]{Noun: noun}}
}

// share returns the error probability of a lower limit: half of alpha if there is an account.
func (d *Described) share(alpha float64) float64 {
	if d != nil {
		return alpha / 2
	}
	return alpha
}

// bound fills in the limits and returns the index of the event with the largest one. The function
// best replaces the counts of an event by the counts of a perfect attack.
func bound[T any](f *finding, c counts[T], limit func(T, float64) (float64, error), best func(*T)) (at int, err error) {
	if f.lowest, at, err = c.lower(f.alpha, limit); err != nil {
		return 0, err
	}
	if f.usual, _, err = c.lower(usualAlpha, limit); err != nil {
		return 0, err
	}
	if f.middle, _, err = c.lower(0.5/c.given, limit); err != nil {
		return 0, err
	}
	c.tallies = append([]T(nil), c.tallies...)
	for i := range c.tallies {
		best(&c.tallies[i])
	}
	f.most, _, err = c.lower(f.alpha, limit)
	return at, err
}

// show copies the claim and its limits to the evidence.
func (f *finding) show(e *verify.Evidence, label string, samples int64) {
	e.Quantity, e.Sense, e.Samples = f.guarantee.Quantity(), verify.AtMost, samples
	f.nearest = verify.Cell{Label: label, Claimed: verify.Num(f.guarantee.Value()),
		Measured: verify.Num(max(f.middle, f.lowest)), Lower: verify.Num(f.lowest), Samples: samples}
	f.cells.See(f.nearest, f.broken || f.described)
	e.CopyWorst(f.nearest)
	e.Cells = []verify.Cell{f.nearest}
}

// row returns the cell of a limit that no verdict uses.
func (f *finding) row(label string, lower float64) verify.Cell {
	return verify.Cell{Label: label, Lower: verify.Num(lower), Samples: f.nearest.Samples}
}

// usualRow returns the row of the limit at usualAlpha, if usualAlpha is above the audit's alpha.
func (f *finding) usualRow() []verify.Cell {
	if f.alpha < usualAlpha {
		return []verify.Cell{f.row(fmt.Sprintf("at an error of %g instead", usualAlpha), f.usual)}
	}
	return nil
}

// decide sets the verdict. enough says whether the run would have detected the attacks at nearFactor.
func (f *finding) decide(e *verify.Evidence, enough bool) {
	switch {
	case f.broken || f.described:
		e.Verdict = verify.Refuted
	case enough && f.lowest <= f.guarantee.Value():
		e.Verdict = verify.Consistent
		e.Detects = verify.Detects{Effect: (nearFactor - 1) * f.guarantee.Value(), Probability: nearPower}
	default:
		e.Verdict = verify.Inconclusive
	}
}

// allowed returns the trade-off function of the account, or of the claim if there is none.
func (f *finding) allowed() confidence.TradeOff {
	if f.account != nil {
		return f.account.Null
	}
	return tradeOff(f.guarantee)
}

func (f *finding) symbol() string {
	if _, gaussian := f.guarantee.Gaussian(); gaussian {
		return "μ"
	}
	return "ε"
}

// Tried reports the cells that were examined.
func (f *finding) Tried() verify.Tried { return f.cells.Tried(verify.Cell.Place, f.nearest) }

func (f *finding) Attempt() string {
	return fmt.Sprintf("%s, which %s %s ≥ %.4g; the claim is %.4g, and at most %.4g could have been shown",
		f.nearest.Label,
		f.verb, f.symbol(), f.lowest, f.guarantee.Value(), f.most)
}

func (f *finding) Counterexample() verify.Counterexample {
	x := f.cells.Simplest(verify.Cell.Itself)
	if f.described {
		x.Choice += "; the account's trade-off function " + f.forbids
	}
	return x
}
