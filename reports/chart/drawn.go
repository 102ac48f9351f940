package chart

import (
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Draw draws a claim for a reader who sees no table beside it, whatever its verdict is: the curves that its run
// measured, else of its points a map of two variables, curves along one, the printed beside the computed values
// of what has a name, else as [NewChart] does. nil where there is no axis.
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
	familyPoints = 4 // of a curve along the last variable
	mostFamilies = 5 // curves that can be told apart
)

// families are the points as curves along their last variable, one for each choice of the others, with what
// is claimed. nil where they are few, or no curves. What has no place on a logarithmic axis leaves a gap.
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
		point.Label = "" // the axes have its place
		curves[k].Points = append(curves[k].Points, point)
	}
	curves = slices.DeleteFunc(curves, func(c curve) bool { return len(c.Points) < familyPoints })
	if len(curves) == 0 || len(curves) > mostFamilies {
		return nil
	}
	p := Picture{Title: r.Quantity + " along " + along, Variable: along, Quantity: r.Quantity,
		Note: format.Sentence(quantityOf(r) + " along " + along + ", " + foundWord(r) + ", and what is claimed of it")}
	across, up := spanning(true), spanning(true)
	xs, _, _, limits := columns(curves[0].Points)
	for _, s := range curves {
		x, y, _, claimed := columns(s.Points)
		if !slices.Equal(x, xs) || !slices.Equal(claimed, limits) {
			return nil // there is no one line that is claimed
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
