package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// manifold is the ratio of the largest value to the smallest from which on an axis is logarithmic.
const manifold = 20

// barChart draws a row for each point that the tables show: the ratio of the measured to the claimed value, with the
// claim at 1, or the values themselves.
func barChart(r verify.Result, ratio bool) *Chart {
	var points []CurvePoint
	var figures []string
	for _, i := range ChooseCells(r.Evidence) {
		c, unit := r.Cells[i], 1.0
		if !c.Measured.Set || math.IsNaN(c.Measured.X) {
			continue
		}
		if ratio {
			unit = c.Claimed.X
		}
		points = append(points, cellPoint(r, c, math.NaN(), unit))
		figures = append(figures, barFigure(r, c, ratio))
	}
	values, ok := barScale(points, ratio, equation(r))
	if !ok {
		return nil
	}
	c := newRows("measured against claimed at each point", values, 6, len(points))
	c.Caption = barCaption(r, ratio, !math.IsNaN(points[0].claimed)) + sizes(len(points), len(r.Cells))
	bottom := c.top + rowTall*float64(len(points))
	if from, to, barred := barredRange(r, values, ratio); barred {
		c.rectangle("barred", c.spot(from, c.top), c.spot(to, bottom))
	}
	if ratio {
		c.trace("claimed", c.spot(1, c.top), c.spot(1, bottom))
	}
	for i, p := range points {
		y, from := c.line(i), values.clamp(0)
		switch {
		case ratio && (values.log || equation(r)):
			from = 1
		case !ratio && format.Finite(p.claimed):
			from = p.claimed
			c.trace("claimed", c.spot(from, y-5), c.spot(from, y+5))
		}
		c.rectangle("bar "+p.look(), c.spot(from, y-2.5), c.spot(p.y, y+2.5))
		c.row(i, p.Label, figures[i], " "+p.look(), p.look(), 0, p)
	}
	return c.Chart
}

// equation reports whether a claim is an equation rather than an inequality.
func equation(r verify.Result) bool { return r.Sense == verify.Equals || r.Sense == "" }

// comparable reports whether all shown points have a ratio: their claimed values are finite and have one sign.
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

// barFigure returns the figure at the end of a row.
func barFigure(r verify.Result, c verify.Cell, ratio bool) string {
	quotient := verify.Number{}
	if ratio {
		quotient = verify.Num(c.Measured.X / c.Claimed.X)
	}
	switch f := format.BriefPoint(c, quotient, format.SameAs(r.Verdict)); {
	case ratio:
		return "× " + f.Ratio
	case c.Claimed.Set:
		return f.Claimed + " → " + f.Measured
	default:
		return f.Measured
	}
}

// beyond reports whether a point breaks the claim. If the point has an interval, the whole interval must.
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

// barScale returns the range of the bars. It reports false if all values are the same and have no intervals.
func barScale(points []CurvePoint, ratio, equation bool) (scale, bool) {
	_, values, _, claimed := columns(points)
	a := spanning(false, append(values, claimed...)...)
	if ratio && len(points) > 0 {
		a.take(1)
	}
	if a.min > a.max {
		return a, false
	}
	differ := a.max-a.min > format.SameValue*math.Max(math.Abs(a.min), math.Abs(a.max))
	a = a.ifSpread(manifold)
	infinite := slices.ContainsFunc(values, func(x float64) bool { return math.IsInf(x, 0) })
	if infinite && format.Finite(1.25*a.max) { // leave room for the arrow
		a.max += 0.25 * math.Abs(a.max)
	}
	if !a.log && !equation {
		a.take(0)
	}
	a.stretch(points)
	a = a.widen()
	return a, a.drawable() && (differ || infinite || slices.ContainsFunc(points, CurvePoint.barred))
}

// barredRange returns the range of ratios that the claim rules out.
func barredRange(r verify.Result, a scale, ratio bool) (from, to float64, ok bool) {
	if !ratio || equation(r) {
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
		return of + ": claimed → " + foundWord(r) + " at each point. Tick: the claimed value. Dot: the " +
			foundWord(r) + " one."
	case !ratio:
		return of + ", " + foundWord(r) + "."
	}
	s := of + ", divided by the claimed value at each point: 1 is the claim."
	if !equation(r) {
		s += " The claim rules out the shaded side."
	}
	return s
}

// foundWord returns "computed" or "measured".
func foundWord(r verify.Result) string {
	if r.Exact {
		return "computed"
	}
	return "measured"
}

// maxQuantity is the maximum length, in characters, of a quantity in a caption.
const maxQuantity = 60

// quantityOf returns the measured quantity, for a caption.
func quantityOf(r verify.Result) string {
	of, _, _ := strings.Cut(format.OneLine(r.Quantity), "; ") // the setting follows
	if of == "" || utf8.RuneCountInString(of) > maxQuantity {
		return "The quantity"
	}
	return of
}

// sizes says how many of a claim's points a picture shows, "" if it shows all.
func sizes(shown, all int) string {
	if shown == all {
		return ""
	}
	return fmt.Sprintf(" %d of %s points.", shown, format.Count(int64(all)))
}
