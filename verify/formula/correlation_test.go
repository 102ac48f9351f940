package formula

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// formatHundredths prints k/100 with two places.
func formatHundredths(k int) string { return fmt.Sprintf("%.2f", float64(k)/100) }

func TestPrintedCorrelationP(t *testing.T) {
	cases := []struct {
		reason, r, p string
		n            int
		want         verify.Verdict
	}{
		{"An & Shi, Sect. 6.2, with the seven points that fit", "0.848", "0.016", 7, verify.Holds},
		{"p one unit of the last place higher", "0.848", "0.017", 7, verify.Contradictory},
		{"p one unit of the last place lower", "0.848", "0.015", 7, verify.Contradictory},
		{"r two units lower", "0.846", "0.016", 7, verify.Holds},
		{"another number of points", "0.848", "0.016", 8, verify.Contradictory},
		{"unknown number of points, one fits", "0.848", "0.016", 0, verify.Holds},
		{"unknown number of points, none fits", "0.848", "0.020", 0, verify.Contradictory},
		{"the sign does not matter", "-0.848", "0.016", 7, verify.Holds},
		{"Anscombe's p, to its last place", "0.8164", "0.00217", 11, verify.Holds},
		{"no correlation", "0.0", "1.0", 9, verify.Holds},
		{"perfect correlation", "1.000", "0.000", 9, verify.Holds},
		{"three points, t = 1 at r = √½", "0.7071", "0.500", 3, verify.Holds},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, CorrelationP{R: printed(c.r), P: printed(c.p), N: c.n})
		if e.Verdict != c.want || !(e.Lower.X <= e.Measured.X && e.Measured.X <= e.Upper.X) {
			t.Errorf("%s: %s, p = %v in [%v, %v], want %s", c.reason, e.Verdict, e.Measured.X, e.Lower.X, e.Upper.X, c.want)
		}
	}
	if e := verifytest.EvidenceOf(t, CorrelationP{R: printed("0.848"), P: printed("0.016")}); !strings.Contains(e.Method,
		"only 7 fits") || !strings.Contains(e.WorstCase, "n=7") {
		t.Errorf("the number of points is found: %s at %s", e.Method, e.WorstCase)
	}
	for _, bad := range []CorrelationP{
		{R: printed("x"), P: printed("0.1"), N: 5}, {R: printed("0.1"), P: printed("x"), N: 5},
		{R: printed("0.1"), P: printed("0.1"), N: 2}, {R: printed("0.1"), P: printed("0.1"), N: -1},
		{R: printed("1.2"), P: printed("0.1"), N: 5}, {R: printed("-1.2"), P: printed("0.1"), N: 5},
	} {
		verifytest.FailureOf(t, bad)
	}
}
