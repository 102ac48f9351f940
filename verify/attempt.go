package verify

import (
	"fmt"
)

// A verdict has a second look behind it: what was tried hardest to break a claim
// that stands, the simplest case that breaks one that does not, the size that would
// decide one that is open. Each check computes all three from its own run.

// Counterexample is the simplest case that breaks a claim, where possible one that
// a reader can check by hand; the worst case is at the top level of the evidence.
// The zero value is none.
type Counterexample struct {
	Cell
	Choice string `json:"choice"` // in which order it is the first, and of how many
}

// SecondLook says what stands behind a verdict.
type SecondLook interface {
	Tried() Tried                   // all of it in figures, whatever the verdict
	Attempt() string                // the strongest attempt to break the claim, and how near it came
	Counterexample() Counterexample // the simplest case that breaks it
	Needed() string                 // the size that would decide, and that of this run
}

// LookAgain fills the figures and the text that the verdict asks for, and clears the other
// texts. Verdict, sense and exactness are there before.
func (e *Evidence) LookAgain(l SecondLook) {
	e.Attempt, e.Counterexample, e.Needed, e.Tried = "", Counterexample{}, "", l.Tried()
	if !e.Tried.Margin.Set {
		e.Tried.Margin = e.Tried.Nearest.margin(e.Sense, e.Exact)
	}
	if e.Sizes != (Sizes{}) {
		e.Detects = e.detects()
	}
	switch e.Verdict {
	case Holds, Consistent:
		e.Attempt = l.Attempt()
	case Refuted, Contradictory, Vacuous:
		e.Counterexample = l.Counterexample()
	case Inconclusive:
		e.Needed = l.Needed()
	}
}

// Cases keeps, of cases that are seen one after the other, what a second look needs:
// the ends of their order, and the first that breaks the claim. The order is that in
// which a check goes through its domain, smallest first as a rule.
type Cases[T any] struct {
	seen, broken  int
	first, last   T
	simplest      T      // the first that breaks the claim
	before        int    // cases ahead of it
	previous      T      // the last of those
	Noun, Ordered string // "point"; "in the order of the domain" where it is empty
}

// See takes the next case.
func (c *Cases[T]) See(x T, broken bool) {
	if c.seen == 0 {
		c.first = x
	}
	if broken {
		if c.broken == 0 {
			c.simplest, c.before, c.previous = x, c.seen, c.last
		}
		c.broken++
	}
	c.last = x
	c.seen++
}

// Count is the number of cases so far.
func (c *Cases[T]) Count() int { return c.seen }

// Broken is the number of those that break the claim.
func (c *Cases[T]) Broken() int { return c.broken }

// First is the first case that breaks the claim; the zero value where none does.
func (c *Cases[T]) First() T { return c.simplest }

// InWords says how many cases there were, and between which ends.
func (c *Cases[T]) InWords(at func(T) string) string {
	first, last := at(c.first), at(c.last)
	switch {
	case c.seen == 1:
		return fmt.Sprintf("one %s, %s", c.Noun, first)
	case first == last:
		return fmt.Sprintf("%s at %s", Plural(c.seen, c.Noun), first)
	}
	return fmt.Sprintf("%s, from %s to %s", Plural(c.seen, c.Noun), first, last)
}

// Nearest names the case that comes nearest to breaking the claim: there is nothing to name
// where it is the only one.
func (c *Cases[T]) Nearest(at string) string {
	if c.seen == 1 {
		return "it"
	}
	return "the nearest to breaking, " + at + ","
}

// Simplest is the first case that breaks the claim.
func (c *Cases[T]) Simplest(cell func(T) Cell) Counterexample {
	if c.broken == 0 {
		return Counterexample{}
	}
	x := Counterexample{Cell: cell(c.simplest), Choice: c.choice()}
	if c.before > 0 && c.broken > 1 {
		x.Choice += fmt.Sprintf("; the one before it, %s, does not", cell(c.previous).Label)
	}
	return x
}

// choice says among how many cases the simplest is the first.
func (c *Cases[T]) choice() string {
	order := c.Ordered
	if order == "" {
		order = "in the order of the domain"
	}
	switch {
	case c.seen == 1:
		return fmt.Sprintf("the only %s", c.Noun)
	case c.broken == c.seen:
		return fmt.Sprintf("the first of %s, %s, all of which fail", Plural(c.seen, c.Noun), order)
	case c.broken == 1:
		return fmt.Sprintf("the only one of %s that fails", Plural(c.seen, c.Noun))
	}
	return fmt.Sprintf("the first, %s, of the %d that fail among %s", order, c.broken, Plural(c.seen, c.Noun))
}

// Place is where a cell is, for [Cases.InWords] and [Cases.Tried].
func (c Cell) Place() string { return c.Label }

// Itself is the cell, for [Cases.Simplest].
func (c Cell) Itself() Cell { return c }
