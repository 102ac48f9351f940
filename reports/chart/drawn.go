package chart

import (
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Draw draws a claim for a reader who does not see its table, whatever the verdict is. It draws the curves that the
// run measured. A claim without curves is drawn as a map of two variables or as curves along its last variable. If
// its points have names, bars show the claimed and the measured values. All other claims are drawn as by [NewChart].
// Draw returns nil if no axis has a length.
func Draw(r verify.Result) *Chart {
	for _, p := range Pictures(r.Curves) {
		if c := p.Draw(); c != nil {
			return c
		}
	}
	if p, ok := planeOf(r.Evidence); ok {
		return planeChart(r, p)
	}
	if c := families(r); c != nil {
		return c
	}
	if !slices.ContainsFunc(r.Cells, func(c verify.Cell) bool { return strings.Contains(c.Label, "=") }) {
		return barChart(r, false)
	}
	if c := NewChart(r); c != nil {
		return c
	}
	return barChart(r, comparable(r.Evidence))
}

const (
	familyPoints = 4 // minimum number of points in a curve along the last variable
	maxFamilies  = 5 // maximum number of curves that a reader can distinguish
)

// families draws the points as curves along their last variable, one for each choice of the other variables, and the
// claimed curve. It returns nil if the points do not form a few such curves with the same claimed values. A point
// without a place on a logarithmic axis leaves a gap.
func families(r verify.Result) *Chart {
	var along string
	var curves []curve
	for _, c := range r.Cells {
		i := strings.LastIndex(c.Label, ", ")
		if i < 0 {
			return nil
		}
		name, x, ok := variable(c.Label[i+2:])
		if !ok || along != "" && name != along || !c.Measured.Set || !c.Claimed.Set {
			return nil
		}
		along = name
		k := slices.IndexFunc(curves, func(s curve) bool { return s.Name == c.Label[:i] })
		if k < 0 {
			k = len(curves)
			curves = append(curves, curve{Name: c.Label[:i]})
		}
		point := cellPoint(r, c, x, 1)
		point.Label = "" // the axes show its place
		curves[k].Points = append(curves[k].Points, point)
	}
	curves = slices.DeleteFunc(curves, func(c curve) bool { return len(c.Points) < familyPoints })
	if len(curves) == 0 || len(curves) > maxFamilies {
		return nil
	}
	p := Picture{Title: r.Quantity + " along " + along, Variable: along, Quantity: r.Quantity,
		Note: format.Sentence(quantityOf(r) + " along " + along + ", " + foundWord(r) + ", and its claimed value")}
	across, up := spanning(true), spanning(true)
	xs, _, _, limits := columns(curves[0].Points)
	for _, s := range curves {
		x, y, _, claimed := columns(s.Points)
		if !slices.Equal(x, xs) || !slices.Equal(claimed, limits) {
			return nil // the curves have no claimed line in common
		}
		across.take(x...)
		up.take(append(y, claimed...)...)
	}
	p.LogX, p.LogY = across.ifSpread(manifold).log, up.ifSpread(manifold).log
	var claimed []CurvePoint
	for i, x := range xs {
		claimed = append(claimed, newPoint("", verify.Num(x), verify.Num(limits[i])))
	}
	for _, s := range append(curves, curve{"claimed", claimed}) {
		p.add(s.Name, s.Points)
	}
	return p.Draw()
}
