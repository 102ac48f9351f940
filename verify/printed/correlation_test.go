package printed

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/checktest"
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
		{"p a unit of the last place up", "0.848", "0.017", 7, verify.Inconsistent},
		{"and down", "0.848", "0.015", 7, verify.Inconsistent},
		{"r two units down", "0.846", "0.016", 7, verify.Holds},
		{"another number of points", "0.848", "0.016", 8, verify.Inconsistent},
		{"some number of points", "0.848", "0.016", 0, verify.Holds},
		{"no number of points", "0.848", "0.020", 0, verify.Inconsistent},
		{"the sign does not matter", "-0.848", "0.016", 7, verify.Holds},
		{"Anscombe's p, to its last place", "0.8164", "0.00217", 11, verify.Holds},
		{"no correlation", "0.0", "1.0", 9, verify.Holds},
		{"a perfect one", "1.000", "0.000", 9, verify.Holds},
		{"three points, t = 1 at r = √½", "0.7071", "0.500", 3, verify.Holds},
	}
	for _, c := range cases {
		e := checktest.EvidenceOf(t, CorrelationP{R: printed(c.r), P: printed(c.p), N: c.n})
		if e.Verdict != c.want || !(e.Lower.X <= e.Measured.X && e.Measured.X <= e.Upper.X) {
			t.Errorf("%s: %s, p = %v in [%v, %v], want %s", c.reason, e.Verdict, e.Measured.X, e.Lower.X, e.Upper.X, c.want)
		}
	}
	if e := checktest.EvidenceOf(t, CorrelationP{R: printed("0.848"), P: printed("0.016")}); !strings.Contains(e.Method, "7 alone fits") || !strings.Contains(e.Witness, "n=7") {
		t.Errorf("the number of points is found: %s at %s", e.Method, e.Witness)
	}
	for _, bad := range []CorrelationP{
		{R: printed("x"), P: printed("0.1"), N: 5}, {R: printed("0.1"), P: printed("x"), N: 5},
		{R: printed("0.1"), P: printed("0.1"), N: 2}, {R: printed("0.1"), P: printed("0.1"), N: -1},
		{R: printed("1.2"), P: printed("0.1"), N: 5}, {R: printed("-1.2"), P: printed("0.1"), N: 5},
	} {
		checktest.FailureOf(t, bad)
	}
}

// anscombe is the first set of Anscombe (1973); r = 0.8164.
var anscombe = Points{
	X: printedAs("10.00", "8.00", "13.00", "9.00", "11.00", "14.00", "6.00", "4.00", "12.00", "7.00", "5.00"),
	Y: printedAs("8.04", "6.95", "7.58", "8.81", "8.33", "9.96", "7.24", "4.26", "10.84", "4.82", "5.68"),
}

func TestPrintedCorrelation(t *testing.T) {
	for r, want := range map[string]verify.Verdict{"0.8164": verify.Holds, "0.816": verify.Holds, "0.82": verify.Holds, "-0.816": verify.Inconsistent, "0.830": verify.Inconsistent, "0.800": verify.Inconsistent} {
		e := checktest.EvidenceOf(t, Correlation{R: printed(r), Points: anscombe})
		if e.Verdict != want || math.Abs(e.Measured.X-0.8164205) > 1e-7 || e.Upper.X-e.Lower.X > 0.01 {
			t.Errorf("r = %s: %s, %v in [%v, %v], want %s", r, e.Verdict, e.Measured.X, e.Lower.X, e.Upper.X, want)
		}
	}
	line := Points{X: printedAs("1.000", "10.00", "100.0"), Y: printedAs("0.0", "1.0", "2.0"), LogX: true}
	if e := checktest.EvidenceOf(t, Correlation{R: printed("1.000"), Points: line}); e.Verdict != verify.Holds || e.Measured.X < 1-1e-12 {
		t.Errorf("a line in the logarithm: %s, %v", e.Verdict, e.Measured.X)
	}
	line.LogX = false
	if e := checktest.EvidenceOf(t, Correlation{R: asPrinted("1.000"), Points: line}); e.Verdict != verify.Inconsistent {
		t.Errorf("and not without: %s in [%v, %v]", e.Verdict, e.Lower.X, e.Upper.X)
	}
	coarse := Points{X: printedAs("1", "1", "2"), Y: printedAs("1", "2", "2")}
	if e := checktest.EvidenceOf(t, Correlation{R: printed("-0.9"), Points: coarse}); e.Verdict != verify.Holds || e.Lower.X > -0.9 {
		t.Errorf("rounding may hide any correlation: %s in [%v, %v]", e.Verdict, e.Lower.X, e.Upper.X)
	}
	for _, bad := range []Points{
		{}, {X: printedAs("1", "2"), Y: printedAs("1")}, {X: printedAs("1", "1"), Y: printedAs("1", "2")}, {X: printedAs("1", "x"), Y: printedAs("1", "2")},
		{X: printedAs("0.0", "1.0"), Y: printedAs("1", "2"), LogX: true}, {X: printedAs("1", "2"), Y: printedAs("-1", "2"), LogY: true},
	} {
		checktest.FailureOf(t, Correlation{R: printed("0.5"), Points: bad})
		checktest.FailureOf(t, Trend{Sense: verify.Above, Points: bad})
	}
}

func TestPrintedTrend(t *testing.T) {
	four := Points{X: printedAs("1.0", "2.0", "3.0", "4.0"), Y: printedAs("1.0", "2.0", "3.0", "4.0")}
	five := Points{X: append(slices.Clone(four.X), printed("5.0")), Y: append(slices.Clone(four.Y), printed("5.0"))}
	tied := Points{X: five.X, Y: printedAs("1.0", "2.0", "3.0", "4.0", "4.0")}
	cases := []struct {
		reason string
		points Points
		sense  verify.Sense
		level  float64
		want   verify.Verdict
		p      float64
	}{
		{"four in order, 2/24", four, verify.Above, 0, verify.Refuted, 2.0 / 24},
		{"at a level of 0.1", four, verify.Above, 0.1, verify.Holds, 2.0 / 24},
		{"five in order, 2/120", five, verify.Above, 0, verify.Holds, 2.0 / 120},
		{"the other direction", five, verify.Below, 0, verify.Refuted, 1},
		{"a tie in print, 2/120 or 4/120", tied, verify.Above, 0.02, verify.Inconclusive, 4.0 / 120},
		{"which matters at no usual level", tied, verify.Above, 0, verify.Holds, 4.0 / 120},
	}
	for _, c := range cases {
		e := checktest.EvidenceOf(t, Trend{Quantity: "x and y", Points: c.points, Sense: c.sense, Level: c.level})
		if e.Verdict != c.want || math.Abs(e.Measured.X-c.p) > 1e-12 || !(e.Lower.X <= e.Measured.X && e.Measured.X <= e.Upper.X) {
			t.Errorf("%s: %s, p = %v in [%v, %v], want %s, %v", c.reason, e.Verdict, e.Measured.X, e.Lower.X, e.Upper.X, c.want, c.p)
		}
	}
	for reason, bad := range map[string]Trend{
		"too many points": {Points: anscombe, Sense: verify.Above},
		"no sense":        {Points: four},
		"a NaN level":     {Points: four, Sense: verify.Above, Level: math.NaN()},
	} {
		t.Log(reason+":", checktest.FailureOf(t, bad))
	}
}

// Points that round to the printed ones have a correlation in the enclosure.
func TestCorrelationRangeEncloses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "n")
		draw := func(name string, low, high float64) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(low, high), n, n).Draw(t, name)
		}
		x := side{draw("x", -1, 1), draw("dx", 0, 0.2)}
		y := side{draw("y", -1, 1), draw("dy", 0, 0.2)}
		x.value[0], y.value[0] = 3, -3
		a, b := draw("a", -1, 1), draw("b", -1, 1)
		u, v := make([]float64, n), make([]float64, n)
		for i := range u {
			u[i], v[i] = x.value[i]+a[i]*x.slack[i], y.value[i]+b[i]*y.slack[i]
		}
		r, err := limits.Pearson(x.value, y.value)
		if err != nil {
			t.Fatal(err)
		}
		low, high := correlationRange(r, x, y)
		if got, err := limits.Pearson(u, v); err != nil || !(low <= got && got <= high) {
			t.Fatalf("%v is not in [%v, %v], %v", got, low, high, err)
		}
	})
}
