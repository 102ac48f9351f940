// Fits of log density ratios that are counted in rings of values, or on symbols,
// by empirical Bayes: the local level and the local linear trend model of structural time
// series (Harvey 1989) along the rings, and ratios shrunk towards a common mean. It fits
// exponential tails of scores, too.

package distinguisher

import (
	"math"
	"slices"
)

// spreads of the log ratios, as standard deviations.
var spreads = []float64{1e-4, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}

// spreadWeights are the likelihoods of the spreads, summing to 1.
func spreadWeights(symbols []ring) []float64 {
	out := make([]float64, len(spreads))
	for i, s := range spreads {
		for _, r := range symbols {
			all := s*s + r.Variance
			out[i] -= (math.Log(all) + r.Ratio*r.Ratio/all) / 2
		}
	}
	normaliseWeights(out)
	return out
}

// normaliseWeights turns log likelihoods into weights that sum to 1.
func normaliseWeights(w []float64) {
	best, sum := slices.Max(w), 0.0
	for i := range w {
		w[i] = math.Exp(w[i] - best)
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
}

// Shrunk returns the mean and the variance of a symbol's log ratio under its posterior.
func (r ring) Shrunk(weights []float64) (mean, variance float64) {
	var square float64
	for i, w := range weights {
		keep := spreads[i] * spreads[i] / (spreads[i]*spreads[i] + r.Variance)
		m := keep * r.Ratio
		mean += w * m
		square += w * (m*m + keep*r.Variance)
	}
	return mean, math.Max(0, square-mean*mean)
}

// shrunkRatios returns the shrunken log ratios of symbols that were counted in either sample,
// of na and nb rows, and their posterior; 0 of those never seen. The log ratios
// are taken to be normal about zero and each is drawn towards it by its counts' error
// (empirical Bayes: the spread is averaged over by the likelihood), so that the best of
// many symbols is not the one with the largest chance excess.
func shrunkRatios(counts [][2]float64, na, nb float64) (ratios []float64, posterior *trend) {
	var symbols []ring
	for _, c := range counts {
		if x, y := c[0]+0.5, c[1]+0.5; x+y > 1 {
			symbols = append(symbols, ring{Rows: c[0] + c[1], Ratio: math.Log(x / y * nb / na), Variance: 1/x + 1/y})
		}
	}
	weights := spreadWeights(symbols)
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
	return ratios, independentSymbols(symbols)
}

const (
	ringWidth = 0.5 // in logits of the rank
	ringLeast = 8   // rows
)

// ring is a range of values: its log density ratio as counted, with its variance.
type ring struct{ Rows, Ratio, Variance, Place float64 }

// trendFit is a posterior of the curve, Gaussian.
type trendFit struct {
	Likelihood float64   // its logarithm
	Mean       []float64 // of each ring
	Low, High  []float64 // variances of the mean of the rings up to each, and from each on
}

// logit of a rank among so many.
func logit(rank, total float64) float64 {
	rank = math.Max(0.5, math.Min(total-0.5, rank))
	return math.Log(rank / (total - rank))
}

// probableDifferences is how likely each of some differences is to be there, by their sizes in standard errors, 0 or
// more: they are
// taken to be −m, 0 or m standard errors, m and the share of zeros found by the EM algorithm. Nil where all are 0.
func probableDifferences(z []float64) []float64 {
	size, share := slices.Max(z), 0.5
	posterior := make([]float64, len(z))
	for range 50 {
		var sum, weight, of float64
		for i, v := range z {
			if v == 0 {
				continue
			}
			there := share * (math.Exp(-(v-size)*(v-size)/2) + math.Exp(-(v+size)*(v+size)/2)) / 2
			posterior[i] = there / (there + (1-share)*math.Exp(-v*v/2))
			sum, weight, of = sum+posterior[i]*v, weight+posterior[i], of+1
		}
		if weight == 0 {
			return nil
		}
		size, share = sum/weight, math.Min(0.95, weight/of)
	}
	return posterior
}
