package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// maxCurveRows is the maximum number of rows in a table of a claim's curves. A longer table shows rows at equal
// distances. The JSON form has all points.
const maxCurveRows = 6

// addCurves shows the curves that a claim's run measured, as pictures and tables.
func addCurves(s *section, r verify.Result) {
	for _, p := range chart.Pictures(slices.Concat(r.Curves, chart.BandCurves(r.Band))) {
		if band := chart.BandWords(r.Band, p.Quantity); band != "" {
			s.Say(fmt.Sprintf("%s (with a separate error probability of %.2g).", band, r.Band.Alpha))
		} else {
			s.Say(seriesWords(p, r.Curves))
		}
		if c := p.Draw(); c != nil {
			s.Add(c)
		}
		s.Add(curveTable(&p))
	}
}

// seriesWords describes a picture and the number of runs behind it.
func seriesWords(p chart.Picture, all []verify.Curve) string {
	minRuns, maxRuns := int64(math.MaxInt64), int64(0)
	for _, s := range all {
		for _, point := range s.Points {
			if s.Variable == p.Variable && s.Quantity == p.Quantity && point.Runs > 1 {
				minRuns, maxRuns = min(minRuns, point.Runs), max(maxRuns, point.Runs)
			}
		}
	}
	what := "Means of this run: " + p.Quantity
	if p.Variable != "" {
		what = "Curves of this run: " + p.Quantity + " along " + p.Variable
	}
	if p.Variable == "run" { // of the earlier runs and this one
		return "Curves over all runs: " + p.Quantity + "."
	}
	if maxRuns == 0 {
		return what + ", computed."
	}
	runs := format.Count(maxRuns)
	if minRuns < maxRuns {
		runs = format.Count(minRuns) + " to " + runs
	}
	return fmt.Sprintf("%s, over %s runs [%.0f %% interval of each mean, Student's t; no verdict rests on these].", what,
		runs, 100*verify.CurveConfidence)
}

// curveTable returns a table with a row for each place and a column for each curve.
func curveTable(p *chart.Picture) *grid {
	first := format.Right(p.Variable)
	if p.Variable == "" {
		first = format.Left("at")
	}
	t := &grid{Columns: []format.Column{first}, Wide: true, Long: true}
	type place struct {
		label string
		x     float64
	}
	var places []place
	for _, c := range p.Curves {
		t.Columns = append(t.Columns, format.Right(c.Name))
		for _, point := range c.Points {
			at := place{point.Label, point.X}
			if at.label != "" {
				at.x = 0 // the label is its only coordinate
			}
			if !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
	}
	if p.Variable != "" {
		slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.x, b.x) })
	}
	for _, at := range format.Thin(places, maxCurveRows) {
		row := []inline{words(at.label)}
		if at.label == "" {
			row[0] = words(format.Figure(verify.Num(at.x)))
		}
		for _, c := range p.Curves {
			i := slices.IndexFunc(c.Points,
				func(q chart.CurvePoint) bool { return q.Label == at.label && (q.Label != "" || q.X == at.x) })
			if i < 0 {
				row = append(row, words(format.Absent))
				continue
			}
			row = append(row, words(chart.MeanCell(c.Points[i])))
		}
		t.Row(row...)
	}
	return t
}
