package distinguisher

import "math"

const (
	// freedom is the degrees of freedom of the steps' t distribution. Heavy tails describe curves with occasional
	// jumps, for example the privacy loss of Laplace noise.
	freedom  = 1
	emRounds = 6
)

// localLevel is the fit of a local level model by a Kalman filter and the smoother of Rauch, Tung and Striebel
// (1965).
type localLevel struct {
	likelihood           float64 // log likelihood
	mean, variance, gain []float64
}

// fitLevel fits a local level model, a random walk with heavy-tailed steps, by the EM algorithm for the step
// variances. It subtracts the cost of these variances from the log likelihood.
func fitLevel(rings []ring, speed float64) trendFit {
	n := len(rings)
	prior, step := make([]float64, n), make([]float64, n)
	for j := 1; j < n; j++ {
		prior[j] = speed * speed * math.Max(ringWidth/4, rings[j].Place-rings[j-1].Place)
		step[j] = prior[j]
	}
	for range emRounds {
		f := fitLocalLevel(rings, step)
		for j := 1; j < n; j++ {
			d := f.mean[j] - f.mean[j-1]
			squared := d*d + f.variance[j] + f.variance[j-1] - 2*f.gain[j-1]*f.variance[j]
			step[j] = (freedom*prior[j] + squared) / (freedom + 1)
		}
	}
	f := fitLocalLevel(rings, step)
	for j := 1; j < n; j++ {
		f.likelihood += freedom / 2 * (math.Log(prior[j]/step[j]) - prior[j]/step[j] + 1)
	}
	low, high := f.tails(rings)
	return trendFit{f.likelihood, f.mean, low, high}
}

// fitLocalLevel fits a local level model with known step variances; step[j] leads to ring j.
func fitLocalLevel(rings []ring, step []float64) localLevel {
	n := len(rings)
	f := localLevel{mean: make([]float64, n), variance: make([]float64, n), gain: make([]float64, n)}
	mean, variance := 0.0, 100.0 // vague prior for the first ring
	for j, r := range rings {
		if j > 0 {
			variance += step[j]
		}
		all := variance + r.Variance
		d := r.Ratio - mean
		f.likelihood -= (math.Log(all) + d*d/all) / 2
		mean += variance / all * d
		variance *= r.Variance / all
		f.mean[j], f.variance[j] = mean, variance
	}
	for j := n - 2; j >= 0; j-- {
		predicted := f.variance[j] + step[j+1]
		f.gain[j] = f.variance[j] / predicted
		f.mean[j] += f.gain[j] * (f.mean[j+1] - f.mean[j])
		f.variance[j] += f.gain[j] * f.gain[j] * (f.variance[j+1] - predicted)
	}
	return f
}

// tails returns the variances of the mean ratio of the rings up to each ring, and from each ring on.
func (f *localLevel) tails(rings []ring) (low, high []float64) {
	n := len(rings)
	low, high = make([]float64, n), make([]float64, n)
	var weight, variance, chain float64
	for j, r := range rings {
		variance += 2*r.Rows*chain*f.variance[j] + r.Rows*r.Rows*f.variance[j]
		weight += r.Rows
		low[j] = variance / (weight * weight)
		chain = f.gain[j] * (chain + r.Rows)
	}
	weight, variance = 0, 0
	var covariance float64
	for j := n - 1; j >= 0; j-- {
		r := rings[j]
		ahead := f.gain[j] * covariance
		variance += 2*r.Rows*ahead + r.Rows*r.Rows*f.variance[j]
		weight += r.Rows
		high[j] = variance / (weight * weight)
		covariance = r.Rows*f.variance[j] + ahead
	}
	return low, high
}
