package distinguisher

import (
	"cmp"
	"slices"
)

// Score is a number computed from an output; NaN if the output has none.
type Score struct {
	// Classes is the number of values of a score without order, whose values are 0, 1, …. It is 0 for ordered
	// scores.
	Classes int
	plan    *arrangement
	eval    func(row []float64) float64
}

// Value returns the score of a row, which it arranges like the rows of the search.
func (s Score) Value(row []float64) float64 { return s.eval(s.plan.arranged(row)) }

// Score returns the score of the event.
func (w *Event) Score() Score { return Score{plan: w.plan, eval: w.score} }

// maxClasses is the number of whole outputs that have a class of their own. All others share one.
const maxClasses = 24

// Leading returns the features in which two samples of at least one row differ most, strongest first, at most the
// given number. If outputs repeat, it appends the classes of whole outputs. Only the choice of features depends on
// the rows.
func Leading(a, b *Rows, limit int) (scores []Score) {
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
	for _, f := range all[:min(limit, len(all))] {
		scores = append(scores, Score{plan: plan, eval: f.eval})
	}
	if different := len(t.a); float64(different) <= (t.na+t.nb)/2 {
		scores = append(scores, wholeOutputs(t, plan))
	}
	return scores
}

// planOf returns the arrangement of rows, including rows without details.
func planOf(s *Rows) *arrangement {
	if s.plan != nil {
		return s.plan
	}
	return &arrangement{values: s.Width, width: s.Width}
}

// differs returns Pearson's χ² of two samples over the quartiles of the pooled values, minus its degrees of
// freedom.
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

// wholeOutputs returns the score with a class for each of the most common outputs.
func wholeOutputs(t *table, plan *arrangement) Score {
	order := make([]int, len(t.a))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(t.a[j]+t.b[j], t.a[i]+t.b[i]) })
	class := make(map[uint64]float64)
	for k, i := range order[:min(len(order), maxClasses)] {
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

// arranged returns a row in the layout of the arrangement, cut or padded with Absent.
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
