package empirical

import (
	"cmp"
	"math"
	"slices"
)

// patterns scores whole outputs by how often each was seen in either sample: the
// witness for discrete outputs. A symbol never seen scores zero.
type patterns struct {
	ratio  map[uint64]float64
	belief *trend // about the rows that taught the ratios
}

// newPatterns scores the rows of a table; nil where there are more than most.
func newPatterns(t *table, most int) *patterns {
	if len(t.a) > most {
		return nil
	}
	counts := make([][2]float64, len(t.a))
	for i := range counts {
		counts[i] = [2]float64{t.a[i], t.b[i]}
	}
	ratios, belief := shrink(counts, t.na, t.nb)
	p := &patterns{ratio: make(map[uint64]float64, len(t.a)), belief: belief}
	for i, ratio := range ratios {
		p.ratio[rowKey(t.rows.Row(i))] = ratio
	}
	return p
}

// shrink returns the shrunken log ratios of symbols that were counted in either sample,
// of na and nb rows, and what is believed of them; 0 of those never seen. The log ratios
// are taken to be normal about zero and each is drawn towards it by its counts' error
// (empirical Bayes: the spread is averaged over by the likelihood), so that the best of
// many symbols is not the luckiest.
func shrink(counts [][2]float64, na, nb float64) (ratios []float64, belief *trend) {
	var symbols []ring
	for _, c := range counts {
		if x, y := c[0]+0.5, c[1]+0.5; x+y > 1 {
			symbols = append(symbols, ring{rows: c[0] + c[1], ratio: math.Log(x / y * nb / na), variance: 1/x + 1/y})
		}
	}
	weights := spreadWeights(symbols)
	ratios = make([]float64, len(counts))
	next := 0
	for i, c := range counts {
		if c[0]+c[1] > 0 {
			s := &symbols[next]
			s.ratio, s.variance = s.shrunk(weights)
			ratios[i] = s.ratio
			next++
		}
	}
	return ratios, independent(symbols)
}

// spreads of the log ratios, as standard deviations.
var spreads = []float64{1e-4, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}

// spreadWeights are the likelihoods of the spreads, summing to 1.
func spreadWeights(symbols []ring) []float64 {
	out := make([]float64, len(spreads))
	for i, s := range spreads {
		for _, r := range symbols {
			all := s*s + r.variance
			out[i] -= (math.Log(all) + r.ratio*r.ratio/all) / 2
		}
	}
	normalise(out)
	return out
}

// normalise turns log likelihoods into weights that sum to 1.
func normalise(w []float64) {
	best, sum := slices.Max(w), 0.0
	for i := range w {
		w[i] = math.Exp(w[i] - best)
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
}

// shrunk is the mean and the variance of a symbol's log ratio under its posterior.
func (r ring) shrunk(weights []float64) (mean, variance float64) {
	var square float64
	for i, w := range weights {
		keep := spreads[i] * spreads[i] / (spreads[i]*spreads[i] + r.variance)
		m := keep * r.ratio
		mean += w * m
		square += w * (m*m + keep*r.variance)
	}
	return mean, math.Max(0, square-mean*mean)
}

// independent is the belief about symbols of known ratio and variance, as a score's.
func independent(symbols []ring) *trend {
	slices.SortFunc(symbols, func(r, s ring) int { return cmp.Compare(r.ratio, s.ratio) })
	n := len(symbols)
	t := &trend{upto: make([]float64, n), ratio: make([]float64, n), fromLow: make([]float64, n), fromHigh: make([]float64, n)}
	for j, s := range symbols {
		t.upto[j], t.ratio[j] = s.ratio, s.ratio
	}
	outwards := func(deviation []float64, order func(int) int) {
		var rows, squares float64
		for j := range n {
			s := symbols[order(j)]
			rows, squares = rows+s.rows, squares+s.rows*s.rows*s.variance
			deviation[order(j)] = math.Sqrt(squares) / rows
		}
	}
	outwards(t.fromLow, func(j int) int { return j })
	outwards(t.fromHigh, func(j int) int { return n - 1 - j })
	return t
}

// Score of a row.
func (p *patterns) Score(row []float64) float64 { return p.ratio[rowKey(row)] }
