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

// Rate checks how the mean of an error (or of another quantity) depends on n, T, d or ε. It runs replicates of an
// algorithm over a grid and compares the means with one of three kinds of claims:
//
//   - With Bound, explicit constants: mean Sense Bound(x) at each x of the grid.
//   - With PowerLaw, a power law on the grid: mean(y)/mean(x) Sense (y/x)^Exponent for all x before y. Equals means
//     that the mean is proportional to x^Exponent, AtMost that it never grows faster on the grid.
//   - With neither, a bare O(x^Exponent) (AtMost), Ω (AtLeast) or Θ (Equals) towards the end of the grid. No finite
//     grid refutes such a claim: the verdict is Consistent or Inconclusive, and the evidence reports the slope with
//     its interval.
//
// A sampled mean refutes only by betting intervals, which hold at any sample size and need a Range of the values. A
// lower limit needs only a lower end: for errors that are at least 0, [0, +Inf] can refute an upper bound. Means are
// confirmed by the same intervals if they exist. A slope is confirmed by the extreme slopes over all means within their
// limits if the range is finite on the whole grid. This needs a few times the replicates of Student's interval, but
// accounts for rare large values within the range that no replicate showed.
//
// If an end is infinite, the limit on that side is Student's, and so is the interval of a slope. It assumes normal
// means and refutes nothing; the power and the method report its use. For few replicates with skewed values it errs
// more often than alpha: use finite ends or many replicates.
type Rate struct {
	Quantity string // name of the value of Run, for example "E[F(w)] − min F"
	Variable string // name of x, for example "n"
	// Grid holds positive points, strictly rising or strictly falling towards the limit (n → ∞, ε → 0). A slope needs at
	// least confidence.MinSlopePoints points, preferably a few more, in equal ratios.
	Grid       []float64
	Replicates int64 // at each x, at the standard budget
	// Run returns the value of one independent replicate at x. It must take all its randomness from r.
	Run func(ctx context.Context, r *rand.Rand, x float64) (float64, error)
	// RunN replaces Run if drawing many replicates at once is faster: it fills out.
	RunN func(r *rand.Rand, x float64, out []float64) error
	// Exact means that Run computes the mean without r. It is run once at each x.
	Exact bool
	// Error bounds the relative floating-point error of an exact value, below 1; 0 means 1e-12.
	Error float64

	Sense    verify.Sense            // AtMost, AtLeast or Equals
	Exponent float64                 // exponent of x; ignored with a Bound
	PowerLaw bool                    // claims a power law on the grid, see above
	Bound    func(x float64) float64 // above 0 and finite on the grid; may be nil
	// Trivial is a bound that always holds, such as the error of the zero vector. If Bound is no better on the whole
	// grid, the claim is Vacuous. Both are also compared outside the grid. May be nil.
	Trivial func(x float64) float64
	// Range returns an interval that contains every value at x; ends may be infinite. nil means [−Inf, +Inf].
	Range func(x float64) (lo, hi float64)
	// Premise returns the reason why x does not satisfy the premise of the theorem, or "" if it does. Points with a
	// reason are left out. May be nil.
	Premise func(x float64) string

	// Curves records curves of the first replicates at each x; may be nil.
	Curves *ExtraCurves

	// Note describes the setting, for the method; may be empty.
	Note string
	// Resolution is the deviation of the exponent to detect; 0 means 0.1. Effect is the deviation of the mean from Bound
	// to detect, relative to Bound; 0 means 0.05. Both grow if the budget is below the standard budget.
	Resolution, Effect float64
}

// ExtraCurves records curves during the replicates of a [Rate]. They are shown and do not affect the verdict.
type ExtraCurves struct {
	Variable, Quantity string // axes of the curves
	Replicates         int64  // number of replicates at each x that record, since recording may be expensive
	// Run replaces Rate.Run. curves is nil for a replicate that records nothing, which must not change the returned
	// value.
	Run func(ctx context.Context, r *rand.Rand, x float64, curves *verify.CurveRecorder) (float64, error)
}

const (
	defaultResolution = 0.1
	defaultEffect     = 0.05
	rateBlocks        = int64(32) // shards of each point, unless it has fewer replicates
	minReplicates     = int64(8)
	maxRatePilot      = int64(32)
	// rateCells is the number of grid cells for a mean. The grid extends at most rateReach standard deviations to the far
	// side, so that a cell of 0.1 standard deviations adds at most 0.3 % to the variance.
	rateCells = 512
	rateReach = 20
)

// Prepare reads the bounds and ranges. Unless the values are exact, it runs separate pilot replicates at each point to
// estimate the spread.
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
			if reason := c.Premise(x); reason != "" {
				f.Outside = append(f.Outside, fmt.Sprintf("%s does not satisfy the premise and is left out: %s", f.at(x), reason))
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

// statistics returns the design without its points.
func (c Rate) statistics() rateStatistics {
	f := rateStatistics{Quantity: c.Quantity, Variable: c.Variable, Exact: c.Exact, Error: c.Error, Sense: c.Sense,
		Exponent: c.Exponent, Law: c.PowerLaw, Bounded: c.Bound != nil, Trivial: c.Trivial != nil,
		Resolution: c.Resolution, Effect: c.Effect, Note: c.Note}
	if f.Bounded && f.Trivial {
		f.bounds = func(x float64) (bound, trivial float64) { return c.Bound(x), c.Trivial(x) }
	}
	return f
}

func (c Rate) validate() error {
	switch {
	case c.ways() != 1 || c.Variable == "":
		return errors.New("rate: Variable is required, and exactly one of Run, RunN and Curves.Run")
	case c.RunN != nil && c.Exact:
		return errors.New("rate: an exact value is computed once: set Run instead of RunN")
	case !c.Exact && c.Replicates < 1:
		return fmt.Errorf("rate: %d replicates: want at least 1", c.Replicates)
	}
	return c.statistics().checkDesign(c.Grid)
}

// ways returns the number of given functions that run replicates.
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

// decided returns the evidence if the grid has too few points for the claim, so that nothing is run.
func (t *rateTrial) decided() (e verify.Evidence, decided bool) {
	e = verify.Evidence{Exact: t.Exact, Quantity: t.Quantity, Sense: t.Sense, Warnings: t.judge.Outside}
	switch {
	case len(t.judge.Points) == 0:
		e.Verdict, e.Exact = verify.Vacuous, true
		e.Method = fmt.Sprintf("the premise is met at none of the %d points of the grid; nothing was run", len(t.Grid))
		e.Counterexample = verify.Counterexample{Cell: verify.Cell{Label: t.judge.at(t.Grid[0])},
			Choice: fmt.Sprintf("the first of %s, which all violate the premise: %s",
				verify.Plural(len(t.Grid), "point"), t.Premise(t.Grid[0]))}
		return e, true
	case t.Bound == nil && len(t.judge.Points) < confidence.MinSlopePoints:
		e.Verdict = verify.Inconclusive
		e.Method = fmt.Sprintf("a slope with its curvature needs at least %d points of the grid and has %d; nothing was run",
			confidence.MinSlopePoints, len(t.judge.Points))
		e.Needed = fmt.Sprintf("a grid with at least %d points that satisfy the premise; this one has %d",
			confidence.MinSlopePoints, len(t.judge.Points))
		return e, true
	}
	return e, false
}

// pilot runs a few replicates from a separate random stream to estimate the mean and the spread. Exact values need
// none.
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
	// Equal values still need a grid and a stake above 0.
	spread := math.Max(m.StdDev(), 1e-3*math.Abs(mean))
	if spread == 0 {
		spread = 1e-3
	}
	if m.StdDev() == 0 && (mean == lower || mean == upper) && upper-lower <= math.MaxFloat64 {
		// All values are at one end of the range. The next value may be at the other end (Laplace's rule of succession).
		miss := 1 / float64(m.N()+2)
		spread = math.Max(spread, (upper-lower)*math.Sqrt(miss*(1-miss)))
	}
	if near := math.Min(mean-lower, upper-mean); near > 0 && near <= math.MaxFloat64 {
		spread = math.Max(spread, 1e-6*near)
	}
	p.Pilot = [2]float64{mean, spread}
	_, err = p.newCount(false) // returns an error if the range is too wide for a grid
	return err
}

// runs draws n replicates, checks each and passes it to use. curves returns the recorder of replicate k, which may be
// nil.
func (t *rateTrial) runs(ctx context.Context, r *rand.Rand, p *pointStatistics, watch *dependence.Watch, n int64,
	curves func(k int64) *verify.CurveRecorder, use func(float64) error) error {
	batch, k := int64(1), int64(0)
	if t.RunN != nil {
		batch = outputs.BatchSize
	}
	return outputs.DrawBatches(ctx, n, make([]float64, batch), watch,
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
			if err := p.checkValue(v); err != nil {
				return err
			}
			return use(v)
		})
}

// checkValue returns an error if a value is not finite or outside its range.
func (p *pointStatistics) checkValue(v float64) error {
	if !(math.Abs(v) <= math.MaxFloat64) {
		return fmt.Errorf("a replicate gave %v: want a finite value", v)
	}
	if !(v >= p.Range[0].X && v <= p.Range[1].X) {
		return fmt.Errorf("a replicate gave %v, outside its range [%v, %v]: correct Range or Run", v, p.Range[0].X,
			p.Range[1].X)
	}
	return nil
}
