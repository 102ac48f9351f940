package premises

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// norms returns the premise that every contribution has L2 norm at most C, up to the tolerance. The check uses the
// logged norms and the norms at the logged coordinates. The latter cannot exceed the norm of the whole contribution, so
// they refute the premise even if the loop logs other norms. If the rounding of the logged contributions explains the
// excess, the check is inconclusive.
func norms(l *Log, t Training) Premise {
	return Premise{"norms", fmt.Sprintf("every contribution has L2 norm at most C = %.6g", t.ClippingNorm),
		normStatistics(l, t).check()}
}

// normLimit returns the largest norm that the tolerance allows.
func normLimit(t Training) float64 {
	return t.ClippingNorm * (1 + t.Tolerance) * (1 + verify.DefaultRelativeError)
}

func normStatistics(l *Log, t Training) computed {
	limit := normLimit(t)
	f := computed{Quantity: "norm of a contribution", Sense: verify.AtMost, Claimed: t.ClippingNorm,
		Tolerance: t.Tolerance}
	r := contributionRounding(l.Steps)
	rounded := limit*(1+r.relative()) + r.grid*math.Sqrt(float64(l.Coordinates))
	misstated := ""
	for i, s := range l.Steps {
		norm, at, which := s.Norm, s.NormAt, "logged norm"
		if s.Part > limit && s.Part <= rounded && f.Needed == "" {
			f.Needed = fmt.Sprintf("contributions with less rounding, or the tolerance of their number type: in step %d the "+
				"contribution of record %d has norm %.8g at the logged coordinates", i+1, s.PartAt, s.Part)
		}
		if s.Part > rounded && s.Part > s.Norm {
			norm, at, which = s.Part, s.PartAt, "norm at the logged coordinates"
		}
		f.see(norm, norm/limit, func() string {
			if len(s.Batch) == 0 {
				return fmt.Sprintf("step %d, empty batch", i+1)
			}
			return fmt.Sprintf("step %d, record %d, %s", i+1, at, which)
		})
		if misstated == "" && s.Part > s.Norm*(1+math.Max(t.Tolerance, math.Ldexp(1, 1-coarsest))) {
			misstated = fmt.Sprintf("in step %d the largest logged norm is %.4g, but the contribution of record %d has norm "+
				"%.4g at the logged coordinates", i+1, s.Norm, s.PartAt, s.Part)
		}
	}
	if misstated != "" {
		f.Note, f.Needed = misstated, "the norms of the logged contributions: "+misstated
	}
	return f
}

// steps returns the premise that the training has the claimed number of steps. A log of fewer steps may come from an
// interrupted run, so it does not refute the premise.
func steps(l *Log, t Training) Premise {
	n := len(l.Steps)
	f := computed{Quantity: "logged steps", Sense: verify.Equals, Claimed: float64(t.Steps), Steps: n}
	p := place{At: fmt.Sprintf("the whole log, %s", verify.Plural(n, "step")), Value: float64(n)}
	switch {
	case n > t.Steps:
		f.Broken, p.Excess = n-t.Steps, 1+float64(n-t.Steps)
		f.Cause = fmt.Sprintf("step %d is the first that the claim does not count", t.Steps+1)
	case n < t.Steps:
		f.Needed = fmt.Sprintf("a log of all %d steps; this log ends after %d, for example because the run was interrupted",
			t.Steps, n)
	}
	f.First, f.Worst = p, p
	return Premise{"steps", fmt.Sprintf("the training has %s", verify.Plural(t.Steps, "step")), f.check()}
}
