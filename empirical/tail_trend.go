package empirical

import (
	"math"
	"slices"
)

// trend is what is believed of a score's log density ratio, first sample over
// second, from its bulk to its tails: a local-level model, fitted to the counts of
// rings of values. The level walks at random along the logit of the rank; how fast
// is averaged over by the likelihood (empirical Bayes). A tail of ten rows is drawn
// to what lies next to it, so that the best of many tails is not the luckiest.
type trend struct {
	upto     []float64 // largest value of each ring
	ratio    []float64 // log density ratio expected in each ring
	fromLow  []float64 // standard deviation of the mean ratio of the rings up to each
	fromHigh []float64 // … and from each on
}

// speeds of the walk, as standard deviations per unit of logit.
var speeds = []float64{1e-3, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}

const (
	ringWidth = 0.5 // in logits of the rank
	ringLeast = 8   // rows
	// freedom of the steps' t distribution: a walk that jumps now and then, and is calm
	// elsewhere, as the loss of Laplace noise is.
	freedom  = 1
	emRounds = 6
)

// ring is a range of values: its log density ratio as counted, with its variance.
type ring struct{ rows, ratio, variance, place float64 }

// newTrend fits the trend to ascending values; na and nb are the rows of the samples.
func newTrend(values []valued, na, nb float64) *trend {
	t := &trend{}
	rings := t.rings(values, na, nb)
	n := len(rings)
	t.ratio, t.fromLow, t.fromHigh = make([]float64, n), make([]float64, n), make([]float64, n)
	fits, weights := make([]trendFit, len(speeds)), make([]float64, len(speeds))
	for i, s := range speeds {
		fits[i] = fitJumps(rings, s)
		weights[i] = fits[i].likelihood
	}
	normalise(weights)
	for i, f := range fits {
		low, high := f.tails(rings)
		for j := range n {
			t.ratio[j] += weights[i] * f.mean[j]
			t.fromLow[j] += weights[i] * low[j]
			t.fromHigh[j] += weights[i] * high[j]
		}
	}
	for j := range n {
		var between float64 // the speeds disagree
		for i, f := range fits {
			d := f.mean[j] - t.ratio[j]
			between += weights[i] * d * d
		}
		t.fromLow[j] = math.Sqrt(t.fromLow[j] + between)
		t.fromHigh[j] = math.Sqrt(t.fromHigh[j] + between)
	}
	return t
}

// rings of neighbouring values; equal values share one.
func (t *trend) rings(values []valued, na, nb float64) (out []ring) {
	var total float64
	for _, v := range values {
		total += v.a + v.b
	}
	logit := func(rank float64) float64 {
		rank = math.Max(0.5, math.Min(total-0.5, rank))
		return math.Log(rank / (total - rank))
	}
	var passed, from, a, b float64
	for i, v := range values {
		a, b, passed = a+v.a, b+v.b, passed+v.a+v.b
		last := i+1 == len(values)
		if !last && (values[i+1].v == v.v || a+b < ringLeast || total-passed < ringLeast || logit(passed)-logit(from) < ringWidth) {
			continue
		}
		x, y := a+0.5, b+0.5
		out = append(out, ring{a + b, math.Log(x / y * nb / na), 1/x + 1/y, logit((from + passed) / 2)})
		t.upto = append(t.upto, v.v)
		from, a, b = passed, 0, 0
	}
	return out
}

// trendFit is the fit at one speed: a Kalman filter, and the smoother of Rauch, Tung
// and Striebel (1965) after it.
type trendFit struct {
	likelihood           float64 // its logarithm
	mean, variance, gain []float64
}

// fitJumps fits a walk whose steps have heavy tails, by the EM algorithm for their
// variances, and adds to the likelihood what those variances cost.
func fitJumps(rings []ring, speed float64) trendFit {
	n := len(rings)
	prior, step := make([]float64, n), make([]float64, n)
	for j := 1; j < n; j++ {
		prior[j] = speed * speed * math.Max(ringWidth/4, rings[j].place-rings[j-1].place)
		step[j] = prior[j]
	}
	for range emRounds {
		f := fitTrend(rings, step)
		for j := 1; j < n; j++ {
			d := f.mean[j] - f.mean[j-1]
			squared := d*d + f.variance[j] + f.variance[j-1] - 2*f.gain[j-1]*f.variance[j]
			step[j] = (freedom*prior[j] + squared) / (freedom + 1)
		}
	}
	f := fitTrend(rings, step)
	for j := 1; j < n; j++ {
		f.likelihood += freedom / 2 * (math.Log(prior[j]/step[j]) - prior[j]/step[j] + 1)
	}
	return f
}

// fitTrend fits a walk with steps of known variances; step[j] leads to ring j.
func fitTrend(rings []ring, step []float64) trendFit {
	n := len(rings)
	f := trendFit{mean: make([]float64, n), variance: make([]float64, n), gain: make([]float64, n)}
	mean, variance := 0.0, 100.0 // hardly anything is known of the first ring
	for j, r := range rings {
		if j > 0 {
			variance += step[j]
		}
		all := variance + r.variance
		d := r.ratio - mean
		f.likelihood -= (math.Log(all) + d*d/all) / 2
		mean += variance / all * d
		variance *= r.variance / all
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

// tails are the variances of the mean ratio of the rings up to each, and from each on.
func (f *trendFit) tails(rings []ring) (low, high []float64) {
	n := len(rings)
	low, high = make([]float64, n), make([]float64, n)
	var weight, variance, chain float64
	for j, r := range rings {
		variance += 2*r.rows*chain*f.variance[j] + r.rows*r.rows*f.variance[j]
		weight += r.rows
		low[j] = variance / (weight * weight)
		chain = f.gain[j] * (chain + r.rows)
	}
	weight, variance = 0, 0
	var covariance float64
	for j := n - 1; j >= 0; j-- {
		r := rings[j]
		ahead := f.gain[j] * covariance
		variance += 2*r.rows*ahead + r.rows*r.rows*f.variance[j]
		weight += r.rows
		high[j] = variance / (weight * weight)
		covariance = r.rows*f.variance[j] + ahead
	}
	return low, high
}

// at is the log density ratio expected at a value, and the standard deviation of
// its mean from there outwards: below it, or above.
func (t *trend) at(v float64, below bool) (ratio, deviation float64) {
	j, _ := slices.BinarySearch(t.upto, v)
	j = min(j, len(t.upto)-1)
	if below {
		return t.ratio[j], t.fromLow[j]
	}
	return t.ratio[j], t.fromHigh[j]
}
