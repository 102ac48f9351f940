package confidence

import (
	"fmt"
	"math"
	"slices"
)

// SlopePoint holds the measured mean of a positive quantity at X.
type SlopePoint struct {
	X, Mean float64 // both above 0 and finite
	StdErr  float64 // standard error of Mean, at least 0; 0 if Mean is computed exactly
	Freedom float64 // degrees of freedom of StdErr, above 0; ignored if StdErr is 0
	// Limits returns confidence limits for the expectation of Mean. Each is wrong with probability at most alpha at
	// any number of values. The lower limit may be 0 or negative, the upper one +Inf. Limits may be nil.
	Limits func(alpha float64) (lower, upper float64, err error)
}

// Slope is the fit of a line through log Mean over log X. It estimates the exponent γ of a power law Mean ~ X^γ at
// the asymptotic end of the grid.
type Slope struct {
	From         int     // index of the first fitted point; earlier points are excluded, see FitSlope
	Value        float64 // slope of the straight line through the points from From on
	Lower, Upper float64 // see FitSlope
	End, Drift   float64 // slope at the last point and its change since point From, from a parabola
	// Drifts reports whether the slope still changes over the last half of the grid by more than its noise and more
	// than half the resolution.
	Drifts bool
	// Local holds the slopes between neighboring points of the whole grid.
	Local []float64
	// Limit is the limit of the slopes, extrapolated as a geometric series. Settles is the X at which the slopes are
	// within half the resolution of the limit. Both are forecasts, Settles only to an order of magnitude. Both are
	// NaN if the change of the slope does not shrink on the grid.
	Limit, Settles float64
}

const (
	// MinSlopePoints is the smallest number of points from which a slope, its change and the rate at which the
	// change shrinks can be estimated.
	MinSlopePoints = 5
	minSlopeWindow = 4 // a parabola and one more point
	// slopeShape is the error probability of inferences that depend on the shape of the curve: the slope at the end
	// of a parabola, and the test for a change of the slope.
	slopeShape = 0.01
	// slopeWeights bounds the ratio of weights, so that a variance that is tiny by chance does not dominate the fit.
	slopeWeights = 100
)

// FitSlope fits a line through log Mean over log X by weighted least squares. The variances come from the standard
// errors by the delta method. Intervals use Student's distribution with Satterthwaite's degrees of freedom.
//
// The points must be in grid order, X strictly increasing or strictly decreasing towards the asymptotic end.
// FitSlope excludes leading points, at most half of them, until the slope of the remaining points does not change
// visibly. A visible change exceeds both its noise at 99 % and half the resolution.
//
// [Lower, Upper] is the convex hull of two intervals. The first is the interval for the straight line, wrong with
// probability at most alpha if the fitted points follow a power law. The second is the 99 % interval for the slope
// of a parabola at the last point. If the last local slope is inconsistent with the hull, the hull is extended to
// it. The intervals do not prove anything outside the grid.
//
// If all points have Limits, both intervals and the last local slope contain all slopes that are possible while
// every mean is within its limits. alpha and 1 % are divided equally among the limits. These intervals are valid
// for any number of values behind each mean and any choice of excluded points. Without Limits the intervals use the
// standard errors and are valid only asymptotically in the numbers of values. The choice of excluded points is
// always asymptotic.
//
// FitSlope requires MinSlopePoints points, 0 < alpha < 1 and 0 ≤ resolution < ∞, and returns ErrDomain otherwise.
// It also returns any error of Limits.
func FitSlope(points []SlopePoint, alpha, resolution float64) (Slope, error) {
	if len(points) < MinSlopePoints || !(alpha > 0 && alpha < 1) || !(resolution >= 0 && resolution <= math.MaxFloat64) {
		return Slope{}, fmt.Errorf("slope: %d points, alpha = %v, resolution = %v: need at least %d points, alpha in (0, "+
			"1), resolution ≥ 0: %w",
			len(points), alpha, resolution, MinSlopePoints, ErrDomain)
	}
	f, err := newLogFit(points)
	if err != nil {
		return Slope{}, err
	}
	if f.line, err = newLogBox(points, alpha); err != nil {
		return Slope{}, err
	}
	if f.shape, err = newLogBox(points, slopeShape); err != nil {
		return Slope{}, err
	}
	last := len(points) - max(minSlopeWindow, (len(points)+1)/2)
	var s Slope
	for from := 0; from <= last; from++ {
		if s = f.window(from, alpha, resolution); !s.Drifts {
			break
		}
	}
	s.Local = make([]float64, len(points)-1)
	for i := range s.Local {
		s.Local[i] = f.local(i).value
	}
	s.Limit, s.Settles = f.forecast(points[len(points)-1].X, resolution)
	return s, nil
}

// logFit holds the points on log scales: abscissa, ordinate minus the first ordinate, variance of the ordinate and
// its degrees of freedom.
type logFit struct {
	u, y, v, df []float64
	line, shape *logBox // bounds of the ordinates; nil unless all points have Limits
}

// logBox holds how far the true ordinates can be below and above the measured ones.
type logBox struct{ below, above []float64 }

// newLogBox returns bounds that hold simultaneously with probability at least 1 − alpha, or nil if a point has no
// Limits.
func newLogBox(points []SlopePoint, alpha float64) (*logBox, error) {
	if slices.ContainsFunc(points, func(p SlopePoint) bool { return p.Limits == nil }) {
		return nil, nil
	}
	var b logBox
	for _, p := range points {
		lower, upper, err := p.Limits(alpha / float64(2*len(points)))
		if err != nil {
			return nil, fmt.Errorf("slope: limits at %v: %w", p.X, err)
		}
		if !(lower <= p.Mean && p.Mean <= upper) {
			return nil, fmt.Errorf("slope: limits [%v, %v] at %v: need the mean %v between them: %w", lower, upper, p.X, p.Mean,
				ErrDomain)
		}
		b.below = append(b.below, math.Log(p.Mean/math.Max(0, lower)))
		b.above = append(b.above, math.Log(upper/p.Mean))
	}
	return &b, nil
}

func newLogFit(points []SlopePoint) (logFit, error) {
	n := len(points)
	buffer := make([]float64, 4*n)
	f := logFit{u: buffer[:n], y: buffer[n : 2*n], v: buffer[2*n : 3*n], df: buffer[3*n:]}
	for i, p := range points {
		if !(p.X > 0 && p.X <= math.MaxFloat64) || !(p.Mean > 0 && p.Mean <= math.MaxFloat64) {
			return f, fmt.Errorf("slope: mean %v at %v: need both above 0 and finite: %w", p.Mean, p.X, ErrDomain)
		}
		if !(p.StdErr >= 0 && p.StdErr <= math.MaxFloat64) || !(p.StdErr == 0 || p.Freedom > 0) {
			return f, fmt.Errorf("slope: standard error %v with %v degrees of freedom at %v: "+
				"need a finite standard error of at least 0 and more than 0 degrees of freedom: %w",
				p.StdErr, p.Freedom, p.X, ErrDomain)
		}
		relative := p.StdErr / p.Mean
		f.u[i], f.y[i], f.v[i], f.df[i] = math.Log(p.X), math.Log(p.Mean/points[0].Mean), relative*relative, p.Freedom
	}
	for i := 1; i < n; i++ {
		step := f.u[i] - f.u[i-1]
		if !(step*(f.u[1]-f.u[0]) > 0) {
			return f, fmt.Errorf("slope: %v follows %v: need strictly rising or strictly falling points: %w", points[i].X,
				points[i-1].X, ErrDomain)
		}
	}
	return f, nil
}

// estimate is a linear function of the ordinates with its standard error. If the logFit has boxes, line and shape
// hold the smallest and the largest value of the function within each box.
type estimate struct {
	value, err, df float64
	line, shape    [2]float64
	boxed          bool
}

// half returns half the width of the two-sided interval with error alpha.
func (e estimate) half(alpha float64) float64 {
	if e.err == 0 {
		return 0
	}
	return e.err * studentQuantile(alpha, e.df)
}

// interval returns the interval within the box if there is one, else Student's interval with error alpha.
func (e estimate) interval(box [2]float64, alpha float64) (lower, upper float64) {
	if e.boxed {
		return box[0], box[1]
	}
	half := e.half(alpha)
	return e.value - half, e.value + half
}

// weight returns the weight of point i in a fit that starts at point from.
func (f logFit) weight(from, i int) float64 {
	largest := 0.0
	for _, v := range f.v[from:] {
		largest = math.Max(largest, v)
	}
	if largest == 0 {
		return 1
	}
	return largest / math.Max(f.v[i], largest/slopeWeights)
}

// combine returns the sum of coefficient·ordinate over the points from, …, to−1.
func (f logFit) combine(from, to int, coefficient func(i int) float64) estimate {
	var e estimate
	variance, spread := 0.0, 0.0
	for i := from; i < to; i++ {
		c := coefficient(i)
		e.value += c * f.y[i]
		part := c * c * f.v[i]
		variance += part
		if part > 0 {
			spread += part * part / f.df[i]
		}
	}
	if variance > 0 {
		e.err, e.df = math.Sqrt(variance), variance*(variance/spread)
	}
	if e.boxed = f.line != nil; e.boxed {
		e.line, e.shape = f.line.extremes(e.value, from, to, coefficient), f.shape.extremes(e.value, from, to, coefficient)
	}
	return e
}

// extremes returns the smallest and the largest value of a linear function of the ordinates within the box.
func (b *logBox) extremes(value float64, from, to int, coefficient func(i int) float64) [2]float64 {
	low, high := value, value
	for i := from; i < to; i++ {
		switch c := coefficient(i); {
		case c > 0:
			low, high = low-c*b.below[i], high+c*b.above[i]
		case c < 0:
			low, high = low+c*b.above[i], high-c*b.below[i]
		}
	}
	return [2]float64{low, high}
}

// basis holds the orthogonal polynomials t = u − centre and t² − tilt·t − level for the weights of some points.
type basis struct {
	centre, tilt, level float64
	line, parabola      float64 // squared norms
}

func (f logFit) basis(from, to int) basis {
	var b basis
	var w0, w1 float64
	for i := from; i < to; i++ {
		w := f.weight(from, i)
		w0 += w
		w1 += w * f.u[i]
	}
	b.centre = w1 / w0
	var cubes float64
	for i := from; i < to; i++ {
		w, t := f.weight(from, i), f.u[i]-b.centre
		b.line += w * t * t
		cubes += w * t * t * t
	}
	b.tilt, b.level = cubes/b.line, b.line/w0
	for i := from; i < to; i++ {
		p := b.second(f.u[i])
		b.parabola += f.weight(from, i) * p * p
	}
	return b
}

func (b basis) second(u float64) float64 {
	t := u - b.centre
	return t*t - b.tilt*t - b.level
}

// window fits the points from index from on.
func (f logFit) window(from int, alpha, resolution float64) Slope {
	n := len(f.u)
	b := f.basis(from, n)
	first := func(i int) float64 { return f.weight(from, i) * (f.u[i] - b.centre) / b.line }
	second := func(i int) float64 { return f.weight(from, i) * b.second(f.u[i]) / b.parabola }
	slopeAtEnd := 2*(f.u[n-1]-b.centre) - b.tilt // derivative of the second polynomial at the end
	over := 2 * (f.u[n-1] - f.u[from])
	line := f.combine(from, n, first)
	end := f.combine(from, n, func(i int) float64 { return first(i) + slopeAtEnd*second(i) })
	drift := f.combine(from, n, func(i int) float64 { return over * second(i) })

	s := Slope{From: from, Value: line.value, End: end.value, Drift: drift.value}
	s.Drifts = math.Abs(drift.value) > math.Max(drift.half(slopeShape), resolution/2)
	lower, upper := line.interval(line.line, alpha)
	endLower, endUpper := end.interval(end.shape, slopeShape)
	s.Lower, s.Upper = math.Min(lower, endLower), math.Max(upper, endUpper)
	local := f.local(n - 2)
	if lower, upper := local.interval(local.shape, slopeShape); lower > s.Upper || upper < s.Lower {
		s.Lower, s.Upper = math.Min(s.Lower, local.value), math.Max(s.Upper, local.value)
	}
	return s
}

// local returns the slope between point i and the next point.
func (f logFit) local(i int) estimate {
	step := f.u[i+1] - f.u[i]
	return f.combine(i, i+2, func(j int) float64 {
		if j == i {
			return -1 / step
		}
		return 1 / step
	})
}

// forecast extrapolates the slopes of three overlapping parts of the grid as a geometric series. The parts start
// equally many points apart.
func (f logFit) forecast(last, resolution float64) (limit, settles float64) {
	n := len(f.u)
	step := n / 4
	var slopes, centres [3]float64
	for k := range slopes {
		from, to := k*step, n-(2-k)*step
		b := f.basis(from, to)
		slopes[k] = f.combine(from, to, func(i int) float64 { return f.weight(from, i) * (f.u[i] - b.centre) / b.line }).value
		centres[k] = b.centre
	}
	shrinking := (slopes[2] - slopes[1]) / (slopes[1] - slopes[0])
	if !(shrinking > 0 && shrinking < 1) {
		return math.NaN(), math.NaN()
	}
	left := (slopes[2] - slopes[1]) * shrinking / (1 - shrinking)
	steps := math.Log(2*math.Abs(left)/resolution) / -math.Log(shrinking)
	return slopes[2] + left, last * math.Exp(math.Max(0, steps)*(centres[2]-centres[1]))
}

// studentQuantile returns t with P(|T| ≥ t) = alpha, rounded up, for 0 < alpha < 1 and df > 0. It bisects the tail
// probability, because gonum's quantiles fail in far tails and gonum's tail probabilities do not.
func studentQuantile(alpha, df float64) float64 {
	low, high := 0.0, 1.0
	for StudentTwoSided(high, df) > alpha {
		low, high = high, 2*high
	}
	for high-low > 1e-12*high {
		middle := low + (high-low)/2
		if StudentTwoSided(middle, df) > alpha {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
