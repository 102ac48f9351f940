package chart

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Picture is a set of curves that share their axes.
type Picture struct {
	Title, Variable, Quantity string
	LogX, LogY                bool
	Curves                    []curve
	Note                      string // replaces the caption
	Tight                     bool   // linear axes go from zero to the largest value
}

// curve is a named list of points.
type curve struct {
	Name   string
	Points []CurvePoint
}

// CurvePoint is a value at X, or at the place that Label names. A missing figure is NaN: the interval, the value that
// the paper prints, or the claimed value.
type CurvePoint struct {
	Label                               string
	X, y, lower, upper, prints, claimed float64
	gap                                 bool // the line is interrupted before this point
	named                               bool // the curve's name explains the interval
	refuted                             bool
}

func newPoint(label string, x, y verify.Number) CurvePoint {
	nan := math.NaN()
	return CurvePoint{Label: label, X: settled(orNaN(x)), y: orNaN(y), lower: nan, upper: nan, prints: nan, claimed: nan}
}

// cellPoint returns a point of a claim, in multiples of unit.
func cellPoint(r verify.Result, c verify.Cell, x, unit float64) CurvePoint {
	p := newPoint(c.Label, verify.Num(x), verify.Num(c.Measured.X/unit))
	m := format.Measurement{Value: c.Measured, Lower: c.Lower, Upper: c.Upper}
	if m.Interval() && c.Lower.Set && c.Upper.Set && c.Lower.X <= c.Upper.X {
		p.lower, p.upper = min(c.Lower.X/unit, c.Upper.X/unit), max(c.Lower.X/unit, c.Upper.X/unit)
	}
	if c.Claimed.Set {
		p.claimed = c.Claimed.X / unit
		p.refuted = format.IsWrong(r.Verdict) && beyond(r.Sense, c)
	}
	return p
}

// barred reports whether a point has an interval to draw.
func (p CurvePoint) barred() bool   { return !math.IsNaN(p.lower) && !math.IsNaN(p.upper) }
func (p CurvePoint) unbarred() bool { return !p.barred() }

// look returns the class of a claim's point.
func (p CurvePoint) look() string {
	if p.refuted {
		return "bad"
	}
	return "fair"
}

// columns returns the figures of points.
func columns(points []CurvePoint) (x, y, prints, claimed []float64) {
	for _, p := range points {
		x, y, prints, claimed = append(x, p.X), append(y, p.y), append(prints, p.prints), append(claimed, p.claimed)
	}
	return x, y, prints, claimed
}

// add adds a curve. Points without a place on the axes leave gaps.
func (p *Picture) add(name string, points []CurvePoint) {
	c, gap := curve{Name: name}, false
	for _, point := range points {
		placed := scale{log: p.LogY}.takes(point.y) && (point.Label != "" || scale{log: p.LogX}.takes(point.X))
		if placed {
			point.gap = gap
			c.Points = append(c.Points, point)
		}
		gap = !placed
	}
	p.Curves = append(p.Curves, c)
}

// pieces returns the points between the gaps.
func (c curve) pieces() (pieces [][]CurvePoint) {
	for i, p := range c.Points {
		if i == 0 || p.gap {
			pieces = append(pieces, nil)
		}
		pieces[len(pieces)-1] = append(pieces[len(pieces)-1], p)
	}
	return pieces
}

// Pictures groups the curves of a claim by their axes. An axis is logarithmic if its values are positive and spread
// over a large enough factor.
func Pictures(all []verify.Curve) []Picture {
	var list []Picture
	for _, s := range all {
		i := slices.IndexFunc(list, func(p Picture) bool { return p.Variable == s.Variable && p.Quantity == s.Quantity })
		if i < 0 {
			i = len(list)
			list = append(list, Picture{Variable: s.Variable, Quantity: s.Quantity})
		}
		list[i].Add(s)
	}
	for i := range list {
		p := &list[i]
		p.Curves = slices.DeleteFunc(p.Curves, func(c curve) bool { return len(c.Points) == 0 })
		p.Title = p.Quantity
		if p.Variable != "" {
			p.Title += " along " + p.Variable
		}
		x, y, _, _ := columns(p.All())
		p.LogX, p.LogY = spanning(false, x...).ifSpread(4).log, spanning(false, y...).ifSpread(manifold).log
	}
	return slices.DeleteFunc(list, func(p Picture) bool { return len(p.Curves) == 0 })
}

// Add adds a measured curve. Points without a place on the axes leave gaps.
func (p *Picture) Add(s verify.Curve) {
	var points []CurvePoint
	for _, at := range s.Points {
		point := newPoint(at.Label, at.X, at.Mean)
		point.lower, point.upper, point.named = orNaN(at.Lower), orNaN(at.Upper), at.Runs == 0
		points = append(points, point)
	}
	p.add(s.Name, points)
}

// PanelPicture returns the picture of an experiment's panel, with the axes of the paper.
func PanelPicture(r result.Result) Picture {
	p := Picture{Title: r.Title, Variable: r.XLabel, Quantity: r.YLabel, LogX: r.LogX, LogY: r.LogY}
	for _, s := range r.Series {
		var points []CurvePoint
		for i, x := range s.X {
			point := newPoint("", verify.Num(x), verify.Num(s.Mean[i]))
			point.lower, point.upper = s.Lower[i], s.Upper[i]
			if r.Labels != nil {
				point.Label = r.Labels[int(x)]
			}
			if s.Reported != nil {
				point.prints = s.Reported[i]
			}
			points = append(points, point)
		}
		p.add(s.Name, points)
	}
	return p
}

func orNaN(n verify.Number) float64 {
	if !n.Set {
		return math.NaN()
	}
	return n.X
}

// All returns the points of all curves.
func (p *Picture) All() (points []CurvePoint) {
	for _, c := range p.Curves {
		points = append(points, c.Points...)
	}
	return points
}

// Named reports whether the points are drawn as rows: they have names, or the same place.
func (p *Picture) Named() bool {
	points := p.All()
	return !slices.ContainsFunc(points, func(c CurvePoint) bool { return c.Label == "" && c.X != points[0].X })
}

// Draw returns the chart of the picture, nil if there is nothing to compare.
func (p *Picture) Draw() *Chart {
	if len(p.All()) < 2 {
		return nil
	}
	return p.chart()
}

func (p *Picture) ranges() (across, up scale) {
	x, y, prints, _ := columns(p.All())
	across, up = spanning(p.LogX, x...), spanning(p.LogY, append(y, prints...)...)
	up.stretch(p.All())
	if p.Tight {
		return across.tight(), up.tight()
	}
	return across.widen(), up.widen()
}

// MeanCell writes a point and its interval, as in "0.173 [0.167, 0.179]".
func MeanCell(p CurvePoint) string {
	m := format.Measurement{Value: verify.Num(p.y), Lower: format.NumberUnlessNaN(p.lower),
		Upper: format.NumberUnlessNaN(p.upper)}
	if !m.Interval() {
		return m.Alone(format.AloneDigits)
	}
	return m.Text()
}

// Places returns the x of all series, in their order, or ascending if the series differ. It returns an error if the
// columns of a series have different lengths, or if an x is not the index of a label.
func Places(r result.Result) ([]float64, error) {
	var xs []float64
	same := true
	for _, s := range r.Series {
		if err := checkSeries(r, s); err != nil {
			return nil, err
		}
		same = same && slices.Equal(s.X, r.Series[0].X)
		xs = append(xs, s.X...)
	}
	if same && len(r.Series) > 0 {
		return r.Series[0].X, nil
	}
	slices.Sort(xs)
	return slices.Compact(xs), nil
}

func checkSeries(r result.Result, s result.Series) error {
	for _, n := range []int{len(s.Mean), len(s.SD), len(s.Lower), len(s.Upper), orAll(s.N, s), orAll(s.Reported, s),
		orAll(s.ReportedSD, s)} {
		if n != len(s.X) {
			return fmt.Errorf("series %q has columns of %d and %d values", s.Name, len(s.X), n)
		}
	}
	for _, x := range s.X {
		if r.Labels != nil && !(x >= 0 && x < float64(len(r.Labels)) && x == math.Trunc(x)) {
			return fmt.Errorf("series %q: x = %v is not the index of one of %d labels", s.Name, x, len(r.Labels))
		}
	}
	return nil
}

// orAll returns the length of a column, or the length of the series if the column is absent.
func orAll[T any](column []T, s result.Series) int {
	if column == nil {
		return len(s.X)
	}
	return len(column)
}
