package formula

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

func TestSecondLookAtPrintedNumbers(t *testing.T) {
	order := func(need int, pairs ...Pair) Order {
		return Order{Quantity: "rate", Sense: verify.Below, Pairs: pairs, Need: need}
	}
	sums := func(totals ...string) (all Formulas) {
		for _, total := range totals {
			all = append(all, Formula{Result: printed(total), Inputs: printedAs("0.3", "0.3"),
				Formula: func(x []float64) float64 { return x[0] + x[1] }})
		}
		return all
	}
	share := func(left, right string) Pair { return sized(printedPair(left, right), 0, 10_000) }
	for _, c := range []struct {
		reason string
		check  verify.Check
		want   verify.Verdict
		says   string
	}{
		{"the closest of certain pairs", order(0, printedPair("0.1", "0.9"), printedPair("0.3", "0.5")), verify.Holds,
			"2 pairs, of which 2 are certain at the rounding that favours them least and 2 are needed; the nearest of " +
				"these to breaking, here: 0.3; here: 0.5, has a difference in [-0.3, -0.1]"},
		{"an impossible pair", order(0, printedPair("0.1", "0.9"), printedPair("0.7", "0.5")), verify.Contradictory,
			"here: 0.7; here: 0.5: the only one of 2 pairs that fails"},
		{"an open pair", order(0, printedPair("0.45", "0.5")), verify.Inconclusive, "about 1 more printed place where " +
			"it is open, in 1 pair"},
		{"an open pair that is nearer", order(0, printedPair("0.499", "0.5")), verify.Inconclusive,
			"about 2 more printed places"},
		{"numbers printed alike", order(0, printedPair("0.5", "0.5")), verify.Inconclusive, "how many is not known"},
		{"a total that fits", sums("0.61"), verify.Holds, "the nearest to breaking, here: 0.61, is by computation in " +
			"[0.5, 0.7]"},
		{"a total that does not fit", sums("0.6", "0.8"), verify.Contradictory, "here: 0.8: the only one of 2 printed numbers " +
			"that fails"},
		{"a difference beyond chance", significance(SameTestSet, verify.Above, share("0.95", "0.90")), verify.Holds,
			"1 pair tested, at the rounding that favours the claim least; the decisive figure, here: 0.95; here: 0.90,"},
		{"one of two differences within chance", significance(SameTestSet, verify.Above, share("0.9500", "0.9000"), share("0.9001",
			"0.9000")), verify.Refuted, "here: 0.9001; here: 0.9000: the only one of 2 pairs that fails"},
		{"rows within chance", significance(SignOfRows, verify.Above, printedPair("0.9", "0.1"), printedPair("0.8", "0.1")),
			verify.Refuted, "the only test of all rows"},
		{"rounding decides", significance(SignOfRows, verify.Above, slices.Repeat([]Pair{printedPair("0.9", "0.1"),
			printedPair("0.1", "0.1")}, 4)...), verify.Inconclusive, "more printed places: what is printed leaves p " +
			"between 0.0078"},
	} {
		e := verifytest.EvidenceOf(t, c.check)
		if text := verifytest.Look(t, c.reason, e); e.Verdict != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s, %q; want %s, %q", c.reason, e.Verdict, text, c.want, c.says)
		}
	}
}
