package verify

import (
	"fmt"
)

// Every verdict has a second look, which each check computes from its own run: the strongest attempt against a
// claim that is not refuted, the simplest counterexample to a refuted claim, or the sample size that would decide
// an inconclusive one.

// Counterexample is the simplest case that violates a claim, if possible one that a reader can check by hand. The
// worst case is at the top level of the evidence. The zero value means none.
type Counterexample struct {
	Cell
	Choice string `json:"choice"` // order in which this case is the first, and the number of cases
}

// SecondLook returns the texts and figures that support a verdict.
type SecondLook interface {
	Tried() Tried                   // all cases in figures, for every verdict
	Attempt() string                // strongest attempt to refute the claim, and how close it came
	Counterexample() Counterexample // simplest case that violates the claim
	Needed() string                 // sample size that would decide, and the size of this run
}

// LookAgain fills in the figures and the text for the verdict, and clears the other texts. Verdict, sense and
// exactness must be set.
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

// Cases collects, from a sequence of cases, what a second look needs: the first and the last case, and the first
// case that violates the claim. The order is the order of the check's domain, usually smallest first.
type Cases[T any] struct {
	seen, broken  int
	first, last   T
	simplest      T      // first case that violates the claim
	before        int    // number of cases before it
	previous      T      // last case before it
	Noun, Ordered string // noun for a case ("point") and its order, by default "in the order of the domain"
}

// See adds the next case.
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

// Count returns the number of cases so far.
func (c *Cases[T]) Count() int { return c.seen }

// Broken returns the number of cases that violate the claim.
func (c *Cases[T]) Broken() int { return c.broken }

// First returns the first case that violates the claim, or the zero value.
func (c *Cases[T]) First() T { return c.simplest }

// InWords returns the number of cases and the first and last one as text.
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

// Nearest returns a phrase for the case closest to violating the claim, or "it" for a single case.
func (c *Cases[T]) Nearest(at string) string {
	if c.seen == 1 {
		return "it"
	}
	return "the nearest to breaking, " + at + ","
}

// Simplest returns the first case that violates the claim.
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

// choice describes among how many cases the simplest is the first.
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

// Place returns the label of a cell, for [Cases.InWords] and [Cases.Tried].
func (c Cell) Place() string { return c.Label }

// Itself returns the cell, for [Cases.Simplest].
func (c Cell) Itself() Cell { return c }
