package witness

import (
	"math"

	"github.com/dpverify/dpverify/empirical/witness/internal/keys"
	"github.com/dpverify/dpverify/empirical/witness/internal/smooth"
)

// patterns scores whole outputs by how often each was seen in either sample: the
// witness for discrete outputs. A symbol never seen scores zero.
type patterns struct {
	ratio     map[uint64]float64
	posterior *smooth.Trend // of the ratios, given the rows
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
	ratios, posterior := shrink(counts, t.na, t.nb)
	p := &patterns{ratio: make(map[uint64]float64, len(rows)), posterior: posterior}
	for i, row := range rows {
		p.ratio[keys.OfRow(t.row(row))] = ratios[i]
	}
	return p
}

// shrink returns the shrunken log ratios of symbols that were counted in either sample,
// of na and nb rows, and their posterior; 0 of those never seen. The log ratios
// are taken to be normal about zero and each is drawn towards it by its counts' error
// (empirical Bayes: the spread is averaged over by the likelihood), so that the best of
// many symbols is not the one with the largest chance excess.
func shrink(counts [][2]float64, na, nb float64) (ratios []float64, posterior *smooth.Trend) {
	var symbols []smooth.Ring
	for _, c := range counts {
		if x, y := c[0]+0.5, c[1]+0.5; x+y > 1 {
			symbols = append(symbols, smooth.Ring{Rows: c[0] + c[1], Ratio: math.Log(x / y * nb / na), Variance: 1/x + 1/y})
		}
	}
	weights := smooth.SpreadWeights(symbols)
	ratios = make([]float64, len(counts))
	next := 0
	for i, c := range counts {
		if c[0]+c[1] > 0 {
			s := &symbols[next]
			s.Ratio, s.Variance = s.Shrunk(weights)
			ratios[i] = s.Ratio
			next++
		}
	}
	return ratios, smooth.Independent(symbols)
}

// Score of a row.
func (p *patterns) Score(row []float64) float64 { return p.ratio[keys.OfRow(row)] }
