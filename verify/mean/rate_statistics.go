package mean

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// RateMethod is the name of the statistics of [Rate] in a report.
var RateMethod = verify.RegisterStatistics[rateStatistics]("mean/rate")

// rateStatistics holds the sufficient statistics of a [Rate].
type rateStatistics struct {
	Quantity   string       `json:"quantity"`
	Variable   string       `json:"variable"`
	Exact      bool         `json:"exact,omitempty"`
	Error      float64      `json:"error"` // relative, of an exact value
	Sense      verify.Sense `json:"sense"`
	Exponent   float64      `json:"exponent"`
	Law        bool         `json:"law,omitempty"`
	Bounded    bool         `json:"bounded,omitempty"` // each mean has a bound; else the slope has an exponent
	Trivial    bool         `json:"trivial,omitempty"` // there are trivial bounds
	Resolution float64      `json:"resolution"`
	Effect     float64      `json:"effect"`
	Replicates int64        `json:"replicates"`
	Note       string       `json:"note,omitempty"`
	// Outside lists the points that are not instances of the theorem, each with the reason.
	Outside []string              `json:"outside,omitempty"`
	Points  []pointStatistics     `json:"points"`
	Beside  *verify.PlottedCurves `json:"beside,omitempty"`

	// bounds returns the bound and the trivial bound at any x. It is nil for statistics from a report, which hold only
	// the bounds at its points.
	bounds func(x float64) (bound, trivial float64)
}

// pointStatistics is a point of the grid with the counts of its replicates.
type pointStatistics struct {
	X       float64          `json:"x"`
	Bound   float64          `json:"bound,omitempty"`
	Trivial verify.Number    `json:"trivial,omitzero"`
	Range   [2]verify.Number `json:"range"` // of the values; ends may be infinite
	Pilot   [2]float64       `json:"pilot"` // mean and spread; a poor pilot costs width, never validity
	rateCount
}

func (f rateStatistics) Check() error {
	grid := make([]float64, len(f.Points))
	for i, p := range f.Points {
		grid[i] = p.X
	}
	if err := f.checkDesign(grid); err != nil {
		return err
	}
	if !f.Bounded && len(f.Points) < confidence.MinSlopePoints {
		return errors.New("too few points for a slope")
	}
	for _, p := range f.Points {
		err := p.check(f)
		if err == nil {
			err = p.checkCounts(f)
		}
		if err != nil {
			return fmt.Errorf("at %s: %w", f.at(p.X), err)
		}
	}
	return nil
}

// checkDesign returns an error that names the part of the claim outside its domain.
func (f rateStatistics) checkDesign(grid []float64) error {
	switch {
	case !slices.Contains([]verify.Sense{verify.AtMost, verify.AtLeast, verify.Equals}, f.Sense):
		return fmt.Errorf("rate: sense %q: want ≤, ≥ or =", f.Sense)
	case f.Law && f.Bounded:
		return errors.New("rate: a law and a bound are two claims: make two checks")
	case !f.Bounded && !(math.Abs(f.Exponent) <= math.MaxFloat64):
		return fmt.Errorf("rate: exponent %v: want a finite number", f.Exponent)
	case !(f.Resolution > 0 && f.Resolution <= math.MaxFloat64) || !(f.Effect > 0 && f.Effect <= math.MaxFloat64):
		return fmt.Errorf("rate: resolution %v, effect %v: want both above 0 and finite", f.Resolution, f.Effect)
	case !(f.Error > 0 && f.Error < 1):
		return fmt.Errorf("rate: relative error %v: want a number in (0, 1)", f.Error)
	case len(grid) == 0:
		return errors.New("rate: the grid has no points")
	}
	for i, x := range grid {
		if !(x > 0 && x <= math.MaxFloat64) {
			return fmt.Errorf("rate: grid point %v: want a finite number above 0", x)
		}
		if i > 0 && (x == grid[i-1] || (x > grid[i-1]) != (grid[1] > grid[0])) {
			return fmt.Errorf("rate: grid point %v after %v: want a strictly rising or a strictly falling grid", x, grid[i-1])
		}
	}
	return nil
}

// check returns an error for a bound or a range outside its domain.
func (p pointStatistics) check(f rateStatistics) error {
	switch lower, upper := p.Range[0].X, p.Range[1].X; {
	case f.Bounded && !(p.Bound > 0 && p.Bound <= math.MaxFloat64):
		return fmt.Errorf("the bound is %v: want a finite number above 0", p.Bound)
	case f.Trivial && !(p.Trivial.X > 0):
		return fmt.Errorf("the trivial bound is %v: want a number above 0", p.Trivial.X)
	case !(lower < upper):
		return fmt.Errorf("the range is [%v, %v]: want a lower end below the upper one", lower, upper)
	}
	return nil
}

// checkCounts returns an error unless each tally counts all replicates on the grid that range and pilot determine.
func (p pointStatistics) checkCounts(f rateStatistics) error {
	if spread := p.Pilot[1]; !f.Exact && !(spread > 0 && spread <= math.MaxFloat64) {
		return fmt.Errorf("a spread of %v: want a finite number above 0", spread)
	}
	if p.Moments == nil || p.Moments.N() != f.Replicates || f.Replicates < 1 {
		return fmt.Errorf("want moments of the %d replicates, at least 1", f.Replicates)
	}
	empty, err := p.newCount(f.Exact)
	if err != nil {
		return err
	}
	for _, side := range []struct{ empty, read *confidence.MeanTally }{{empty.Below, p.Below}, {empty.Above, p.Above}} {
		switch {
		case side.empty == nil && side.read == nil:
		case side.empty == nil || side.read == nil || !side.empty.SameGrid(side.read):
			return errors.New("the counts have another grid than range and pilot determine")
		case side.read.N() != f.Replicates:
			return fmt.Errorf("counts of %d values, but moments of %d", side.read.N(), f.Replicates)
		}
	}
	return nil
}

func (f rateStatistics) at(x float64) string { return fmt.Sprintf("%s=%.6g", f.Variable, x) }

// boundsAt returns both bounds at x, NaN if they are unknown there.
func (f rateStatistics) boundsAt(x float64) (bound, trivial float64) {
	if f.bounds != nil {
		return f.bounds(x)
	}
	for _, p := range f.Points {
		if p.X == x {
			return p.Bound, p.Trivial.X
		}
	}
	return math.NaN(), math.NaN()
}

// rateJudge judges the statistics at the alpha and the budget of the settings.
type rateJudge struct {
	rateStatistics
	settings verify.Settings
}

// share returns the error probability of one limit. Each point has two limits.
func (t rateJudge) share() float64 { return t.settings.Alpha / float64(2*len(t.Points)) }

// valuesPlanned reports whether each interval is expected to be narrow enough. It adds half the width of
// [confidence.MeanInterval] for many samples to the 0.99 quantile of the error of the mean. The half width is 10 %
// larger, in case the pilot underestimates the spread.
func (t rateJudge) valuesPlanned() bool {
	n := float64(t.Replicates)
	for _, p := range t.Points {
		reach := 1.1*math.Sqrt(2*math.Log(1/t.share())) + normal99
		if !(p.Pilot[1]/math.Sqrt(n)*reach <= t.effect()*p.Bound) {
			return false
		}
	}
	return true
}

// normal99 is the 0.99 quantile of the standard normal distribution (math.Erfc(2.3264/√2)/2 = 0.01).
const normal99 = 2.3264

// slopePlanned reports whether the slope's interval is expected to be narrow enough. It fits the claimed power law with
// the pilot's standard errors. In a finite range, it uses the limits expected by Bernstein's inequality.
func (t rateJudge) slopePlanned() bool {
	points := make([]confidence.SlopePoint, len(t.Points))
	for i, p := range t.Points {
		if !(p.Pilot[0] > 0) {
			return false
		}
		law := math.Pow(p.X/t.Points[0].X, t.Exponent)
		n := float64(t.Replicates)
		points[i] = confidence.SlopePoint{X: p.X, Mean: law, StdErr: law * p.Pilot[1] / p.Pilot[0] / math.Sqrt(n),
			Freedom: n - 1}
		if far := math.Max(p.Range[1].X-p.Pilot[0], p.Pilot[0]-p.Range[0].X); !math.IsInf(far, 1) {
			points[i].Limits = func(alpha float64) (lower, upper float64, err error) {
				rate := -math.Log(alpha) / n
				half := law / p.Pilot[0] * (1.1*p.Pilot[1]*math.Sqrt(2*rate) + far*rate/3)
				return law - half, law + half, nil
			}
		}
	}
	fit, err := confidence.FitSlope(points, t.settings.Alpha, t.resolution())
	return err == nil && fit.Upper-fit.Lower <= t.resolution()
}

// scale returns the factor by which a budget below the standard budget increases the detectable violation.
func (t rateJudge) scale() float64 {
	const standard = 1 << 20
	if t.Exact {
		return 1
	}
	return math.Max(1, math.Sqrt(standard/float64(t.settings.Budget.Samples(standard))))
}

func (t rateJudge) resolution() float64 { return t.Resolution * t.scale() }
func (t rateJudge) effect() float64     { return t.Effect * t.scale() }

// bars holds the directions that violate a claim: a measured side above the claimed side, or below it.
type bars struct{ above, below bool }

func barsOf(s verify.Sense) bars {
	return bars{above: s == verify.AtMost || s == verify.Equals, below: s == verify.AtLeast || s == verify.Equals}
}

// slopeSense returns the claim's sense for the slope in log x. It reverses the sense if the grid is falling.
func (f rateStatistics) slopeSense() verify.Sense {
	if f.Points[len(f.Points)-1].X >= f.Points[0].X {
		return f.Sense
	}
	switch f.Sense {
	case verify.AtMost:
		return verify.AtLeast
	case verify.AtLeast:
		return verify.AtMost
	}
	return f.Sense
}
