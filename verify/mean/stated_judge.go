package mean

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// statedFinding is the result for one coordinate.
type statedFinding struct {
	cell    verify.Cell
	excess  float64 // distance of the claim from the interval, relative to the scale; negative within the interval
	width   float64 // width of the interval, relative to the scale
	broken  bool
	certain bool // the interval is certified
	spread  bool // the sample variance contradicts the bound, so that the interval is meaningless
}

// measure computes the interval of coordinate i.
func (t statedJudge) measure(i int) (f statedFinding, err error) {
	c := t.Coordinates[i]
	var mean, lower, upper float64
	switch {
	case c.ranged():
		mean = c.Counts.Mean()
		lower, upper, err = confidence.MeanInterval(c.Counts, t.share(), c.Spread)
		lower, upper = c.outward(lower, upper)
	case c.Variance > 0:
		sums := newCatoniTally(c.Mean, c.Variance, t.Samples, t.settings.DrawnAlpha()/float64(len(t.Coordinates)))
		sums.at(t.share())
		if err := sums.Merge(c.Sums); err != nil {
			return f, err
		}
		mean = sums.Mean()
		lower, upper = sums.Limits()
		f.spread = sums.Overspread()
	default:
		mean = c.Moments.Mean()
		lower, upper, err = c.Moments.Interval(t.share())
	}
	if err != nil {
		return f, err
	}
	at := t.Quantity
	if len(t.Coordinates) > 1 {
		at = fmt.Sprintf("coordinate %d of %s", i, t.Quantity)
	}
	f.cell = verify.Cell{Label: at, Claimed: verify.Num(c.Mean), Measured: verify.Num(mean),
		Lower: verify.Num(lower), Upper: verify.Num(upper), Samples: t.Samples}
	scale := math.Max(c.Scale, 1e-300)
	f.excess = math.Max(c.Mean-upper, lower-c.Mean) / scale
	f.width, f.certain = (upper-lower)/scale, c.certified()
	f.broken = f.certain && !f.spread && f.excess > 0
	return f, nil
}

// outward moves the limits outward by two units in the last place of the range, which matters for narrow ranges far
// from 0.
func (c coordinateStatistics) outward(lower, upper float64) (float64, float64) {
	largest := math.Max(math.Abs(c.Range[0].X), math.Abs(c.Range[1].X))
	digit := math.Nextafter(largest, math.Inf(1)) - largest
	return math.Max(c.Range[0].X, lower-2*digit), math.Min(c.Range[1].X, upper+2*digit)
}

// verdict returns the verdict of one coordinate.
func (t statedJudge) verdict(f statedFinding) verify.Verdict {
	switch {
	case f.broken:
		return verify.Refuted
	case f.certain && !f.spread && f.width <= t.effect():
		return verify.Consistent
	}
	return verify.Inconclusive
}

// Judge computes an interval for every coordinate. Alpha is split evenly over the coordinates.
func (f statedStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	t := statedJudge{f, s}
	e := verify.Evidence{Quantity: "E[Z]", Sense: verify.Equals, Verdict: verify.Consistent, Samples: t.Samples}
	look := statedLook{judge: t, cases: verify.Cases[verify.Cell]{Noun: "coordinate"}}
	for i := range t.Coordinates {
		f, err := t.measure(i)
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
	e.LookAgain(&look)
	return e, nil
}

// explain sets the method, the power and the detectable deviation.
func (t statedJudge) explain(e *verify.Evidence, look *statedLook) {
	var ranged, bounded, unknown int
	for _, c := range t.Coordinates {
		switch {
		case c.ranged():
			ranged++
		case c.Variance > 0:
			bounded++
		default:
			unknown++
		}
	}
	count := func(n int, words string) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("%s for %d of %d coordinates", words, n, len(t.Coordinates))
	}
	e.Method = verify.JoinSentences(count(ranged, "betting intervals within the range"),
		count(bounded, "Catoni's intervals by the bound on the variance"),
		count(unknown, "Student's interval, which certifies nothing,")) +
		fmt.Sprintf("; %d samples, joint error %.2g", t.Samples, t.settings.Alpha)
	power := math.Min(verify.TargetPower, 1-t.share())
	switch {
	case e.Verdict == verify.Consistent:
		e.Detects = verify.Detects{Effect: look.widest * t.Coordinates[0].Scale, Probability: power}
		if len(t.Coordinates) > 1 { // in the units of each coordinate
			e.Detects = verify.Detects{}
		}
		e.Power = fmt.Sprintf("a deviation of the mean by %.2g of %s would have been detected in each coordinate with "+
			"probability at least %.4g", look.widest, t.relativeTo(), power)
	case e.Verdict == verify.Inconclusive && look.spread != "":
		e.Power = fmt.Sprintf("at %s the sample variance is more than twice the bound on the variance: nothing follows "+
			"for the mean", look.spread)
	case unknown > 0:
		e.Power = "the values are unbounded and no bound on their variance is known: a rare, large value could move " +
			"the mean, and no number of samples certifies it"
	case e.Verdict == verify.Inconclusive:
		e.Power = fmt.Sprintf("too few samples to detect a deviation of the mean by %.2g of %s in each coordinate",
			t.effect(), t.relativeTo())
	}
}

// relativeTo names the scale of the effects.
func (t statedJudge) relativeTo() string {
	for _, c := range t.Coordinates {
		if !c.ranged() {
			return "the root of the bound on its variance"
		}
	}
	return "half its range"
}

// statedLook describes the attempt, the counterexample and the missing evidence for a stated mean.
type statedLook struct {
	judge   statedJudge
	cases   verify.Cases[verify.Cell]
	nearest statedFinding // the coordinate with the largest excess
	widest  float64       // maximum width of a certified interval
	spread  string        // the first coordinate whose variance contradicts its bound; "" if none does
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
	t := l.judge
	for _, c := range t.Coordinates {
		if !c.certified() {
			return fmt.Sprintf("a range of the values, or a bound on their variance: more than the %d samples of this run "+
				"decide nothing", t.Samples)
		}
	}
	if l.spread != "" {
		return fmt.Sprintf("a larger bound on the variance at %s: the sample variance of the %d values of this run is more "+
			"than twice the bound", l.spread, t.Samples)
	}
	width := l.widest
	if math.IsInf(width, 0) { // a limit is beyond the grid of Catoni's interval
		width = 2 * t.effect()
	}
	return fmt.Sprintf("about %d samples, to detect a deviation of the mean by %.2g of %s; this run had %d",
		verify.ScaledSize(t.Samples, width/t.effect()), t.effect(), t.relativeTo(), t.Samples)
}
