package mean

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// relativeNoise is the largest standard error of a mean, relative to the mean, at which its logarithm counts as normal.
const relativeNoise = 0.2

// bettingSlope reports whether all limits of all means hold at any sample size, so that the interval of the slope does
// too. It returns false for exact values, which have no noise.
func (t rateJudge) bettingSlope(means []rateMean) bool {
	return !t.Exact && !slices.ContainsFunc(means, func(m rateMean) bool { return !m.sound() })
}

// fit returns the slope through the means. If there is none, it returns the reason, and the number of replicates that
// would give one or 0.
func (t rateJudge) fit(means []rateMean) (s confidence.Slope, reason string, need int64) {
	return t.fitAt(means, 1)
}

// fitAt returns the fit with limits that are closer to the means by a factor, as if there were more replicates.
func (t rateJudge) fitAt(means []rateMean, nearer float64) (s confidence.Slope, reason string, need int64) {
	betting := t.bettingSlope(means)
	points := make([]confidence.SlopePoint, len(means))
	for i := range means {
		m := &means[i]
		if !(m.mean > 0) {
			return s, fmt.Sprintf("the mean at %s is %.3g, which has no logarithm", t.at(m.X), m.mean), 0
		}
		if !t.Exact && m.stdErr == 0 && !betting {
			return s, fmt.Sprintf("all replicates at %s are equal, so that their noise is unknown", t.at(m.X)), 0
		}
		if noise := m.stdErr / m.mean; !(noise <= relativeNoise) {
			need = verify.ScaledSize(m.n, noise/relativeNoise)
			return s, fmt.Sprintf("the mean at %s is too noisy for its logarithm: need ≥ %d replicates", t.at(m.X), need), need
		}
		points[i] = confidence.SlopePoint{X: m.X, Mean: m.mean, StdErr: m.stdErr, Freedom: float64(m.n - 1)}
		if betting {
			points[i].Limits = func(alpha float64) (lower, upper float64, err error) {
				lower, upper, err = m.betting(alpha)
				return m.mean - (m.mean-lower)/nearer, m.mean + (upper-m.mean)/nearer, err
			}
		}
	}
	s, err := confidence.FitSlope(points, t.slopeAlpha(), t.resolution())
	if err != nil {
		return s, err.Error(), 0
	}
	return s, "", 0
}

// slopeAlpha returns the error of the slope's interval. The interval never refutes, so that it uses no part of the
// claim's alpha. Exact values have no sampling error.
func (t rateJudge) slopeAlpha() float64 {
	if t.Exact {
		return 0.5
	}
	return t.settings.Alpha
}

// slopeRange is a fit with the slopes that support the claim.
type slopeRange struct {
	confidence.Slope
	sense           verify.Sense
	lowest, highest float64 // the claimed exponent ∓ the resolution, or infinite
}

func (t rateJudge) slopeRange(s confidence.Slope) slopeRange {
	r := slopeRange{Slope: s, sense: t.slopeSense(), lowest: math.Inf(-1), highest: math.Inf(1)}
	b := barsOf(r.sense)
	if b.above {
		r.highest = t.Exponent + t.resolution()
	}
	if b.below {
		r.lowest = t.Exponent - t.resolution()
	}
	return r
}

// within reports whether the interval is within the range and the slope does not drift towards a violation.
func (r slopeRange) within() bool {
	b := barsOf(r.sense)
	astray := r.Drifts && (b.above && r.Drift > 0 || b.below && r.Drift < 0)
	return r.Upper <= r.highest && r.Lower >= r.lowest && !astray
}

// beyond reports whether the whole interval is outside the range.
func (r slopeRange) beyond() bool { return r.Lower > r.highest || r.Upper < r.lowest }

// leaving reports whether the whole interval is outside the range and the slope drifts further away.
func (r slopeRange) leaving() bool {
	return r.Drifts && (r.Lower > r.highest && r.Drift > 0 || r.Upper < r.lowest && r.Drift < 0)
}

// judgeSlope compares the slope with the exponent.
func (t rateJudge) judgeSlope(e *verify.Evidence, means []rateMean) {
	quantity, sense := fmt.Sprintf("slope of log %s in log %s", t.Quantity, t.Variable), t.slopeSense()
	e.Quantity, e.Sense, e.Claimed, e.Verdict = quantity, sense, verify.Num(t.Exponent), verify.Inconclusive
	e.Method = t.howMeasured(means)
	look := slopeLook{judge: t, pairs: verify.Cases[ratePair]{Noun: "pair of points", Ordered: "in the order of the grid"}}
	if t.Law {
		if worst := t.brokenPair(means, &look.pairs); worst != nil {
			worst.report(e, t)
			e.LookAgain(&look)
			return
		}
	}
	s, reason, need := t.fit(means)
	if reason != "" {
		e.Power = "no slope: " + reason
		look.size = t.sizeOfFit(need, reason)
		e.LookAgain(&look)
		return
	}
	r := t.slopeRange(s)
	first, last := t.at(means[s.From].X), t.at(means[len(means)-1].X)
	e.Measured, e.Lower, e.Upper = verify.Num(s.Value), verify.Num(s.Lower), verify.Num(s.Upper)
	e.Ratio = verify.Number{}
	if t.Exponent != 0 {
		e.Ratio = verify.Num(s.Value / t.Exponent)
	}
	e.WorstCase = first + " … " + last
	look.fit, look.on = r, e.WorstCase
	e.Method = verify.JoinSentences(e.Method, t.howFitted(s, means))
	astray := t.astrayPair(means)
	switch {
	case t.Exact && t.Law:
		e.Verdict = verify.Holds
	case astray != nil && r.within():
		e.Power = fmt.Sprintf("between %s the slope is %.4g, by Student's limits at least %.4g off the claim; they assume "+
			"normal means and refute nothing: give Range finite ends", astray.at(t), astray.slope, astray.excess)
		look.size = fmt.Sprintf("a finite range, for limits that hold at any sample size: by Student's limits, after %d "+
			"replicates, the power law is violated between %s", t.Replicates, astray.at(t))
	case r.within():
		e.Verdict = verify.Consistent
		if b := barsOf(r.sense); b.above && r.Lower > t.Exponent || b.below && r.Upper < t.Exponent {
			e.Warnings = append(e.Warnings,
				fmt.Sprintf("the slope is beyond the claimed %.4g by less than the resolution %.2g of this grid, which does not "+
					"refute an asymptotic claim", t.Exponent, t.resolution()))
		}
		if !t.Exact {
			e.Detects = verify.Detects{Effect: t.resolution(), Probability: 1 - t.slopeAlpha()}
		}
		e.Power = fmt.Sprintf("a slope beyond the claimed %.4g by %.2g at %s would have been outside the interval",
			t.Exponent, t.resolution(), last)
		if !t.Exact && !t.bettingSlope(means) {
			e.Power += normalSlope
		}
	default:
		e.Power, look.size = t.undecided(r, means)
	}
	e.LookAgain(&look)
}

// normalSlope is the assumption behind the interval of a slope without betting intervals.
const normalSlope = ", if the means are normal: the values have no finite range, and Student's limits assume it"

// undecided returns the reason why the slope decides nothing, and the run that would decide.
func (t rateJudge) undecided(r slopeRange, means []rateMean) (why, size string) {
	if r.beyond() && (!r.Drifts || r.leaving()) {
		words := fmt.Sprintf("the slope contradicts the claimed %.4g on the whole fit, by more than %.2g", t.Exponent,
			t.resolution())
		if r.leaving() {
			words += ", and increasingly so towards its end"
		}
		if t.Law {
			return words + "; but no limit that holds at any sample size shows it: give Range finite ends above " +
					"0, or more replicates",
				fmt.Sprintf("a finite range above 0, or more than the %d replicates of this run", means[0].n)
		}
		return words + "; no finite grid refutes a bare asymptotic claim, but nothing on this grid supports it",
			fmt.Sprintf("a constant, or the range of %s on which the claim holds: without one no grid refutes it",
				t.Variable)
	}
	if r.Drifts {
		words := fmt.Sprintf("pre-asymptotic: the slope still changes by %.2g from %s on", r.Drift, t.at(means[r.From].X))
		if math.IsNaN(r.Settles) || !(math.Abs(math.Log(r.Settles)) < 70) {
			return words + ", and the change does not shrink, so that its end cannot be predicted",
				fmt.Sprintf("a grid beyond %s; how far cannot be predicted, since the change of the slope does not shrink",
					t.at(means[len(means)-1].X))
		}
		return fmt.Sprintf("%s; extrapolated, it settles near %.2g: need a grid that begins at about %s=%.1g",
				words, r.Limit, t.Variable, r.Settles),
			fmt.Sprintf("a grid that begins at about %s=%.1g; this one begins at %s", t.Variable, r.Settles, t.at(means[0].X))
	}
	if t.bettingSlope(means) {
		return t.undecidedByBetting(means)
	}
	ratio := 0.0
	if !math.IsInf(r.highest, 1) {
		ratio = math.Max(ratio, (r.Upper-r.Value)/math.Max(0, r.highest-r.Value))
	}
	if !math.IsInf(r.lowest, -1) {
		ratio = math.Max(ratio, (r.Value-r.Lower)/math.Max(0, r.Value-r.lowest))
	}
	if t.Exact || math.IsInf(ratio, 1) || math.IsNaN(ratio) {
		return fmt.Sprintf("the interval of the slope reaches beyond the claimed %.4g by more than %.2g", t.Exponent,
				t.resolution()),
			fmt.Sprintf("a grid that is longer than from %s to %s: the slope itself is at the limit of the claim, which more "+
				"replicates do not change", t.at(means[0].X), t.at(means[len(means)-1].X))
	}
	need := verify.ScaledSize(means[0].n, ratio)
	return fmt.Sprintf("the interval of the slope reaches beyond the claimed %.4g by more than %.2g: need ≥ %d replicates",
		t.Exponent, t.resolution(), need), replicateSize(need, means[0].n)
}

// undecidedByBetting is undecided for betting intervals. It assumes that their width shrinks with the root of the
// number of replicates.
func (t rateJudge) undecidedByBetting(means []rateMean) (why, size string) {
	why = fmt.Sprintf("the confidence limits of the means allow a slope that is beyond the claimed %.4g by more than %.2g",
		t.Exponent, t.resolution())
	for nearer := math.Sqrt2; nearer < 1e6; nearer *= math.Sqrt2 {
		s, none, _ := t.fitAt(means, nearer)
		if none == "" && t.slopeRange(s).within() {
			need := verify.ScaledSize(means[0].n, nearer)
			return fmt.Sprintf("%s: need ≥ %d replicates", why, need), replicateSize(need, means[0].n)
		}
	}
	return why, fmt.Sprintf("a grid that is longer than from %s to %s: the slope itself is at the limit of the claim, "+
		"which more replicates do not change", t.at(means[0].X), t.at(means[len(means)-1].X))
}

// howFitted describes the fit: the points left out, the curvature and the local slopes.
func (t rateJudge) howFitted(s confidence.Slope, means []rateMean) string {
	var b strings.Builder
	fmt.Fprintf(&b, "line through %d points", len(means)-s.From)
	if s.From > 0 {
		fmt.Fprintf(&b, " (%d leading points left out, which bend it)", s.From)
	}
	switch {
	case t.bettingSlope(means):
		fmt.Fprintf(&b, ", error %.2g for a power law, over all means within their limits", t.slopeAlpha())
	case !t.Exact:
		fmt.Fprintf(&b, ", error %.2g for a power law with normal means", t.slopeAlpha())
	}
	fmt.Fprintf(&b, ", widened to the slope at the end by a parabola, %.3f; local slopes", s.End)
	for _, l := range s.Local {
		fmt.Fprintf(&b, " %.3f", l)
	}
	return b.String()
}

// slopeNextToBound compares the slope of the means with the slope of the bound, and warns if the means would cross the
// bound beyond the grid.
func (t rateJudge) slopeNextToBound(means []rateMean) (slope, warning string) {
	if len(means) < confidence.MinSlopePoints {
		return "", ""
	}
	s, reason, _ := t.fit(means)
	if reason != "" {
		return "", ""
	}
	last := means[len(means)-1]
	over := math.Log(last.X / means[s.From].X)
	bound := math.Log(last.Bound/means[s.From].Bound) / over
	slope = fmt.Sprintf("slope %.3f [%.3f, %.3f] from %s on, slope of the bound %.3f", s.Value, s.Lower, s.Upper,
		t.at(means[s.From].X), bound)
	faster := over > 0 && s.Lower > bound || over < 0 && s.Upper < bound
	if t.Sense != verify.AtMost || !faster || !(last.mean < last.Bound) || s.Drifts {
		return slope, ""
	}
	crossing := math.Log(last.X) + math.Log(last.Bound/last.mean)/(s.Value-bound)
	return slope, fmt.Sprintf("the slope of the mean in %s is worse than the slope of its bound: extrapolated, they "+
		"cross near %s=1e%+.0f", t.Variable, t.Variable, crossing/math.Ln10)
}

// ratePair is a pair of points with the limits of the slope between them.
type ratePair struct {
	from, to           *rateMean
	slope, lower, high float64
	excess             float64
}

// brokenPair returns the pair of points that violates a power law most, by limits that hold at any sample size, or nil.
// The limits of all points hold jointly, so that testing all pairs needs no correction.
func (t rateJudge) brokenPair(means []rateMean, pairs *verify.Cases[ratePair]) (worst *ratePair) {
	for _, p := range t.pairsOf(means, (*rateMean).soundLimits) {
		pairs.See(p, p.broken())
		if p.broken() && (worst == nil || p.excess > worst.excess) {
			worst = &p
		}
	}
	return worst
}

// astrayPair returns the pair of points that violates a power law most, by all limits including Student's. It returns
// nil if there is none or no power law is claimed.
func (t rateJudge) astrayPair(means []rateMean) (worst *ratePair) {
	if !t.Law {
		return nil
	}
	for _, p := range t.pairsOf(means, func(m *rateMean) (lower, upper float64) { return m.lower, m.upper }) {
		if p.broken() && (worst == nil || p.excess > worst.excess) {
			worst = &p
		}
	}
	return worst
}

// pairsOf returns all pairs of points in the order of the grid, with the limits of their slopes.
func (t rateJudge) pairsOf(means []rateMean, limits func(*rateMean) (lower, upper float64)) (out []ratePair) {
	b := barsOf(t.slopeSense())
	for i := range means {
		for j := i + 1; j < len(means); j++ {
			p := ratePair{from: &means[i], to: &means[j], excess: math.Inf(-1)}
			p.measure(limits)
			if b.above {
				p.excess = math.Max(p.excess, p.lower-t.Exponent)
			}
			if b.below {
				p.excess = math.Max(p.excess, t.Exponent-p.high)
			}
			out = append(out, p)
		}
	}
	return out
}

// broken reports whether the pair violates the power law by more than rounding.
func (p *ratePair) broken() bool { return p.excess > verify.DefaultRelativeError }

// soundLimits returns the limits that hold at any sample size, infinite on a side without one.
func (m *rateMean) soundLimits() (lower, upper float64) {
	lower, upper = math.Inf(-1), math.Inf(1)
	if m.soundLower {
		lower = m.lower
	}
	if m.soundUpper {
		upper = m.upper
	}
	return lower, upper
}

// measure sets the limits of the slope between the points. They are infinite if a limit of a mean is infinite or not
// above 0.
func (p *ratePair) measure(limits func(*rateMean) (lower, upper float64)) {
	step := math.Log(p.to.X / p.from.X)
	rise := func(to, from, otherwise float64) float64 {
		if !(to > 0 && from > 0) || math.IsInf(to, 0) || math.IsInf(from, 0) {
			return otherwise
		}
		return math.Log(to / from)
	}
	fromLower, fromUpper := limits(p.from)
	toLower, toUpper := limits(p.to)
	low, high := rise(toLower, fromUpper, math.Inf(-1)), rise(toUpper, fromLower, math.Inf(1))
	p.lower, p.high = math.Min(low/step, high/step), math.Max(low/step, high/step)
	p.slope = math.Log(p.to.mean/p.from.mean) / step
}

func (p *ratePair) at(t rateJudge) string { return t.at(p.from.X) + " and " + t.at(p.to.X) }

// report writes the pair to the evidence.
func (p *ratePair) report(e *verify.Evidence, t rateJudge) {
	e.Verdict = verify.Refuted
	e.Measured, e.Lower, e.Upper = verify.Num(p.slope), verify.Num(p.lower), verify.Num(p.high)
	if t.Exponent != 0 {
		e.Ratio = verify.Num(p.slope / t.Exponent)
	}
	e.WorstCase = p.at(t)
	e.Method = verify.JoinSentences(e.Method, "slope between the two points that violate the power law most")
}
