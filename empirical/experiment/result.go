package experiment

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// result returns the result of the finished parts of a task.
func (t Task) result(p Panel, outcomes []Outcome) result.Result {
	r := result.Result{
		Name: p.Name, Title: p.Title, XLabel: t.XLabel, YLabel: t.YLabel, LogX: t.LogX, LogY: t.LogY,
		Labels: t.Labels, Notes: append([]string(nil), t.Notes...), State: result.Finished,
	}
	places := make(map[string]int)
	for _, outcome := range outcomes {
		unit := outcome.Unit
		at, known := places[unit.Series]
		if !known {
			at = len(r.Series)
			places[unit.Series] = at
			r.Series = append(r.Series, result.Series{Name: unit.Series})
		}
		for i, x := range unit.X {
			if values := outcome.Over(i); len(values) > 0 {
				addPoint(&r.Series[at], x, values, t.bounds())
				addPrinted(&r.Series[at], unit, i)
			}
		}
	}
	return r
}

func (t Task) bounds() (b [2]float64) {
	if t.Min == 0 && t.Max == 0 {
		return [2]float64{math.Inf(-1), math.Inf(1)}
	}
	return [2]float64{t.Min, t.Max}
}

// addPoint appends mean, standard deviation and interval of the values at x. It uses Student's interval, clipped to
// the bounds. The interval assumes normal repeats: a good approximation for error rates over thousands of rows, a
// rough one for few repeats.
func addPoint(s *result.Series, x float64, values []float64, bounds [2]float64) {
	n := float64(len(values))
	mean, sd, half := values[0], math.NaN(), math.NaN()
	if len(values) > 1 {
		mean, sd = stat.MeanStdDev(values, nil)
		half = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1+result.Confidence)/2) * sd / math.Sqrt(n)
	}
	s.X = append(s.X, x)
	s.Mean = append(s.Mean, mean)
	s.SD = append(s.SD, sd)
	s.Lower = append(s.Lower, math.Max(bounds[0], mean-half)) // NaN stays NaN
	s.Upper = append(s.Upper, math.Min(bounds[1], mean+half))
	s.N = append(s.N, len(values))
}

// addPrinted appends the paper's values at point i of the unit; a series without paper values has nil.
func addPrinted(s *result.Series, unit Unit, i int) {
	for _, p := range []struct {
		all  *[]float64
		from []float64
	}{{&s.Reported, unit.Reported}, {&s.ReportedSD, unit.ReportedSD}} {
		if p.from == nil && *p.all == nil {
			continue
		}
		for len(*p.all) < len(s.X) {
			*p.all = append(*p.all, math.NaN())
		}
		if p.from != nil {
			(*p.all)[len(s.X)-1] = p.from[i]
		}
	}
}

// check returns an error if the declaration of a task is invalid.
func (t Task) check(o Options) error {
	switch {
	case t.XLabel == "" || t.YLabel == "":
		return fmt.Errorf("an axis label is missing: set XLabel and YLabel")
	case len(t.Units) == 0:
		return fmt.Errorf("no units")
	case !(t.Min <= t.Max):
		return fmt.Errorf("values from %v to %v", t.Min, t.Max)
	}
	keys := make(map[string]bool)
	for i, unit := range t.Units {
		key := unit.key()
		switch {
		case unit.Series == "" || unit.Run == nil:
			return fmt.Errorf("unit %d (%s): no series or no function", i, key)
		case keys[key]:
			return fmt.Errorf("two units have the key %q: set Key", key)
		case len(unit.X) == 0 || unit.Aside < 0:
			return fmt.Errorf("unit %q: %d points, %d values aside", key, len(unit.X), unit.Aside)
		case unit.Reported != nil && len(unit.Reported) != len(unit.X) ||
			unit.ReportedSD != nil && len(unit.ReportedSD) != len(unit.X):
			return fmt.Errorf("unit %q: %d points, %d and %d printed figures", key, len(unit.X), len(unit.Reported),
				len(unit.ReportedSD))
		case !unit.Once && t.repeats(o, unit) < 2:
			return fmt.Errorf("unit %q: %d repeats: a deviation needs at least 2", key, t.repeats(o, unit))
		}
		for _, x := range unit.X {
			if math.IsNaN(x) || math.IsInf(x, 0) ||
				t.Labels != nil && !(x >= 0 && x < float64(len(t.Labels)) && x == math.Trunc(x)) {
				return fmt.Errorf("unit %q: x = %v: want a finite number, in a table the index of a label", key, x)
			}
		}
		keys[key] = true
	}
	return nil
}

func (t Task) repeats(o Options, u Unit) int {
	switch {
	case u.Once:
		return 1
	case o.Repeats > 0:
		return o.Repeats
	}
	return t.Repeats
}
