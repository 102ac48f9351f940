package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/dpverify/dpverify/empirical/study/studydata"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
)

// seriesStyle tells a series from the others by colour, and without it.
type seriesStyle struct {
	Color  color.Color
	Dashes []vg.Length
	Marker Marker
}

// The colours are those of Okabe and Ito ("Color Universal Design", 2008), which people
// with any colour vision can tell apart, without the yellow, which is too pale.
var Styles = []seriesStyle{
	{rgb(0x0072b2), nil, Marker{}},
	{rgb(0xd55e00), []vg.Length{7, 3}, Marker{sides: 4, turn: math.Pi / 4}},
	{rgb(0x009e73), []vg.Length{2, 3}, Marker{sides: 3, turn: math.Pi / 2}},
	{rgb(0xcc79a7), []vg.Length{9, 3, 2, 3}, Marker{sides: 4}},
	{rgb(0x000000), []vg.Length{14, 4}, Marker{sides: 3, turn: -math.Pi / 2}},
	{rgb(0xe69f00), []vg.Length{5, 2, 2, 2, 2, 2}, Marker{sides: 5, turn: math.Pi / 2}},
	{rgb(0x56b4e9), []vg.Length{3, 6}, Marker{sides: 6}},
}

// StyleOf gives the k-th series its style; beyond the list colours and markers meet anew.
func StyleOf(k int) seriesStyle {
	style, round := Styles[k%len(Styles)], k/len(Styles)
	style.Marker = Styles[(k+round)%len(Styles)].Marker
	style.Dashes = Styles[(k+2*round)%len(Styles)].Dashes
	return style
}

func rgb(x uint32) color.Color { return color.RGBA{uint8(x >> 16), uint8(x >> 8), uint8(x), 255} }

// Marker is a regular polygon, or a circle where it has no sides.
type Marker struct {
	sides  int
	turn   float64 // of its first corner, in radians
	hollow bool
}

// DrawGlyph draws the marker. A hollow one is larger and has a white inside, so that it shows
// around a filled one at the same place.
func (m Marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := sty.Radius
	if m.sides == 3 || m.sides == 4 {
		r *= 1.25 // as large to the eye as the circle
	}
	var path vg.Path
	if m.sides == 0 {
		path.Move(vg.Point{X: at.X + r, Y: at.Y})
		path.Arc(at, r, 0, 2*math.Pi)
	}
	for i := range m.sides {
		sin, cos := math.Sincos(m.turn + 2*math.Pi*float64(i)/float64(m.sides))
		corner := vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	if !m.hollow {
		c.SetColor(sty.Color)
		c.Fill(path)
		return
	}
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 1.4})
	c.Stroke(path)
}

// seriesPlot draws one series of a panel.
type seriesPlot struct {
	series    studydata.Series
	scales    *scales
	style     seriesStyle
	table     bool
	index, of int // among the panel's series
}

const (
	markerRadius = 4
	lineWidth    = 1.7
	capWidth     = 3.5 // half of a bar's cap
	// crowded is the number of points above which only some have markers and bars.
	crowded = 24
)

// Plot draws line, bars and markers. Series are set apart by a few points on the
// paper, so that bars at the same x do not hide each other; in a table across the row.
func (s *seriesPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	apart := vg.Length(float64(s.index) - float64(s.of-1)/2)
	at := func(x, y float64) vg.Point {
		if s.table {
			return vg.Point{X: toX(y), Y: toY(-x) - 8*apart}
		}
		shift := 2.5 * apart
		if len(s.series.X) > crowded {
			shift = 0
		}
		return vg.Point{X: toX(x) + shift, Y: toY(y)}
	}
	if !s.table {
		s.line(&c, at)
	}
	every := 1 + (len(s.series.X)-1)/crowded
	for i := range s.series.X {
		if every == 1 || i%every == s.index*every/s.of {
			s.point(&c, i, at)
		}
	}
}

func (s *seriesPlot) lineStyle() draw.LineStyle {
	return draw.LineStyle{Color: s.style.Color, Width: lineWidth, Dashes: s.style.Dashes}
}

func (s *seriesPlot) line(c *draw.Canvas, at func(x, y float64) vg.Point) {
	var piece []vg.Point
	for i, x := range s.series.X {
		if y := s.series.Mean[i]; s.scales.holds(x, y) {
			piece = append(piece, at(x, y))
			continue
		}
		c.StrokeLines(s.lineStyle(), piece)
		piece = nil
	}
	c.StrokeLines(s.lineStyle(), piece)
}

// point draws the marker and the bar of point i, and what the paper prints there.
func (s *seriesPlot) point(c *draw.Canvas, i int, at func(x, y float64) vg.Point) {
	x, y := s.series.X[i], s.series.Mean[i]
	bar := draw.LineStyle{Color: s.style.Color, Width: 1.1}
	if s.scales.holds(x, y) {
		if low, high := s.series.Lower[i], s.series.Upper[i]; low < high {
			from, to := at(x, s.scales.y.clamp(low)), at(x, s.scales.y.clamp(high))
			c.StrokeLine2(bar, from.X, from.Y, to.X, to.Y)
			if s.scales.y.clamp(low) == low { // a bar that goes on has no cap
				s.cap(c, bar, from)
			}
			if s.scales.y.clamp(high) == high {
				s.cap(c, bar, to)
			}
		}
		s.glyph(c, at(x, y), false)
	}
	if s.series.Printed != nil && s.scales.holds(x, s.series.Printed[i]) {
		s.glyph(c, at(x, s.series.Printed[i]), true)
	}
}

func (s *seriesPlot) cap(c *draw.Canvas, style draw.LineStyle, at vg.Point) {
	if s.table {
		c.StrokeLine2(style, at.X, at.Y-capWidth, at.X, at.Y+capWidth)
		return
	}
	c.StrokeLine2(style, at.X-capWidth, at.Y, at.X+capWidth, at.Y)
}

func (s *seriesPlot) glyph(c *draw.Canvas, at vg.Point, hollow bool) {
	m := s.style.Marker
	radius := vg.Length(markerRadius)
	if m.hollow = hollow; hollow {
		radius *= 1.5
	}
	m.DrawGlyph(c, draw.GlyphStyle{Color: s.style.Color, Radius: radius}, at)
}

// sample is the piece of line before the legend's entry.
func (s *seriesPlot) sample(c draw.Canvas, at vg.Point) {
	if !s.table {
		c.StrokeLine2(s.lineStyle(), at.X, at.Y, at.X+sampleWidth, at.Y)
	}
	s.glyph(&c, vg.Point{X: at.X + sampleWidth/2, Y: at.Y}, false)
}

// scale is the range of an axis.
type scale struct {
	min, max float64
	log      bool
}

// takes tells whether the axis has a place for x.
func (a scale) takes(x float64) bool { return figures.Finite(x) && (!a.log || x > 0) }

// clamp brings the end of a bar that the axis cannot show to its edge.
func (a scale) clamp(x float64) float64 { return math.Max(a.min, math.Min(a.max, x)) }

// widen gives room at both ends, and to a single value.
func (a scale) widen() scale {
	if a.log {
		by := math.Max(math.Exp(0.04*(math.Log(a.max)-math.Log(a.min))), 1.05)
		return scale{math.Max(a.min/by, math.SmallestNonzeroFloat64), math.Min(a.max*by, math.MaxFloat64), true}
	}
	by := 0.04 * (a.max - a.min)
	if !(by > 1e-9*math.Max(math.Abs(a.min), math.Abs(a.max))) { // too little for ticks that differ
		by = math.Max(0.05*math.Abs(a.max), 1e-9)
	}
	return scale{a.min - by, a.max + by, false}
}

// scales are a panel's axes: x is the series' X, also in a table, where it is
// drawn downwards.
type scales struct{ x, y scale }

func (s *scales) holds(x, y float64) bool { return s.x.takes(x) && s.y.takes(y) }

// newScales finds the ranges; nil where there is no point.
func newScales(r studydata.Result) *scales {
	s := &scales{x: scale{log: r.LogX && r.Labels == nil}, y: scale{log: r.LogY}}
	var xs, ys []float64
	for _, series := range r.Series {
		for i, x := range series.X {
			if !s.holds(x, series.Mean[i]) {
				continue
			}
			xs, ys = append(xs, x), append(ys, series.Mean[i])
			others := []float64{series.Lower[i], series.Upper[i]}
			if series.Printed != nil {
				others = append(others, series.Printed[i])
			}
			for _, y := range others {
				if s.y.takes(y) {
					ys = append(ys, y)
				}
			}
		}
	}
	if len(xs) == 0 {
		return nil
	}
	s.x.min, s.x.max = slices.Min(xs), slices.Max(xs)
	s.y.min, s.y.max = slices.Min(ys), slices.Max(ys)
	s.x, s.y = s.x.widen(), s.y.widen()
	return s
}

// axes sets the ranges and ticks of the plot.
func (s *scales) axes(p *plot.Plot, r studydata.Result) {
	if r.Labels == nil {
		s.x.set(&p.X)
		s.y.set(&p.Y)
		return
	}
	p.X.Label.Text, p.Y.Label.Text = r.YLabel, r.XLabel
	s.y.set(&p.X)
	p.Y.Min, p.Y.Max = -float64(len(r.Labels))+0.5, 0.5
	var ticks plot.ConstantTicks
	for i, label := range r.Labels {
		ticks = append(ticks, plot.Tick{Value: -float64(i), Label: markdown.OneLine(label)})
	}
	p.Y.Tick.Marker = ticks
}

func (a scale) set(axis *plot.Axis) {
	axis.Min, axis.Max = a.min, a.max
	axis.Padding = 0
	if a.log {
		axis.Scale = plot.LogScale{}
		axis.Tick.Marker = plot.TickerFunc(LogTicks)
		return
	}
	axis.Tick.Marker = plot.TickerFunc(LinearTicks)
}

// mostTicks is the largest number of ticks of a linear axis.
const mostTicks = 8

// LinearTicks are multiples of 1, 2 or 5 times a power of ten.
func LinearTicks(low, high float64) []plot.Tick {
	power := math.Pow(10, math.Floor(math.Log10((high-low)/mostTicks)))
	step := power
	for _, digit := range []float64{1, 2, 5, 10} {
		if step = digit * power; (high-low)/step < mostTicks {
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k*step <= high; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: tickLabel(k * step)})
	}
	return ticks
}

// LogTicks are the powers of ten, with 2 and 5 between them where there are few.
func LogTicks(low, high float64) []plot.Tick {
	few := math.Log10(high)-math.Log10(low) < 2.5
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for digit := 1.0; digit < 10; digit++ {
			x := digit * math.Pow(10, e)
			if x < low || x > high {
				continue
			}
			tick := plot.Tick{Value: x}
			if digit == 1 || few && (digit == 2 || digit == 5) {
				tick.Label = tickLabel(x)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// tickLabel writes a tick's value without the noise of its last digits.
func tickLabel(x float64) string {
	return figures.TrimZeros(figures.Rounded(x, figures.Exponent(x)-5, figures.Scientific(x)))
}
