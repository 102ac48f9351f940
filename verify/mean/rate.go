package mean

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
	"github.com/dpverify/dpverify/verify/outputs"
)

// Rate checks how the mean of an error (or of another quantity) goes with n, T,
// d or ε: it runs an algorithm over a grid, replicated, and holds the means against
// what is claimed. Three sorts of claims are told apart:
//
//   - With Bound, explicit constants: mean Sense Bound(x) at each x of the grid.
//   - With Law, a power law on the grid itself: mean(y)/mean(x) Sense (y/x)^Exponent
//     for all x before y. Equals says that the mean is proportional to x^Exponent;
//     AtMost that it is nowhere on the grid worse than that.
//   - With neither, a bare O(x^Exponent) (AtMost), Ω (AtLeast) or Θ (Equals) towards
//     the end of the grid. No finite grid refutes one: the verdict is Consistent or
//     Inconclusive, and the slope stands beside it with its interval.
//
// A sampled mean refutes only by betting intervals that hold at any sample size, for
// which Range must say between what the values lie. A lower limit needs a lower
// end alone: of errors that are at least 0, [0, +Inf] can refute an upper bound. What is
// confirmed rests on the same intervals where they are there: a mean by the limit on its
// barred side; a slope, where the range is finite on the whole grid, by all that it can be
// while every mean is within its limits. That costs a few times the replicates of
// Student's interval, and allows for what no replicate showed: a rare, large value within the
// range.
//
// Where an end is infinite, the limit on that side is Student's, and so is then the interval
// of a slope. It is a model, which refutes nothing; the power and the method say that it was
// relied on. Where it confirms, it errs more often than alpha on few and skewed values: give
// finite ends, or many replicates.
type Rate struct {
	Quantity string // what Run returns: "E[F(w)] − min F"
	Variable string // its name: "n"
	// Grid is strictly rising or strictly falling towards the asymptotics (n → ∞, ε → 0);
	// all above 0. Slopes need confidence.MinSlopePoints, and better a few more, in
	// equal ratios.
	Grid       []float64
	Replicates int64 // at each x, at the standard budget
	// Run returns the value of one independent replicate at x; all its randomness is
	// from r.
	Run func(ctx context.Context, r *rand.Rand, x float64) (float64, error)
	// RunN stands in the place of Run where many replicates at a time cost less: it fills out.
	RunN func(r *rand.Rand, x float64, out []float64) error
	// Exact says that Run computes, and needs no r: it is run once at each x.
	Exact bool
	// Error bounds the relative floating-point error of an exact value, below 1; 0
	// means 1e-12.
	Error float64

	Sense        verify.Sense            // AtMost, AtLeast or Equals
	Exponent     float64                 // of x; without meaning where there is a Bound
	Distribution bool                    // see above
	Bound        func(x float64) float64 // above 0 and finite on the grid; may be nil
	// Trivial is what holds without any work, such as the error of the zero vector. A
	// bound that says no more on the whole grid is Vacuous. It is compared with Bound
	// between and beyond the points of the grid as well. May be nil.
	Trivial func(x float64) float64
	// Range holds every value at x; ends may be infinite. nil is [−Inf, +Inf].
	Range func(x float64) (lo, hi float64)
	// Premise says why the setting at x is no instance of the theorem, "" where it is
	// one. Points that are none are left out. May be nil.
	Premise func(x float64) string

	// ExtraCurves takes curves of the first replicates at each x; may be nil.
	Curves *ExtraCurves

	// Note is the setting, for the method; may be empty.
	Note string
	// Resolution is the deviation of the exponent that is to be seen, 0 means 0.1.
	// Effect is that of the mean from Bound, relative to Bound, 0 means 0.05. Both
	// grow when the budget is smaller than the standard one.
	Resolution, Effect float64
}

// ExtraCurves is what replicates of a [Rate] note on their way, for the eye.
type ExtraCurves struct {
	Variable, Quantity string // of the series
	Replicates         int64  // at each x that note anything; notes may be dear
	// Run stands in the place of Rate.Run. It must return the same value whether
	// curves is nil, for a replicate that notes nothing, or not.
	Run func(ctx context.Context, r *rand.Rand, x float64, curves *verify.CurveRecorder) (float64, error)
}

const (
	defaultResolution = 0.1
	defaultEffect     = 0.05
	rateBlocks        = int64(32) // shards of each point, unless it has fewer replicates
	minReplicates     = int64(8)
	maxRatePilot      = int64(32)
	// rateCells is the grid of a mean over at most rateReach standard deviations to
	// the far side: a cell of a tenth of one, which adds at most 0.3 % to the variance.
	rateCells = 512
	rateReach = 20
)

// Prepare reads the bounds and ranges and, unless the values are exact, runs a few
// replicates of its own at each point to know the spread.
func (c Rate) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if c.Resolution == 0 {
		c.Resolution = defaultResolution
	}
	if c.Effect == 0 {
		c.Effect = defaultEffect
	}
	if c.Error == 0 {
		c.Error = verify.DefaultRelativeError
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	f := c.statistics()
	for _, x := range c.Grid {
		if c.Premise != nil {
			if why := c.Premise(x); why != "" {
				f.Outside = append(f.Outside, fmt.Sprintf("%s is no instance of the theorem and left out: %s", f.at(x), why))
				continue
			}
		}
		p := c.point(x)
		if err := p.check(f); err != nil {
			return nil, fmt.Errorf("at %s: %w", f.at(x), err)
		}
		f.Points = append(f.Points, p)
	}
	t := &rateTrial{Rate: c, judge: rateJudge{f, s}}
	if e, decided := t.decided(); decided {
		return verify.Decided(e), nil
	}
	t.blocks, t.perShard = 1, 1
	if !c.Exact {
		n := max(minReplicates, s.Budget.Samples(c.Replicates))
		t.blocks = min(rateBlocks, n)
		t.perShard = (n + t.blocks - 1) / t.blocks
	}
	t.judge.Replicates = t.blocks * t.perShard
	for i := range t.judge.Points {
		if err := t.pilot(ctx, i); err != nil {
			return nil, fmt.Errorf("at %s: %w", f.at(f.Points[i].X), err)
		}
	}
	return t, nil
}

// statistics are the design without its points.
func (c Rate) statistics() rateStatistics {
	f := rateStatistics{Quantity: c.Quantity, Variable: c.Variable, Exact: c.Exact, Error: c.Error, Sense: c.Sense,
		Exponent: c.Exponent, Law: c.Distribution, Bounded: c.Bound != nil, Trivial: c.Trivial != nil,
		Resolution: c.Resolution, Effect: c.Effect, Note: c.Note}
	if f.Bounded && f.Trivial {
		f.bounds = func(x float64) (bound, trivial float64) { return c.Bound(x), c.Trivial(x) }
	}
	return f
}

func (c Rate) validate() error {
	switch {
	case c.ways() != 1 || c.Variable == "":
		return errors.New("rate: Variable is required, and one of Run, RunN and that of Beside")
	case c.RunN != nil && c.Exact:
		return errors.New("rate: an exact value is computed once: give Run")
	case !c.Exact && c.Replicates < 1:
		return fmt.Errorf("rate: %d replicates: want at least 1", c.Replicates)
	}
	return c.statistics().checkDesign(c.Grid)
}

// ways to run that are given.
func (c Rate) ways() (n int) {
	for _, given := range []bool{c.Run != nil, c.RunN != nil, c.Curves != nil && c.Curves.Run != nil} {
		if given {
			n++
		}
	}
	return n
}

func (c Rate) point(x float64) pointStatistics {
	lower, upper := math.Inf(-1), math.Inf(1)
	if c.Range != nil {
		lower, upper = c.Range(x)
	}
	p := pointStatistics{X: x, Range: [2]verify.Number{verify.Num(lower), verify.Num(upper)}}
	if c.Bound != nil {
		p.Bound = c.Bound(x)
	}
	if c.Trivial != nil {
		p.Trivial = verify.Num(c.Trivial(x))
	}
	return p
}

// decided is the evidence of a grid on which nothing can be measured.
func (t *rateTrial) decided() (e verify.Evidence, decided bool) {
	e = verify.Evidence{Exact: t.Exact, Quantity: t.Quantity, Sense: t.Sense, Warnings: t.judge.Outside}
	switch {
	case len(t.judge.Points) == 0:
		e.Verdict, e.Exact = verify.Vacuous, true
		e.Method = fmt.Sprintf("the premise is met at none of the %d points of the grid; nothing was run", len(t.Grid))
		e.Counterexample = verify.Counterexample{Cell: verify.Cell{Label: t.judge.at(t.Grid[0])},
			Choice: fmt.Sprintf("the first of %s, none of which is an instance of the theorem: %s",
				verify.Plural(len(t.Grid), "point"), t.Premise(t.Grid[0]))}
		return e, true
	case t.Bound == nil && len(t.judge.Points) < confidence.MinSlopePoints:
		e.Verdict = verify.Inconclusive
		e.Method = fmt.Sprintf("a slope with its curvature needs at least %d points of the grid and has %d; nothing was run",
			confidence.MinSlopePoints, len(t.judge.Points))
		e.Needed = fmt.Sprintf("a grid with at least %d instances of the theorem; this one has %d", confidence.MinSlopePoints,
			len(t.judge.Points))
		return e, true
	}
	return e, false
}

// pilot runs a few replicates on a stream of its own. Exact values need none.
func (t *rateTrial) pilot(ctx context.Context, i int) error {
	if t.Exact {
		return nil
	}
	p, r := &t.judge.Points[i], t.judge.settings.Stream("pilot", strconv.Itoa(i))
	var m confidence.Moments
	n := min(maxRatePilot, max(minReplicates, t.judge.Replicates/8))
	err := t.runs(ctx, r, p, t.watches.Of(watched{i, true}), n, func(int64) *verify.CurveRecorder { return nil }, m.Add)
	if err != nil {
		return err
	}
	mean, lower, upper := m.Mean(), p.Range[0].X, p.Range[1].X
	// Values that happen to be equal still get a grid and a stake.
	spread := math.Max(m.StdDev(), 1e-3*math.Abs(mean))
	if spread == 0 {
		spread = 1e-3
	}
	if m.StdDev() == 0 && (mean == lower || mean == upper) && upper-lower <= math.MaxFloat64 {
		// All at one end, as shares are whose rule has exceptions: the next value may be
		// at the other one (Laplace's rule of succession).
		miss := 1 / float64(m.N()+2)
		spread = math.Max(spread, (upper-lower)*math.Sqrt(miss*(1-miss)))
	}
	if near := math.Min(mean-lower, upper-mean); near > 0 && near <= math.MaxFloat64 {
		spread = math.Max(spread, 1e-6*near)
	}
	p.Pilot = [2]float64{mean, spread}
	_, err = p.newCount(false) // whether the range can be counted on
	return err
}

// runs uses n replicates one after the other, checked; curves of a replicate may be nil.
func (t *rateTrial) runs(ctx context.Context, r *rand.Rand, p *pointStatistics, watch *dependence.Watch, n int64,
	curves func(k int64) *verify.CurveRecorder, use func(float64) error) error {
	room, k := int64(1), int64(0)
	if t.RunN != nil {
		room = outputs.BatchSize
	}
	return outputs.DrawBatches(ctx, n, make([]float64, room), watch,
		func(out []float64) (err error) {
			switch {
			case t.RunN != nil:
				err = t.RunN(r, p.X, out)
			case t.Curves != nil:
				out[0], err = t.Curves.Run(ctx, r, p.X, curves(k))
			default:
				out[0], err = t.Run(ctx, r, p.X)
			}
			k++
			return err
		},
		func(v float64) error {
			if err := p.takes(v); err != nil {
				return err
			}
			return use(v)
		})
}

// takes returns an error for a value that no replicate can have.
func (p *pointStatistics) takes(v float64) error {
	if !(math.Abs(v) <= math.MaxFloat64) {
		return fmt.Errorf("a replicate gave %v: want a finite value", v)
	}
	if !(v >= p.Range[0].X && v <= p.Range[1].X) {
		return fmt.Errorf("a replicate gave %v, outside its range [%v, %v]: correct Range or Run", v, p.Range[0].X,
			p.Range[1].X)
	}
	return nil
}
