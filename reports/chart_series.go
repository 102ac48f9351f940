package reports

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/dpverify/dpverify/empirical/study"
	"github.com/dpverify/dpverify/verify"
)

// picture is what is drawn of series that share their axes.
type picture struct {
	title, along, quantity string
	logX, logY             bool
	curves                 []curve
}

// curve is one series: at x, or at a place with a name, the mean with its interval, NaN
// without one, and what the paper prints there, NaN where it prints nothing.
type curve struct {
	name   string
	points []curvePoint
}

type curvePoint struct {
	at                         string
	x, y, lower, upper, prints float64
}

// pictures sorts the series of a claim by their axes. An axis is logarithmic where its
// values are positive and spread over some powers.
func pictures(all []verify.Series) []picture {
	var list []picture
	for _, s := range all {
		i := slices.IndexFunc(list, func(p picture) bool { return p.along == s.Along && p.quantity == s.Quantity })
		if i < 0 {
			i = len(list)
			list = append(list, picture{along: s.Along, quantity: s.Quantity})
		}
		c := curve{name: s.Name}
		for _, p := range s.Points {
			point := curvePoint{at: p.At, x: orNaN(p.X), y: orNaN(p.Mean), lower: orNaN(p.Lower), upper: orNaN(p.Upper), prints: math.NaN()}
			if finite(point.y) && (p.At != "" || finite(point.x)) {
				c.points = append(c.points, point)
			}
		}
		if len(c.points) > 0 {
			list[i].curves = append(list[i].curves, c)
		}
	}
	list = slices.DeleteFunc(list, func(p picture) bool { return len(p.curves) == 0 })
	for i := range list {
		p := &list[i]
		p.title = p.quantity
		if p.along != "" {
			p.title += " along " + p.along
		}
		p.logX = p.spread(4, func(c curvePoint) float64 { return c.x })
		p.logY = p.spread(manifold, func(c curvePoint) float64 { return c.y })
	}
	return list
}

// panelPicture is that of a panel of an experiment, with the axes of the paper.
func panelPicture(r study.Result) picture {
	p := picture{title: r.Title, along: r.XLabel, quantity: r.YLabel, logX: r.LogX, logY: r.LogY}
	for _, s := range r.Series {
		c := curve{name: s.Name}
		for i, x := range s.X {
			point := curvePoint{x: x, y: s.Mean[i], lower: s.Lower[i], upper: s.Upper[i], prints: math.NaN()}
			if r.Labels != nil {
				point.at = r.Labels[int(x)]
			}
			if s.Printed != nil {
				point.prints = s.Printed[i]
			}
			takes := finite(point.y) && (!p.logY || point.y > 0) && (r.Labels != nil || !p.logX || x > 0)
			if takes {
				c.points = append(c.points, point)
			}
		}
		p.curves = append(p.curves, c)
	}
	return p
}

func orNaN(n verify.Number) float64 {
	if !n.Set {
		return math.NaN()
	}
	return n.X
}

// all lists the points of all curves.
func (p *picture) all() (points []curvePoint) {
	for _, c := range p.curves {
		points = append(points, c.points...)
	}
	return points
}

func (p *picture) spread(factor float64, of func(curvePoint) float64) bool {
	least, most := math.Inf(1), 0.0
	for _, c := range p.all() {
		least, most = math.Min(least, of(c)), math.Max(most, of(c)) // NaN stays
	}
	return least > 0 && most >= factor*least
}

// named tells whether the points are drawn as rows: they have names, or share one place.
func (p *picture) named() bool {
	points := p.all()
	return !slices.ContainsFunc(points, func(c curvePoint) bool { return c.at == "" && c.x != points[0].x })
}

// draw is nil where there is nothing to see.
func (p *picture) draw() *chart {
	switch {
	case len(p.all()) < 2:
		return nil
	case p.named():
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

func (p *picture) ranges() (across, up scale) {
	across, up = scale{math.Inf(1), math.Inf(-1), p.logX}, scale{math.Inf(1), math.Inf(-1), p.logY}
	take := func(a *scale, v float64) {
		if a.takes(v) {
			a.min, a.max = math.Min(a.min, v), math.Max(a.max, v)
		}
	}
	for _, c := range p.all() {
		take(&across, c.x)
		take(&up, c.y)
		take(&up, c.prints)
	}
	for _, c := range p.all() { // an interval does not stretch the axis without end
		for _, end := range []float64{c.lower, c.upper} {
			if !p.logY || end > c.y/farEnd && end < c.y*farEnd {
				take(&up, end)
			}
		}
	}
	return across.widen(), up.widen()
}

// lines draws each series with a band or bars for its intervals, and a legend below.
func (p *picture) lines() *chart {
	across, up := p.ranges()
	if !across.drawable() || !up.drawable() {
		return nil
	}
	a := newAxes(p.title, across, up, p.along, p.quantity)
	for k, c := range p.curves {
		a.curve(k, c)
	}
	y := float64(plotTall) + 4
	for k, c := range p.curves {
		look := lookOf(k)
		a.line("series line"+look, plotLeft-38, y, plotLeft-10, y)
		a.marker(k, plotLeft-24, y, false)
		a.text("name", plotLeft-4, y+3.5, fitting(c.name, chartWidth-plotLeft))
		y += legendLine
	}
	if slices.ContainsFunc(p.all(), func(c curvePoint) bool { return finite(c.prints) }) {
		a.text("name", plotLeft-4, y+3.5, "hollow: printed in the paper")
		y += legendLine
	}
	a.Height = int(y)
	a.Caption = p.caption()
	return a.chart
}

// caption says what the bars are.
func (p *picture) caption() string {
	if !slices.ContainsFunc(p.all(), func(c curvePoint) bool { return finite(c.lower) && finite(c.upper) }) {
		return "Computed values."
	}
	return fmt.Sprintf("Means; bands and bars are their %.0f %% intervals, each by itself.", 100*verify.SeriesConfidence)
}

func lookOf(k int) string { return fmt.Sprintf(" s%d", k%seriesLooks) }

func (a axes) curve(k int, c curve) {
	look := lookOf(k)
	var along, back []string
	band := len(c.points) >= bandFrom
	for _, p := range c.points {
		band = band && finite(p.lower) && finite(p.upper)
		step := lineTo(a.x(p.x), a.y(p.y))
		if len(along) == 0 {
			step = moveTo(a.x(p.x), a.y(p.y))
		}
		along = append(along, step)
	}
	if band {
		var edge []string
		for i, p := range c.points {
			step := lineTo(a.x(p.x), a.y(p.upper))
			if i == 0 {
				step = moveTo(a.x(p.x), a.y(p.upper))
			}
			edge, back = append(edge, step), append(back, lineTo(a.x(p.x), a.y(p.lower)))
		}
		slices.Reverse(back)
		a.path("series band"+look, append(append(edge, back...), "Z")...)
	}
	if len(along) > 1 {
		a.path("series line"+look, along...)
	}
	for _, p := range c.points {
		if !band && finite(p.lower) && finite(p.upper) {
			a.whisker("series"+look, a.x(p.x), a.y(p.lower), a.x(p.x), a.y(p.upper), p.lower >= a.up.min, p.upper <= a.up.max)
		}
		if a.up.takes(p.prints) {
			a.marker(k, a.x(p.x), a.y(p.prints), true)
		}
		a.marker(k, a.x(p.x), a.y(p.y), false)
	}
}

// marker is a disc, square, triangle or rhombus; a hollow one is larger.
func (c *chart) marker(k int, x, y float64, hollow bool) {
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
func (p *picture) rows() *chart {
	_, axis := p.ranges()
	if !axis.drawable() {
		return nil
	}
	top, width := 22.0, float64(chartWidth-barMargin)
	bottom := top + barRow*float64(len(p.all()))
	c := &chart{Width: chartWidth, Height: int(bottom) + 24, Title: p.title, Caption: p.caption()}
	c.text("name", barMargin, 12, fitting(p.quantity, chartWidth-2*barMargin))
	x := func(v float64) float64 { return axis.toward(v, barMargin, width) }
	at, names := axis.labels(width-barMargin, false)
	for i, v := range at {
		c.line("grid", x(v), top, x(v), bottom)
		c.text("tick middle", x(v), bottom+13, names[i])
	}
	y := top
	for k, s := range p.curves {
		for _, point := range s.points {
			p.row(c, x, axis, k, point, y)
			y += barRow
		}
	}
	return c
}

func (p *picture) row(c *chart, x func(float64) float64, axis scale, k int, point curvePoint, top float64) {
	name := point.at
	switch {
	case name == "":
		name = p.curves[k].name + ", " + p.along + " = " + Figure(verify.Num(point.x))
	case len(p.curves) > 1:
		name = p.curves[k].name + ": " + name
	}
	figure := meanCell(point)
	c.text("name", barMargin, top+11, fitting(name, chartWidth-2*barMargin-letterWidth*float64(utf8.RuneCountInString(figure)+2)))
	c.text("figure end", chartWidth-barMargin, top+11, figure)
	y := top + 20.5
	if finite(point.lower) && finite(point.upper) {
		c.whisker("series"+lookOf(k), x(point.lower), y, x(point.upper), y, point.lower >= axis.min, point.upper <= axis.max)
	}
	if axis.takes(point.prints) {
		c.marker(k, x(point.prints), y, true)
	}
	c.marker(k, x(point.y), y, false)
}

// meanCell is "0.173 [0.167, 0.179]".
func meanCell(p curvePoint) string {
	m := measurement{value: verify.Num(p.y), lower: known(p.lower), upper: known(p.upper)}
	if !m.interval() {
		return m.alone(aloneDigits)
	}
	return m.text()
}
