package witness

import "slices"

// column is a score's values in all rows of a table, and the rows in the order of the values;
// those of which the value is a symbol or NaN have none. It is valid up to the next column of a search.
type column struct {
	values []float64
	order  []int32
	groups []valued // the different values, ascending, with the counts of their rows
}

// newColumn is the column of a score; known is nil, or gets its values sooner than row by row.
func newColumn(score func(row []float64) float64, known func(t *table) []float64, t *table) *column {
	if known == nil {
		t.scratch.values = t.fill(t.scratch.values, score)
		known = func(t *table) []float64 { return t.scratch.values }
	}
	c := &column{values: known(t)}
	c.order = t.sorter.Of(c.values)
	groups := slices.Grow(t.scratch.groups[:0], len(c.order))
	for i, row := range c.order {
		v := c.values[row]
		if i == 0 || v != groups[len(groups)-1].v {
			groups = append(groups, valued{v: v})
		}
		last := &groups[len(groups)-1]
		last.a, last.b = last.a+t.a[row], last.b+t.b[row]
	}
	t.scratch.groups, c.groups = groups, groups
	return c
}

// valued is a score with the counts of the rows that have it.
type valued struct{ v, a, b float64 }

// ascending is values in their order.
func (s *scratch) ascending(values []valued) []valued {
	s.values = slices.Grow(s.values[:0], len(values))[:len(values)]
	for i, v := range values {
		s.values[i] = v.v
	}
	places := s.sorter.Of(s.values)
	out := make([]valued, len(places))
	for i, place := range places {
		out[i] = values[place]
	}
	return out
}
