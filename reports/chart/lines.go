package chart

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Measures of a chart with two axes.
const (
	plotBottom = 212.0
	plotTop    = 26.0
	plotLeft   = 46.0
	plotRight  = chartWidth - 12.0
	plotTall   = 244
	// farther than this factor from its point an interval does not stretch the axis.
	farEnd = 30
)

// axes are those of a chart.
type axes struct {
	*Chart
	across, up scale
}

func (a axes) x(v float64) float64 { return a.across.toward(v, plotLeft, plotRight) }
func (a axes) y(v float64) float64 { return a.up.toward(v, plotBottom, plotTop) }

func newAxes(title string, across, up scale, xName, yName string) axes {
	a := axes{&Chart{Width: chartWidth, Height: plotTall, Title: title}, across, up}
	at, names := across.labels(plotRight-plotLeft, false)
	for i, v := range at {
		a.line("grid", a.x(v), plotTop, a.x(v), plotBottom)
		a.text("tick middle", a.x(v), plotBottom+13, names[i])
	}
	at, names = up.labels(plotBottom-plotTop, true)
	for i, v := range at {
		a.line("grid", plotLeft, a.y(v), plotRight, a.y(v))
		a.text("tick end", plotLeft-5, a.y(v)+3.5, names[i])
	}
	a.line("axis", plotLeft, plotBottom, plotRight, plotBottom)
	a.line("axis", plotLeft, plotTop, plotLeft, plotBottom)
	a.between()
	a.text("name", 4, 12, fitting(yName, chartWidth-8))
	a.text("name end", plotRight, plotBottom+28, fitting(xName, chartWidth-8))
	return a
}

// between marks the places of the axes that have no label.
func (a axes) between() {
	var marks []string
	for _, v := range a.across.between() {
		marks = append(marks, moveTo(a.x(v), plotBottom), lineTo(a.x(v), plotBottom+3))
	}
	for _, v := range a.up.between() {
		marks = append(marks, moveTo(plotLeft-3, a.y(v)), lineTo(plotLeft, a.y(v)))
	}
	a.path("axis", marks...)
}

// plotPoint is a measured point with its interval, NaN without one, and what is
// claimed there, NaN where nothing is.
type plotPoint struct {
	x, y, lower, upper, claimed float64
	refuted                     bool
}

func newPlotPoint(r verify.Result, c verify.Cell, x float64) plotPoint {
	p := plotPoint{x: x, y: c.Measured.X, lower: math.NaN(), upper: math.NaN(), claimed: math.NaN()}
	if lower, upper, ok := interval(c); ok {
		p.lower, p.upper = lower, upper
	}
	if c.Claimed.Set {
		p.claimed = c.Claimed.X
		p.refuted = format.IsWrong(r.Verdict) && beyond(r.Sense, c)
	}
	return p
}

// point draws a measured point; one beyond the axis becomes an arrow at its end.
func (a axes) point(p plotPoint) {
	class := "fair"
	if p.refuted {
		class = "bad"
	}
	if !math.IsNaN(p.lower) {
		a.whisker(class, a.x(p.x), a.y(p.lower), a.x(p.x), a.y(p.upper), p.lower >= a.up.min, p.upper <= a.up.max)
	}
	switch {
	case p.y > a.up.max:
		a.arrow("mark "+class, a.x(p.x), plotTop+6, 0, -1)
	case p.y < a.up.min:
		a.arrow("mark "+class, a.x(p.x), plotBottom-6, 0, 1)
	default:
		a.dot("mark "+class, a.x(p.x), a.y(p.y), 3.2)
	}
}

// profileChart sets the privacy measured against the privacy claimed, where a
// claim has at least three different ones.
func profileChart(r verify.Result) *Chart {
	if r.Claim.Kind != verify.Privacy || !format.IsUpperBound(r.Sense) {
		return nil
	}
	var points []plotPoint
	var claimed, values []float64
	for _, c := range r.Cells {
		if !c.Claimed.Set || !c.Measured.Set || !(c.Claimed.X > 0) || !format.Finite(c.Claimed.X) ||
			math.IsNaN(c.Measured.X) {
			return nil
		}
		points = append(points, newPlotPoint(r, c, c.Claimed.X))
		claimed, values = append(claimed, c.Claimed.X), append(values, c.Claimed.X)
		if c.Measured.X > 0 && format.Finite(c.Measured.X) {
			values = append(values, c.Measured.X)
		}
	}
	slices.Sort(claimed)
	if claimed = slices.Compact(claimed); len(claimed) < 3 {
		return nil
	}
	log := !tolerance.Above(manifold*slices.Min(values), slices.Max(values))
	across := scale{claimed[0], claimed[len(claimed)-1], log}.widen()
	up := scale{slices.Min(values), slices.Max(values), log}.widen()
	if !across.drawable() || !up.drawable() {
		return nil
	}
	a := newAxes("measured against claimed", across, up, "claimed", "measured: "+r.Quantity)
	var line, shade []string
	steps := pathAlong(across, func(x float64) (float64, float64) { return a.x(x), a.y(x) })
	line = append(line, steps...)
	shade = append(append(shade, moveTo(plotLeft, plotTop)), asLines(steps)...)
	shade = append(shade, lineTo(plotRight, plotTop), "Z")
	a.path("barred", shade...)
	a.path("claimed", line...)
	for _, p := range points {
		a.point(p)
	}
	a.Caption = "Measured against claimed. On the line they are equal; the claim rules out the shaded side."
	return a.Chart
}

// curveSteps is the number of pieces of a drawn curve, as many as show no corner.
const curveSteps = 24

// pathAlong walks an axis in even steps of the paper.
func pathAlong(across scale, at func(x float64) (float64, float64)) []string {
	return pathWhere(across, func(v float64) (x, y float64, ok bool) {
		x, y = at(v)
		return x, y, true
	})
}

// pathWhere leaves out the steps that are not ok.
func pathWhere(across scale, at func(v float64) (x, y float64, ok bool)) []string {
	steps := make([]string, 0, curveSteps+1)
	for k := range curveSteps + 1 {
		f := float64(k) / curveSteps
		v := across.min + f*(across.max-across.min)
		if across.log {
			v = across.min * math.Pow(across.max/across.min, f)
		}
		x, y, ok := at(v)
		if !ok {
			continue
		}
		if len(steps) == 0 {
			steps = append(steps, moveTo(x, y))
		} else {
			steps = append(steps, lineTo(x, y))
		}
	}
	return steps
}

// asLines makes a path the continuation of another.
func asLines(path []string) []string {
	path = slices.Clone(path)
	path[0] = "L" + strings.TrimPrefix(path[0], "M")
	return path
}

var alongVariable = regexp.MustCompile(`^([^\s=,]+)=([-+0-9.eE]+)$`)

// variable reads "n=1000".
func variable(at string) (name string, x float64, ok bool) {
	m := alongVariable.FindStringSubmatch(at)
	if m == nil {
		return "", 0, false
	}
	x, err := strconv.ParseFloat(m[2], 64)
	return m[1], x, err == nil && format.Finite(x)
}

// rateChart draws a quantity along the variable in which a rate is claimed: the
// means with their intervals, the bound, and the slope fitted beside the claimed
// one where the claim is about the slope.
func rateChart(r verify.Result) *Chart {
	switch {
	case r.Claim.Kind == verify.Rate && len(r.Cells) >= 2:
	case r.Claim.Kind == verify.Experiment && len(r.Cells) >= bandFrom:
	default:
		return nil
	}
	name, points := "", []plotPoint(nil)
	for _, c := range r.Cells {
		variable, x, ok := variable(c.Label)
		if !ok || !(x > 0) || name != "" && variable != name || !c.Measured.Set || !format.Finite(c.Measured.X) {
			return nil
		}
		name, points = variable, append(points, newPlotPoint(r, c, x))
	}
	grid := slices.Clone(points) // in the order of the claim, which may fall
	slices.SortFunc(points, func(a, b plotPoint) int { return cmp.Compare(a.x, b.x) })
	across, up := rateScales(points)
	if !across.drawable() || !up.drawable() {
		return nil
	}
	quantity := r.Quantity
	if inner, ok := strings.CutPrefix(quantity, "slope of log "); ok {
		quantity = strings.TrimSuffix(inner, " in log "+name)
	}
	a := newAxes("means along "+name, across, up, name, quantity)
	a.Caption = "Points: computed values."
	if !r.Exact {
		a.Caption = "Points: measured means with their intervals."
	}
	if f, ok := FitOf(r); ok && up.log && across.log {
		first := slices.IndexFunc(r.Cells, func(c verify.Cell) bool { return c.Label == f.From })
		a.slopes(f, grid[max(0, first):])
	}
	a.bound(points)
	for _, p := range points {
		a.point(p)
	}
	return a.Chart
}

func rateScales(points []plotPoint) (across, up scale) {
	across = scale{points[0].x, points[len(points)-1].x, false}
	across.log = !tolerance.Above(4*across.min, across.max)
	up = scale{math.Inf(1), math.Inf(-1), true}
	take := func(v float64) {
		if format.Finite(v) {
			up.min, up.max = math.Min(up.min, v), math.Max(up.max, v)
		}
	}
	for _, p := range points {
		up.log = up.log && p.y > 0 && !(p.claimed <= 0)
		take(p.y)
		take(p.claimed)
	}
	for _, p := range points {
		if !up.log {
			take(p.lower)
			take(p.upper)
			continue
		}
		if p.lower > 0 {
			take(math.Max(p.lower, p.y/farEnd))
		}
		if p.upper > 0 {
			take(math.Min(p.upper, p.y*farEnd))
		}
	}
	return across.widen(), up.widen()
}

// bound joins what is claimed at the points.
func (a axes) bound(points []plotPoint) {
	var steps []string
	for _, p := range points {
		if !format.Finite(p.claimed) {
			continue
		}
		if steps == nil {
			steps = append(steps, moveTo(a.x(p.x), a.y(p.claimed)))
		} else {
			steps = append(steps, lineTo(a.x(p.x), a.y(p.claimed)))
		}
	}
	if len(steps) > 1 {
		a.path("claimed", steps...)
		a.Caption += " Line: what is claimed."
	}
}

// slopes draws the fitted slope as a band through the middle of its points, and
// the claimed one as a dashed line.
func (a axes) slopes(f slopeFit, points []plotPoint) {
	var mx, my float64
	for _, p := range points {
		mx += math.Log(p.x) / float64(len(points))
		my += math.Log(p.y) / float64(len(points))
	}
	along := func(slope float64) []string {
		return pathAlong(a.across, func(x float64) (float64, float64) {
			return a.x(x), a.y(math.Exp(my + slope*(math.Log(x)-mx)))
		})
	}
	// A line ends where it leaves the frame; only the edge of a band runs along it.
	within := func(slope float64) []string {
		return pathWhere(a.across, func(x float64) (float64, float64, bool) {
			y := math.Exp(my + slope*(math.Log(x)-mx))
			return a.x(x), a.y(y), !tolerance.Above(a.up.min, y) && !tolerance.Above(y, a.up.max)
		})
	}
	if drawn(f.lower) && drawn(f.upper) {
		back := along(f.lower.X)
		slices.Reverse(back)
		for i := range back {
			back[i] = "L" + back[i][1:]
		}
		a.path("band", append(append(along(f.upper.X), back...), "Z")...)
	}
	a.path("fitted", within(f.Slope.X)...)
	a.Caption += " Solid line and band: the fitted slope with its interval."
	if drawn(f.claimed) {
		a.path("dashed", within(f.claimed.X)...)
		a.Caption += " Dashed: the claimed slope, through the middle of the points."
	}
}

// upright is a slope from which a line is none to the eye.
const upright = 1e6

func drawn(slope verify.Number) bool { return slope.Set && math.Abs(slope.X) < upright }

// slopeFit is a slope that was fitted to some of the points of a claim.
type slopeFit struct {
	Slope, lower, upper verify.Number
	claimed             verify.Number // absent where the claim is about a bound
	From                string        // the point from which on it was fitted
}

// besideBound is how a verifier tells of the slope beside a bound.
var besideBound = regexp.MustCompile(`slope ([-+0-9.eE]+) \[([-+0-9.eE]+), ([-+0-9.eE]+)\] from (\S+) on`)

// FitOf is the slope of a claim about a slope, which its figures are, or the one
// beside a bound, which its method tells.
func FitOf(r verify.Result) (slopeFit, bool) {
	if strings.HasPrefix(r.Quantity, "slope") {
		from, _, _ := strings.Cut(r.WorstCase, " … ")
		return slopeFit{r.Measured, r.Lower, r.Upper, r.Claimed, from}, drawn(r.Measured)
	}
	m := besideBound.FindStringSubmatch(r.Method)
	if m == nil {
		return slopeFit{}, false
	}
	f := slopeFit{Slope: verify.Num(format.ParseFigure(m[1])), lower: verify.Num(format.ParseFigure(m[2])),
		upper: verify.Num(format.ParseFigure(m[3])), From: m[4]}
	return f, drawn(f.Slope)
}
