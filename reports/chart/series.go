package chart

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Picture is what is drawn of series that share their axes.
type Picture struct {
	Title, Variable, Quantity string
	LogX, LogY                bool
	Curves                    []curve
	Note                      string // in place of the caption
	Tight                     bool   // linear axes go from zero to where the values end
}

// curve is one series: at x, or at a place with a name, the mean with its interval, NaN
// without one, and what the paper prints there, NaN where it prints nothing.
type curve struct {
	Name   string
	Points []CurvePoint
	gap    bool // the latest point had no place on the axes
}

// CurvePoint is a point of a curve; X is settled, so that curves meet at the same one.
type CurvePoint struct {
	Label                      string
	X, y, lower, upper, prints float64
	gap                        bool // no line leads here from the point before
	named                      bool // its interval is what the name of its curve says
}

// add appends a point, or leaves a gap where the axes have no place for it.
func (c *curve) add(p CurvePoint, placed bool) {
	if placed {
		p.gap = c.gap
		c.Points = append(c.Points, p)
	}
	c.gap = !placed
}

// pieces are the points between the gaps.
func (c curve) pieces() (pieces [][]CurvePoint) {
	for i, p := range c.Points {
		if i == 0 || p.gap {
			pieces = append(pieces, nil)
		}
		pieces[len(pieces)-1] = append(pieces[len(pieces)-1], p)
	}
	return pieces
}

// Pictures sorts the series of a claim by their axes. An axis is logarithmic where its
// values are positive and spread over some powers.
func Pictures(all []verify.Curve) []Picture {
	var list []Picture
	for _, s := range all {
		i := slices.IndexFunc(list, func(p Picture) bool { return p.Variable == s.Variable && p.Quantity == s.Quantity })
		if i < 0 {
			i = len(list)
			list = append(list, Picture{Variable: s.Variable, Quantity: s.Quantity})
		}
		c := newCurve(s, false, false)
		if len(c.Points) > 0 {
			list[i].Curves = append(list[i].Curves, c)
		}
	}
	list = slices.DeleteFunc(list, func(p Picture) bool { return len(p.Curves) == 0 })
	for i := range list {
		p := &list[i]
		p.Title = p.Quantity
		if p.Variable != "" {
			p.Title += " along " + p.Variable
		}
		p.LogX = p.spread(4, func(c CurvePoint) float64 { return c.X })
		p.LogY = p.spread(manifold, func(c CurvePoint) float64 { return c.y })
	}
	return list
}

// Add adds a curve. Points without a place on the axes leave gaps.
func (p *Picture) Add(s verify.Curve) { p.Curves = append(p.Curves, newCurve(s, p.LogX, p.LogY)) }

// newCurve leaves gaps where axes that may be logarithmic have no place for a point.
func newCurve(s verify.Curve, logX, logY bool) curve {
	c := curve{Name: s.Name}
	for _, p := range s.Points {
		point := CurvePoint{Label: p.Label, X: settled(orNaN(p.X)), y: orNaN(p.Mean), lower: orNaN(p.Lower),
			upper:  orNaN(p.Upper),
			prints: math.NaN(), named: p.Runs == 0}
		c.add(point, scale{log: logY}.takes(point.y) && (p.Label != "" || scale{log: logX}.takes(point.X)))
	}
	return c
}

// PanelPicture is that of a panel of an experiment, with the axes of the paper.
func PanelPicture(r result.Result) Picture {
	p := Picture{Title: r.Title, Variable: r.XLabel, Quantity: r.YLabel, LogX: r.LogX, LogY: r.LogY}
	for _, s := range r.Series {
		c := curve{Name: s.Name}
		for i, x := range s.X {
			point := CurvePoint{X: settled(x), y: s.Mean[i], lower: s.Lower[i], upper: s.Upper[i], prints: math.NaN()}
			if r.Labels != nil {
				point.Label = r.Labels[int(x)]
			}
			if s.Reported != nil {
				point.prints = s.Reported[i]
			}
			c.add(point, format.Finite(point.y) && (!p.LogY || point.y > 0) && (r.Labels != nil || !p.LogX || x > 0))
		}
		p.Curves = append(p.Curves, c)
	}
	return p
}

func orNaN(n verify.Number) float64 {
	if !n.Set {
		return math.NaN()
	}
	return n.X
}

// All lists the points of all curves.
func (p *Picture) All() (points []CurvePoint) {
	for _, c := range p.Curves {
		points = append(points, c.Points...)
	}
	return points
}

func (p *Picture) spread(factor float64, of func(CurvePoint) float64) bool {
	least, most := math.Inf(1), 0.0
	for _, c := range p.All() {
		least, most = math.Min(least, of(c)), math.Max(most, of(c)) // NaN stays
	}
	return least > 0 && !tolerance.Above(factor*least, most)
}

// Named tells whether the points are drawn as rows: they have names, or share one place.
func (p *Picture) Named() bool {
	points := p.All()
	return !slices.ContainsFunc(points, func(c CurvePoint) bool { return c.Label == "" && c.X != points[0].X })
}

// Draw is nil where there is nothing to compare.
func (p *Picture) Draw() *Chart {
	if len(p.All()) < 2 {
		return nil
	}
	return p.chart()
}

func (p *Picture) ranges() (across, up scale) {
	across, up = scale{math.Inf(1), math.Inf(-1), p.LogX}, scale{math.Inf(1), math.Inf(-1), p.LogY}
	take := func(a *scale, v float64) {
		if a.takes(v) {
			a.min, a.max = math.Min(a.min, v), math.Max(a.max, v)
		}
	}
	for _, c := range p.All() {
		take(&across, c.X)
		take(&up, c.y)
		take(&up, c.prints)
	}
	for _, c := range p.All() { // an interval does not stretch the axis without end
		for _, end := range []float64{c.lower, c.upper} {
			if !p.LogY || end > c.y/farEnd && end < c.y*farEnd {
				take(&up, end)
			}
		}
	}
	if p.Tight {
		return across.tight(), up.tight()
	}
	return across.widen(), up.widen()
}

// MeanCell is "0.173 [0.167, 0.179]".
func MeanCell(p CurvePoint) string {
	m := format.Measurement{Value: verify.Num(p.y), Lower: format.NumberUnlessNaN(p.lower),
		Upper: format.NumberUnlessNaN(p.upper)}
	if !m.Interval() {
		return m.Alone(format.AloneDigits)
	}
	return m.Text()
}

// Places are the x of all series, in their order; in that of the numbers where
// the series differ.
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

// orAll is the length of a column that may be absent.
func orAll[T any](column []T, s result.Series) int {
	if column == nil {
		return len(s.X)
	}
	return len(column)
}
