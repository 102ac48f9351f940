package mean

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// unbiasedLook describes the attempt, the counterexample and the missing evidence for an unbiased mean.
type unbiasedLook struct {
	judge    unbiasedJudge
	cases    verify.Cases[verify.Cell]
	near     float64     // largest position of the claimed value between the middle (0) and the end (1) of an interval
	nearest  string      // description of that interval
	closest  verify.Cell // the cell with the smallest margin; a computed one if no cell was sampled
	margin   float64     // margin of that cell, for the factor or the mean across x
	widest   float64     // widest interval of a factor, relative to the claimed factor
	longest  float64     // longest undetected mean across x, relative to the claimed mean
	needs    int64       // samples per cell at which both would be as small as the effects
	computed float64     // largest deviation of a computed factor, relative to the claimed factor
	exact    string      // cell with that deviation
}

func (l *unbiasedLook) see(f finding) {
	t := l.judge
	c := f.cell
	if f.witness != "" {
		c.Label += ", " + f.witness
	}
	l.cases.See(c, f.verdict == verify.Refuted)
	scale := t.scale()
	if off := math.Abs(f.cell.ExactValue.X-t.Claimed) / scale; f.cell.ExactValue.Set &&
		(l.exact == "" || off > l.computed) {
		l.computed, l.exact = off, f.cell.Label
		if l.closest.Samples == 0 {
			l.closest, l.margin = c, -math.Abs(f.cell.ExactValue.X-t.Claimed)
		}
	}
	if f.cell.Samples == 0 {
		return
	}
	lower, upper := f.cell.Lower.X, f.cell.Upper.X
	margin := math.Min(t.Claimed-lower, upper-t.Claimed)
	if f.side[0] < f.side[1] {
		margin = math.Min(margin, math.Min(-f.side[0], f.side[1]))
	}
	if l.closest.Samples == 0 || margin < l.margin {
		l.closest, l.margin = c, margin
	}
	if near := verify.DistanceFromEnd(t.Claimed, lower, upper); l.nearest == "" || near > l.near {
		l.near = near
		l.nearest = fmt.Sprintf("%s, measures the factor %.4g [%.4g, %.4g]", f.cell.Label, f.cell.Measured.X, lower, upper)
	}
	if near := verify.DistanceFromEnd(0, f.side[0], f.side[1]); near > l.near {
		l.near = near
		l.nearest = fmt.Sprintf("%s, measures a mean across X in [%.4g, %.4g]‖X‖", f.cell.Label, f.side[0], f.side[1])
	}
	l.widest, l.longest = math.Max(l.widest, f.width/scale), math.Max(l.longest, f.covered/scale)
	short := 0.0 // factor by which the detectable deviations of a cell exceed the effects
	if f.covered > 0 {
		short = f.covered / scale / t.effectAcross()
	}
	if !f.cell.ExactValue.Set {
		short = math.Max(short, f.width/scale/t.effect())
	}
	l.needs = max(l.needs, verify.ScaledSize(f.cell.Samples, short))
}

func (l *unbiasedLook) Tried() verify.Tried {
	t := l.cases.Tried(verify.Cell.Place, l.closest)
	t.Margin = verify.Num(l.margin)
	return t
}

func (l *unbiasedLook) Attempt() string {
	text := fmt.Sprintf("%s, %d of them sampled along X and across X", l.cases.InWords(verify.Cell.Place),
		l.judge.sampled())
	if l.nearest != "" {
		text += fmt.Sprintf("; the nearest to breaking, %s, with the claimed value at %.2g of the way from "+
			"its middle to its end", l.nearest, l.near)
	}
	if l.exact != "" {
		text += fmt.Sprintf("; the computed factors differ by at most %.2g of the claimed factor, at %s", l.computed, l.exact)
	}
	return text
}

func (l *unbiasedLook) Counterexample() verify.Counterexample {
	return l.cases.Simplest(verify.Cell.Itself)
}

func (l *unbiasedLook) Needed() string {
	samples := int64(0)
	for _, c := range l.judge.Cells {
		samples = max(samples, c.Samples)
	}
	return fmt.Sprintf("about %d samples per cell, to detect a deviation of %.2g of the factor and a mean across X of "+
		"%.2g of the claimed mean; this run had at most %d, which detect %.2g and %.2g",
		l.needs, l.judge.effect(), l.judge.effectAcross(), samples, l.widest, l.longest)
}
