package distinguisher

import (
	"cmp"
	"slices"
)

// Score is a number computed from an output; NaN where the output has none.
type Score struct {
	// Classes counts the values of a score that are whole numbers from 0 on and have no order;
	// 0 of others.
	Classes int
	plan    *arrangement
	eval    func(row []float64) float64
}

// Value is the score of a row, arranged as the rows that it was made from.
func (s Score) Value(row []float64) float64 { return s.eval(s.plan.arranged(row)) }

// mostClasses of whole outputs have a class of their own; all others share one.
const mostClasses = 24

// Leading returns the features in which two samples of at least one row differ most, at most so
// many, the strongest first; and, where outputs repeat, the classes of whole outputs. Nothing is
// fitted to the rows but the choice.
func Leading(a, b *Rows, most int) (scores []Score) {
	a, b = SameWidth(a, b)
	a, b = arrange(a, b)
	t, plan := newTable(a, b), planOf(a)
	defer t.close()
	type ranked struct {
		Feature
		differs float64
	}
	var all []ranked
	for _, f := range featuresOf(t) {
		all = append(all, ranked{f, differs(newColumn(f.eval, f.known, t).groups)})
	}
	slices.SortStableFunc(all, func(x, y ranked) int { return cmp.Compare(y.differs, x.differs) })
	for _, f := range all[:min(most, len(all))] {
		scores = append(scores, Score{plan: plan, eval: f.eval})
	}
	if different := len(t.a); float64(different) <= (t.na+t.nb)/2 {
		scores = append(scores, wholeOutputs(t, plan))
	}
	return scores
}

// planOf rows, of those without details too.
func planOf(s *Rows) *arrangement {
	if s.plan != nil {
		return s.plan
	}
	return &arrangement{values: s.Width, width: s.Width}
}

// differs is Pearson's χ² of two samples over the quarters of both together, less its degrees
// of freedom.
func differs(values []valued) float64 {
	all := 0.0
	for _, v := range values {
		all += v.a + v.b
	}
	sum, seen := 0.0, 0.0
	var a, b float64
	for _, v := range values {
		a, b, seen = a+v.a, b+v.b, seen+v.a+v.b
		if a+b >= all/4 || seen == all {
			sum += (a-b)*(a-b)/(a+b) - 1
			a, b = 0, 0
		}
	}
	return sum
}

// wholeOutputs has a class for each of the commonest outputs.
func wholeOutputs(t *table, plan *arrangement) Score {
	order := make([]int, len(t.a))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(t.a[j]+t.b[j], t.a[i]+t.b[i]) })
	class := make(map[uint64]float64)
	for k, i := range order[:min(len(order), mostClasses)] {
		class[rowKey(t.row(i))] = float64(k)
	}
	other := float64(len(class))
	return Score{Classes: len(class) + 1, plan: plan, eval: func(row []float64) float64 {
		if k, ok := class[rowKey(row)]; ok {
			return k
		}
		return other
	}}
}

// arranged is a row as the rows of the arrangement are, cut or filled with Absent.
func (p *arrangement) arranged(row []float64) []float64 {
	if len(p.details) > 0 || len(row) > 0 && isMark(row[0]) {
		out := make([]float64, p.width)
		p.fill(out, row)
		row = out
	}
	for len(row) < p.width {
		row = append(row[:len(row):len(row)], Absent)
	}
	return row[:p.width]
}
