package verify

import (
	"math"
	"slices"
)

// Tried holds the figures behind a verdict: the cases of a check and the case closest to violating the claim, or
// one that violates it. [Evidence.Attempt], [Evidence.Counterexample] and [Evidence.Needed] state the same as text.
// The zero value means none.
type Tried struct {
	Cases   int64  `json:"cases"` // number of tested cases, at least 1
	Case    string `json:"case"`  // noun for a case: "point", "pair"
	From    string `json:"from"`  // first and last case, or "" if they are unordered
	To      string `json:"to"`
	Nearest Cell   `json:"nearest"`
	// Margin is the distance of the nearest case from violating the claim, in units of the quantity,
	// negative for a violation. For a sampled quantity it uses the limit that would refute the claim,
	// otherwise the computed value at the least favorable end of its enclosure. For an equation between
	// computed values it is minus their distance, which rounding explains. For a slope it is measured from
	// what the claim and the resolution of the grid permit, for reported numbers from what rounding
	// permits. It is absent if a case has no figures.
	Margin Number `json:"margin"`
}

// Detects is the smallest violation that a sampled verdict would have detected: with at least the given
// probability, a run on it ends with another verdict. For a mean vector it is the length along the input. The zero
// value means none: the claim was computed, refuted or left inconclusive, or combines several claims.
type Detects struct {
	Effect           float64 `json:"effect"`   // excess over the claim
	Relative         bool    `json:"relative"` // relative to the claimed value; else in units of the quantity
	Probability      float64 `json:"probability"`
	EventProbability Number  `json:"mass"` // probability of the event, for privacy claims
}

// margin returns the margin of a case, see [Tried].
func (c Cell) margin(s Sense, exact bool) Number {
	if !c.Claimed.Set || !c.Measured.Set {
		return Number{}
	}
	lower, upper := c.Measured.X, c.Measured.X
	if c.Lower.Set {
		lower = c.Lower.X
	}
	if c.Upper.Set {
		upper = c.Upper.X
	}
	switch against := upper; s {
	case AtMost, Below:
		if !exact {
			against = lower
		}
		return Num(c.Claimed.X - against)
	case AtLeast, Above:
		if exact {
			against = lower
		}
		return Num(against - c.Claimed.X)
	}
	if lower < upper {
		return Num(math.Min(c.Claimed.X-lower, upper-c.Claimed.X))
	}
	return Num(-math.Abs(c.Measured.X - c.Claimed.X))
}

// detects returns the small violation of a sampled privacy claim if it would have been detected and all cells have
// the same claim.
func (e Evidence) detects() Detects {
	s := e.Sizes
	other := slices.ContainsFunc(e.Cells, func(c Cell) bool { return c.Claimed != e.Claimed })
	if e.Verdict != Consistent || !s.SmallDetected || !(s.Small > 0) || !e.Claimed.Set || other {
		return Detects{}
	}
	return Detects{Effect: s.Small - e.Claimed.X, Probability: s.Probability, EventProbability: Num(s.SmallProbability)}
}

// Tried returns the figures of the cases, given the case closest to violating the claim.
func (c *Cases[T]) Tried(at func(T) string, nearest Cell) Tried {
	return Tried{Cases: int64(c.seen), Case: c.Noun, From: at(c.first), To: at(c.last), Nearest: nearest}
}
