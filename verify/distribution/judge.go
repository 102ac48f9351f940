package distribution

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// event is a set of outputs with its stated probability and its sample count.
type event struct {
	name        func() string
	probability float64
	count       int64
}

// events returns the events of the exact tests.
func (t judge) events(counts []int64) (out []event) {
	c := t.cells
	out = append(out, event{func() string { return t.place("event", c.outside(), c.event) }, 0, counts[c.outside()]})
	if c.names != nil || c.law.discrete() {
		for i, p := range c.probabilities[:c.outside()] {
			out = append(out, event{func() string { return t.place("event", i, c.event) }, p, counts[i]})
		}
		return out
	}
	var below, above int64
	for i, p := range c.levels {
		last := c.outside() - 1
		below, above = below+counts[i], above+counts[last-i]
		if _, exponent := math.Frexp(p); p == math.Ldexp(0.5, exponent) {
			out = append(out, event{func() string { return t.place("end", i, c.end) }, p, below},
				event{func() string { return "not " + t.place("end", last-i-1, c.end) }, p, above})
		}
	}
	return out
}

// place returns the text of an event or of the end of a cell. It stores the text in the statistics, because a report
// does not contain the values of the distribution.
func (t judge) place(what string, i int, name func(int) string) string {
	key := fmt.Sprint(what, " ", i)
	text, stored := t.Places[key]
	if !stored {
		text = name(i)
	}
	if t.live != nil {
		t.Places[key] = text
	}
	return text
}

// tests returns the number of two-sided exact tests. The event of outputs outside the support needs none, since one
// such output refutes the claim.
func (t judge) tests() int {
	n := 0
	for _, e := range t.events(make([]int64, len(t.cells.probabilities))) {
		if e.probability > 0 {
			n++
		}
	}
	return n
}

// exactAlpha returns the error probability of each exact test.
func (t judge) exactAlpha() float64 {
	alpha := t.settings.Alpha
	if t.cells.names == nil {
		alpha *= 1 - standing
	}
	return alpha / float64(t.tests())
}

// finding is the result of one comparison of the counts with the stated distribution.
type finding struct {
	what     string // the event with its sample fraction and stated probability
	measured float64
	lower    float64 // confidence limits of the distance
	upper    float64
	broken   bool
	p        float64 // p-value of the exact test
}

// distance compares the empirical distribution function with the stated one, using the uniform band.
func (t judge) distance() (f finding) {
	c, n := t.cells, float64(t.Samples)
	below, sum, at := 0.0, int64(0), 0
	var share, stated float64
	for i := range c.outside() - 1 { // at the last end both are 1
		below += c.probabilities[i]
		sum += t.Counts[i]
		// Outputs outside the support count on neither side.
		if d := math.Abs(float64(sum)/n - below); i == 0 || d > f.measured {
			f.measured, at, share, stated = d, i, float64(sum)/n, below
		}
	}
	if c.outside() < 2 {
		return finding{upper: t.band(t.Samples) + t.Coarse}
	}
	f.what = fmt.Sprintf("%s: fraction %.4g of the samples, stated probability %.4g", t.place("end", at, c.end), share,
		stated)
	const rounding = 1e-9 // rounding error of sums of probabilities
	f.lower = math.Max(0, f.measured-t.band(t.Samples)-rounding)
	f.upper = math.Min(1, f.measured+t.band(t.Samples)+t.Coarse+rounding)
	f.broken = f.lower > 0
	return f
}

// exact returns the finding of the exact test with the smallest p-value.
func (t judge) exact() (f finding, err error) {
	f.p = 2
	var worst event
	for _, e := range t.events(t.Counts) {
		p := 1.0 // twice the smaller tail
		switch {
		case e.probability == 0 && e.count > 0:
			p = 0
		case e.probability > 0:
			tails, err := confidence.BinomialTest(e.count, t.Samples, math.Min(1, e.probability))
			if err != nil {
				return f, err
			}
			p = 2 * math.Min(tails.Less, tails.Greater)
		}
		if p < f.p {
			f.p, worst = p, e
		}
	}
	n := float64(t.Samples)
	f.what = fmt.Sprintf("%s: fraction %.4g of the samples, stated probability %.4g", worst.name(),
		float64(worst.count)/n,
		worst.probability)
	f.broken = f.p <= t.exactAlpha()
	f.measured = math.Abs(float64(worst.count)/n - worst.probability)
	low, high, err := confidence.ClopperPearson(worst.count, t.Samples, t.exactAlpha())
	f.lower = math.Max(0, math.Max(low-worst.probability, worst.probability-high))
	f.upper = math.Max(high-worst.probability, worst.probability-low)
	return f, err
}

// Judge compares the counts with the stated distribution at the alpha of s.
func (f statistics) Judge(s verify.Settings) (verify.Evidence, error) {
	t := judge{f, f.cells(), s}
	exact, err := t.exact()
	if err != nil {
		return verify.Evidence{}, err
	}
	e := verify.Evidence{Quantity: "deviation of a probability from " + t.Law, Sense: verify.AtMost,
		Samples: t.Samples}
	shown := exact
	impossible := t.Counts[t.cells.outside()] > 0
	if t.cells.names == nil && !impossible {
		if band := t.distance(); band.broken || !exact.broken {
			shown, e.Quantity = band, "Kolmogorov distance to "+t.Law
		}
	}
	seen := t.seen(t.Samples)
	switch {
	case shown.broken || exact.broken:
		e.Verdict = verify.Refuted
	case seen <= t.effect():
		e.Verdict = verify.Consistent
	default:
		e.Verdict = verify.Inconclusive
	}
	if t.At != "" {
		shown.what = t.At + ", " + shown.what
	}
	cell := verify.Cell{Label: shown.what, Claimed: verify.Num(0), Measured: verify.Num(shown.measured),
		Lower: verify.Num(shown.lower), Upper: verify.Num(shown.upper), Samples: t.Samples}
	e.Cells = []verify.Cell{cell}
	e.CopyWorst(cell)
	t.explain(&e, seen)
	e.LookAgain(look{t, cell, e.Verdict == verify.Refuted, exact})
	return e, nil
}

// explain sets the method and the power of the evidence.
func (t judge) explain(e *verify.Evidence, seen float64) {
	tests := fmt.Sprintf("exact binomial tests of %s", verify.Plural(t.tests(), "event"))
	difference := "a Kolmogorov distance"
	if t.cells.names == nil {
		tests = "the uniform band of Dvoretzky, Kiefer & Wolfowitz (Massart 1990) around the distribution function, " +
			"and " + tests
	} else {
		difference = "a probability that is off by"
	}
	e.Method = fmt.Sprintf("%s; %s of %d samples, joint error %.2g", t.Quantity, tests, t.Samples, t.settings.Alpha)
	describe := func(x float64) string {
		if t.cells.names == nil {
			return fmt.Sprintf("%s of %.2g", difference, x)
		}
		return fmt.Sprintf("%s %.2g", difference, x)
	}
	switch e.Verdict {
	case verify.Consistent:
		e.Detects = verify.Detects{Effect: seen, Probability: verify.TargetPower}
		e.Power = fmt.Sprintf("%s would have been detected with probability at least %v", describe(seen),
			verify.TargetPower)
	case verify.Inconclusive:
		e.Power = fmt.Sprintf("too few samples to detect %s", describe(t.effect()))
	}
}

// look holds the result that describes attempts and counterexamples.
type look struct {
	judge  judge
	cell   verify.Cell
	broken bool
	exact  finding
}

func (l look) Tried() verify.Tried {
	cases := int64(l.judge.tests())
	if l.judge.cells.names == nil {
		cases += int64(max(0, l.judge.cells.outside()-1))
	}
	t := verify.Tried{Cases: cases, Case: "event", Nearest: l.cell}
	t.Margin = verify.Num(-l.cell.Lower.X)
	return t
}

func (l look) Attempt() string {
	return fmt.Sprintf("%d events; closest to a refutation: %s; exact test with the smallest p-value: %s, p = %.2g",
		l.Tried().Cases, l.cell.Label, l.exact.what, math.Min(1, l.exact.p))
}

func (l look) Counterexample() verify.Counterexample {
	return verify.Counterexample{Cell: l.cell, Choice: "the worst of " + verify.Plural(int(l.Tried().Cases), "event")}
}

func (l look) Needed() string {
	t := l.judge
	n := verify.SmallestSize(t.Samples, func(n int64) bool { return t.seen(n) <= t.effect() })
	if n == 0 {
		return fmt.Sprintf("smaller cells: no number of samples detects a distance of %.2g with these; this run had %d",
			t.effect(), t.Samples)
	}
	return fmt.Sprintf("about %d samples, to detect a distance of %.2g; this run had %d", verify.RoundedSize(n),
		t.effect(),
		t.Samples)
}
