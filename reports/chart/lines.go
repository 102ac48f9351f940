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

// farEnd is the factor between a point and an interval's end from which on the end does not stretch a logarithmic
// axis.
const farEnd = 30

// profileChart draws the measured against the claimed privacy loss of a claim with at least three different claimed
// values.
func profileChart(r verify.Result) *Chart {
	if r.Claim.Kind != verify.Privacy || !format.IsUpperBound(r.Sense) {
		return nil
	}
	var points []CurvePoint
	for _, c := range r.Cells {
		if !c.Claimed.Set || !c.Measured.Set || !(c.Claimed.X > 0) || !format.Finite(c.Claimed.X) ||
			math.IsNaN(c.Measured.X) {
			return nil
		}
		points = append(points, cellPoint(r, c, c.Claimed.X, 1))
	}
	claimed, measured, _, _ := columns(points)
	slices.Sort(claimed)
	if len(slices.Compact(slices.Clone(claimed))) < 3 {
		return nil
	}
	values := spanning(true, append(measured, claimed...)...).ifSpread(manifold)
	across := spanning(values.log, claimed...).widen()
	a := newPlot("measured against claimed", across, values.widen(), "claimed", "measured: "+r.Quantity)
	if a == nil {
		return nil
	}
	from, to := a.spot(across.min, across.min), a.spot(across.max,
		across.max) // both axes are logarithmic or both are linear
	a.area("barred", spot{plotLeft, plotTop}, from, to, spot{plotRight, plotTop})
	a.trace("claimed", from, to)
	for _, p := range points {
		a.point(p.look(), 0, a.up, p, a.across.at(p.X))
	}
	a.Caption = "Measured against claimed. On the line they are equal; the claim rules out the shaded side."
	return a.Chart
}

var alongVariable = regexp.MustCompile(`^([^\s=,]+)=([-+0-9.eE]+)$`)

// variable parses "n=1000".
func variable(at string) (name string, x float64, ok bool) {
	m := alongVariable.FindStringSubmatch(at)
	if m == nil {
		return "", 0, false
	}
	x, err := strconv.ParseFloat(m[2], 64)
	return m[1], x, err == nil && format.Finite(x)
}

// rateChart draws a quantity along the variable of a claimed rate: the means with their intervals, the bound, and the
// fitted slope, next to the claimed one if the claim is about the slope.
func rateChart(r verify.Result) *Chart {
	switch {
	case r.Claim.Kind == verify.Rate && len(r.Cells) >= 2:
	case r.Claim.Kind == verify.Experiment && len(r.Cells) >= bandFrom:
	default:
		return nil
	}
	name, points := "", []CurvePoint(nil)
	for _, c := range r.Cells {
		variable, x, ok := variable(c.Label)
		if !ok || !(x > 0) || name != "" && variable != name || !c.Measured.Set || !format.Finite(c.Measured.X) {
			return nil
		}
		name, points = variable, append(points, cellPoint(r, c, x, 1))
	}
	grid := slices.Clone(points) // in the order of the claim, which may be descending
	slices.SortFunc(points, func(a, b CurvePoint) int { return cmp.Compare(a.X, b.X) })
	x, y, _, claimed := columns(points)
	across, up := spanning(false, x...).ifSpread(4), spanning(false, append(y, claimed...)...).ifSpread(1)
	up.stretch(points)
	quantity := r.Quantity
	if inner, ok := strings.CutPrefix(quantity, "slope of log "); ok {
		quantity = strings.TrimSuffix(inner, " in log "+name)
	}
	a := newPlot("means along "+name, across.widen(), up.widen(), name, quantity)
	if a == nil {
		return nil
	}
	a.Caption = "Points: computed values."
	if !r.Exact {
		a.Caption = "Points: measured means with their intervals."
	}
	if f, ok := FitOf(r); ok && up.log && across.log {
		first := slices.IndexFunc(r.Cells, func(c verify.Cell) bool { return c.Label == f.From })
		a.slopes(f, grid[max(0, first):])
	}
	var bound []spot
	for _, p := range points {
		if format.Finite(p.claimed) {
			bound = append(bound, a.spot(p.X, p.claimed))
		}
	}
	if len(bound) > 1 {
		a.trace("claimed", bound...)
		a.Caption += " Line: the claimed values."
	}
	for _, p := range points {
		a.point(p.look(), 0, a.up, p, a.across.at(p.X))
	}
	return a.Chart
}

// slopes draws the fitted slope as a band through the middle of its points, and the claimed slope as a dashed line.
func (a *plot) slopes(f slopeFit, points []CurvePoint) {
	var mx, my float64
	for _, p := range points {
		mx += math.Log(p.X) / float64(len(points))
		my += math.Log(p.y) / float64(len(points))
	}
	// A line ends at the frame. The edge of a band continues along the frame.
	line := func(slope float64, within bool) (spots []spot) {
		for k := range curveSteps + 1 {
			x := a.across.min * math.Pow(a.across.max/a.across.min, float64(k)/curveSteps)
			y := math.Exp(my + slope*(math.Log(x)-mx))
			if !within || !tolerance.Above(a.up.min, y) && !tolerance.Above(y, a.up.max) {
				spots = append(spots, a.spot(x, y))
			}
		}
		return spots
	}
	if drawn(f.lower) && drawn(f.upper) {
		a.band("band", line(f.lower.X, false), line(f.upper.X, false))
	}
	a.trace("fitted", line(f.Slope.X, true)...)
	a.Caption += " Solid line and band: the fitted slope with its interval."
	if drawn(f.claimed) {
		a.trace("dashed", line(f.claimed.X, true)...)
		a.Caption += " Dashed: the claimed slope, through the middle of the points."
	}
}

// curveSteps is the number of segments of a line that may leave the frame.
const curveSteps = 24

// upright is the slope from which on a line is too steep to draw.
const upright = 1e6

func drawn(slope verify.Number) bool { return slope.Set && math.Abs(slope.X) < upright }

// slopeFit is a slope that was fitted to some of the points of a claim.
type slopeFit struct {
	Slope, lower, upper verify.Number
	claimed             verify.Number // unset if the claim is about a bound
	From                string        // first point of the fit
}

// besideBound matches a fitted slope in the method of a claim about a bound.
var besideBound = regexp.MustCompile(`slope ([-+0-9.eE]+) \[([-+0-9.eE]+), ([-+0-9.eE]+)\] from (\S+) on`)

// FitOf returns the fitted slope of a claim: its figures if the claim is about a slope, else the slope that its
// method states. It reports false if there is no slope or it is too steep to draw.
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
