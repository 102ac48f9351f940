package chart

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// seriesLooks is the number of colors, each with its own dashes, and the number of markers.
const seriesLooks = 7

const (
	legendLine   = 15.0 // height of an entry in the legend
	legendSample = 34.0 // width of the piece of line before an entry
	legendGap    = 14.0
	bandFrom     = 3 // number of points from which on intervals are drawn as a band
	// crowded is the number of points of a curve above which only some have markers and bars.
	crowded = 24
	// sideways is the distance between bars at the same place, maxAside the maximum width of all these bars.
	sideways, maxAside = 2.5, 20.0
)

func (p *Picture) chart() *Chart {
	if p.Named() {
		return p.rows()
	}
	return p.lines()
}

// lines draws each curve, with a band or bars for its intervals, and a legend below.
func (p *Picture) lines() *Chart {
	across, up := p.ranges()
	a := newPlot(p.Title, across, up, p.Variable, p.Quantity)
	if a == nil {
		return nil
	}
	for k, c := range p.Curves {
		a.curve(k, len(p.Curves), c)
	}
	p.legend(a.Chart)
	a.Caption = p.caption()
	return a.Chart
}

// legend draws an entry for each curve, in several columns if the names are short.
func (p *Picture) legend(c *Chart) {
	const left = plotLeft - 38
	names := make([]string, 0, len(p.Curves)+1)
	for _, curve := range p.Curves {
		names = append(names, curve.Name)
	}
	if p.printed() {
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
			c.trace("line "+lookOf(k), spot{x, y}, spot{x + legendSample - 6, y})
			c.marker("mark "+lookOf(k), k, spot{x + legendSample/2 - 3, y}, 3)
		}
		c.text("name", x+legendSample, y+3.5, fitting(name, chartWidth-x-legendSample))
	}
	c.Height = plotTall + 4 + int(legendLine)*((len(names)+columns-1)/columns)
}

// printedToo is the entry of the legend for the values that a paper prints.
const printedToo = "hollow: printed in the paper"

// caption explains the bands and bars.
func (p *Picture) caption() string {
	if p.Note != "" {
		return p.Note
	}
	if !slices.ContainsFunc(p.All(), CurvePoint.barred) {
		return "Computed values."
	}
	if !slices.ContainsFunc(p.All(), func(c CurvePoint) bool { return c.barred() && !c.named }) {
		return "Measured once; the name of a curve explains its band."
	}
	return fmt.Sprintf("Means; bands and bars are their %.0f %% intervals, each by itself.", 100*verify.CurveConfidence)
}

func lookOf(k int) string { return fmt.Sprintf("series s%d", k%seriesLooks) }

// curve draws the k-th of count curves. Bars of different curves at the same place are shifted sideways, so that they
// do not hide each other.
func (a *plot) curve(k, count int, c curve) {
	look := lookOf(k)
	band := len(c.Points) >= bandFrom && !slices.ContainsFunc(c.Points, CurvePoint.unbarred)
	aside := 0.0
	if !band && slices.ContainsFunc(c.Points, CurvePoint.barred) {
		aside = math.Min(sideways, maxAside/float64(count)) * (float64(k) - float64(count-1)/2)
	}
	for _, piece := range c.pieces() {
		var line, lower, upper []spot
		for _, p := range piece {
			x := a.across.at(p.X) + aside
			line, lower, upper = append(line, a.up.spot(p.y, x)), append(lower, a.up.spot(p.lower, x)),
				append(upper, a.up.spot(p.upper, x))
		}
		if band {
			a.band("band "+look, lower, upper)
		}
		a.trace("line "+look, line...)
	}
	every := 1 + (len(c.Points)-1)/crowded
	for i, p := range c.Points {
		if i%every != k*every/count && !a.up.takes(p.prints) {
			continue
		}
		if band {
			p.lower = math.NaN()
		}
		a.point(look, k, a.up, p, a.across.at(p.X)+aside)
	}
}

// band fills the area between two lines.
func (c *Chart) band(class string, lower, upper []spot) {
	if len(lower) > 1 {
		slices.Reverse(lower)
		c.area(class, append(upper, lower...)...)
	}
}

// rows draws a row for each named place of each curve, place by place.
func (p *Picture) rows() *Chart {
	_, values := p.ranges()
	if !values.drawable() {
		return nil
	}
	all := p.All()
	c := newRows(p.Title, values, 22, len(all))
	c.Caption = p.caption()
	c.text("name", rowMargin, 12, fitting(p.Quantity, chartWidth-2*rowMargin))
	var places []string
	i := 0
	for _, first := range all {
		if slices.Contains(places, first.Label) {
			continue
		}
		places = append(places, first.Label)
		for k, curve := range p.Curves {
			for _, point := range curve.Points {
				if point.Label == first.Label {
					c.row(i, p.rowName(k, point), MeanCell(point), "", lookOf(k), k, point)
					i++
				}
			}
		}
	}
	if p.printed() {
		c.Caption += " Hollow: printed in the paper."
	}
	return c.Chart
}

func (p *Picture) rowName(k int, point CurvePoint) string {
	switch name := p.Curves[k].Name; {
	case point.Label == "":
		return name + ", " + p.Variable + " = " + format.Figure(verify.Num(point.X))
	case len(p.Curves) > 1:
		return point.Label + ": " + name
	}
	return point.Label
}

// printed reports whether the paper prints a value for one of the points.
func (p *Picture) printed() bool {
	return slices.ContainsFunc(p.All(), func(c CurvePoint) bool { return format.Finite(c.prints) })
}
