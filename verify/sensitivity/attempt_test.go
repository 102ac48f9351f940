package sensitivity

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

func TestAttemptsAtSensitivities(t *testing.T) {
	derived := func(s Check, tight float64) Check {
		s.Cells = slices.Clone(s.Cells)
		s.Cells[0].Tight, s.Proof = verify.Num(tight), "by hand"
		return s
	}
	three := meanCheck(0.4) // the largest difference is 1/2, and 1 of two records
	three.Cells = append(three.Cells, three.Cells[0], three.Cells[0])
	three.Cells[1].Place, three.Cells[1].N, three.Cells[1].Map = "n = 2", 2, sumOf(2, addPoint)
	three.Cells[2].Place, three.Cells[2].Claimed = "n = 4, more", 0.3
	for _, c := range []struct {
		reason string
		check  Check
		want   verify.Verdict
		says   string
	}{
		{"derived and attained", derived(meanCheck(2), 0.5), verify.Holds, "a search of 1000 pairs in each of 1 cell; the worst pair, at n = 4, differs by 0.5 of the claimed 2; the derived supremum is 0.5"},
		{"every pair", labelCheck(2, firstLabel), verify.Holds, "every pair in 1 cell; the worst pair, at n = 4, differs by 2 of the claimed 2"},
		{"fewest records first", three, verify.Refuted, `n = 2, {"records":`},
		{"no derivation", meanCheck(0.6), verify.Inconclusive, "a derived supremum, or a pair that differs by more than 0.6: a search cannot show that no pair does; the 1000 pairs of this run differ by at most 0.5"},
		{"not attained", derived(meanCheck(2), 1), verify.Inconclusive, "a pair that differs by 0.99 of the derived 1; the 1000 pairs of this run differ by at most 0.5"},
		{"derived supremum above the claim", derived(meanCheck(0.51), 0.52), verify.Inconclusive, "differs by more than 0.51 and by at most the derived 0.52"},
	} {
		e, err := judgeSensitivity(t, c.check, 1)
		if err != nil {
			t.Fatal(err)
		}
		if text := verifytest.Look(t, c.reason, e); e.Verdict != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s, %q; want %s, %q", c.reason, e.Verdict, text, c.want, c.says)
		}
	}
}
