package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// bar is a point of a claim on the axis of a bar chart.
type bar struct {
	at, figure          string
	value, claimed      float64
	lower, upper        float64 // NaN without an interval
	hasClaimed, refuted bool
	equation            bool // the claim is no inequality
}

const (
	barRow    = 29
	barMargin = 8
	// manifold is the ratio of the largest value to the smallest from which an
	// axis is logarithmic.
	manifold = 20
)

// barChart has a row for each point that the tables show: the ratio of measured
// over claimed, from the claim's line at 1, or the values themselves.
func barChart(r verify.Result, ratio bool) *Chart {
	var bars []bar
	for _, i := range ChooseCells(r.Evidence) {
		if r.Cells[i].Measured.Set && !math.IsNaN(r.Cells[i].Measured.X) {
			bars = append(bars, newBar(r, r.Cells[i], ratio))
		}
	}
	axis, ok := barAxis(bars, ratio)
	if !ok {
		return nil
	}
	top, width := 6.0, float64(chartWidth-barMargin)
	bottom := top + barRow*float64(len(bars))
	c := &Chart{Width: chartWidth, Height: int(bottom) + 24, Title: "measured against claimed at each point"}
	x := func(v float64) float64 { return axis.toward(v, barMargin, width) }
	c.Caption = barCaption(r, ratio, bars[0].hasClaimed) + sizes(len(bars), len(r.Cells))
	if from, to, barred := barredRange(r, axis, ratio); barred {
		c.rectangle("barred", x(from), top, x(to), bottom)
	}
	at, names := axis.labels(width-barMargin, false)
	for i, v := range at {
		c.line("grid", x(v), top, x(v), bottom)
		c.text("tick middle", x(v), bottom+13, names[i])
	}
	if ratio {
		c.line("claimed", x(1), top, x(1), bottom)
	}
	for i, b := range bars {
		b.draw(c, x, axis, top+barRow*float64(i), ratio)
	}
	return c
}

// comparable tells whether all points have a ratio, on one side of 0.
func comparable(e verify.Evidence) bool {
	sign := 0.0
	for _, i := range ChooseCells(e) {
		c := e.Cells[i].Claimed
		if !c.Set || c.X == 0 || !format.Finite(c.X) || sign*c.X < 0 {
			return false
		}
		sign = c.X
	}
	return sign != 0
}

func newBar(r verify.Result, c verify.Cell, ratio bool) bar {
	unit := 1.0
	quotient := verify.Number{}
	if ratio {
		unit = c.Claimed.X
		quotient = verify.Num(c.Measured.X / unit)
	}
	f := format.BriefPoint(c, quotient, format.SameAs(r.Verdict))
	b := bar{at: c.Label, figure: f.Measured, value: c.Measured.X / unit, claimed: c.Claimed.X / unit,
		hasClaimed: c.Claimed.Set, lower: math.NaN(), upper: math.NaN()}
	switch {
	case ratio:
		b.figure = "× " + f.Ratio
	case b.hasClaimed:
		b.figure = f.Claimed + " → " + f.Measured
	}
	if lower, upper, ok := interval(c); ok {
		ends := []float64{lower / unit, upper / unit}
		b.lower, b.upper = slices.Min(ends), slices.Max(ends)
	}
	b.equation = r.Sense == verify.Equals || r.Sense == ""
	b.refuted = format.IsWrong(r.Verdict) && beyond(r.Sense, c)
	return b
}

// interval is that of a cell, where it has two ends to draw.
func interval(c verify.Cell) (lower, upper float64, ok bool) {
	m := format.Measurement{Value: c.Measured, Lower: c.Lower, Upper: c.Upper}
	return c.Lower.X, c.Upper.X, m.Interval() && c.Lower.Set && c.Upper.Set && c.Lower.X <= c.Upper.X
}

// beyond tells whether a point breaks the claim, by its whole interval where it has one.
func beyond(sense verify.Sense, c verify.Cell) bool {
	lower, upper := c.Measured.X, c.Measured.X
	if c.Lower.Set && c.Upper.Set {
		lower, upper = c.Lower.X, c.Upper.X
	}
	slack := format.SameRefuted * math.Abs(c.Claimed.X)
	switch sense {
	case verify.AtMost:
		return lower > c.Claimed.X+slack
	case verify.Below:
		return lower >= c.Claimed.X-slack
	case verify.AtLeast:
		return upper < c.Claimed.X-slack
	case verify.Above:
		return upper <= c.Claimed.X+slack
	}
	return lower > c.Claimed.X+slack || upper < c.Claimed.X-slack
}

// barAxis spans the values; there is none where all of them are the same.
func barAxis(bars []bar, ratio bool) (scale, bool) {
	var values, ends []float64
	positive, infinite := true, false
	for _, b := range bars {
		infinite = infinite || math.IsInf(b.value, 0)
		for _, v := range []float64{b.value, b.claimed} {
			if format.Finite(v) {
				values = append(values, v)
				positive = positive && v > 0
			}
		}
		for _, v := range []float64{b.lower, b.upper} {
			if format.Finite(v) {
				ends = append(ends, v)
			}
		}
	}
	if ratio {
		values = append(values, 1)
	}
	if len(bars) == 0 || len(values) == 0 {
		return scale{}, false
	}
	a := scale{min: slices.Min(values), max: slices.Max(values)}
	a.log = positive && !tolerance.Above(manifold*a.min, a.max)
	spread := a.max-a.min > format.SameValue*math.Max(math.Abs(a.min), math.Abs(a.max))
	if infinite && format.Finite(1.25*a.max) { // room for the arrow
		a.max += 0.25 * math.Abs(a.max)
	}
	if !a.log && !bars[0].equation {
		a.min, a.max = math.Min(a.min, 0), math.Max(a.max, 0)
	}
	for _, v := range ends {
		switch {
		case !a.log:
			a.min, a.max = math.Min(a.min, v), math.Max(a.max, v)
		case v > 0:
			a.min, a.max = math.Min(a.min, math.Max(v, a.min/manifold)), math.Max(a.max, math.Min(v, a.max*manifold))
		}
	}
	a = a.widen()
	return a, a.drawable() && (spread || infinite || len(ends) > 0)
}

// barredRange is where the claim says that no point lies.
func barredRange(r verify.Result, a scale, ratio bool) (from, to float64, ok bool) {
	if !ratio || r.Sense == verify.Equals || r.Sense == "" {
		return 0, 0, false
	}
	above := format.IsUpperBound(r.Sense)
	if r.Claimed.X < 0 {
		above = !above
	}
	if above {
		return 1, a.max, a.max > 1
	}
	return a.min, 1, a.min < 1
}

func barCaption(r verify.Result, ratio, claimed bool) string {
	of := strings.TrimSuffix(format.Sentence(quantityOf(r)), ".")
	switch {
	case !ratio && claimed:
		return of + ": claimed → " + foundWord(r) + " at each point. A tick marks what is claimed, a dot what was " +
			foundWord(r) + "."
	case !ratio:
		return of + ", " + foundWord(r) + "."
	}
	s := of + ", divided by what is claimed at each point: 1 is the claim."
	if r.Sense != verify.Equals && r.Sense != "" {
		s += " By the claim no point is on the shaded side."
	}
	return s
}

// foundWord says how the points were found.
func foundWord(r verify.Result) string {
	if r.Exact {
		return "computed"
	}
	return "measured"
}

// mostQuantity in characters that names what was measured in a caption.
const mostQuantity = 60

// quantityOf names what was measured, for a caption.
func quantityOf(r verify.Result) string {
	of, _, _ := strings.Cut(format.OneLine(r.Quantity), "; ") // what follows is the setting
	if of == "" || utf8.RuneCountInString(of) > mostQuantity {
		return "The quantity"
	}
	return of
}

func (b bar) draw(c *Chart, x func(float64) float64, a scale, top float64, ratio bool) {
	class := "fair"
	if b.refuted {
		class = "bad"
	}
	figureWidth := letterWidth * float64(utf8.RuneCountInString(b.figure)+2)
	c.text("name", barMargin, top+11, fitting(b.at, chartWidth-2*barMargin-figureWidth))
	c.text("figure end "+class, chartWidth-barMargin, top+11, b.figure)
	y := top + 20.5
	from := a.clamp(0)
	switch {
	case ratio && (a.log || b.equation):
		from = 1
	case !ratio:
		if b.hasClaimed && format.Finite(b.claimed) {
			from = b.claimed
			c.line("claimed", x(b.claimed), y-5, x(b.claimed), y+5)
		}
	}
	c.rectangle("bar "+class, x(from), y-2.5, x(b.value), y+2.5)
	switch {
	case b.value > a.max:
		c.arrow("mark "+class, x(a.max)-2, y, 1, 0)
	case b.value < a.min:
		c.arrow("mark "+class, x(a.min)+2, y, -1, 0)
	default:
		c.dot("mark "+class, x(b.value), y, 3)
	}
	if !math.IsNaN(b.lower) {
		c.whisker(class, x(b.lower), y, x(b.upper), y, b.lower >= a.min, b.upper <= a.max)
	}
}

// whisker is an interval; an end that goes on beyond the axis has no cap.
func (c *Chart) whisker(class string, x1, y1, x2, y2 float64, capFrom, capTo bool) {
	c.line("whisker "+class, x1, y1, x2, y2)
	dx, dy := 0.0, 3.5
	if x1 == x2 {
		dx, dy = 3.5, 0
	}
	if capFrom {
		c.line("whisker "+class, x1-dx, y1-dy, x1+dx, y1+dy)
	}
	if capTo {
		c.line("whisker "+class, x2-dx, y2-dy, x2+dx, y2+dy)
	}
}

// sizes says how many of the points a picture has.
func sizes(shown, all int) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf(" %d of %s points.", shown, format.Count(int64(all)))
}
