package formula

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// schedules is Table 2 of An & Shi on noise curricula: accuracies of single runs
// on the 10,000 test images of MNIST.
var schedules = Table{Table: paper.CurriculaTable2}

func significance(test Test, sense verify.Sense, pairs ...Pair) Significance {
	return Significance{Quantity: "q", Sense: sense, Pairs: pairs, Test: test}
}

func sized(p Pair, runs, examples int) Pair {
	p.Runs, p.Examples = runs, examples
	return p
}

// exchanged returns the claim with the sides of every pair exchanged.
func exchanged(s Significance) Significance {
	s.Pairs = slices.Clone(s.Pairs)
	for i, p := range s.Pairs {
		s.Pairs[i].Left, s.Pairs[i].Right = p.Right, p.Left
	}
	return s
}

// restated returns the same claim with exchanged sides and the reversed sense.
func restated(s Significance) Significance {
	s = exchanged(s)
	if s.Sense == verify.Above {
		s.Sense = verify.Below
	} else {
		s.Sense = verify.Above
	}
	return s
}

func TestPrintedSignificance(t *testing.T) {
	rows := Pairs(schedules.Column("decreasing"), schedules.Column("increasing"), 0, 10_000)
	win, loss, tie := printedPair("0.9", "0.1"), printedPair("0.1", "0.9"), printedPair("0.5", "0.5")
	cases := []struct {
		reason string
		check  Significance
		want   verify.Verdict
		p      float64 // at the printed numbers; NaN if not compared
	}{
		{"four rows of four, 2/16", significance(SignOfRows, verify.Above, rows...), verify.Refuted, 0.125},
		{"the four pairs of runs differ by more than test noise, whatever the overlap", significance(SameTestSet,
			verify.Above, rows...), verify.Holds, math.NaN()},
		{"six rows of six, 2/64", significance(SignOfRows, verify.Above, slices.Repeat([]Pair{win}, 6)...), verify.Holds,
			0.03125},
		{"six of seven, 16/128", significance(SignOfRows, verify.Above, append(slices.Repeat([]Pair{win}, 6), loss)...),
			verify.Refuted, 0.125},
		{"a printed tie may be a win, 2/64, or a loss", significance(SignOfRows, verify.Above,
			append(slices.Repeat([]Pair{win}, 5), tie)...), verify.Inconclusive, 0.0625},
		{"a tie of counts is dropped", significance(SignOfRows, verify.Above, append(slices.Repeat([]Pair{win}, 6),
			Pair{Left: asPrinted("5"), Right: asPrinted("5")})...), verify.Holds, 0.03125},
		{"only ties of counts", significance(SignOfRows, verify.Above, Pair{Left: asPrinted("5"),
			Right: asPrinted("5")}), verify.Refuted, 1},
		{"Welch, t = √3 with 10 degrees of freedom", significance(RepeatedRuns, verify.Above,
			sized(Pair{Left: asPrinted("1±1"), Right: asPrinted("0±1")}, 6, 0)), verify.Refuted, 0.11393741215192},
		{"Welch, no spread and a difference", significance(RepeatedRuns, verify.Above, sized(Pair{Left: asPrinted("1±0"),
			Right: asPrinted("0±0")}, 2, 0)), verify.Holds, 0},
		{"Welch, no spread and no difference", significance(RepeatedRuns, verify.Above, sized(Pair{Left: asPrinted("1±0"),
			Right: asPrinted("1±0")}, 2, 0)), verify.Refuted, 1},
		{"Welch, too few places", significance(RepeatedRuns, verify.Above, sized(printedPair("0.1±0.0", "0.1±0.0"), 20,
			0)), verify.Inconclusive, 1},
		{"Han et al., A7A and MNIST38", significance(RepeatedRuns, verify.Below, Pairs(losses.Column("Gompertz"),
			losses.Column("logistic"), 20, 0)...), verify.Holds, math.NaN()},
		{"a spread much larger than the difference", significance(RepeatedRuns, verify.Below,
			sized(printedPair("0.2100±0.0294", "0.2126±0.0294"), 20, 0)), verify.Refuted, math.NaN()},
		{"six images of 10,000 at best 2/64, at worst noise", significance(SameTestSet, verify.Above,
			sized(printedPair("0.9425", "0.9419"), 0, 10_000)), verify.Inconclusive, math.NaN()},
		{"five images at best 2/32", significance(SameTestSet, verify.Above, sized(printedPair("0.9425", "0.9420"), 0,
			10_000)), verify.Refuted, math.NaN()},
		{"all of 4 against none, on one set, 2/16", significance(SameTestSet, verify.Above,
			sized(Pair{Left: asPrinted("1"), Right: asPrinted("0")}, 0, 4)), verify.Refuted, 0.125},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, c.check)
		if e.Verdict != c.want || !math.IsNaN(c.p) && math.Abs(e.Measured.X-c.p) > 1e-12 {
			t.Errorf("%s: %s, p = %v in [%v, %v], want %s, p = %v", c.reason, e.Verdict, e.Measured.X, e.Lower.X, e.Upper.X,
				c.want, c.p)
		}
		if !(e.Lower.X <= e.Measured.X && e.Measured.X <= e.Upper.X) || e.Claimed != verify.Num(0.05) || e.Sense != verify.AtMost {
			t.Errorf("%s: evidence %+v", c.reason, e)
		}
		if m := verifytest.EvidenceOf(t,
			restated(c.check)); m.Verdict != e.Verdict || m.Measured != e.Measured || m.Lower != e.Lower || m.Upper != e.Upper {
			t.Errorf("%s, said the other way round: %s, p = %v, not %s, %v", c.reason, m.Verdict, m.Measured.X, e.Verdict,
				e.Measured.X)
		}
		if twin := verifytest.EvidenceOf(t, exchanged(c.check)); twin.Verdict == verify.Holds {
			t.Errorf("%s: holds with the sides swapped", c.reason)
		}
	}
}

func TestPrintedSignificanceLevelsAndNeeds(t *testing.T) {
	rows := Pairs(schedules.Column("decreasing"), schedules.Column("increasing"), 0, 10_000)
	few := significance(SignOfRows, verify.Above, rows...)
	if e := verifytest.EvidenceOf(t, few); !strings.Contains(e.Power, "at least 0.125") || !strings.Contains(e.Power,
		"at least 6 pairs") {
		t.Errorf("four pairs could not have shown it, and nobody says so: %q", e.Power)
	}
	few.Level = 0.125
	if e := verifytest.EvidenceOf(t, few); e.Verdict != verify.Holds {
		t.Errorf("a p-value that equals the level: %s, %v", e.Verdict, e.Measured.X)
	}
	few.Level = 0.1249
	if e := verifytest.EvidenceOf(t, few); e.Verdict != verify.Refuted {
		t.Errorf("one just above it: %s", e.Verdict)
	}
	// One pair of three is a clear win: p = 3·p₁ for "at least one".
	clear := sized(Pair{Left: asPrinted("1"), Right: asPrinted("0")}, 0, 10)
	none := sized(Pair{Left: asPrinted("0.5"), Right: asPrinted("0.5")}, 0, 10)
	least := math.Ldexp(2, -10)
	for need, want := range map[int]float64{0: 1, 1: 3 * least, 2: 1, 3: 1} {
		s := significance(SameTestSet, verify.Above, none, clear, none)
		s.Need = need
		if e := verifytest.EvidenceOf(t, s); math.Abs(e.Measured.X-want) > 1e-15 || len(e.Cells) != 3 {
			t.Errorf("need %d: p = %v, want %v", need, e.Measured.X, want)
		}
	}
}

func TestPrintedSignificanceRefusesBadInput(t *testing.T) {
	good := sized(printedPair("0.5±0.1", "0.4±0.1"), 5, 10)
	change := func(f func(*Significance)) Significance {
		s := significance(RepeatedRuns, verify.Above, good)
		f(&s)
		return s
	}
	for reason, bad := range map[string]Significance{
		"no test":                   change(func(s *Significance) { s.Test = "" }),
		"an unknown test":           change(func(s *Significance) { s.Test = "t" }),
		"no sense":                  change(func(s *Significance) { s.Sense = "" }),
		"a sense without direction": change(func(s *Significance) { s.Sense = verify.Equals }),
		"no pairs":                  change(func(s *Significance) { s.Pairs = nil }),
		"a NaN level":               change(func(s *Significance) { s.Level = math.NaN() }),
		"level 1":                   change(func(s *Significance) { s.Level = 1 }),
		"a need beyond the pairs":   change(func(s *Significance) { s.Need = 2 }),
		"a need of rows":            change(func(s *Significance) { s.Test, s.Need = SignOfRows, 1 }),
		"one run":                   change(func(s *Significance) { s.Pairs[0].Runs = 1 }),
		"no deviation":              significance(RepeatedRuns, verify.Above, sized(printedPair("0.5", "0.4±0.1"), 5, 0)),
		"no test examples":          significance(SameTestSet, verify.Above, printedPair("0.5", "0.4")),
		"no share of the examples":  significance(SameTestSet, verify.Above, sized(printedPair("0.5", "0.43"), 0, 10)),
		"no number":                 significance(SignOfRows, verify.Above, printedPair("0.5", "x")),
	} {
		t.Log(reason+":", verifytest.FailureOf(t, bad))
	}
}

// Every value in the rounding interval has a p-value inside the range.
func TestPrintedSignificanceEnclosesTheUnrounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.IntRange(0, 99)
		draw := func(name string) float64 { return rapid.Float64Range(-0.5, 0.5).Draw(t, name) }
		n := rapid.IntRange(1, 6).Draw(t, "n")
		d := make([]decimal, n)
		truth := make([]float64, n)
		for i := range d {
			k := digits.Draw(t, "k") - 50
			d[i], _ = Nearest.read(formatHundredths(k))
			truth[i] = (float64(k) + draw("shift")) / 100
		}
		s := signsOf(d)
		wins, losses := int64(0), int64(0)
		for _, x := range truth {
			switch {
			case x > 0:
				wins++
			case x < 0:
				losses++
			}
		}
		if want := twice(confidence.BinomialTest(wins, wins+losses,
			0.5)); !(s.low*(1-1e-12) <= want && want <= s.high*(1+1e-12)) {
			t.Fatalf("signs: %v not in [%v, %v]", want, s.low, s.high)
		}
		runs := rapid.IntRange(2, 30).Draw(t, "runs")
		m1, m2, s1, s2 := digits.Draw(t, "m1"), digits.Draw(t, "m2"), digits.Draw(t, "s1"), digits.Draw(t, "s2")
		w, err := sized(printedPair(formatHundredths(m1)+"±"+formatHundredths(s1),
			formatHundredths(m2)+"±"+formatHundredths(s2)), runs, 0).welch()
		sd := func(s int, name string) float64 { return math.Max(0, (float64(s)+draw(name))/100) }
		mean1, mean2 := (float64(m1)+draw("a"))/100, (float64(m2)+draw("b"))/100
		error1, error2 := sd(s1, "c")/math.Sqrt(float64(runs)), sd(s2, "d")/math.Sqrt(float64(runs))
		want := 1.0
		if mean1 > mean2 {
			want = confidence.StudentTwoSided((mean1-mean2)/math.Hypot(error1, error2), confidence.WelchDF(error1, runs,
				error2, runs))
		}
		if err != nil || !(w.low*(1-1e-9) <= want && want <= w.high*(1+1e-9)) {
			t.Fatalf("Welch: %v not in [%v, %v], %v", want, w.low, w.high, err)
		}
	})
}

// Any overlap of the errors on one test set has a p-value inside the enclosure.
func TestSameTestSetEnclosesEveryOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, 20)
		both, first, second, neither := count.Draw(t, "both"), count.Draw(t, "first"), count.Draw(t, "second"),
			count.Draw(t, "neither")
		m := both + first + second + neither
		if m == 0 {
			return
		}
		share := func(k int) string { return formatHundredths(int(math.Round(100 * float64(k) / float64(m)))) }
		p, err := sized(printedPair(share(both+first), share(both+second)), 0, m).mcNemar()
		want := 1.0
		if first > second {
			want = twice(confidence.BinomialTest(int64(first), int64(first+second), 0.5))
		}
		if err != nil || !(p.low*(1-1e-12) <= want && want <= p.high*(1+1e-12) && p.low <= p.value && p.value <= p.high*(1+1e-12)) {
			t.Fatalf("%v not in [%v, %v] around %v, %v", want, p.low, p.high, p.value, err)
		}
	})
}
