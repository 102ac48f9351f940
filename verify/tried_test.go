package verify

import (
	"math"
	"testing"
)

// TestMargins checks that the margin uses the limit that would refute a sampled claim, and the least favorable end
// of the enclosure of a computed value.
func TestMargins(t *testing.T) {
	c := Cell{Claimed: Num(1), Measured: Num(0.9), Lower: Num(0.75), Upper: Num(1.25)}
	point := Cell{Claimed: Num(1), Measured: Num(0.75)}
	for _, x := range []struct {
		reason string
		cell   Cell
		sense  Sense
		exact  bool
		want   float64
	}{
		{"sampled, at most: from the lower limit", c, AtMost, false, 0.25},
		{"computed, at most: from the upper end, beyond the claim", c, Below, true, -0.25},
		{"sampled, at least: from the upper limit", c, AtLeast, false, 0.25},
		{"computed, at least: from the lower end", c, Above, true, -0.25},
		{"sampled, equal: within the interval", c, Equals, false, 0.25},
		{"one value", point, AtMost, true, 0.25},
		{"one value on the wrong side", point, AtLeast, true, -0.25},
		{"one value of an equation", point, Equals, true, -0.25},
	} {
		if got := x.cell.margin(x.sense, x.exact); got != Num(x.want) {
			t.Errorf("%s: %+v, want %v", x.reason, got, x.want)
		}
	}
	if got := (Cell{Claimed: Num(1)}).margin(AtMost, true); got.Set {
		t.Errorf("nothing measured leaves %v", got.X)
	}
	if got := (Cell{Claimed: Num(math.Inf(1)), Measured: Num(2)}).margin(AtMost, true); got != Num(math.Inf(1)) {
		t.Errorf("a claim of ∞ leaves %+v", got)
	}
}

// TestDetectsOfSizes checks that only a single consistent claim reports the small violation.
func TestDetectsOfSizes(t *testing.T) {
	e := Evidence{Verdict: Consistent, Claimed: Num(1), Sizes: Sizes{Small: 1.25, SmallProbability: 0.1, SmallDetected: true, Probability: 0.99}}
	if got := e.detects(); got != (Detects{Effect: 0.25, Probability: 0.99, EventProbability: Num(0.1)}) {
		t.Errorf("%+v", got)
	}
	missed, open, two := e, e, e
	missed.Sizes.SmallDetected = false
	open.Verdict = Inconclusive
	two.Cells = []Cell{{Claimed: Num(1)}, {Claimed: Num(2)}}
	for reason, e := range map[string]Evidence{"missed": missed, "open": open, "two claims in one": two} {
		if got := e.detects(); got != (Detects{}) {
			t.Errorf("%s: %+v", reason, got)
		}
	}
}
