package chart

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// seriesLooks is the number of colours, each with its dashes, and of markers that tell series
// apart.
const seriesLooks = 7

const (
	legendLine   = 15.0 // height of an entry of the legend
	legendSample = 34.0 // of the piece of line before an entry
	legendGap    = 14.0
	bandFrom     = 3 // points from which intervals are a band
	// crowded is the number of points of a curve above which only some have markers and bars.
	crowded = 24
	// Bars at the same place are so far apart, and all of them together no wider than that.
	sideways, mostAside = 2.5, 20.0
)

func (p *Picture) chart() *Chart {
	if p.Named() {
		return p.rows()
	}
	return p.lines()
}

// lines draws each series with a band or bars for its intervals, and a legend below.
func (p *Picture) lines() *Chart {
	across, up := p.ranges()
	if !across.drawable() || !up.drawable() {
		return nil
	}
	a := newAxes(p.Title, across, up, p.Variable, p.Quantity)
	for k, c := range p.Curves {
		a.curve(k, len(p.Curves), c)
	}
	p.legend(a.Chart)
	a.Caption = p.caption()
	return a.Chart
}

// legend has an entry for each series, in columns of one width where they are short.
func (p *Picture) legend(c *Chart) {
	const left = plotLeft - 38
	names := make([]string, 0, len(p.Curves)+1)
	for _, curve := range p.Curves {
		names = append(names, curve.Name)
	}
	if slices.ContainsFunc(p.All(), func(c CurvePoint) bool { return format.Finite(c.prints) }) {
		names = append(names, printedToo)
	}
	widest := 0
	for _, name := range names {
		widest = max(widest, utf8.RuneCountInString(name))
	}
	wide := legendSample + letterWidth*float64(widest) + legendGap
	columns := max(1, int((chartWidth-left)/wide))
	for k, name := range names {
		x, y := left+wide*float64(k%columns), float64(plotTall)+4+legendLine*float64(k/columns)
		if k < len(p.Curves) {
			c.line("series line"+lookOf(k), x, y, x+legendSample-6, y)
			c.marker(k, x+legendSample/2-3, y, false)
		}
		c.text("name", x+legendSample, y+3.5, fitting(name, chartWidth-x-legendSample))
	}
	c.Height = plotTall + 4 + int(legendLine)*((len(names)+columns-1)/columns)
}

// printedToo explains the markers of what a paper prints.
const printedToo = "hollow: printed in the paper"

// caption says what the bars are.
func (p *Picture) caption() string {
	if p.Note != "" {
		return p.Note
	}
	if !slices.ContainsFunc(p.All(), CurvePoint.barred) {
		return "Computed values."
	}
	if !slices.ContainsFunc(p.All(), func(c CurvePoint) bool { return c.barred() && !c.named }) {
		return "Measured once; the band is as its name says."
	}
	return fmt.Sprintf("Means; bands and bars are their %.0f %% intervals, each by itself.", 100*verify.CurveConfidence)
}

func lookOf(k int) string { return fmt.Sprintf(" s%d", k%seriesLooks) }

// curve draws the k-th of so many series. Bars at the same place would hide each other: a
// series that has them stands a little aside.
func (a axes) curve(k, of int, c curve) {
	look := lookOf(k)
	band := len(c.Points) >= bandFrom && !slices.ContainsFunc(c.Points, CurvePoint.unbarred)
	aside := 0.0
	if !band && slices.ContainsFunc(c.Points, CurvePoint.barred) {
		aside = math.Min(sideways, mostAside/float64(of)) * (float64(k) - float64(of-1)/2)
	}
	x := func(p CurvePoint) float64 { return a.x(p.X) + aside }
	through := func(points []CurvePoint, y func(CurvePoint) float64) []string {
		steps := make([]string, len(points))
		for i, p := range points {
			if steps[i] = lineTo(x(p), a.y(y(p))); i == 0 {
				steps[i] = moveTo(x(p), a.y(y(p)))
			}
		}
		return steps
	}
	for _, piece := range c.pieces() {
		if len(piece) < 2 {
			continue
		}
		if band {
			back := through(piece, func(p CurvePoint) float64 { return p.lower })
			slices.Reverse(back)
			back[len(back)-1] = "L" + back[len(back)-1][1:]
			edge := through(piece, func(p CurvePoint) float64 { return p.upper })
			a.path("series band"+look, append(append(edge, back...), "Z")...)
		}
		a.path("series line"+look, through(piece, func(p CurvePoint) float64 { return p.y })...)
	}
	every := 1 + (len(c.Points)-1)/crowded
	for i, p := range c.Points {
		if a.up.takes(p.prints) {
			a.marker(k, x(p), a.y(p.prints), true)
		}
		if i%every != k*every/of {
			continue
		}
		if !band && p.barred() {
			a.whisker("series"+look, x(p), a.y(p.lower), x(p), a.y(p.upper), p.lower >= a.up.min, p.upper <= a.up.max)
		}
		a.marker(k, x(p), a.y(p.y), false)
	}
}

// barred tells whether a point has an interval to draw.
func (p CurvePoint) barred() bool   { return format.Finite(p.lower) && format.Finite(p.upper) }
func (p CurvePoint) unbarred() bool { return !p.barred() }

// marker is a disc or a polygon; a hollow one is larger. Series that share a colour differ in it.
func (c *Chart) marker(k int, x, y float64, hollow bool) {
	class, r := "series mark"+lookOf(k), 3.0
	if hollow {
		class, r = "series hollow"+lookOf(k), 4.6
	}
	const right, up, left, down = 0, math.Pi / 2, math.Pi, -math.Pi / 2
	switch markerOf(k) {
	case 0:
		c.dot(class, x, y, r)
	case 1:
		c.polygon(class, 4, up/2, x, y, 1.3*r)
	case 2:
		c.polygon(class, 3, up, x, y, 1.4*r)
	case 3:
		c.polygon(class, 4, right, x, y, 1.4*r)
	case 4:
		c.polygon(class, 3, down, x, y, 1.4*r)
	case 5:
		c.polygon(class, 5, up, x, y, 1.2*r)
	default:
		c.polygon(class, 6, left, x, y, 1.2*r)
	}
}

// markerOf is the marker of the k-th series: after each round of the colours the next one meets them.
func markerOf(k int) int { return (k + k/seriesLooks) % seriesLooks }

// polygon is a regular one; turn is the angle of its first corner, counterclockwise from
// the right.
func (c *Chart) polygon(class string, corners int, turn, x, y, r float64) {
	steps := make([]string, corners, corners+1)
	for i := range corners {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(corners))
		if steps[i] = lineTo(x+r*cos, y-r*sin); i == 0 {
			steps[i] = moveTo(x+r*cos, y-r*sin)
		}
	}
	c.path(class, append(steps, "Z")...)
}

// row is a named point of a series.
type row struct {
	of int // its series
	CurvePoint
}

// named lists the points that are drawn as rows: place by place, so that the series stand
// beside each other.
func (p *Picture) named() (rows []row) {
	order := map[string]int{}
	for k, c := range p.Curves {
		for _, point := range c.Points {
			if _, seen := order[point.Label]; !seen {
				order[point.Label] = len(order)
			}
			rows = append(rows, row{k, point})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return order[a.Label] - order[b.Label] })
	return rows
}

// rows draws a line for each named place of each series.
func (p *Picture) rows() *Chart {
	_, axis := p.ranges()
	if !axis.drawable() {
		return nil
	}
	rows := p.named()
	top, width := 22.0, float64(chartWidth-barMargin)
	bottom := top + barRow*float64(len(rows))
	c := &Chart{Width: chartWidth, Height: int(bottom) + 24, Title: p.Title, Caption: p.caption()}
	c.text("name", barMargin, 12, fitting(p.Quantity, chartWidth-2*barMargin))
	x := func(v float64) float64 { return axis.toward(v, barMargin, width) }
	at, names := axis.labels(width-barMargin, false)
	for i, v := range at {
		c.line("grid", x(v), top, x(v), bottom)
		c.text("tick middle", x(v), bottom+13, names[i])
	}
	for i, r := range rows {
		p.row(c, x, axis, r, top+barRow*float64(i))
	}
	if slices.ContainsFunc(rows, func(r row) bool { return axis.takes(r.prints) }) {
		c.Caption += " Hollow: printed in the paper."
	}
	return c
}

func (p *Picture) row(c *Chart, x func(float64) float64, axis scale, r row, top float64) {
	name := r.Label
	switch {
	case name == "":
		name = p.Curves[r.of].Name + ", " + p.Variable + " = " + format.Figure(verify.Num(r.X))
	case len(p.Curves) > 1:
		name += ": " + p.Curves[r.of].Name
	}
	figure := MeanCell(r.CurvePoint)
	figureWidth := letterWidth * float64(utf8.RuneCountInString(figure)+2)
	c.text("name", barMargin, top+11, fitting(name, chartWidth-2*barMargin-figureWidth))
	c.text("figure end", chartWidth-barMargin, top+11, figure)
	y := top + 20.5
	if r.barred() {
		c.whisker("series"+lookOf(r.of), x(r.lower), y, x(r.upper), y, r.lower >= axis.min, r.upper <= axis.max)
	}
	if axis.takes(r.prints) {
		c.marker(r.of, x(r.prints), y, true)
	}
	c.marker(r.of, x(r.y), y, false)
}
