package distinguisher

import ()

// patterns scores whole outputs by their frequencies in the two samples, for discrete outputs. An output that was
// not seen has score 0.
type patterns struct {
	ratio     map[uint64]float64
	posterior *trend // posterior of the ratios given the rows
}

// newPatterns returns the scores of the rows of a table. It returns nil if there are more than limit distinct rows,
// or only one.
func newPatterns(t *table, limit int) *patterns {
	seen := 0
	for i := range t.a {
		if t.counted(i) {
			seen++
		}
		if seen > limit {
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

// Score returns the score of a row.
func (p *patterns) Score(row []float64) float64 { return p.ratio[rowKey(row)] }
