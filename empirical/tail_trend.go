package empirical

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// trend is what is believed of a score's log density ratio, first sample over
// second, from its bulk to its tails: a curve through the counts of rings of values,
// whose slope walks at random along the logit of the rank. How fast is averaged over by
// the likelihood (empirical Bayes). A tail of ten rows is drawn to where the curve
// leads, so that the best of many tails is not the luckiest, and a tail that goes on as
// it began is believed before it is counted.
type trend struct {
	upto     []float64 // largest value of each ring
	ratio    []float64 // log density ratio expected in each ring
	fromLow  []float64 // standard deviation of the mean ratio of the rings up to each
	fromHigh []float64 // … and from each on
}

// bends of the curve, as standard deviations of its slope per root of a unit of logit.
var bends = []float64{1e-3, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}

const (
	ringWidth = 0.5 // in logits of the rank
	ringLeast = 8   // rows
	// The curve's mean level is 0 with standard deviation levelSpread, its mean slope is
	// 0 with slopeSpread times the bend's.
	levelSpread = 10
	slopeSpread = 3
)

// ring is a range of values: its log density ratio as counted, with its variance.
type ring struct{ rows, ratio, variance, place float64 }

// newTrend fits the trend to ascending values; na and nb are the rows of the samples.
func newTrend(values []valued, na, nb float64) *trend {
	t := &trend{}
	rings := t.rings(values, na, nb)
	n := len(rings)
	t.ratio, t.fromLow, t.fromHigh = make([]float64, n), make([]float64, n), make([]float64, n)
	fits, weights := make([]trendFit, len(bends)), make([]float64, len(bends))
	for i, bend := range bends {
		fits[i] = fitTrend(rings, bend)
		weights[i] = fits[i].likelihood
	}
	normalise(weights)
	for i, f := range fits {
		for j := range n {
			t.ratio[j] += weights[i] * f.mean[j]
			t.fromLow[j] += weights[i] * f.low[j]
			t.fromHigh[j] += weights[i] * f.high[j]
		}
	}
	for j := range n {
		var between float64 // the bends disagree
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

// trendFit is the Gaussian posterior of the curve for one bend.
type trendFit struct {
	likelihood float64   // its logarithm
	mean       []float64 // of each ring
	low, high  []float64 // variances of the mean of the rings up to each, and from each on
}

// fitTrend conditions the curve on the rings' counts.
func fitTrend(rings []ring, bend float64) trendFit {
	n := len(rings)
	f := trendFit{likelihood: math.Inf(-1), mean: make([]float64, n), low: make([]float64, n), high: make([]float64, n)}
	precision := curvePrecision(rings, bend)
	var prior, posterior mat.BandCholesky
	known := prior.Factorize(precision)
	weighted := mat.NewVecDense(n, nil)
	var squares float64
	for j, r := range rings {
		addTerm(precision, j, 1/r.variance, 1)
		weighted.SetVec(j, r.ratio/r.variance)
		squares += r.ratio*r.ratio/r.variance + math.Log(r.variance)
	}
	if !known || !posterior.Factorize(precision) {
		return f // of no weight
	}
	mean := mat.NewVecDense(n, f.mean)
	if posterior.SolveVecTo(mean, weighted) != nil {
		return f
	}
	f.likelihood = (mat.Dot(weighted, mean) - squares - posterior.LogDet() + prior.LogDet()) / 2
	tailVariances(&posterior, rings, f.low, f.high)
	return f
}

// curvePrecision is the inverse covariance of the curve at the rings, by its levels,
// its slopes and the changes of its slope.
func curvePrecision(rings []ring, bend float64) *mat.SymBandDense {
	n := len(rings)
	out := mat.NewSymBandDense(n, min(2, n-1), nil)
	gap := func(j int) float64 { return math.Max(ringWidth/4, rings[j].place-rings[j-1].place) }
	var span float64
	for j := 1; j < n; j++ {
		span += gap(j)
	}
	for j := range rings {
		addTerm(out, j, 1/(levelSpread*levelSpread*float64(n)), 1)
		if j > 0 {
			g := gap(j)
			addTerm(out, j-1, g/(span*slopeSpread*slopeSpread*bend*bend), -1/g, 1/g)
		}
		if j > 1 {
			h, g := gap(j-1), gap(j)
			addTerm(out, j-2, 2/(bend*bend*(h+g)), 1/h, -1/h-1/g, 1/g)
		}
	}
	return out
}

// addTerm adds the precision of a weighted sum of neighbouring levels, from one on.
func addTerm(out *mat.SymBandDense, from int, precision float64, weights ...float64) {
	for i, v := range weights {
		for j := i; j < len(weights); j++ {
			out.SetSymBand(from+i, from+j, out.At(from+i, from+j)+precision*v*weights[j])
		}
	}
}

// tailVariances of the mean level of the rings up to each, and from each on.
func tailVariances(posterior *mat.BandCholesky, rings []ring, low, high []float64) {
	n := len(rings)
	weights, solved := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	variance := func(rows float64) float64 {
		if posterior.SolveVecTo(solved, weights) != nil {
			return math.Inf(1)
		}
		return mat.Dot(weights, solved) / (rows * rows)
	}
	var rows float64
	for j, r := range rings {
		weights.SetVec(j, r.rows)
		rows += r.rows
		low[j] = variance(rows)
	}
	for j, r := range rings {
		high[j] = variance(rows)
		weights.SetVec(j, 0)
		rows -= r.rows
	}
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
