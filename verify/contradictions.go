package verify

import (
	"fmt"
	"math"
	"slices"
)

// Difference is a place at which a report differs from itself or from the claims.
type Difference struct {
	Field      string `json:"field"`
	Stored     string `json:"stored"`
	Recomputed string `json:"recomputed"`
}

// Contradictions returns the places at which the evidence contradicts itself. It is for evidence without statistics.
// Evidence without a contradiction may still not follow from anything.
func (e Evidence) Contradictions() []Difference {
	var c contradictions
	c.interval(e)
	c.texts(e)
	switch e.Verdict {
	case Untestable, NotRun, Error:
		c.unmeasured(e)
		return c
	case Consistent:
		if excluded(e) {
			c.add("verdict", string(e.Verdict), fmt.Sprintf("a verdict that the interval %s allows", figuresOf(e)))
		}
	}
	if e.Exact {
		c.computed(e)
	}
	if e.Tried.Cases == 1 {
		c.only(e)
	}
	return c
}

type contradictions []Difference

func (c *contradictions) add(field, stored, want string) {
	*c = append(*c, Difference{field, stored, want})
}

func (c *contradictions) interval(e Evidence) {
	if e.Lower.Set && e.Measured.Set && e.Lower.X > e.Measured.X && !AlmostEqual(e.Lower.X, e.Measured.X) {
		c.add("lower", inWords(e.Lower), "at most "+inWords(e.Measured)+", as measured")
	}
	if e.Upper.Set && e.Measured.Set && e.Upper.X < e.Measured.X && !AlmostEqual(e.Upper.X, e.Measured.X) {
		c.add("upper", inWords(e.Upper), "at least "+inWords(e.Measured)+", as measured")
	}
	if ratio := e.Measured.X / e.Claimed.X; e.Ratio.Set && e.Claimed.Set && e.Measured.Set && e.Claimed.X != 0 &&
		!AlmostEqual(e.Ratio.X, ratio) {
		c.add("ratio", inWords(e.Ratio), fmt.Sprint(ratio))
	}
}

// texts checks texts that only some verdicts have.
func (c *contradictions) texts(e Evidence) {
	for _, of := range []struct {
		field    string
		present  bool
		verdicts []Verdict
	}{
		{"attempt", e.Attempt != "", []Verdict{Holds, Consistent}},
		{"needed", e.Needed != "", []Verdict{Inconclusive, NotRun}},
		{"counterexample", e.Counterexample.Label != "", []Verdict{Refuted, Contradictory,
			Vacuous}},
		{"why", e.Diagnosis != nil, []Verdict{Refuted}},
	} {
		if of.present && !slices.Contains(of.verdicts, e.Verdict) {
			c.add("verdict", string(e.Verdict), fmt.Sprintf("a verdict that has the field %s: %v", of.field, of.verdicts))
		}
	}
}

// unmeasured checks that unmeasured verdicts have no figures.
func (c *contradictions) unmeasured(e Evidence) {
	if e.Measured.Set || e.Lower.Set || e.Upper.Set || e.Samples > 0 || len(e.Cells) > 0 || e.Tried.Cases > 0 {
		c.add("verdict", string(e.Verdict), "a verdict with figures: this one has none")
	}
}

// only checks the figures of a check with one case, which must be equal everywhere.
func (c *contradictions) only(e Evidence) {
	worst := Cell{Claimed: e.Claimed, Measured: e.Measured, Lower: e.Lower, Upper: e.Upper}
	for _, of := range []struct {
		field string
		cell  Cell
	}{{"tried.nearest", e.Tried.Nearest}, {"counterexample", e.Counterexample.Cell}} {
		cell := Cell{Claimed: of.cell.Claimed, Measured: of.cell.Measured, Lower: of.cell.Lower, Upper: of.cell.Upper}
		if of.cell.Label != "" && of.cell.Measured.Set && cell != worst {
			c.add(of.field, fmt.Sprintf("%v [%v, %v]", inWords(cell.Measured), inWords(cell.Lower), inWords(cell.Upper)),
				figuresOf(e)+", the only case")
		}
	}
}

// computed checks that a verdict agrees with computed figures, which decide whether the claim is true.
func (c *contradictions) computed(e Evidence) {
	for _, cell := range append(slices.Clone(e.Cells), Cell{Samples: e.Samples}) {
		if cell.Samples > 0 {
			c.add("exact", "true", fmt.Sprintf("%d samples were drawn", cell.Samples))
		}
	}
	if e.Verdict == Consistent || e.Sizes != (Sizes{}) || e.Detects != (Detects{}) || e.Band != nil ||
		e.Diagnosis != nil {
		c.add("exact", "true", "a verdict, a power, a band or a reason that only samples have")
	}
	if e.Sense == "" || !e.Claimed.Set || !e.Measured.Set {
		return
	}
	lower, upper := e.Measured.X, e.Measured.X
	if e.Lower.Set {
		lower = math.Min(lower, e.Lower.X)
	}
	if e.Upper.Set {
		upper = math.Max(upper, e.Upper.X)
	}
	switch e.Verdict {
	case Holds:
		// The margin covers the rounding of a reported value.
		open := e.Tried.Margin.Set && e.Tried.Margin.X >= 0 && e.Sense == Equals
		if !allows(e.Sense, lower, upper, e.Claimed.X) && !open {
			c.add("verdict", string(e.Verdict), figuresOf(e))
		}
	case Refuted, Contradictory:
		if !bars(e.Sense, lower, upper, e.Claimed.X) {
			c.add("verdict", string(e.Verdict), figuresOf(e))
		}
	case Inconclusive, Vacuous:
		if excluded(e) {
			c.add("verdict", string(e.Verdict), figuresOf(e))
		}
	}
}

// excluded reports whether an interval excludes a claimed inequality.
func excluded(e Evidence) bool {
	return e.Claimed.Set && (e.Sense == AtMost && e.Lower.Set && e.Lower.X > e.Claimed.X ||
		e.Sense == AtLeast && e.Upper.Set && e.Upper.X < e.Claimed.X)
}

func figuresOf(e Evidence) string {
	return fmt.Sprintf("%s [%s, %s] where %s %s is claimed", inWords(e.Measured), inWords(e.Lower), inWords(e.Upper),
		e.Sense,
		inWords(e.Claimed))
}

func inWords(n Number) string {
	if !n.Set {
		return "none"
	}
	return fmt.Sprint(n.X)
}

// slack is the rounding that a computed figure may have, relative to the larger of both.
const slack = 1e-6

// allows reports whether a claim is true, up to rounding, at computed figures.
func allows(s Sense, lower, upper, claimed float64) bool {
	room := slack * math.Max(math.Abs(claimed), math.Max(math.Abs(lower), math.Abs(upper)))
	if math.IsInf(room, 0) || math.IsNaN(room) {
		room = 0
	}
	switch s {
	case AtMost:
		return upper <= claimed+room
	case Below:
		return upper < claimed+room
	case AtLeast:
		return lower >= claimed-room
	case Above:
		return lower > claimed-room
	}
	return lower <= claimed+room && upper >= claimed-room
}

// bars reports whether a claim is false at computed figures.
func bars(s Sense, lower, upper, claimed float64) bool {
	switch s {
	case AtMost:
		return upper > claimed
	case Below:
		return upper >= claimed
	case AtLeast:
		return lower < claimed
	case Above:
		return lower <= claimed
	}
	return lower != claimed || upper != claimed
}

// figureRounding is what another machine may make of a figure, relative to it.
const figureRounding = 1e-9

// AlmostEqual reports whether two figures are equal up to rounding.
func AlmostEqual(a, b float64) bool {
	switch {
	case a == b || math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return false
	}
	return math.Abs(a-b) <= figureRounding*math.Max(math.Abs(a), math.Abs(b))+1e-15
}
