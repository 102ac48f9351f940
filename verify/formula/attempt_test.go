package formula

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// The attempt of every exact check is about its own points: it changes with the worst point, the first point and the
// figures.
func TestSecondLookAtComputedChecks(t *testing.T) {
	grid := func(s verify.Sense, claimed float64) Check {
		return relation(s, point("n=1", 1, claimed), point("n=2", 2, claimed), point("n=3", 3, claimed), point("n=4", 2,
			claimed))
	}
	doubt := relation(verify.Below, point("n=1", 0.5, 1), Point{Place: Placef("n=2"), Measured: 1 - 1e-4, Claimed: 1,
		Error: 1e-3}, Point{Place: Placef("n=3"), Measured: 1 - 2e-6, Claimed: 1, Error: 1e-3})
	tied := relation(verify.Below, point("n=1", 1, 1))
	contradiction, void := grid(verify.AtMost, 2.5), grid(verify.AtMost, 1.5)
	contradiction.Contradiction, void.Void = true, true
	verifytest.Rows{
		{"the largest of ≤", grid(verify.AtMost, 4), verify.Holds, []string{"4 points, from n=1 to n=4",
			"the nearest to breaking, n=3, leaves a margin of 25 %"}},
		{"the smallest of ≥", grid(verify.AtLeast, 0.5), verify.Holds, []string{"n=1, leaves a margin of 50 %"}},
		{"attained", grid(verify.AtMost, 3), verify.Holds, []string{"n=3, leaves no margin: the claimed value is attained"}},
		{"a single point", relation(verify.Above, point("n=7", 2, 1)), verify.Holds, []string{"one point, n=7; it " +
			"leaves a margin of 50 %"}},
		{"equal sides", relation(verify.Equals, point("n=1", 1, 1), point("n=2", 2, 2)), verify.Holds,
			[]string{"the two sides are equal at all of them"}},
		{"sides equal up to rounding", relation(verify.Equals, point("n=1", 1, 1), point("n=2", 2, 2+1e-12)), verify.Holds,
			[]string{"from n=1 to n=2; the two sides are equal", "up to the 1e-12 of the larger one"}},
		{"out of reach", relation(verify.Below, point("n=1", 1, math.Inf(1)), point("n=2", 2, math.Inf(1))), verify.Holds,
			[]string{"no point is close to a violation"}},
		{"one point fails", grid(verify.AtMost, 2.5), verify.Refuted, []string{"n=3: the only one of 4 points that fails"}},
		{"the first is not the worst", grid(verify.AtMost, 1.5), verify.Refuted, []string{"n=2: the first, in the order " +
			"of the domain, of the 3 that fail among 4 points; the one before it, n=1, does not"}},
		{"all fail", grid(verify.AtMost, 0.5), verify.Refuted, []string{"n=1: the first of 4 points, in the order of " +
			"the domain, all of which fail"}},
		{"a contradiction", contradiction, verify.Contradictory, []string{"n=3: the only one"}},
		{"a void statement", void, verify.Vacuous, []string{"n=2: the first"}},
		{"a strict claim within rounding", doubt, verify.Inconclusive, []string{"exact arithmetic, at n=2",
			"the 0.001 of the larger one"}},
		{"a strict claim of equal sides", tied, verify.Inconclusive, []string{"exact arithmetic, at n=1",
			"may be rounding error"}},
	}.Hold(t)
	if x := verifytest.EvidenceOf(t, grid(verify.AtMost, 1.5)).Counterexample; x.Measured.X != 2 || x.Claimed.X != 1.5 {
		t.Errorf("the figures of the simplest case are %v against %v, want 2 against 1.5", x.Measured.X, x.Claimed.X)
	}
}
