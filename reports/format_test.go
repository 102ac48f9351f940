package reports

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

func TestFigure(t *testing.T) {
	cases := []struct {
		reason string
		n      verify.Number
		want   string
	}{
		{"absent", verify.Number{}, "–"},
		{"infinite", num(inf), "∞"},
		{"minus infinite", num(-inf), "-∞"},
		{"not a number", num(math.NaN()), "NaN"},
		{"no zeros at the end", num(1), "1"},
		{"five digits", num(0.873123456), "0.87312"},
		{"exponents have no leading zero", num(1e-6), "1e-6"},
		{"a small figure", num(-0.000123456), "-1.2346e-4"},
		{"a large figure in full", num(123456), "123456"},
		{"a larger one", num(1.5e6), "1.5e6"},
		{"negative zero", num(math.Copysign(0, -1)), "0"},
		{"the smallest positive double", num(math.SmallestNonzeroFloat64), "4.9407e-324"},
		{"carries", num(0.999999), "1"},
	}
	for _, c := range cases {
		if got := format.Figure(c.n); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	none := verify.Number{}
	cases := []struct {
		reason                                 string
		claimed, measured, lower, upper, ratio verify.Number
		want                                   format.Figures
	}{
		{"two digits of the width", num(1), num(0.87314), num(0.87223), num(0.87398), num(0.87314), format.Figures{Claimed: "1", Measured: "0.8731 [0.8722, 0.8740]", Ratio: "0.8731"}},
		{"computed", num(0.3), num(0.3), num(0.3), num(0.3), num(1), format.Figures{Claimed: "0.3", Measured: "0.3", Ratio: "1"}},
		{"rounding error is not shown as an interval", num(0.3), num(0.3), num(0.3 - 1e-14), num(0.3 + 1e-14), num(1), format.Figures{Claimed: "0.3", Measured: "0.3", Ratio: "1"}},
		{"the claimed value stays outside the interval", num(1), num(0.9985), num(0.997), num(0.99996), num(0.9985), format.Figures{Claimed: "1", Measured: "0.99850 [0.99700, 0.99996]", Ratio: "0.9985"}},
		{"a small difference shows", num(1), num(1.00000012), none, none, num(1.00000012), format.Figures{Claimed: "1", Measured: "1.0000001", Ratio: "1.0000001"}},
		{"an equal value gets no further digits", num(1), num(1 + 1e-15), none, none, num(1), format.Figures{Claimed: "1", Measured: "1", Ratio: "1"}},
		{"both values get further digits", num(1.0 / 3), num(1.0/3 + 1e-7), none, none, num(1.0000003), format.Figures{Claimed: "0.3333333", Measured: "0.3333334", Ratio: "1.0000003"}},
		{"infinite", num(1), num(inf), num(inf), num(inf), num(inf), format.Figures{Claimed: "1", Measured: "∞", Ratio: "∞"}},
		{"only a certified lower limit", num(1), num(1.52), num(1.432), num(inf), num(1.52), format.Figures{Claimed: "1", Measured: "1.520 [1.432, ∞]", Ratio: "1.520"}},
		{"no upper limit", num(1), num(1.5), num(1.4), none, none, format.Figures{Claimed: "1", Measured: "1.50 [1.40, –]", Ratio: "–"}},
		{"only an interval", none, none, num(0.1), num(0.25), none, format.Figures{Claimed: "–", Measured: "[0.10, 0.25]", Ratio: "–"}},
		{"nothing", none, none, none, none, none, format.Figures{Claimed: "–", Measured: "–", Ratio: "–"}},
		{"small figures", num(1e-5), num(1.2e-7), num(1.11e-7), num(1.29e-7), num(0.012), format.Figures{Claimed: "1e-5", Measured: "1.20e-7 [1.11e-7, 1.29e-7]", Ratio: "0.0120"}},
		{"a wide interval", num(1), num(5), num(-1000), num(250000), num(5), format.Figures{Claimed: "1", Measured: "5 [-1000, 250000]", Ratio: "5"}},
		{"an interval around zero", num(0), num(1e-5), num(-2e-3), num(2e-3), none, format.Figures{Claimed: "0", Measured: "0.0000 [-0.0020, 0.0020]", Ratio: "–"}},
	}
	for _, c := range cases {
		if got := format.Compared(c.claimed, c.measured, c.lower, c.upper, c.ratio, format.SameRefuted); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// The printed interval contains the certified one up to its last bits. A claimed value outside the interval is
// outside the printed one. The figures are numbers with at most the digits of a double.
func TestIntervalsRoundOutward(t *testing.T) {
	form := regexp.MustCompile(`^(\S+) \[(\S+), (\S+)\]$`)
	rapid.Check(t, func(t *rapid.T) {
		scale := math.Pow(10, rapid.Float64Range(-30, 30).Draw(t, "scale"))
		lower := rapid.Float64Range(-1, 1).Draw(t, "lower") * scale
		width := math.Pow(10, rapid.Float64Range(-8, 3).Draw(t, "width")) * scale
		upper := lower + width
		value := lower + width*rapid.Float64Range(0, 1).Draw(t, "value")
		claimed := rapid.Float64Range(-2, 2).Draw(t, "claimed") * scale
		m := format.Measurement{Claimed: num(claimed), Value: num(value), Lower: num(lower), Upper: num(upper)}
		if !m.Interval() {
			t.Skip("too narrow")
		}
		parts := form.FindStringSubmatch(m.Text())
		if parts == nil {
			t.Fatalf("%q is not an interval", m.Text())
		}
		l, u := value2(t, parts[2]), value2(t, parts[3])
		if lastBits := 4e-15; !(l <= lower+lastBits*math.Abs(lower) && upper <= u+lastBits*math.Abs(u)) {
			t.Fatalf("%s does not contain [%v, %v]", m.Text(), lower, upper)
		}
		// A difference after the twelfth digit may be lost.
		far := math.Min(math.Abs(claimed-lower), math.Abs(claimed-upper)) > 1e-9*math.Max(math.Abs(lower), math.Abs(upper))
		if far && (claimed < lower || claimed > upper) && l <= claimed && claimed <= u {
			t.Fatalf("%s hides that %v is outside [%v, %v]", m.Text(), claimed, lower, upper)
		}
	})
}

func value2(t *rapid.T, s string) float64 {
	x := format.ParseFigure(s)
	if math.IsNaN(x) {
		t.Fatalf("%q is not a number", s)
	}
	return x
}

func TestProbabilityRoundsUp(t *testing.T) {
	for x, want := range map[float64]string{1e-6: "1e-6", 1.0411e-7: "1.1e-7", 1.09e-7: "1.1e-7", 9.91e-8: "1e-7", 0.05: "0.05", 0.0123: "0.013", 2.7027e-8: "2.8e-8"} {
		if got := format.Probability(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestWhole(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := format.Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	long := strings.Repeat("wide ", 2000)
	tb := format.NewTable(format.Left("claim_ε"), format.Right("n"))
	tb.Row(format.Plain("a|b"), "1")
	tb.Row(format.Plain("two\nlines"), "10")
	tb.Row(format.Plain("<tag> < 3"), "∞")
	tb.Row(format.Code("x|y"), "")
	tb.Row(format.Plain(long), "1")
	tb.Row(format.Plain(`back\|slash`), "1")
	out, err := tb.Render()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 8 {
		t.Fatalf("%d lines, want a header, a rule and 6 rows:\n%.300s", len(lines), out)
	}
	bare := regexp.MustCompile(`(^|[^\\])(\\\\)*\|`)
	for _, line := range lines {
		if got, want := displaywidth.String(line), displaywidth.String(lines[0]); got != want {
			t.Errorf("a line is %d wide, the header %d: %.60s", got, want, line)
		}
		if n := len(bare.FindAllString(line, -1)); n != 3 {
			t.Errorf("%d bars separate the cells of %.60s, want 3", n, line)
		}
	}
	for i, want := range []string{"claim_ε", ":--", `a\|b`, "two lines", `\<tag> < 3`, "`x\\|y`", strings.TrimSpace(long), `back\\\|slash`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d lacks %.60q: %.100s", i+1, want, lines[i])
		}
	}
	tb.Row("one cell")
	if _, err := tb.Render(); err == nil || !strings.Contains(err.Error(), "row 7") {
		t.Errorf("a ragged row: error %v, want one that names row 7", err)
	}
}

func TestTableWithoutRows(t *testing.T) {
	out, err := format.NewTable(format.Left("a"), format.Right("b")).Render()
	if err != nil || strings.Count(out, "\n") != 2 {
		t.Errorf("%q, %v: want a header and a rule", out, err)
	}
}

func TestText(t *testing.T) {
	cases := []struct{ reason, in, want string }{
		{"a conditional mean", "E[Z|X] = X", "E[Z|X] = X"},
		{"an index", "eps_s", "eps_s"},
		{"emphasis by underscores", "_x_", `\_x_`},
		{"an index in braces", "SA_{d-1}", "SA_{d-1}"},
		{"emphasis by stars", "a*b*", `a\*b\*`},
		{"a comparison", "a < b", "a < b"},
		{"a tag", "<b>", `\<b>`},
		{"a link", "[a](b)", `[a\](b)`},
		{"a link definition", "[a]: b", `[a\]: b`},
		{"brackets within brackets", " [a [b]: c", `[a [b]: c`},
		{"a pair of lists", "B = [0,1]: failed", "B = [0,1]: failed"},
		{"a bracket without its opening one", "0,1]: failed", `0,1\]: failed`},
		{"an entity", "&lt;", `\&lt;`},
		{"mathematics of GitHub", "$x$", `\$x\$`},
		{"a terminal's escape", "\x1b[1m", `\\x1b[1m`},
		{"invalid bytes", "a\xffb", `a\\xffb`},
		{"line breaks", "a\r\nb", "a  b"},
	}
	for _, c := range cases {
		if got := string(format.Plain(c.in)); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
	for in, want := range map[string]string{"# x": `\# x`, "- x": `\- x`, "1. x": `1\. x`, "12": "12", "x": "x", "": ""} {
		if got := string(format.BlockStart(format.Text(in))); got != want {
			t.Errorf("a block that begins with %q: %q, want %q", in, got, want)
		}
	}
	if got := string(format.Code("a`b``c")); got != "```a`b``c```" {
		t.Errorf("a code span around backquotes: %s", got)
	}
}
