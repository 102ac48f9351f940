package distinguisher

import ()

// patterns scores whole outputs by how often each was seen in either sample: the
// witness for discrete outputs. A symbol never seen scores zero.
type patterns struct {
	ratio     map[uint64]float64
	posterior *trend // of the ratios, given the rows
}

// newPatterns scores the rows of a table; nil where there are more than most, or one alone, which tells
// nothing.
func newPatterns(t *table, most int) *patterns {
	seen := 0
	for i := range t.a {
		if t.counted(i) {
			seen++
		}
		if seen > most {
			return nil
		}
	}
	counts, rows := make([][2]float64, 0, seen), make([]int, 0, seen)
	for i := range t.a {
		if !t.counted(i) {
			continue
		}
		counts, rows = append(counts, [2]float64{t.a[i], t.b[i]}), append(rows, i)
	}
	if len(rows) < 2 {
		return nil
	}
	ratios, posterior := shrunkRatios(counts, t.na, t.nb)
	p := &patterns{ratio: make(map[uint64]float64, len(rows)), posterior: posterior}
	for i, row := range rows {
		p.ratio[rowKey(t.row(row))] = ratios[i]
	}
	return p
}

// Score of a row.
func (p *patterns) Score(row []float64) float64 { return p.ratio[rowKey(row)] }
