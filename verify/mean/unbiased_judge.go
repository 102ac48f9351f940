package mean

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// Judge gives every cell an interval for its factor; alpha is split evenly over
// the intervals.
func (f unbiasedStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	t := unbiasedJudge{f, s}
	e := verify.Evidence{Exact: t.sampled() == 0, Quantity: "⟨E[Z|X],X⟩/‖X‖²", Sense: verify.Equals, Verdict: verify.Holds}
	const tie = 1e-9
	worst, worstSampled, worstBroken := math.Inf(-1), false, false
	powered := true
	look := unbiasedLook{judge: t, cases: verify.Cases[verify.Cell]{Noun: "cell"}}
	for _, c := range t.Cells {
		f := finding{cell: verify.Cell{Label: c.At, Claimed: verify.Num(t.Claimed)}}
		if c.Samples > 0 {
			if err := f.measure(c, t.share()); err != nil {
				return e, fmt.Errorf("at %s: %w", f.cell.Label, err)
			}
		}
		if err := f.compare(t, c); err != nil {
			return e, err
		}
		e.Samples += f.cell.Samples
		e.Cells = append(e.Cells, f.cell)
		e.Verdict = e.Verdict.Worse(f.verdict)
		powered = powered && f.powered
		look.see(f)
		// A counterexample outranks a cell that is further off within its error. Cells
		// that are off by the same factor are told apart by who measured them: a sampled
		// figure says more than a computed one.
		sampled, broken := f.cell.Samples > 0, f.verdict == verify.Refuted
		further := f.excess > worst+tie || sampled && !worstSampled && f.excess > worst-tie
		if broken && !worstBroken || broken == worstBroken && further {
			worst, worstSampled, worstBroken = f.excess, sampled, broken
			e.CopyWorst(f.cell)
			if f.witness != "" {
				e.WorstCase += ", " + f.witness
			}
		}
	}
	t.explain(&e, powered, &look)
	e.LookAgain(&look)
	return e, nil
}

// finding is what one cell shows.
type finding struct {
	cell    verify.Cell
	verdict verify.Verdict
	excess  float64
	witness string
	side    [2]float64 // the interval across x, empty without samples
	lean    float64    // of the interval across x: how far it is from containing 0
	width   float64    // of the factor's interval, 0 without samples
	covered float64    // length of a mean across x that would have been seen, 0 without samples
	powered bool       // both are as small as the effects
}

// measure reads both intervals, each with an error of at most alpha.
func (f *finding) measure(c cellStatistics, alpha float64) error {
	lower, upper, err := confidence.MeanInterval(c.Along, alpha, c.Spread)
	if err != nil {
		return err
	}
	f.cell.Samples = c.Samples
	f.cell.Measured, f.cell.Lower, f.cell.Upper = verify.Num(c.Along.Mean()), verify.Num(lower), verify.Num(upper)
	f.width = upper - lower
	if c.Across == nil {
		return nil
	}
	if lower, upper, err = confidence.MeanInterval(c.Across.Counts, alpha, c.Across.Spread); err != nil {
		return err
	}
	if f.covered, err = c.Across.covered(); err != nil {
		return err
	}
	f.side = [2]float64{lower, upper}
	if f.lean = math.Max(lower, -upper); f.lean > 0 {
		f.witness = fmt.Sprintf("mean across X in [%.4g, %.4g]‖X‖", lower, upper)
	}
	return nil
}

// compare holds the cell against the claimed factor. An exact value decides about it, but
// not about the mean across x; a sampler that contradicts it has a fault of its own, which is
// an error.
func (f *finding) compare(t unbiasedJudge, c cellStatistics) error {
	exact, tolerance := c.Exact, c.ExactError
	known := tolerance > 0
	if known {
		f.cell.ExactValue = verify.Num(exact)
		slack := tolerance * math.Abs(exact)
		if f.cell.Samples == 0 {
			f.cell.Measured, f.cell.Lower, f.cell.Upper = verify.Num(exact), verify.Num(exact-slack), verify.Num(exact+slack)
		} else if exact+slack < f.cell.Lower.X || exact-slack > f.cell.Upper.X {
			return fmt.Errorf("at %s: the sampled factor lies in [%v, %v], the computed one is %v: sampler and formula disagree",
				f.cell.Label, f.cell.Lower.X, f.cell.Upper.X, exact)
		}
	}
	scale := t.scale()
	f.excess = math.Max(t.Claimed-f.cell.Upper.X, f.cell.Lower.X-t.Claimed) / scale
	off := f.excess > 0 || f.lean > 0
	if known {
		off = t.refutedByFormula(c) || f.lean > 0
		f.excess = math.Abs(exact-t.Claimed) / scale
	}
	f.excess = math.Max(f.excess, f.lean)
	straight := f.covered <= t.effectAcross()*scale
	f.powered = straight && f.width <= t.effect()*scale
	switch {
	case off:
		f.verdict = verify.Refuted
	case known && straight:
		f.verdict = verify.Holds
	case f.powered:
		f.verdict = verify.Consistent
	default:
		f.verdict = verify.Inconclusive
	}
	return nil
}

// explain says how it was measured, and what would have been seen: the effects where every
// cell sees them, else where it is decided all the same, what the coarsest cells see.
func (t unbiasedJudge) explain(e *verify.Evidence, powered bool, look *unbiasedLook) {
	if t.sampled() == 0 {
		e.Method = fmt.Sprintf("by computation alone in %d of %d cells", len(t.Cells), len(t.Cells))
		return
	}
	e.Method = fmt.Sprintf("betting intervals for the factor and, in the direction in which other samples lie, for the "+
		"mean across X in %d of %d cells, joint error %.2g, beside the computed value",
		t.sampled(), len(t.Cells), t.settings.Alpha)
	seen := func(factor, across float64) string {
		return fmt.Sprintf("a factor off by %.2g of its value, or a mean across X, in whatever direction, of "+
			"%.2g of the claimed one", factor, across)
	}
	// The interval of a factor that is off misses it where it reaches the claimed one.
	power := math.Min(verify.TargetPower, 1-t.share()/2)
	switch {
	case powered:
		e.Detects = verify.Detects{Effect: t.effect(), Relative: true, Probability: power}
		e.Power = fmt.Sprintf("%s, would have been seen in each sampled cell with probability at least %.4g",
			seen(t.effect(), t.effectAcross()), power)
	case e.Verdict == verify.Inconclusive:
		e.Power = fmt.Sprintf("too few samples to see %s, in each sampled cell", seen(t.effect(), t.effectAcross()))
	default:
		e.Detects = verify.Detects{Effect: look.widest, Relative: true, Probability: power}
		e.Power = fmt.Sprintf("%s, would have been seen in each sampled cell with probability at least %.4g; %.2g "+
			"and %.2g were planned",
			seen(look.widest, look.longest), power, t.effect(), t.effectAcross())
	}
	if e.Verdict == verify.Refuted {
		e.Detects = verify.Detects{}
	}
}
