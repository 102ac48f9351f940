package recheck

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/bands"
)

// figures of any claim have to agree with each other.
func (c *Claim) figures(e verify.Evidence) {
	if e.Lower.Set && e.Measured.Set && e.Lower.X > e.Measured.X && !Same(e.Lower.X, e.Measured.X) {
		c.differ("lower", inWords(e.Lower), "at most "+inWords(e.Measured)+", as measured")
	}
	if e.Upper.Set && e.Measured.Set && e.Upper.X < e.Measured.X && !Same(e.Upper.X, e.Measured.X) {
		c.differ("upper", inWords(e.Upper), "at least "+inWords(e.Measured)+", as measured")
	}
	// What an interval excludes is not consistent, whatever the counts are.
	excluded := e.Sense == verify.AtMost && e.Lower.Set && e.Lower.X > e.Claimed.X ||
		e.Sense == verify.AtLeast && e.Upper.Set && e.Upper.X < e.Claimed.X
	if e.Verdict == verify.Consistent && e.Claimed.Set && excluded {
		c.differ("verdict", string(e.Verdict), fmt.Sprintf("one that the interval [%s, %s] allows, where %s %v is claimed",
			inWords(e.Lower), inWords(e.Upper), e.Sense, e.Claimed.X))
	}
	if e.Ratio.Set && e.Claimed.Set && e.Measured.Set && e.Claimed.X != 0 {
		c.number("ratio", e.Ratio, verify.Num(e.Measured.X/e.Claimed.X))
	}
}

// computed figures decide by themselves: the claim is so at them, or it is not.
func (c *Claim) computed(e verify.Evidence) {
	for _, cell := range append(slices.Clone(e.Cells), verify.Cell{Samples: e.Samples}) {
		if cell.Samples > 0 {
			c.differ("exact", "true", fmt.Sprintf("%d samples were drawn", cell.Samples))
		}
	}
	if e.Verdict == verify.Consistent || e.Sizes != (verify.Sizes{}) || e.Detects != (verify.Detects{}) {
		c.differ("exact", "true", "a verdict or a power that samples alone have")
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
	figures := fmt.Sprintf("[%v, %v] where %s %v is claimed", lower, upper, e.Sense, e.Claimed.X)
	switch e.Verdict {
	case verify.Holds:
		// Of printed numbers the margin says what their rounding leaves open.
		open := e.Tried.Margin.Set && e.Tried.Margin.X >= 0
		if !allows(e.Sense, lower, upper, e.Claimed.X) && !open {
			c.differ("verdict", string(e.Verdict), figures)
		}
	case verify.Refuted, verify.Inconsistent:
		if !bars(e.Sense, lower, upper, e.Claimed.X) {
			c.differ("verdict", string(e.Verdict), figures)
		}
	}
}

// slack is the rounding that a computed figure may have, relative to the larger of both.
const slack = 1e-6

// allows tells whether a claim is so, but for rounding, at computed figures.
func allows(s verify.Sense, lower, upper, claimed float64) bool {
	room := slack * math.Max(math.Abs(claimed), math.Max(math.Abs(lower), math.Abs(upper)))
	if math.IsInf(room, 0) || math.IsNaN(room) {
		room = 0
	}
	switch s {
	case verify.AtMost:
		return upper <= claimed+room
	case verify.Below:
		return upper < claimed+room
	case verify.AtLeast:
		return lower >= claimed-room
	case verify.Above:
		return lower > claimed-room
	}
	return lower <= claimed+room && upper >= claimed-room
}

// bars tells whether a claim is not so at computed figures.
func bars(s verify.Sense, lower, upper, claimed float64) bool {
	switch s {
	case verify.AtMost:
		return upper > claimed
	case verify.Below:
		return upper >= claimed
	case verify.AtLeast:
		return lower < claimed
	case verify.Above:
		return lower <= claimed
	}
	return lower != claimed || upper != claimed
}

// point of a band.
type point [3]float64

func pointsOf(all []bands.Point) (out []point) {
	for _, p := range all {
		out = append(out, point{p.At, p.Claimed, p.Certified})
	}
	return out
}
