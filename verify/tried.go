package verify

import (
	"math"
	"slices"
)

// Tried is what stands behind a verdict in figures: what a check went through, and the case
// that comes nearest to breaking the claim, or one that breaks it. [Evidence.Attempt],
// [Evidence.Counterexample] and [Evidence.Needed] say the same in words. The zero value is none.
type Tried struct {
	Cases   int64  `json:"cases"` // looked at, at least 1
	Case    string `json:"case"`  // what one is: "point", "pair"
	From    string `json:"from"`  // the first and the last; "" where they are in no order
	To      string `json:"to"`
	Nearest Cell   `json:"nearest"`
	// Margin is how far the nearest case is from breaking the claim, in the units of the
	// quantity; below 0 beyond it. Where the quantity is sampled it is that of the limit that
	// would refute, else that of the computed value, at the end of its enclosure that favours
	// the claim least. Of an equation between computed values it is minus their distance,
	// which rounding explains; of a slope it counts from what the claim and the
	// resolution of the grid allow; of printed numbers what rounding leaves open. Absent
	// where a case has no figures.
	Margin Number `json:"margin"`
}

// Detects is the smallest violation that a sampled verdict would have seen: a run on it ends
// with another verdict, with at least the given probability. Of a mean vector it is that of its
// length along the input. The zero value is none: a claim that was
// computed, refuted or left open, or several claims in one.
type Detects struct {
	Effect           float64 `json:"effect"`   // beyond what is claimed
	Relative         bool    `json:"relative"` // to the claimed value; else in the units of the quantity
	Probability      float64 `json:"probability"`
	EventProbability Number  `json:"mass"` // of the event, of a claim about privacy
}

// margin of a case; see [Tried].
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

// detects is the near violation of sampled privacy, where it would have been seen and
// the same is claimed in all cells.
func (e Evidence) detects() Detects {
	s := e.Sizes
	other := slices.ContainsFunc(e.Cells, func(c Cell) bool { return c.Claimed != e.Claimed })
	if e.Verdict != Consistent || !s.SmallDetected || !(s.Small > 0) || !e.Claimed.Set || other {
		return Detects{}
	}
	return Detects{Effect: s.Small - e.Claimed.X, Probability: s.Probability, EventProbability: Num(s.SmallProbability)}
}

// Tried are the cases that were seen, of which nearest comes nearest to breaking the claim.
func (c *Cases[T]) Tried(at func(T) string, nearest Cell) Tried {
	return Tried{Cases: int64(c.seen), Case: c.Noun, From: at(c.first), To: at(c.last), Nearest: nearest}
}
