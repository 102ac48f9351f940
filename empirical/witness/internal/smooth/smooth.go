package smooth

import (
	"math"
	"slices"
)

// spreads of the log ratios, as standard deviations.
var spreads = []float64{1e-4, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}

// SpreadWeights are the likelihoods of the spreads, summing to 1.
func SpreadWeights(symbols []Ring) []float64 {
	out := make([]float64, len(spreads))
	for i, s := range spreads {
		for _, r := range symbols {
			all := s*s + r.Variance
			out[i] -= (math.Log(all) + r.Ratio*r.Ratio/all) / 2
		}
	}
	Normalise(out)
	return out
}

// Normalise turns log likelihoods into weights that sum to 1.
func Normalise(w []float64) {
	best, sum := slices.Max(w), 0.0
	for i := range w {
		w[i] = math.Exp(w[i] - best)
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
}

// Shrunk is the mean and the variance of a symbol's log ratio under its posterior.
func (r Ring) Shrunk(weights []float64) (mean, variance float64) {
	var square float64
	for i, w := range weights {
		keep := spreads[i] * spreads[i] / (spreads[i]*spreads[i] + r.Variance)
		m := keep * r.Ratio
		mean += w * m
		square += w * (m*m + keep*r.Variance)
	}
	return mean, math.Max(0, square-mean*mean)
}

// Shrunk returns the shrunken log ratios of symbols that were counted in either sample,
// of na and nb rows, and their posterior; 0 of those never seen. The log ratios
// are taken to be normal about zero and each is drawn towards it by its counts' error
// (empirical Bayes: the spread is averaged over by the likelihood), so that the best of
// many symbols is not the one with the largest chance excess.
func Shrunk(counts [][2]float64, na, nb float64) (ratios []float64, posterior *Trend) {
	var symbols []Ring
	for _, c := range counts {
		if x, y := c[0]+0.5, c[1]+0.5; x+y > 1 {
			symbols = append(symbols, Ring{Rows: c[0] + c[1], Ratio: math.Log(x / y * nb / na), Variance: 1/x + 1/y})
		}
	}
	weights := SpreadWeights(symbols)
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
	return ratios, Independent(symbols)
}

const (
	RingWidth = 0.5 // in logits of the rank
	RingLeast = 8   // rows
)

// Ring is a range of values: its log density ratio as counted, with its variance.
type Ring struct{ Rows, Ratio, Variance, Place float64 }

// TrendFit is a posterior of the curve, Gaussian.
type TrendFit struct {
	Likelihood float64   // its logarithm
	Mean       []float64 // of each ring
	Low, High  []float64 // variances of the mean of the rings up to each, and from each on
}

// Logit of a rank among so many.
func Logit(rank, total float64) float64 {
	rank = math.Max(0.5, math.Min(total-0.5, rank))
	return math.Log(rank / (total - rank))
}
