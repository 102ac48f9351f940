package chart

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/tolerance"
)

// axis maps a scale to a range of coordinates, from left to right or, if upright, from bottom to top.
type axis struct {
	scale
	from, to float64
	upright  bool
}

// at returns the coordinate of v.
func (a axis) at(v float64) float64 { return a.toward(v, a.from, a.to) }

// spot returns the point at v on the axis and at aside on the other axis.
func (a axis) spot(v, aside float64) spot {
	if a.upright {
		return spot{aside, a.at(v)}
	}
	return spot{a.at(v), aside}
}

// marks returns the ticks with a label, thinned out so that labels do not touch, and the values of ticks without a
// label. The latter crowd towards a power of ten, which shows that the axis is logarithmic.
func (a axis) marks() (named []tick, between []float64) {
	free, length := -float64(rowMargin), math.Abs(a.to-a.from)
	for _, t := range a.ticks() {
		if t.label == "" {
			between = append(between, t.value)
			continue
		}
		half := letterWidth * float64(utf8.RuneCountInString(t.label)) / 2
		if a.upright {
			half = letterTall / 2
		}
		x := settled(a.toward(t.value, 0, length))
		if x-half < free || x+half > length+rowMargin {
			continue
		}
		free = x + half + 6
		named = append(named, t)
	}
	return named, between
}

// grid draws the ticks of an axis whose lower side is at near. A labelled tick has a line to the side far; other
// ticks are short.
func (c *Chart) grid(a axis, near, far float64) {
	named, between := a.marks()
	for _, t := range named {
		c.trace("grid", a.spot(t.value, near), a.spot(t.value, far))
		if at := a.spot(t.value, near); a.upright {
			c.text("tick end", at.x-5, at.y+3.5, t.label)
		} else {
			c.text("tick middle", at.x, at.y+13, t.label)
		}
	}
	for _, v := range between {
		c.trace("axis", a.spot(v, near), a.spot(v, near-math.Copysign(3, far-near)))
	}
}

// point draws a value of the k-th series with its interval and the value that the paper prints. A value outside the
// axis is drawn as an arrow at its end. An interval's end outside the axis has no cap.
func (c *Chart) point(look string, k int, a axis, p CurvePoint, aside float64) {
	if p.barred() {
		c.trace("whisker "+look, a.spot(p.lower, aside), a.spot(p.upper, aside))
		for _, end := range []float64{p.lower, p.upper} {
			if end == a.clamp(end) {
				c.trace("whisker "+look, a.spot(end, aside-3.5), a.spot(end, aside+3.5))
			}
		}
	}
	if a.takes(p.prints) {
		c.marker("hollow "+look, k, a.spot(p.prints, aside), 4.6)
	}
	turn := right
	if a.upright {
		turn = up
	}
	switch at := a.spot(p.y, aside); {
	case tolerance.Above(p.y, a.max):
		c.polygon("mark "+look, 3, turn, at, 5)
	case tolerance.Above(a.min, p.y):
		c.polygon("mark "+look, 3, turn+math.Pi, at, 5)
	default:
		c.marker("mark "+look, k, at, 3)
	}
}

// Angles in radians, counterclockwise.
const right, up, left, down = 0.0, math.Pi / 2, math.Pi, -math.Pi / 2

// markers are a disc and regular polygons of about the same area. The angle turn is the direction of the first
// corner.
var markers = []struct {
	corners    int
	turn, size float64
}{{size: 1}, {4, up / 2, 1.3}, {3, up, 1.4}, {4, right, 1.4}, {3, down, 1.4}, {5, up, 1.2}, {6, left, 1.2}}

// marker draws the marker of the k-th series. After each round of the colors the markers shift by one, so that no two
// of the first 49 series look alike.
func (c *Chart) marker(class string, k int, at spot, r float64) {
	m := markers[(k+k/seriesLooks)%len(markers)]
	if m.corners == 0 {
		c.dot(class, at, r)
		return
	}
	c.polygon(class, m.corners, m.turn, at, m.size*r)
}

func (c *Chart) dot(class string, at spot, r float64) {
	c.Shapes = append(c.Shapes, Shape{Class: class, Path: steps([]spot{{at.x - r, at.y}}) +
		fmt.Sprintf("a%[1]s %[1]s 0 1 0 %[2]s 0a%[1]s %[1]s 0 1 0 %[3]s 0Z", place(r), place(2*r), place(-2*r))})
}

func (c *Chart) polygon(class string, corners int, turn float64, at spot, r float64) {
	spots := make([]spot, corners)
	for i := range spots {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(corners))
		spots[i] = spot{at.x + r*cos, at.y - r*sin}
	}
	c.area(class, spots...)
}

// Measures of a plot.
const (
	plotBottom = 212.0
	plotTop    = 26.0
	plotLeft   = 46.0
	plotRight  = chartWidth - 12.0
	plotTall   = 244
)

// plot is a chart with two axes.
type plot struct {
	*Chart
	across, up axis
}

// newPlot draws the axes. It returns nil if one of them has no length.
func newPlot(title string, across, up scale, xName, yName string) *plot {
	if !across.drawable() || !up.drawable() {
		return nil
	}
	a := &plot{&Chart{Width: chartWidth, Height: plotTall, Title: title}, axis{across, plotLeft, plotRight, false},
		axis{up, plotBottom, plotTop, true}}
	a.grid(a.across, plotBottom, plotTop)
	a.grid(a.up, plotLeft, plotRight)
	a.trace("axis", spot{plotLeft, plotTop}, spot{plotLeft, plotBottom}, spot{plotRight, plotBottom})
	a.text("name", 4, 12, fitting(yName, chartWidth-8))
	a.text("name end", plotRight, plotBottom+28, fitting(xName, chartWidth-8))
	return a
}

func (a *plot) spot(x, y float64) spot { return spot{a.across.at(x), a.up.at(y)} }

// Measures of a chart of rows.
const (
	rowTall   = 29.0
	rowMargin = 8.0
)

// rows is a chart with one row for each value and a common horizontal axis below.
type rows struct {
	*Chart
	axis
	top float64
}

func newRows(title string, s scale, top float64, n int) rows {
	bottom := top + rowTall*float64(n)
	r := rows{&Chart{Width: chartWidth, Height: int(bottom) + 24, Title: title},
		axis{s, rowMargin, chartWidth - rowMargin, false}, top}
	r.grid(r.axis, bottom, top)
	return r
}

// row draws the point of the i-th row, with its name and its figure above it.
func (r rows) row(i int, name, figure, class, look string, k int, p CurvePoint) {
	top := r.top + rowTall*float64(i)
	r.text("name", rowMargin, top+11,
		fitting(name, chartWidth-2*rowMargin-letterWidth*float64(utf8.RuneCountInString(figure)+2)))
	r.text("figure end"+class, chartWidth-rowMargin, top+11, figure)
	r.point(look, k, r.axis, p, r.line(i))
}

// line returns the vertical coordinate of the i-th row's point.
func (r rows) line(i int) float64 { return r.top + rowTall*float64(i) + 20.5 }
