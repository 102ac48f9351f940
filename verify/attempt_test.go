package verify

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// look is the one text that stands behind a verdict; it fails where there is another.
func look(t *testing.T, reason string, e Evidence) string {
	t.Helper()
	x := e.Counterexample
	var texts []string
	for _, s := range []string{e.Attempt, x.At + x.Choice, e.Needed} {
		if s != "" {
			texts = append(texts, s)
		}
	}
	if len(texts) != 1 {
		t.Errorf("%s: %s, and behind it %q; want one text", reason, e.Verdict, texts)
		return ""
	}
	if x.At != "" {
		return x.At + ": " + x.Choice
	}
	return texts[0]
}

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
	law := func(at string, truth, claimed float64) LawPair {
		return LawPair{At: at, P: response(truth, 0), Q: response(truth, 1), Epsilon: claimed}
	}
	cases := []struct {
		reason string
		check  Check
		want   Verdict
		says   []string
	}{
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
		{"laws that are private", exactly(law("bits", 1, 1), law("others", 1, 4)), Holds, []string{"2 pairs, from bits to others", "bits, needs ε = 1, where 1 is claimed"}},
		{"laws of which one is not", exactly(law("bits", 1, 1), law("others", 2, 1.5), law("more", 3, 1.5)), Refuted, []string{"others: the first, in the order of the domain, of the 2 that fail among 3 pairs; the one before it, bits, does not"}},
	}
	for _, c := range cases {
		e := evidenceOf(t, c.check)
		text := look(t, c.reason, e)
		for _, says := range c.says {
			if e.Verdict != c.want || !strings.Contains(text, says) {
				t.Errorf("%s: %s, %q; want %s, %q", c.reason, e.Verdict, text, c.want, says)
			}
		}
	}
	if x := evidenceOf(t, grid(AtMost, 1.5)).Counterexample; x.Measured.X != 2 || x.Claimed.X != 1.5 {
		t.Errorf("the figures of the simplest case are %v against %v, want 2 against 1.5", x.Measured.X, x.Claimed.X)
	}
}

func TestSecondLookAtSensitivities(t *testing.T) {
	derived := func(s SensitivityCheck, tight float64) SensitivityCheck {
		s.Cells = slices.Clone(s.Cells)
		s.Cells[0].Tight, s.Proof = Num(tight), "by hand"
		return s
	}
	three := meanCheck(0.4) // the largest difference is 1/2, and 1 of two records
	three.Cells = append(three.Cells, three.Cells[0], three.Cells[0])
	three.Cells[1].At, three.Cells[1].N, three.Cells[1].Map = "n = 2", 2, sumOf(2, addPoint)
	three.Cells[2].At, three.Cells[2].Claimed = "n = 4, more", 0.3
	for _, c := range []struct {
		reason string
		check  SensitivityCheck
		want   Verdict
		says   string
	}{
		{"derived and attained", derived(meanCheck(2), 0.5), Holds, "a search of 1000 pairs in each of 1 cell; the worst pair, at n = 4, differs by 0.5 of the claimed 2, where 0.5 is derived to be the most"},
		{"every pair", labelCheck(2, firstLabel), Holds, "every pair in 1 cell; the worst pair, at n = 4, differs by 2 of the claimed 2"},
		{"fewest records first", three, Refuted, `n = 2, {"records":`},
		{"no derivation", meanCheck(0.6), Inconclusive, "a derived supremum, or a pair that differs by more than 0.6: no number of pairs shows that none does; the 1000 pairs of this run came to 0.5"},
		{"not attained", derived(meanCheck(2), 1), Inconclusive, "a pair that differs by 0.99 of the derived 1; the 1000 pairs of this run came to 0.5"},
		{"more is derived than claimed", derived(meanCheck(0.51), 0.52), Inconclusive, "differs by more than 0.51 and by at most the derived 0.52"},
	} {
		e, err := judgeSensitivity(t, c.check, 1)
		if err != nil {
			t.Fatal(err)
		}
		if text := look(t, c.reason, e); e.Verdict != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s, %q; want %s, %q", c.reason, e.Verdict, text, c.want, c.says)
		}
	}
}

func TestSecondLookAtPrintedNumbers(t *testing.T) {
	order := func(need int, pairs ...PrintedPair) PrintedOrder {
		return PrintedOrder{Quantity: "rate", Sense: Below, Pairs: pairs, Need: need}
	}
	rates := func(examples int, texts ...string) (all PrintedRates) {
		for _, text := range texts {
			all = append(all, PrintedRate{Rate: printed(text), Examples: examples})
		}
		return all
	}
	share := func(left, right string) PrintedPair { return sized(printedPair(left, right), 0, 10_000) }
	for _, c := range []struct {
		reason string
		check  Check
		want   Verdict
		says   string
	}{
		{"the closest of certain pairs", order(0, printedPair("0.1", "0.9"), printedPair("0.3", "0.5")), Holds, "2 pairs, of which 2 are certain at the rounding that favours them least and 2 are needed; the nearest of these to breaking, here: 0.3; here: 0.5, has a difference in [-0.3, -0.1]"},
		{"an impossible pair", order(0, printedPair("0.1", "0.9"), printedPair("0.7", "0.5")), Inconsistent, "here: 0.7; here: 0.5: the only one of 2 pairs that fails"},
		{"an open pair", order(0, printedPair("0.45", "0.5")), Inconclusive, "about 1 more printed place where it is open, in 1 pair"},
		{"an open pair that is nearer", order(0, printedPair("0.499", "0.5")), Inconclusive, "about 2 more printed places"},
		{"numbers printed alike", order(0, printedPair("0.5", "0.5")), Inconclusive, "how many is not known"},
		{"a total that fits", PrintedSums{{Total: printed("0.61"), Terms: printedAs("0.3", "0.3")}}, Holds, "the nearest to breaking, here: 0.61, is by computation in [0.5, 0.7]"},
		{"one that does not", PrintedSums{{Total: printed("0.6"), Terms: printedAs("0.3", "0.3")}, {Total: printed("0.8"), Terms: printedAs("0.3", "0.3")}}, Inconsistent, "here: 0.8: the only one of 2 printed numbers that fails"},
		{"rates that occur", rates(8, "0.125", "0.250"), Holds, "2 printed rates; the furthest off, here: 0.125 of 8 examples"},
		{"one that does not", rates(8, "0.125", "0.130"), Inconsistent, "0.130 of 8 examples, 1 runs: the only one of 2 printed rates that fails"},
		{"rates that tell nothing", rates(10_000, "0.1", "0.2"), Vacuous, "0.1 of 10000 examples, 1 runs: the first of 2 printed rates, in the order of printing, all of which fail"},
		{"a difference beyond chance", significance(SameTestSet, Above, share("0.95", "0.90")), Holds, "1 pair tested, at the rounding that favours the claim least; the decisive figure, here: 0.95; here: 0.90,"},
		{"one of two within it", significance(SameTestSet, Above, share("0.9500", "0.9000"), share("0.9001", "0.9000")), Refuted, "here: 0.9001; here: 0.9000: the only one of 2 pairs that fails"},
		{"rows within it", significance(SignOfRows, Above, printedPair("0.9", "0.1"), printedPair("0.8", "0.1")), Refuted, "the only test of all rows"},
		{"what was rounded decides", significance(SignOfRows, Above, slices.Repeat([]PrintedPair{printedPair("0.9", "0.1"), printedPair("0.1", "0.1")}, 4)...), Inconclusive, "more printed places: what is printed leaves p between 0.0078"},
	} {
		e := evidenceOf(t, c.check)
		if text := look(t, c.reason, e); e.Verdict != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s, %q; want %s, %q", c.reason, e.Verdict, text, c.want, c.says)
		}
	}
}
