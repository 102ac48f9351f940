package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/tolerance"
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
// is claimed. nil where they are few, or no curves.
func families(r verify.Result) *Chart {
	var along string
	var curves, claimed []verify.Curve
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
		k := slices.IndexFunc(curves, func(s verify.Curve) bool { return s.Name == c.Label[:i] })
		if k < 0 {
			k = len(curves)
			curves = append(curves, verify.Curve{Name: c.Label[:i]})
			claimed = append(claimed, verify.Curve{Name: "claimed"})
		}
		point := verify.CurvePoint{X: verify.Num(x), Mean: c.Measured}
		if lower, upper, ok := interval(c); ok {
			point.Lower, point.Upper = verify.Num(lower), verify.Num(upper)
		}
		curves[k].Points = append(curves[k].Points, point)
		claimed[k].Points = append(claimed[k].Points, verify.CurvePoint{X: point.X, Mean: c.Claimed})
	}
	few := func(s verify.Curve) bool { return len(s.Points) < familyPoints }
	curves, claimed = slices.DeleteFunc(curves, few), slices.DeleteFunc(claimed, few)
	if len(curves) == 0 || len(curves) > mostFamilies {
		return nil
	}
	for _, s := range claimed[1:] {
		if !slices.Equal(s.Points, claimed[0].Points) {
			return nil // there is no one line that is claimed
		}
	}
	return drawnAlong(r, along, append(curves, claimed[0]))
}

// drawnAlong draws curves; what has no place on a logarithmic axis leaves a gap.
func drawnAlong(r verify.Result, along string, curves []verify.Curve) *Chart {
	spread := func(of func(verify.CurvePoint) verify.Number, factor float64) bool {
		least, most := math.Inf(1), 0.0
		for _, s := range curves {
			for _, p := range s.Points {
				if x := of(p); x.X > 0 && format.Finite(x.X) {
					least, most = math.Min(least, x.X), math.Max(most, x.X)
				}
			}
		}
		return most > 0 && !tolerance.Above(factor*least, most)
	}
	p := Picture{Title: r.Quantity + " along " + along, Variable: along, Quantity: r.Quantity,
		LogX: spread(func(p verify.CurvePoint) verify.Number { return p.X }, manifold),
		LogY: spread(func(p verify.CurvePoint) verify.Number { return p.Mean }, manifold)}
	p.Note = format.Sentence(quantityOf(r) + " along " + along + ", " + foundWord(r) + ", and what is claimed of it")
	for _, s := range curves {
		p.Add(s)
	}
	return p.Draw()
}
