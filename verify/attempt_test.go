package verify

import (
	"math"
	"testing"
)

// Every exact check tells of its own points: the twin of each row, with another worst or
// first point or other figures, is told in other words.
func TestSecondLookAtComputedChecks(t *testing.T) {
	grid := func(s Sense, claimed float64) Relation {
		return relation(s, point("n=1", 1, claimed), point("n=2", 2, claimed), point("n=3", 3, claimed), point("n=4", 2, claimed))
	}
	doubt := relation(Below, point("n=1", 0.5, 1), Point{At: At("n=2"), Measured: 1 - 1e-4, Claimed: 1, Error: 1e-3}, Point{At: At("n=3"), Measured: 1 - 2e-6, Claimed: 1, Error: 1e-3})
	tied := relation(Below, point("n=1", 1, 1))
	contradiction, void := grid(AtMost, 2.5), grid(AtMost, 1.5)
	contradiction.Contradiction, void.Void = true, true
	lookRows{
		{"the largest of ≤", grid(AtMost, 4), Holds, []string{"4 points, from n=1 to n=4", "the nearest to breaking, n=3, leaves a margin of 25 %"}},
		{"the smallest of ≥", grid(AtLeast, 0.5), Holds, []string{"n=1, leaves a margin of 50 %"}},
		{"attained", grid(AtMost, 3), Holds, []string{"n=3, leaves nothing: the claimed value is attained"}},
		{"a single point", relation(Above, point("n=7", 2, 1)), Holds, []string{"one point, n=7; it leaves a margin of 50 %"}},
		{"equal sides", relation(Equals, point("n=1", 1, 1), point("n=2", 2, 2)), Holds, []string{"equal to the last bit"}},
		{"sides equal up to rounding", relation(Equals, point("n=1", 1, 1), point("n=2", 2, 2+1e-12)), Holds, []string{"differ most at n=2, by 5e-13", "more than 1e-12 would be no rounding"}},
		{"out of reach", relation(Below, point("n=1", 1, math.Inf(1)), point("n=2", 2, math.Inf(1))), Holds, []string{"none comes near"}},
		{"one point fails", grid(AtMost, 2.5), Refuted, []string{"n=3: the only one of 4 points that fails"}},
		{"the first is not the worst", grid(AtMost, 1.5), Refuted, []string{"n=2: the first, in the order of the domain, of the 3 that fail among 4 points; the one before it, n=1, does not"}},
		{"all fail", grid(AtMost, 0.5), Refuted, []string{"n=1: the first of 4 points, in the order of the domain, all of which fail"}},
		{"a contradiction", contradiction, Inconsistent, []string{"n=3: the only one"}},
		{"a void statement", void, Vacuous, []string{"n=2: the first"}},
		{"a strict claim within rounding", doubt, Inconclusive, []string{"a relative error below 2e-06 at n=3; this run allows 0.001"}},
		{"a strict claim of equal sides", tied, Inconclusive, []string{"exact arithmetic, at n=1", "equal to the last bit"}},
	}.want(t)
	if x := evidenceOf(t, grid(AtMost, 1.5)).Counterexample; x.Measured.X != 2 || x.Claimed.X != 1.5 {
		t.Errorf("the figures of the simplest case are %v against %v, want 2 against 1.5", x.Measured.X, x.Claimed.X)
	}
}
