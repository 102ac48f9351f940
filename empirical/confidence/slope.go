package confidence

import (
	"fmt"
	"math"
	"slices"
)

// SlopePoint is the mean of a positive quantity at X.
type SlopePoint struct {
	X, Mean float64 // both above 0 and finite
	StdErr  float64 // standard error of Mean, at least 0; 0 where Mean is computed
	Freedom float64 // degrees of freedom of StdErr, above 0; without meaning where StdErr is 0
	// Limits of what Mean estimates, each missed with probability at most alpha at any number
	// of values; the lower one may be 0 or less, the upper one +Inf. May be nil.
	Limits func(alpha float64) (lower, upper float64, err error)
}

// Slope is the fit of a line through log Mean over log X: an estimate of the exponent γ of a law
// Mean ~ X^γ, at that end of the grid where the asymptotics are looked for.
type Slope struct {
	From         int     // index of the first point fitted: those before it are left out, see FitSlope
	Value        float64 // slope of the straight line through the points from From on
	Lower, Upper float64 // see FitSlope
	End, Drift   float64 // slope at the last point, and its change from point From to it, by a parabola
	// Drifts tells that the slope still changes over the last half of the grid, by
	// more than its noise and half the resolution.
	Drifts bool
	// Local are the slopes between neighbours, of all points.
	Local []float64
	// Limit is the limit of the slopes, and Settles the X at which they are within half the
	// resolution of it, extrapolated as a geometric series; both NaN where the change of the
	// slope does not shrink on the grid. They are forecasts: of Settles, the order of magnitude.
	Limit, Settles float64
}

const (
	// MinSlopePoints is the least number of points from which a slope, its change and the
	// rate at which the change shrinks can be estimated.
	MinSlopePoints = 5
	minSlopeWindow = 4 // a parabola and one point more
	// slopeShape is the error probability of what rests on the shape of the curve: the
	// slope at the end by a parabola, and the test for a change.
	slopeShape = 0.01
	// slopeWeights bounds the ratio of weights, so that a variance that came out tiny
	// by chance does not rule the fit.
	slopeWeights = 100
)

// FitSlope fits a line through log Mean over log X by weighted least squares, with
// variances from the standard errors by the delta method and Student's law with
// Satterthwaite's degrees of freedom.
//
// The points are in the order of the grid, X strictly rising or strictly falling
// towards the end where the asymptotics are looked for. Leading points are left out,
// at most half of them, until the slope of the rest does not visibly change: by no
// more than its noise at 99 %, or than half the resolution.
//
// [Lower, Upper] is the hull of two intervals, and reaches out to the last local slope
// where that lies apart from both: the straight line's, wrong with probability at
// most alpha if the law is a power on the points fitted, and at 99 % the slope at the
// last point of a parabola, if it is one. Neither proves anything beyond the grid.
//
// Where all points have Limits, the two intervals, and the last local slope, are what the
// slopes can be while every mean is within its limits, alpha and 1 % being split evenly over
// the two limits of each: they hold for any number of values behind each mean, whichever
// points are left out. Otherwise they rest on the standard errors, and are asymptotic in the
// numbers of values; so is, in either case, which points are left out.
//
// Needs MinSlopePoints points, 0 < alpha < 1 and 0 ≤ resolution < ∞; returns
// ErrDomain otherwise, and any error of Limits.
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

// logFit holds the points on log scales: abscissa, ordinate less the first one,
// variance of the ordinate and its degrees of freedom.
type logFit struct {
	u, y, v, df []float64
	line, shape *logBox // within which the ordinates are; nil unless all points have limits
}

// logBox is how far the true ordinates can lie below and above those measured.
type logBox struct{ below, above []float64 }

// newLogBox has all the limits hold together but for a probability of at most alpha.
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
			return f, fmt.Errorf("slope: standard error %v with %v degrees of freedom at %v: need a finite one of at least 0, "+
				"and more than 0 degrees: %w",
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

// estimate is a linear function of the ordinates with its standard error, and what it is at
// the least and at the most within the boxes of a logFit, if there are any.
type estimate struct {
	value, err, df float64
	line, shape    [2]float64
	boxed          bool
}

// half is half the width of a two-sided interval of the given error.
func (e estimate) half(alpha float64) float64 {
	if e.err == 0 {
		return 0
	}
	return e.err * studentQuantile(alpha, e.df)
}

// interval is the one within a box where there is one, else Student's of the given error.
func (e estimate) interval(box [2]float64, alpha float64) (lower, upper float64) {
	if e.boxed {
		return box[0], box[1]
	}
	half := e.half(alpha)
	return e.value - half, e.value + half
}

// weight of a point in a fit from point from on.
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

// combine sums coefficient·ordinate over the points from..to−1.
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

// extremes are the least and the most that a linear function of the ordinates can be.
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

// basis is that of the orthogonal polynomials t = u − centre and t² − tilt·t − level
// under the weights of some points.
type basis struct {
	centre, tilt, level float64
	line, parabola      float64 // squared lengths
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

// window fits the points from from on.
func (f logFit) window(from int, alpha, resolution float64) Slope {
	n := len(f.u)
	b := f.basis(from, n)
	first := func(i int) float64 { return f.weight(from, i) * (f.u[i] - b.centre) / b.line }
	second := func(i int) float64 { return f.weight(from, i) * b.second(f.u[i]) / b.parabola }
	at := 2*(f.u[n-1]-b.centre) - b.tilt // derivative of the second polynomial at the end
	over := 2 * (f.u[n-1] - f.u[from])
	line := f.combine(from, n, first)
	end := f.combine(from, n, func(i int) float64 { return first(i) + at*second(i) })
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

// local is the slope between point i and the next.
func (f logFit) local(i int) estimate {
	step := f.u[i+1] - f.u[i]
	return f.combine(i, i+2, func(j int) float64 {
		if j == i {
			return -1 / step
		}
		return 1 / step
	})
}

// forecast takes the slopes of three overlapping parts of the grid, equally many
// points apart, as the start of a geometric series.
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

// studentQuantile is t with P(|T| ≥ t) = alpha, rounded up, by bisection: gonum's
// quantiles fail in far tails, its tails do not. 0 < alpha < 1, df > 0.
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
