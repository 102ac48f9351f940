package mean

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/outputs"
)

// statedFinding is what one coordinate shows.
type statedFinding struct {
	cell    verify.Cell
	excess  float64 // of the claim beyond the interval, relative to the scale; below 0 within
	width   float64 // of the interval, relative to the scale
	broken  bool
	certain bool // the interval is certified
	spread  bool // the values vary more than they are to: nothing follows from the interval
}

// measure reads the interval of coordinate i.
func (t *statedTrial) measure(i int, part empirical.Tally) (f statedFinding, err error) {
	c := t.choices[i]
	var mean, lower, upper float64
	switch part := part.(type) {
	case *confidence.MeanTally:
		mean = part.Mean()
		lower, upper, err = confidence.MeanInterval(part, t.share(), c.spread)
		lower, upper = c.outward(lower, upper)
	case *catoniTally:
		mean = part.Mean()
		lower, upper = part.Limits()
		f.spread = part.Overspread()
	case *confidence.Moments:
		mean = part.Mean()
		lower, upper, err = part.Interval(t.share())
	default:
		err = fmt.Errorf("mean: a tally of type %T", part)
	}
	if err != nil {
		return f, err
	}
	at := t.Quantity
	if len(t.Mean) > 1 {
		at = fmt.Sprintf("coordinate %d of %s", i, t.Quantity)
	}
	f.cell = verify.Cell{Label: at, Claimed: verify.Num(t.Mean[i]), Measured: verify.Num(mean),
		Lower: verify.Num(lower), Upper: verify.Num(upper), Samples: t.n()}
	scale := math.Max(c.scale, 1e-300)
	f.excess = math.Max(t.Mean[i]-upper, lower-t.Mean[i]) / scale
	f.width, f.certain = (upper-lower)/scale, c.certified()
	f.broken = f.certain && !f.spread && f.excess > 0
	return f, nil
}

// outward rounds limits in a range far from 0, whose width the digits there hardly tell.
func (c statedChoice) outward(lower, upper float64) (float64, float64) {
	largest := math.Max(math.Abs(c.lo), math.Abs(c.hi))
	digit := math.Nextafter(largest, math.Inf(1)) - largest
	return math.Max(c.lo, lower-2*digit), math.Min(c.hi, upper+2*digit)
}

// verdict of one coordinate.
func (t *statedTrial) verdict(f statedFinding) verify.Verdict {
	switch {
	case f.broken:
		return verify.Refuted
	case f.certain && !f.spread && f.width <= t.effect():
		return verify.Consistent
	}
	return verify.Inconclusive
}

// Judge gives every coordinate an interval; alpha is split evenly over them.
func (t *statedTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	parts, ok := merged.(empirical.Tallies)
	if !ok || len(parts) != len(t.Mean) {
		return verify.Evidence{}, fmt.Errorf("mean: a tally of type %T", merged)
	}
	e := verify.Evidence{Quantity: "E[Z]", Sense: verify.Equals, Verdict: verify.Consistent, Samples: t.n()}
	look := statedLook{trial: t, cases: verify.Cases[verify.Cell]{Noun: "coordinate"}}
	for i, part := range parts {
		f, err := t.measure(i, part)
		if err != nil {
			return e, err
		}
		if len(e.Cells) < verify.MaxCells {
			e.Cells = append(e.Cells, f.cell)
		}
		e.Verdict = e.Verdict.Worse(t.verdict(f))
		look.see(f)
	}
	e.WorstCell(look.nearest.cell, len(e.Cells))
	t.explain(&e, &look)
	if t.unseeded {
		outputs.NoteOwnRandomness(&e)
	}
	e.LookAgain(&look)
	e.Statistics = verify.NewStatistics(StatedMethod, t.basis(parts))
	if t.unseeded {
		e.Statistics.Note(true, verify.UnseededMechanism)
	}
	return e, nil
}

// explain says how it was measured, and what would have been seen.
func (t *statedTrial) explain(e *verify.Evidence, look *statedLook) {
	var ranged, bounded, unknown int
	for _, c := range t.choices {
		switch {
		case c.ranged():
			ranged++
		case c.variance > 0:
			bounded++
		default:
			unknown++
		}
	}
	count := func(n int, words string) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("%s for %d of %d coordinates", words, n, len(t.Mean))
	}
	e.Method = verify.JoinSentences(count(ranged, "betting intervals within the range"),
		count(bounded, "Catoni's intervals by the bound on the variance"),
		count(unknown, "Student's interval, which certifies nothing,")) +
		fmt.Sprintf("; %d samples, joint error %.2g", t.n(), t.settings.Alpha)
	power := math.Min(verify.TargetPower, 1-t.share())
	switch {
	case e.Verdict == verify.Consistent:
		e.Detects = verify.Detects{Effect: look.widest * t.choices[0].scale, Probability: power}
		if len(t.choices) > 1 { // in the units of each coordinate
			e.Detects = verify.Detects{}
		}
		e.Power = fmt.Sprintf("a mean that is off by %.2g of %s would have been seen in each coordinate with probability "+
			"at least %.4g", look.widest, t.relativeTo(), power)
	case e.Verdict == verify.Inconclusive && look.spread != "":
		e.Power = fmt.Sprintf("at %s the values vary more than twice as much as the bound on their variance says: "+
			"nothing follows for their mean", look.spread)
	case unknown > 0:
		e.Power = "the values are unbounded and nothing is known of their variance: a rare, large value could move " +
			"the mean, and no number of samples certifies it"
	case e.Verdict == verify.Inconclusive:
		e.Power = fmt.Sprintf("too few samples to see a mean that is off by %.2g of %s in each coordinate", t.effect(),
			t.relativeTo())
	}
}

// relativeTo are the words for what effects are relative to.
func (t *statedTrial) relativeTo() string {
	for _, c := range t.choices {
		if !c.ranged() {
			return "the root of the bound on its variance"
		}
	}
	return "half its range"
}

// statedLook is what a second look at a stated mean needs.
type statedLook struct {
	trial   *statedTrial
	cases   verify.Cases[verify.Cell]
	nearest statedFinding // to breaking the claim, or furthest beyond
	widest  float64       // interval, of those that are certified
	spread  string        // the first coordinate that varies more than it is to; "" where none does
}

func (l *statedLook) see(f statedFinding) {
	if l.cases.Count() == 0 || f.broken && !l.nearest.broken ||
		f.broken == l.nearest.broken && f.excess > l.nearest.excess {
		l.nearest = f
	}
	l.cases.See(f.cell, f.broken)
	if f.spread && l.spread == "" {
		l.spread = f.cell.Label
	}
	if f.certain {
		l.widest = math.Max(l.widest, f.width)
	}
}

func (l *statedLook) Tried() verify.Tried {
	t := l.cases.Tried(verify.Cell.Place, l.nearest.cell)
	c := l.nearest.cell
	t.Margin = verify.Num(math.Min(c.Claimed.X-c.Lower.X, c.Upper.X-c.Claimed.X))
	return t
}

func (l *statedLook) Attempt() string {
	c := l.nearest.cell
	return fmt.Sprintf("%s; the nearest to breaking, %s, measures %.4g [%.4g, %.4g]",
		l.cases.InWords(verify.Cell.Place), c.Label, c.Measured.X, c.Lower.X, c.Upper.X)
}

func (l *statedLook) Counterexample() verify.Counterexample {
	return l.cases.Simplest(verify.Cell.Itself)
}

func (l *statedLook) Needed() string {
	t := l.trial
	for _, c := range t.choices {
		if !c.certified() {
			return fmt.Sprintf("a range of the values, or a bound on their variance: more samples decide nothing; "+
				"this run had %d", t.n())
		}
	}
	if l.spread != "" {
		return fmt.Sprintf("a larger bound on the variance at %s: the values of this run, %d, vary more than twice as much",
			l.spread, t.n())
	}
	width := l.widest
	if math.IsInf(width, 0) { // beyond the grid of Catoni's interval, by the claim's distance
		width = 2 * t.effect()
	}
	return fmt.Sprintf("about %d samples, to see a mean that is off by %.2g of %s; this run had %d",
		verify.ScaledSize(t.n(), width/t.effect()), t.effect(), t.relativeTo(), t.n())
}
