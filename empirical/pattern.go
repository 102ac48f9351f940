package empirical

import "math"

// patterns scores whole outputs by how often each was seen in either sample: the
// witness for discrete outputs.
type patterns map[uint64]float64

// newPatterns scores the rows of a table; nil where there are more than most.
// Each log ratio is drawn towards zero by shrink standard errors: a symbol seen
// once says little. A symbol never seen scores zero.
func newPatterns(t *table, most int, shrink float64) patterns {
	if len(t.a) > most {
		return nil
	}
	p := make(patterns, len(t.a))
	for i := range t.a {
		x, y := t.a[i]+0.5, t.b[i]+0.5
		ratio := math.Log(x / y * t.nb / t.na)
		p[rowKey(t.rows.Row(i))] = math.Copysign(math.Max(0, math.Abs(ratio)-shrink*math.Sqrt(1/x+1/y)), ratio)
	}
	return p
}

// Score of a row.
func (p patterns) Score(row []float64) float64 { return p[rowKey(row)] }
