package mean

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// boundLook describes the attempt, the counterexample and the missing evidence for means with bounds.
type boundLook struct {
	judge   rateJudge
	cases   verify.Cases[*rateMean]
	empty   verify.Cases[*rateMean] // points with a bound that does not improve on the trivial bound
	near    float64                 // relative excess of the interval over the bound; negative within the bound
	nearest *rateMean
	need    int64     // number of replicates to decide the open points
	open    *rateMean // an open point with an unknown number
	passed  bool      // a limit of that point exceeds the bound but cannot refute
}

func (l *boundLook) see(m *rateMean, v verify.Verdict, passed bool) {
	t, b := l.judge, barsOf(l.judge.Sense)
	l.cases.See(m, v == verify.Refuted)
	l.empty.See(m, t.Trivial && m.Bound >= m.Trivial.X)
	near := math.Inf(-1)
	if b.above {
		near = math.Max(near, m.upper/m.Bound-1)
	}
	if b.below {
		near = math.Max(near, 1-m.lower/m.Bound)
	}
	if l.nearest == nil || near > l.near {
		l.near, l.nearest = near, m
	}
	if v != verify.Inconclusive {
		return
	}
	if n := t.size(m); n > 0 && !passed {
		l.need = max(l.need, n)
	} else if l.open == nil {
		l.open, l.passed = m, passed
	}
}

func (l *boundLook) cell(m *rateMean) verify.Cell { return m.cell(l.judge) }

func (l *boundLook) Tried() verify.Tried {
	nearest := l.nearest
	if l.cases.Broken() > 0 {
		nearest = l.cases.First()
	}
	return l.cases.Tried(func(m *rateMean) string { return l.judge.at(m.X) }, l.cell(nearest))
}

func (l *boundLook) Attempt() string {
	t, m := l.judge, l.nearest
	text := fmt.Sprintf("%s; %s has a mean of %.4g times its bound",
		l.cases.InWords(func(m *rateMean) string { return t.at(m.X) }), l.cases.Nearest(t.at(m.X)), m.mean/m.Bound)
	if t.Exact {
		return text
	}
	return fmt.Sprintf("%s, with limits %.4g and %.4g times the bound, in %d replicates", text, m.lower/m.Bound,
		m.upper/m.Bound, m.n)
}

func (l *boundLook) Counterexample() verify.Counterexample {
	if l.cases.Broken() > 0 {
		return l.cases.Simplest(l.cell)
	}
	l.empty.Noun, l.empty.Ordered = l.cases.Noun, l.cases.Ordered
	x := l.empty.Simplest(l.cell)
	x.Choice += fmt.Sprintf("; there the bound does not improve on the trivial bound %.4g", l.empty.First().Trivial.X)
	return x
}

func (l *boundLook) Needed() string {
	t, m := l.judge, l.open
	switch {
	case m == nil:
		return replicateSize(l.need, t.Replicates)
	case l.passed:
		return fmt.Sprintf("a finite end of the range at %s, for a limit that holds at any sample size: Student's limit "+
			"exceeds the bound after %d replicates", t.at(m.X), m.n)
	}
	return fmt.Sprintf("values at %s that differ, or a finite range: after %d replicates the mean is %.4g times its "+
		"bound, and its noise is unknown", t.at(m.X), m.n, m.mean/m.Bound)
}

// replicateSize describes the number of replicates that is needed.
func replicateSize(need, have int64) string {
	return fmt.Sprintf("about %d replicates at each point; this run had %d", need, have)
}

// sizeOfFit describes the run that would give a slope if there is none.
func (t rateJudge) sizeOfFit(need int64, reason string) string {
	if need > 0 {
		return replicateSize(need, t.Replicates)
	}
	return fmt.Sprintf("another grid, with means above 0 and replicates that differ: %d replicates on this grid give no "+
		"slope: %s", t.Replicates, reason)
}

// slopeLook describes the attempt, the counterexample and the missing evidence for a slope.
type slopeLook struct {
	judge rateJudge
	pairs verify.Cases[ratePair] // pairs of points, if a power law is claimed
	fit   slopeRange
	on    string // the points of the fit
	size  string // the run that would decide
}

// Tried returns the pairs of points if one of them violates a power law, else the fit. It is empty without a fit.
func (l *slopeLook) Tried() verify.Tried {
	if l.pairs.Broken() > 0 {
		return l.pairs.Tried(func(p ratePair) string { return p.at(l.judge) }, l.pairs.Simplest(l.cell).Cell)
	}
	if l.on == "" {
		return verify.Tried{}
	}
	fit := verify.Cell{
		Label: l.on, Claimed: verify.Num(l.judge.Exponent),
		Measured: verify.Num(l.fit.Value), Lower: verify.Num(l.fit.Lower), Upper: verify.Num(l.fit.Upper),
	}
	t := verify.Tried{Cases: 1, Case: "slope", From: l.on, To: l.on, Nearest: fit}
	if !(l.judge.Exact && l.judge.Law) { // for exact values of a power law the pairs decide
		t.Margin = verify.Num(math.Min(l.fit.highest-l.fit.Upper, l.fit.Lower-l.fit.lowest))
	}
	return t
}

func (l *slopeLook) Attempt() string {
	t := l.judge
	text := ""
	if l.pairs.Count() > 0 {
		text = fmt.Sprintf("%s that all satisfy the power law; ", verify.Plural(l.pairs.Count(), l.pairs.Noun))
	}
	text += fmt.Sprintf("the slope on %s is %.4g [%.4g, %.4g]", l.on, l.fit.Value, l.fit.Lower, l.fit.Upper)
	switch low, high := l.fit.lowest, l.fit.highest; {
	case t.Exact && t.Law:
		return text
	case math.IsInf(low, -1):
		return fmt.Sprintf("%s; a limit above %.4g would not have supported the claim", text, high)
	case math.IsInf(high, 1):
		return fmt.Sprintf("%s; a limit below %.4g would not have supported the claim", text, low)
	default:
		return fmt.Sprintf("%s; a limit below %.4g or above %.4g would not have supported the claim", text, low, high)
	}
}

func (l *slopeLook) Counterexample() verify.Counterexample {
	return l.pairs.Simplest(l.cell)
}

func (l *slopeLook) cell(p ratePair) verify.Cell {
	return verify.Cell{
		Label: p.at(l.judge), Claimed: verify.Num(l.judge.Exponent),
		Measured: verify.Num(p.slope), Lower: verify.Num(p.lower), Upper: verify.Num(p.high),
	}
}

func (l *slopeLook) Needed() string { return l.size }
