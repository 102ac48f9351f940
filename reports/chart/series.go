package chart

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/dpverify/dpverify/empirical/study/studydata"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/series"
)

// Picture is what is drawn of series that share their axes.
type Picture struct {
	title, Along, Quantity string
	LogX, LogY             bool
	Curves                 []curve
}

// curve is one series: at x, or at a place with a name, the mean with its interval, NaN
// without one, and what the paper prints there, NaN where it prints nothing.
type curve struct {
	Name   string
	Points []CurvePoint
}

type CurvePoint struct {
	At                         string
	X, y, lower, upper, prints float64
}

// Pictures sorts the series of a claim by their axes. An axis is logarithmic where its
// values are positive and spread over some powers.
func Pictures(all []verify.Series) []Picture {
	var list []Picture
	for _, s := range all {
		i := slices.IndexFunc(list, func(p Picture) bool { return p.Along == s.Along && p.Quantity == s.Quantity })
		if i < 0 {
			i = len(list)
			list = append(list, Picture{Along: s.Along, Quantity: s.Quantity})
		}
		c := curve{Name: s.Name}
		for _, p := range s.Points {
			point := CurvePoint{At: p.At, X: orNaN(p.X), y: orNaN(p.Mean), lower: orNaN(p.Lower), upper: orNaN(p.Upper),
				prints: math.NaN()}
			if figures.Finite(point.y) && (p.At != "" || figures.Finite(point.X)) {
				c.Points = append(c.Points, point)
			}
		}
		if len(c.Points) > 0 {
			list[i].Curves = append(list[i].Curves, c)
		}
	}
	list = slices.DeleteFunc(list, func(p Picture) bool { return len(p.Curves) == 0 })
	for i := range list {
		p := &list[i]
		p.title = p.Quantity
		if p.Along != "" {
			p.title += " along " + p.Along
		}
		p.LogX = p.spread(4, func(c CurvePoint) float64 { return c.X })
		p.LogY = p.spread(manifold, func(c CurvePoint) float64 { return c.y })
	}
	return list
}

// PanelPicture is that of a panel of an experiment, with the axes of the paper.
func PanelPicture(r studydata.Result) Picture {
	p := Picture{title: r.Title, Along: r.XLabel, Quantity: r.YLabel, LogX: r.LogX, LogY: r.LogY}
	for _, s := range r.Series {
		c := curve{Name: s.Name}
		for i, x := range s.X {
			point := CurvePoint{X: x, y: s.Mean[i], lower: s.Lower[i], upper: s.Upper[i], prints: math.NaN()}
			if r.Labels != nil {
				point.At = r.Labels[int(x)]
			}
			if s.Printed != nil {
				point.prints = s.Printed[i]
			}
			takes := figures.Finite(point.y) && (!p.LogY || point.y > 0) && (r.Labels != nil || !p.LogX || x > 0)
			if takes {
				c.Points = append(c.Points, point)
			}
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
	return least > 0 && most >= factor*least
}

// Named tells whether the points are drawn as rows: they have names, or share one place.
func (p *Picture) Named() bool {
	points := p.All()
	return !slices.ContainsFunc(points, func(c CurvePoint) bool { return c.At == "" && c.X != points[0].X })
}

// Draw is nil where there is nothing to see.
func (p *Picture) Draw() *Chart {
	switch {
	case len(p.All()) < 2:
		return nil
	case p.Named():
		return p.rows()
	}
	return p.lines()
}

// seriesLooks is the number of looks that the page's style has for a series: colour, dashes
// and marker differ, so that they are told apart without colour too.
const seriesLooks = 7

const (
	legendLine = 15.0 // height of an entry of the legend
	bandFrom   = 3    // points from which intervals are a band
)

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
	return across.widen(), up.widen()
}

// lines draws each series with a band or bars for its intervals, and a legend below.
func (p *Picture) lines() *Chart {
	across, up := p.ranges()
	if !across.drawable() || !up.drawable() {
		return nil
	}
	a := newAxes(p.title, across, up, p.Along, p.Quantity)
	for k, c := range p.Curves {
		a.curve(k, c)
	}
	y := float64(plotTall) + 4
	for k, c := range p.Curves {
		look := lookOf(k)
		a.line("series line"+look, plotLeft-38, y, plotLeft-10, y)
		a.marker(k, plotLeft-24, y, false)
		a.text("name", plotLeft-4, y+3.5, fitting(c.Name, chartWidth-plotLeft))
		y += legendLine
	}
	if slices.ContainsFunc(p.All(), func(c CurvePoint) bool { return figures.Finite(c.prints) }) {
		a.text("name", plotLeft-4, y+3.5, "hollow: printed in the paper")
		y += legendLine
	}
	a.Height = int(y)
	a.Caption = p.caption()
	return a.Chart
}

// caption says what the bars are.
func (p *Picture) caption() string {
	if !slices.ContainsFunc(p.All(),
		func(c CurvePoint) bool { return figures.Finite(c.lower) && figures.Finite(c.upper) }) {
		return "Computed values."
	}
	return fmt.Sprintf("Means; bands and bars are their %.0f %% intervals, each by itself.", 100*series.Confidence)
}

func lookOf(k int) string { return fmt.Sprintf(" s%d", k%seriesLooks) }

func (a axes) curve(k int, c curve) {
	look := lookOf(k)
	var along, back []string
	band := len(c.Points) >= bandFrom
	for _, p := range c.Points {
		band = band && figures.Finite(p.lower) && figures.Finite(p.upper)
		step := lineTo(a.x(p.X), a.y(p.y))
		if len(along) == 0 {
			step = moveTo(a.x(p.X), a.y(p.y))
		}
		along = append(along, step)
	}
	if band {
		var edge []string
		for i, p := range c.Points {
			step := lineTo(a.x(p.X), a.y(p.upper))
			if i == 0 {
				step = moveTo(a.x(p.X), a.y(p.upper))
			}
			edge, back = append(edge, step), append(back, lineTo(a.x(p.X), a.y(p.lower)))
		}
		slices.Reverse(back)
		a.path("series band"+look, append(append(edge, back...), "Z")...)
	}
	if len(along) > 1 {
		a.path("series line"+look, along...)
	}
	for _, p := range c.Points {
		if !band && figures.Finite(p.lower) && figures.Finite(p.upper) {
			a.whisker("series"+look, a.x(p.X), a.y(p.lower), a.x(p.X), a.y(p.upper), p.lower >= a.up.min, p.upper <= a.up.max)
		}
		if a.up.takes(p.prints) {
			a.marker(k, a.x(p.X), a.y(p.prints), true)
		}
		a.marker(k, a.x(p.X), a.y(p.y), false)
	}
}

// marker is a disc, square, triangle or rhombus; a hollow one is larger.
func (c *Chart) marker(k int, x, y float64, hollow bool) {
	class, r := "series mark"+lookOf(k), 3.0
	if hollow {
		class, r = "series hollow"+lookOf(k), 4.6
	}
	switch k % 4 {
	case 0:
		c.dot(class, x, y, r)
	case 1:
		c.rectangle(class, x-0.9*r, y-0.9*r, x+0.9*r, y+0.9*r)
	case 2:
		c.path(class, moveTo(x, y-1.2*r), lineTo(x+1.1*r, y+0.9*r), lineTo(x-1.1*r, y+0.9*r), "Z")
	default:
		c.path(class, moveTo(x, y-1.3*r), lineTo(x+1.3*r, y), lineTo(x, y+1.3*r), lineTo(x-1.3*r, y), "Z")
	}
}

// rows draws a line for each named place of each series.
func (p *Picture) rows() *Chart {
	_, axis := p.ranges()
	if !axis.drawable() {
		return nil
	}
	top, width := 22.0, float64(chartWidth-barMargin)
	bottom := top + barRow*float64(len(p.All()))
	c := &Chart{Width: chartWidth, Height: int(bottom) + 24, Title: p.title, Caption: p.caption()}
	c.text("name", barMargin, 12, fitting(p.Quantity, chartWidth-2*barMargin))
	x := func(v float64) float64 { return axis.toward(v, barMargin, width) }
	at, names := axis.labels(width-barMargin, false)
	for i, v := range at {
		c.line("grid", x(v), top, x(v), bottom)
		c.text("tick middle", x(v), bottom+13, names[i])
	}
	y := top
	for k, s := range p.Curves {
		for _, point := range s.Points {
			p.row(c, x, axis, k, point, y)
			y += barRow
		}
	}
	return c
}

func (p *Picture) row(c *Chart, x func(float64) float64, axis scale, k int, point CurvePoint, top float64) {
	name := point.At
	switch {
	case name == "":
		name = p.Curves[k].Name + ", " + p.Along + " = " + figures.Figure(verify.Num(point.X))
	case len(p.Curves) > 1:
		name = p.Curves[k].Name + ": " + name
	}
	figure := MeanCell(point)
	c.text("name", barMargin, top+11,
		fitting(name, chartWidth-2*barMargin-letterWidth*float64(utf8.RuneCountInString(figure)+2)))
	c.text("figure end", chartWidth-barMargin, top+11, figure)
	y := top + 20.5
	if figures.Finite(point.lower) && figures.Finite(point.upper) {
		c.whisker("series"+lookOf(k), x(point.lower), y, x(point.upper), y, point.lower >= axis.min, point.upper <= axis.max)
	}
	if axis.takes(point.prints) {
		c.marker(k, x(point.prints), y, true)
	}
	c.marker(k, x(point.y), y, false)
}

// MeanCell is "0.173 [0.167, 0.179]".
func MeanCell(p CurvePoint) string {
	m := figures.Measurement{Value: verify.Num(p.y), Lower: figures.Known(p.lower), Upper: figures.Known(p.upper)}
	if !m.Interval() {
		return m.Alone(figures.AloneDigits)
	}
	return m.Text()
}

// Places are the x of all series, in their order; in that of the numbers where
// the series differ.
func Places(r studydata.Result) ([]float64, error) {
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

func checkSeries(r studydata.Result, s studydata.Series) error {
	for _, n := range []int{len(s.Mean), len(s.SD), len(s.Lower), len(s.Upper), orAll(s.N, s), orAll(s.Printed, s),
		orAll(s.PrintedSD, s)} {
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
func orAll[T any](column []T, s studydata.Series) int {
	if column == nil {
		return len(s.X)
	}
	return len(column)
}
