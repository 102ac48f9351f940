package witness

import "github.com/dpverify/dpverify/empirical/witness/internal/order"

// column is a score's values in all rows of a table, and the rows in the order of the values;
// those of which the value is a symbol or NaN have none.
type column struct {
	values []float64
	order  []int32
}

func newColumn(score func(row []float64) float64, t *table) *column {
	values := t.values(score)
	return &column{values, order.Of(len(values), func(i int) float64 { return values[i] })}
}

// groups are the different values, ascending, with the counts of their rows in a table.
func (c *column) groups(t *table) []valued {
	different := 0
	for i, row := range c.order {
		if i == 0 || c.values[row] != c.values[c.order[i-1]] {
			different++
		}
	}
	out := make([]valued, 0, different)
	for _, row := range c.order {
		if v := c.values[row]; len(out) == 0 || out[len(out)-1].v != v {
			out = append(out, valued{v: v})
		}
		last := &out[len(out)-1]
		last.a, last.b = last.a+t.a[row], last.b+t.b[row]
	}
	return out
}

// valued is a score with the counts of the rows that have it.
type valued struct{ v, a, b float64 }

// ascending is values in their order.
func ascending(values []valued) []valued {
	out := make([]valued, len(values))
	for i, place := range order.Of(len(values), func(i int) float64 { return values[i].v }) {
		out[i] = values[place]
	}
	return out
}
