package distinguisher

import (
	"cmp"
	"math"
	"slices"
)

// trend is the posterior of a score's log density ratio, first sample over second: a curve through the counts in
// rings of values. The curve follows a local level model with heavy-tailed steps, or a local linear trend, along
// the logit of the rank. The models and their variances are averaged over the likelihood (empirical Bayes). A tail
// of ten rows is shrunk towards the curve, so the best of many tails is not the one with the largest chance excess.
// A steady trend is extrapolated into the tail.
type trend struct {
	Upto     []float64 // expected log density ratio in each ring
	Ratio    []float64 // standard deviation of the mean ratio of the rings up to each ring
	FromLow  []float64 // the same from each ring on
	FromHigh []float64 // … and from each on
}

// speeds holds the candidate standard deviations of the random walks per square root of a unit of logit.
var speeds = []float64{1e-3, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}

// fitTrend fits the trend to ascending rings with the largest value of each.
func fitTrend(rings []ring, upto []float64) *trend {
	t := &trend{Upto: upto}
	n := len(rings)
	t.Ratio, t.FromLow, t.FromHigh = make([]float64, n), make([]float64, n), make([]float64, n)
	fits, weights := fitTrends(rings)
	for i, f := range fits {
		for j := range n {
			t.Ratio[j] += weights[i] * f.Mean[j]
			t.FromLow[j] += weights[i] * f.Low[j]
			t.FromHigh[j] += weights[i] * f.High[j]
		}
	}
	for j := range n {
		var between float64 // the fits disagree
		for i, f := range fits {
			d := f.Mean[j] - t.Ratio[j]
			between += weights[i] * d * d
		}
		t.FromLow[j] = math.Sqrt(t.FromLow[j] + between)
		t.FromHigh[j] = math.Sqrt(t.FromHigh[j] + between)
	}
	return t
}

// fitTrends returns the fits at all speeds with their weights.
func fitTrends(rings []ring) (fits []trendFit, weights []float64) {
	for _, speed := range speeds {
		fits = append(fits, fitLevel(rings, speed), fitSlope(rings, speed))
	}
	for _, f := range fits {
		weights = append(weights, f.Likelihood)
	}
	normaliseWeights(weights)
	return fits, weights
}

// Shares returns the expected share of the first sample among the rows in each ring, for samples of na and nb rows.
func (t *trend) Shares(na, nb float64) []float64 {
	out := make([]float64, len(t.Ratio))
	for j, ratio := range t.Ratio {
		out[j] = 1 / (1 + math.Exp(-ratio)*nb/na)
	}
	return out
}

// independentSymbols returns the posterior of independent symbols with known ratios and variances, in the form of a
// trend.
func independentSymbols(symbols []ring) *trend {
	slices.SortFunc(symbols, func(r, s ring) int { return cmp.Compare(r.Ratio, s.Ratio) })
	n := len(symbols)
	t := &trend{Upto: make([]float64, n), Ratio: make([]float64, n), FromLow: make([]float64, n),
		FromHigh: make([]float64, n)}
	for j, s := range symbols {
		t.Upto[j], t.Ratio[j] = s.Ratio, s.Ratio
	}
	outwards := func(deviation []float64, order func(int) int) {
		var rows, squares float64
		for j := range n {
			s := symbols[order(j)]
			rows, squares = rows+s.Rows, squares+s.Rows*s.Rows*s.Variance
			deviation[order(j)] = math.Sqrt(squares) / rows
		}
	}
	outwards(t.FromLow, func(j int) int { return j })
	outwards(t.FromHigh, func(j int) int { return n - 1 - j })
	return t
}
