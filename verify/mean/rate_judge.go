package mean

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/verify"
)

// rateMean is the mean at a point with its limits.
type rateMean struct {
	*pointStatistics
	n                          int64
	mean, stdErr, lower, upper float64
	// soundLower and soundUpper tell which limits hold at any sample size.
	soundLower, soundUpper bool
	exact                  bool

	known map[float64][2]float64 // betting confidence limits by their error
}

// sound tells that both limits hold at any sample size.
func (m *rateMean) sound() bool { return m.soundLower && m.soundUpper }

// betting are the limits that hold at any sample size, each missed with probability at most
// alpha; infinite where the range has no such end.
func (m *rateMean) betting(alpha float64) (lower, upper float64, err error) {
	if l, ok := m.known[alpha]; ok {
		return l[0], l[1], nil
	}
	lower, upper = math.Inf(-1), math.Inf(1)
	if m.soundLower {
		if lower, err = confidence.MeanLower(m.Below, alpha, m.Pilot[1]); err != nil {
			return lower, upper, err
		}
	}
	if m.soundUpper {
		if upper, err = confidence.MeanUpper(m.Above, alpha, m.Pilot[1]); err != nil {
			return lower, upper, err
		}
	}
	// Rounding to a coarse grid can carry a limit past the mean of the values.
	lower, upper = math.Min(lower, m.mean), math.Max(upper, m.mean)
	m.known[alpha] = [2]float64{lower, upper}
	return lower, upper, nil
}

// stuck tells of equal replicates, from which Student's law would conclude that there
// is no noise. It is a question for limits that are not sound alone.
func (m *rateMean) stuck() bool { return !m.exact && m.stdErr == 0 && !m.sound() }

// Judge gives every point an interval for its mean, and with a bound holds it against
// that, else the slope against the exponent.
func (f rateStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	t := rateJudge{f, s}
	e := verify.Evidence{Exact: t.Exact, Quantity: t.Quantity, Sense: t.Sense, Warnings: slices.Clone(t.Outside)}
	means := make([]rateMean, len(t.Points))
	for i := range t.Points {
		m, err := t.limits(&t.Points[i])
		if err != nil {
			return e, fmt.Errorf("at %s: %w", t.at(t.Points[i].X), err)
		}
		means[i] = m
		if m.stuck() {
			e.Warnings = append(e.Warnings,
				fmt.Sprintf("all replicates at %s are equal, which bounds no mean: set Exact if that is no chance, or "+
					"give Range finite ends", t.at(m.X)))
		}
		cell := m.cell(t)
		e.Samples += cell.Samples
		e.Cells = append(e.Cells, cell)
	}
	e.Curves = t.Beside.All()
	if t.Bounded {
		t.judgeValues(&e, means)
	} else {
		t.judgeSlope(&e, means)
	}
	return e, nil
}

// limits reads both limits of a mean, each missed with probability at most share
// where it is sound.
func (t rateJudge) limits(p *pointStatistics) (m rateMean, err error) {
	m = rateMean{pointStatistics: p, n: p.Moments.N(), mean: p.Moments.Mean(), soundLower: true, soundUpper: true,
		known: make(map[float64][2]float64)}
	if m.exact = t.Exact; m.exact {
		slack := t.Error * math.Abs(m.mean)
		m.lower, m.upper = m.mean-slack, m.mean+slack
	} else {
		m.stdErr = p.Moments.StdDev() / math.Sqrt(float64(m.n))
		m.soundLower, m.soundUpper = p.Below != nil, p.Above != nil
		if m.lower, m.upper, err = p.Moments.Interval(2 * t.share()); err != nil {
			return m, err
		}
		if m.stuck() {
			m.lower, m.upper = math.Inf(-1), math.Inf(1)
		}
		lower, upper, err := m.betting(t.share())
		if err != nil {
			return m, err
		}
		if m.soundLower {
			m.lower = lower
		}
		if m.soundUpper {
			m.upper = upper
		}
	}
	if p.Trivial.X > 0 && m.soundLower && m.lower > p.Trivial.X {
		return m, fmt.Errorf("the mean lies above %v, and so above the trivial bound %v: correct Trivial or Run", m.lower,
			p.Trivial.X)
	}
	return m, nil
}

func (m *rateMean) cell(t rateJudge) verify.Cell {
	c := verify.Cell{Label: t.at(m.X), Measured: verify.Num(m.mean), Lower: verify.Num(m.lower),
		Upper:   verify.Num(m.upper),
		Samples: m.n}
	if m.Bound > 0 {
		c.Claimed = verify.Num(m.Bound)
	}
	if t.Exact {
		c.ExactValue, c.Samples = verify.Num(m.mean), 0
	}
	return c
}

// standing of a mean against the bound, which it may pass by effect·bound before it
// has to be seen. Only a sound limit refutes.
func (m *rateMean) standing(t rateJudge) (v verify.Verdict, excess float64, passed bool) {
	b, slack := barsOf(t.Sense), t.effect()*m.Bound
	excess = math.Inf(-1)
	seen := true
	refuted := false
	if b.above {
		excess = math.Max(excess, m.mean/m.Bound-1)
		passed = passed || m.lower > m.Bound
		refuted = refuted || m.lower > m.Bound && m.soundLower
		seen = seen && m.upper <= m.Bound+slack
	}
	if b.below {
		excess = math.Max(excess, 1-m.mean/m.Bound)
		passed = passed || m.upper < m.Bound
		refuted = refuted || m.upper < m.Bound && m.soundUpper
		seen = seen && m.lower >= m.Bound-slack
	}
	switch {
	case refuted:
		return verify.Refuted, excess, true
	case t.Exact:
		return verify.Holds, excess, false
	// A mean so far off, or of the other sign than its bound, is no support, however few
	// the replicates and however coarse the effect.
	case seen && !passed && excess <= math.Min(t.Effect, 1):
		return verify.Consistent, excess, false
	}
	return verify.Inconclusive, excess, passed
}

// judgeValues holds each mean against its bound.
func (t rateJudge) judgeValues(e *verify.Evidence, means []rateMean) {
	e.Verdict = verify.Holds
	worst, worstRefuted := math.Inf(-1), false
	look := boundLook{judge: t, cases: verify.Cases[*rateMean]{Noun: "point", Ordered: "in the order of the grid"}}
	need := int64(0)
	for i := range means {
		m := &means[i]
		v, excess, passed := m.standing(t)
		e.Verdict = e.Verdict.Worse(v)
		if v == verify.Inconclusive && passed {
			e.Warnings = append(e.Warnings,
				fmt.Sprintf("at %s Student's interval lies beyond the bound; it rests on a normal mean and refutes nothing: "+
					"give Range a finite end on that side", t.at(m.X)))
		} else if v == verify.Inconclusive {
			need = max(need, t.needed(m))
		}
		refuted := v == verify.Refuted
		look.see(m, v, passed)
		if i == 0 || refuted && !worstRefuted || refuted == worstRefuted && tolerance.Above(excess, worst) {
			worst, worstRefuted = excess, refuted
			e.CopyWorst(e.Cells[i])
		}
	}
	t.judgeTrivial(e, means)
	e.LookAgain(&look)
	slope, warning := t.slopeBesideBound(means)
	e.Method = verify.JoinSentences(t.howMeasured(means), slope)
	if warning != "" {
		e.Warnings = append(e.Warnings, warning)
	}
	side := t.barredSide()
	effect := fmt.Sprintf("a mean %s its bound by %.3g %% of it", side, 100*t.effect())
	if b := means[0].Bound; t.effect() > 1 && !slices.ContainsFunc(means, func(m rateMean) bool { return m.Bound != b }) {
		effect = fmt.Sprintf("a mean %s its bound by %.2g", side, t.effect()*b) // many times a small bound say little
	}
	switch {
	case t.Exact || e.Verdict == verify.Refuted:
	case need > 0:
		e.Power = fmt.Sprintf("too few replicates to see %s everywhere: need ≥ %d", effect, need)
	case e.Verdict == verify.Consistent || e.Verdict == verify.Vacuous:
		// The limits that confirm err with at most alpha: such a mean is above or below them.
		e.Detects = verify.Detects{Effect: t.effect(), Relative: true, Probability: 1 - t.settings.Alpha}
		e.Power = effect + " would have been seen at each point"
		if t.modelled(means) {
			e.Power += normalMeans
		}
	}
}

// barredSide is where the claim says that no mean is.
func (t rateJudge) barredSide() string {
	switch t.Sense {
	case verify.AtLeast, verify.Above:
		return "below"
	case verify.Equals:
		return "above or below"
	}
	return "above"
}

// normalMeans is what a conclusion from Student's limits rests on.
const normalMeans = ", if the means are normal: the values have no finite end there, and " +
	"Student's limits are a model"

// modelled tells whether a limit on a barred side is Student's: above the bound may be what
// the upper one misses.
func (t rateJudge) modelled(means []rateMean) bool {
	b := barsOf(t.Sense)
	return slices.ContainsFunc(means,
		func(m rateMean) bool { return b.above && !m.soundUpper || b.below && !m.soundLower })
}

// needed is the number of replicates with which the interval would fit between the
// mean and what is to be seen: it shrinks with their root. 0 where the mean itself
// lies beyond, or nothing is known of its noise.
func (t rateJudge) needed(m *rateMean) int64 {
	b, slack := barsOf(t.Sense), t.effect()*m.Bound
	ratio := 0.0
	if b.above {
		ratio = math.Max(ratio, (m.upper-m.mean)/(m.Bound+slack-m.mean))
		if !(m.Bound+slack > m.mean) {
			return 0
		}
	}
	if b.below {
		ratio = math.Max(ratio, (m.mean-m.lower)/(m.mean-m.Bound+slack))
		if !(m.mean > m.Bound-slack) {
			return 0
		}
	}
	if math.IsInf(ratio, 1) {
		return 0
	}
	return verify.ScaledSize(m.n, ratio)
}

// judgeTrivial makes a claim Vacuous whose bound says nowhere more than the trivial
// one, and names the points where it does not.
func (t rateJudge) judgeTrivial(e *verify.Evidence, means []rateMean) {
	if !t.Trivial || t.Sense != verify.AtMost {
		return
	}
	empty := 0
	for i := range means {
		if means[i].Bound >= means[i].Trivial.X {
			empty++
		}
	}
	if empty == 0 {
		return
	}
	where := "on the whole grid"
	if empty < len(means) {
		where = fmt.Sprintf("at %d of %d points", empty, len(means))
	} else if e.Verdict != verify.Refuted {
		e.Verdict = verify.Vacuous
	}
	e.Warnings = append(e.Warnings,
		fmt.Sprintf("the bound is no better than the trivial one %s; %s", where, t.usefulFrom(means)))
}

// size is the number of replicates that would decide a point, one way or the other; 0 where
// none is known to.
func (t rateJudge) size(m *rateMean) int64 {
	if n := t.needed(m); n > m.n {
		return n
	}
	b, ratio := barsOf(t.Sense), math.Inf(1) // by which the interval is too wide to refute
	if b.above && m.soundLower && m.mean > m.Bound {
		ratio = math.Min(ratio, (m.mean-m.lower)/(m.mean-m.Bound))
	}
	if b.below && m.soundUpper && m.mean < m.Bound {
		ratio = math.Min(ratio, (m.upper-m.mean)/(m.Bound-m.mean))
	}
	if !(ratio > 1) || math.IsInf(ratio, 1) {
		return 0
	}
	return verify.ScaledSize(m.n, ratio)
}

// usefulFrom looks along the grid, and beyond it, for the x at which the bound passes
// the trivial one.
func (t rateJudge) usefulFrom(means []rateMean) string {
	useful := func(x float64) bool {
		bound, trivial := t.boundsAt(x)
		return bound < trivial
	}
	before, x, step := means[0].X, means[0].X, 2.0
	if means[len(means)-1].X < x {
		step = 0.5
	}
	atFirst := useful(x)
	for k := 0; useful(x) == atFirst; k++ {
		if k == 200 || !(x*step > 0 && x*step <= math.MaxFloat64) {
			return fmt.Sprintf("that does not change up to %s", t.at(x))
		}
		before, x = x, x*step
	}
	for math.Abs(math.Log(x/before)) > 1e-3 {
		if middle := math.Sqrt(x) * math.Sqrt(before); useful(middle) == atFirst {
			before = middle
		} else {
			x = middle
		}
	}
	if atFirst {
		return fmt.Sprintf("it is below it up to about %s=%.3g only", t.Variable, x)
	}
	return fmt.Sprintf("it is below it from about %s=%.3g on", t.Variable, x)
}

// howMeasured says how the means and their limits were found.
func (t rateJudge) howMeasured(means []rateMean) string {
	grid := fmt.Sprintf("%d points from %s to %s", len(means), t.at(means[0].X), t.at(means[len(means)-1].X))
	if len(means) == 1 {
		grid = "one point, " + t.at(means[0].X)
	}
	if t.Exact {
		return verify.JoinSentences(t.Note, fmt.Sprintf("computed on this grid: %s, relative error %.2g", grid, t.Error))
	}
	var betting, student int
	for i := range means {
		for _, sound := range []bool{means[i].soundLower, means[i].soundUpper} {
			if sound {
				betting++
			} else {
				student++
			}
		}
	}
	how := fmt.Sprintf("%s, %d replicates each: betting confidence intervals", grid, means[0].n)
	switch {
	case betting == 0:
		how = fmt.Sprintf("%s, %d replicates each: Student's limits, which rest on a normal mean and refute nothing", grid,
			means[0].n)
	case student > 0:
		how += fmt.Sprintf(" (%d of %d; the others are Student's, which rest on a normal mean and refute nothing)", betting,
			betting+student)
	}
	return verify.JoinSentences(t.Note, fmt.Sprintf("%s, joint error %.2g", how, t.settings.Alpha))
}
