// The functions below fit log density ratios, counted in rings of values or for symbols, by empirical Bayes. Along
// the rings they use the local level and the local linear trend model of structural time series (Harvey 1989).
// Ratios of symbols are shrunk towards a common mean.

package distinguisher

import (
	"math"
	"slices"
)

// spreads holds the candidate standard deviations of the log ratios.
var spreads = []float64{1e-4, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}

// spreadWeights returns the likelihoods of the spreads, normalized to sum 1.
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

// Shrunk returns the posterior mean and variance of a symbol's log ratio.
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

// shrunkRatios returns the shrunken log ratios of symbols from their counts in samples of na and nb rows, 0 for
// symbols not seen, and the posterior. The prior of the log ratios is normal with mean 0, and its spread is
// averaged over the likelihood (empirical Bayes). Each ratio is shrunk according to the error of its counts. The
// best of many symbols is then not the one with the largest chance excess.
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
	ringWidth   = 0.5 // in logits of the rank
	minRingRows = 8   // minimal number of rows
)

// ring is a range of values with its number of rows, observed log density ratio, variance and position.
type ring struct{ Rows, Ratio, Variance, Place float64 }

// trendFit is a Gaussian posterior of the curve.
type trendFit struct {
	Likelihood float64   // log likelihood
	Mean       []float64 // for each ring
	Low, High  []float64 // variances of the mean of the rings up to each ring, and from each ring on
}

// logit returns the logit of a rank among total ranks.
func logit(rank, total float64) float64 {
	rank = math.Max(0.5, math.Min(total-0.5, rank))
	return math.Log(rank / (total - rank))
}

// probableDifferences returns the probability that each difference is real, from its size z ≥ 0 in standard errors.
// The model has differences of −m, 0 or m standard errors; the EM algorithm finds m and the share of zeros. The
// result is nil if all sizes are 0.
func probableDifferences(z []float64) []float64 {
	size, share := slices.Max(z), 0.5
	posterior := make([]float64, len(z))
	for range 50 {
		var sum, weight, count float64
		for i, v := range z {
			if v == 0 {
				continue
			}
			real := share * (math.Exp(-(v-size)*(v-size)/2) + math.Exp(-(v+size)*(v+size)/2)) / 2
			posterior[i] = real / (real + (1-share)*math.Exp(-v*v/2))
			sum, weight, count = sum+posterior[i]*v, weight+posterior[i], count+1
		}
		if weight == 0 {
			return nil
		}
		size, share = sum/weight, math.Min(0.95, weight/count)
	}
	return posterior
}
