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
	// soundLower and soundUpper report whether the limits hold at any sample size.
	soundLower, soundUpper bool
	exact                  bool

	known map[float64][2]float64 // betting confidence limits by their error
}

// sound reports whether both limits hold at any sample size.
func (m *rateMean) sound() bool { return m.soundLower && m.soundUpper }

// betting returns the limits that hold at any sample size, each with error at most alpha. A limit is infinite if the
// range has no such end.
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
	// Rounding to a coarse grid can move a limit past the mean of the values.
	lower, upper = math.Min(lower, m.mean), math.Max(upper, m.mean)
	m.known[alpha] = [2]float64{lower, upper}
	return lower, upper, nil
}

// stuck reports whether all replicates are equal and a limit is Student's, which would then wrongly show no noise.
func (m *rateMean) stuck() bool { return !m.exact && m.stdErr == 0 && !m.sound() }

// Judge computes an interval for the mean at every point. It compares the means with the bound if there is one, else
// the slope with the exponent.
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
				fmt.Sprintf("all replicates at %s are equal, so that Student's limits do not exist: set Exact if the value is "+
					"not random, or give Range finite ends", t.at(m.X)))
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

// limits computes both limits of a mean. A sound limit has error at most t.share().
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
		return m, fmt.Errorf("the mean is above %v and therefore above the trivial bound %v: correct Trivial or Run", m.lower,
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

// standing compares a mean with its bound. It returns the verdict, the relative excess over the bound, and whether a
// limit exceeds the bound. The mean is consistent if the interval exceeds the bound by at most effect·bound. Only a
// sound limit refutes.
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
	// A mean further off, or with another sign than its bound, does not support the claim at any budget.
	case seen && !passed && excess <= math.Min(t.Effect, 1):
		return verify.Consistent, excess, false
	}
	return verify.Inconclusive, excess, passed
}

// judgeValues compares each mean with its bound.
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
				fmt.Sprintf("at %s Student's interval is beyond the bound; it assumes a normal mean and refutes nothing: "+
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
	slope, warning := t.slopeNextToBound(means)
	e.Method = verify.JoinSentences(t.howMeasured(means), slope)
	if warning != "" {
		e.Warnings = append(e.Warnings, warning)
	}
	side := t.barredSide()
	effect := fmt.Sprintf("a mean %s its bound by %.3g %% of it", side, 100*t.effect())
	if b := means[0].Bound; t.effect() > 1 && !slices.ContainsFunc(means, func(m rateMean) bool { return m.Bound != b }) {
		// An absolute deviation is clearer than a large multiple of a small bound.
		effect = fmt.Sprintf("a mean %s its bound by %.2g", side, t.effect()*b)
	}
	switch {
	case t.Exact || e.Verdict == verify.Refuted:
	case need > 0:
		e.Power = fmt.Sprintf("too few replicates to detect %s everywhere: need ≥ %d", effect, need)
	case e.Verdict == verify.Consistent || e.Verdict == verify.Vacuous:
		// The confirming limits have error at most alpha, and exclude such a mean.
		e.Detects = verify.Detects{Effect: t.effect(), Relative: true, Probability: 1 - t.settings.Alpha}
		e.Power = effect + " would have been detected at each point"
		if t.modelled(means) {
			e.Power += normalMeans
		}
	}
}

// barredSide returns the side of the bound on which a mean violates the claim.
func (t rateJudge) barredSide() string {
	switch t.Sense {
	case verify.AtLeast, verify.Above:
		return "below"
	case verify.Equals:
		return "above or below"
	}
	return "above"
}

// normalMeans is the assumption behind a conclusion from Student's limits.
const normalMeans = ", if the means are normal: the range has no finite end on that side, and Student's limits " +
	"assume it"

// modelled reports whether the conclusion uses one of Student's limits: a violation above the bound may be missed by
// the upper limit, one below by the lower limit.
func (t rateJudge) modelled(means []rateMean) bool {
	b := barsOf(t.Sense)
	return slices.ContainsFunc(means,
		func(m rateMean) bool { return b.above && !m.soundUpper || b.below && !m.soundLower })
}

// needed returns the number of replicates with which the interval would end within the effect to detect, since its
// width shrinks with their root. It returns 0 if the mean itself is beyond it, or if the noise is unknown.
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

// judgeTrivial warns if the bound does not improve on the trivial bound at some points. If it does at none, the claim
// is Vacuous.
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
		fmt.Sprintf("the bound does not improve on the trivial bound %s; %s", where, t.usefulFrom(means)))
}

// size returns the number of replicates that would decide a point either way, 0 if unknown.
func (t rateJudge) size(m *rateMean) int64 {
	if n := t.needed(m); n > m.n {
		return n
	}
	b, ratio := barsOf(t.Sense), math.Inf(1) // factor by which the interval is too wide to refute
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

// usefulFrom searches the grid and beyond for the x at which the bound crosses the trivial bound.
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
			return fmt.Sprintf("this does not change up to %s", t.at(x))
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
		return fmt.Sprintf("it is below the trivial bound only up to about %s=%.3g", t.Variable, x)
	}
	return fmt.Sprintf("it is below the trivial bound from about %s=%.3g on", t.Variable, x)
}

// howMeasured describes the measurement of the means and of their limits.
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
		how = fmt.Sprintf("%s, %d replicates each: Student's limits, which assume a normal mean and refute nothing", grid,
			means[0].n)
	case student > 0:
		how += fmt.Sprintf(" (%d of %d limits; the others are Student's, which assume a normal mean and refute nothing)",
			betting, betting+student)
	}
	return verify.JoinSentences(t.Note, fmt.Sprintf("%s, joint error %.2g", how, t.settings.Alpha))
}
