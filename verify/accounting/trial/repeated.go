package trial

import (
	"math"
	"math/rand/v2"
	"sort"
)

// repeated runs a mechanism a random number of times and releases one output: a random one, or the one with the
// strongest evidence for the record.
type repeated struct {
	cumulative []float64 // distribution function of the number of runs, from 1
	best       bool
	neighbor   state // data set with the record
	of         mechanism
}

// runLaw returns P(K ≤ k), k = 1, 2, …, of the truncated negative binomial distribution.
func runLaw(eta, gamma float64) (cumulative []float64) {
	weight, total := 1.0, 0.0
	for k := 1; k <= 100_000 && (weight > 1e-12*total || k < 3); k++ {
		// ∏_{l<k} (l+η)/(l+1), divided by η
		if k > 1 {
			weight *= (float64(k-1) + eta) / float64(k) * (1 - gamma)
		}
		total += weight
		cumulative = append(cumulative, total)
	}
	for i := range cumulative {
		cumulative[i] /= total
	}
	return cumulative
}

func (t repeated) draw(r *rand.Rand, s state, out []float64) []float64 {
	if !t.best {
		return t.of.draw(r, s, out)
	}
	start, highest := len(out), math.Inf(-1)
	var buffer [16]float64
	for range 1 + sort.SearchFloat64s(t.cumulative, r.Float64()) {
		one := t.of.draw(r, s, buffer[:0])
		if score := ratio(t.of, t.neighbor, one); score >= highest {
			highest = score
			out = append(out[:start], one...)
		}
	}
	return out
}

// logDensity returns the log density of one run. The likelihood ratio of the released output grows with the ratio of
// one run, so both have the same tail events.
func (t repeated) logDensity(s state, out []float64) (float64, []float64) {
	return t.of.logDensity(s, out)
}
