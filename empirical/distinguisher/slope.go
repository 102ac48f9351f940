package distinguisher

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// The prior of the curve's mean level has mean 0 and standard deviation levelSpread. The prior of its mean slope
// has mean 0 and standard deviation slopeSpread times the speed.
const (
	levelSpread = 10
	slopeSpread = 3
)

// fitSlope computes the posterior of a local linear trend, a curve whose slope is a random walk, given the counts
// of the rings.
func fitSlope(rings []ring, speed float64) trendFit {
	n := len(rings)
	f := trendFit{Likelihood: math.Inf(-1), Mean: make([]float64, n), Low: make([]float64, n), High: make([]float64, n)}
	precision := curvePrecision(rings, speed)
	var prior, posterior mat.BandCholesky
	known := prior.Factorize(precision)
	weighted := mat.NewVecDense(n, nil)
	var squares float64
	for j, r := range rings {
		addTerm(precision, j, 1/r.Variance, 1)
		weighted.SetVec(j, r.Ratio/r.Variance)
		squares += r.Ratio*r.Ratio/r.Variance + math.Log(r.Variance)
	}
	if !known || !posterior.Factorize(precision) {
		return f // has weight 0
	}
	mean := mat.NewVecDense(n, f.Mean)
	if posterior.SolveVecTo(mean, weighted) != nil {
		return f
	}
	f.Likelihood = (mat.Dot(weighted, mean) - squares - posterior.LogDet() + prior.LogDet()) / 2
	tailVariances(&posterior, rings, f.Low, f.High)
	return f
}

// curvePrecision returns the inverse prior covariance of the curve at the rings: of its levels, its slopes and the
// changes of its slope, all with mean 0.
func curvePrecision(rings []ring, speed float64) *mat.SymBandDense {
	n := len(rings)
	out := mat.NewSymBandDense(n, min(2, n-1), nil)
	gap := func(j int) float64 { return math.Max(ringWidth/4, rings[j].Place-rings[j-1].Place) }
	var span float64
	for j := 1; j < n; j++ {
		span += gap(j)
	}
	for j := range rings {
		addTerm(out, j, 1/(levelSpread*levelSpread*float64(n)), 1)
		if j > 0 {
			g := gap(j)
			addTerm(out, j-1, g/(span*slopeSpread*slopeSpread*speed*speed), -1/g, 1/g)
		}
		if j > 1 {
			h, g := gap(j-1), gap(j)
			addTerm(out, j-2, 2/(speed*speed*(h+g)), 1/h, -1/h-1/g, 1/g)
		}
	}
	return out
}

// addTerm adds the precision of a weighted sum of neighboring levels that starts at index from.
func addTerm(out *mat.SymBandDense, from int, precision float64, weights ...float64) {
	for i, v := range weights {
		for j := i; j < len(weights); j++ {
			out.SetSymBand(from+i, from+j, out.At(from+i, from+j)+precision*v*weights[j])
		}
	}
}

// tailVariances computes the variances of the mean level of the rings up to each ring, and from each ring on.
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
		weights.SetVec(j, r.Rows)
		rows += r.Rows
		low[j] = variance(rows)
	}
	for j, r := range rings {
		high[j] = variance(rows)
		weights.SetVec(j, 0)
		rows -= r.Rows
	}
}
