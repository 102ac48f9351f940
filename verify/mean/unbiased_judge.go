package mean

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// Judge computes intervals for the factor and for the mean across x in every cell. Alpha is split evenly over the
// intervals.
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
		// A counterexample is worse than a cell with a larger deviation within its error. Among equal deviations a sampled
		// cell is worse than a computed one.
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

// finding is the result for one cell.
type finding struct {
	cell    verify.Cell
	verdict verify.Verdict
	excess  float64
	witness string
	side    [2]float64 // interval across x, empty without samples
	lean    float64    // distance of 0 from the interval across x
	width   float64    // width of the factor's interval, 0 without samples
	covered float64    // detectable length of a mean across x, 0 without samples
	powered bool       // width and covered are as small as the effects
}

// measure computes both intervals, each with error at most alpha.
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

// compare compares the cell with the claim. An exact value decides about the factor, but not about the mean across x.
// compare returns an error if the samples contradict the exact value.
func (f *finding) compare(t unbiasedJudge, c cellStatistics) error {
	exact, tolerance := c.Exact, c.ExactError
	known := tolerance > 0
	if known {
		f.cell.ExactValue = verify.Num(exact)
		slack := tolerance * math.Abs(exact)
		if f.cell.Samples == 0 {
			f.cell.Measured, f.cell.Lower, f.cell.Upper = verify.Num(exact), verify.Num(exact-slack), verify.Num(exact+slack)
		} else if exact+slack < f.cell.Lower.X || exact-slack > f.cell.Upper.X {
			return fmt.Errorf("at %s: the sampled factor is in [%v, %v], but the computed factor is %v: sampler and formula "+
				"disagree", f.cell.Label, f.cell.Lower.X, f.cell.Upper.X, exact)
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

// explain sets the method, the power and the detectable deviation: the effects if every cell detects them, else, for a
// decided claim, what every cell detects.
func (t unbiasedJudge) explain(e *verify.Evidence, powered bool, look *unbiasedLook) {
	if t.sampled() == 0 {
		e.Method = fmt.Sprintf("only by computation in %d of %d cells", len(t.Cells), len(t.Cells))
		return
	}
	e.Method = fmt.Sprintf("betting intervals for the factor and, in the direction of the mean of other samples, for the "+
		"mean across X in %d of %d cells, joint error %.2g", t.sampled(), len(t.Cells), t.settings.Alpha)
	seen := func(factor, across float64) string {
		return fmt.Sprintf("a deviation of %.2g of the factor, or a mean across X, in any direction, of %.2g of the "+
			"claimed mean", factor, across)
	}
	// A deviating factor is undetected only if its interval, which then misses it, contains the claimed factor.
	power := math.Min(verify.TargetPower, 1-t.share()/2)
	switch {
	case powered:
		e.Detects = verify.Detects{Effect: t.effect(), Relative: true, Probability: power}
		e.Power = fmt.Sprintf("%s, would have been detected in each sampled cell with probability at least %.4g",
			seen(t.effect(), t.effectAcross()), power)
	case e.Verdict == verify.Inconclusive:
		e.Power = fmt.Sprintf("too few samples to detect %s, in each sampled cell", seen(t.effect(), t.effectAcross()))
	default:
		e.Detects = verify.Detects{Effect: look.widest, Relative: true, Probability: power}
		e.Power = fmt.Sprintf("%s, would have been detected in each sampled cell with probability at least %.4g; %.2g "+
			"and %.2g were planned",
			seen(look.widest, look.longest), power, t.effect(), t.effectAcross())
	}
	if e.Verdict == verify.Refuted {
		e.Detects = verify.Detects{}
	}
}
