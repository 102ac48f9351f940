package diagnosis

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// noiseDistribution is a family of noise about a location, of one scale.
type noiseDistribution struct {
	name string
	// fit is the location and the scale of ascending values.
	fit func(values []float64) (location, scale float64)
	cdf func(x, location, scale float64) float64
	// errors are the standard deviations of √n times the fitted location, over the scale, and of √n times the fitted
	// scale, over the scale.
	errors func(scale float64) (location, scaled float64)
	whole  bool // the values are
	normal bool // losses of several numbers add up as squares, not as they are
}

// noiseDistributions that are tried.
var noiseDistributions = []noiseDistribution{
	{
		name: "Laplace", fit: medianFit, errors: func(float64) (float64, float64) { return 1, 1 },
		cdf: func(x, location, scale float64) float64 { return distuv.Laplace{Mu: location, Scale: scale}.CDF(x) },
	},
	{
		name: "normal", normal: true, fit: momentFit,
		errors: func(float64) (float64, float64) { return 1, math.Sqrt2 / 2 },
		cdf:    func(x, location, scale float64) float64 { return distuv.Normal{Mu: location, Sigma: scale}.CDF(x) },
	},
	{
		name: "discrete Laplace", whole: true, fit: geometricFit, cdf: geometricCDF,
		errors: func(scale float64) (float64, float64) { return 0, geometricError(scale) },
	},
}

// medianFit is that of largest likelihood for Laplace noise.
func medianFit(values []float64) (location, scale float64) {
	location = values[len(values)/2]
	for _, v := range values {
		scale += math.Abs(v - location)
	}
	return location, scale / float64(len(values))
}

func momentFit(values []float64) (location, scale float64) {
	n := float64(len(values))
	for _, v := range values {
		location += v / n
	}
	for _, v := range values {
		scale += (v - location) * (v - location) / n
	}
	return location, math.Sqrt(scale)
}

// geometricFit is that of the law with probabilities in proportion to q^|k−m|, q = e^{−1/scale}: its mean deviation
// is M = 2q/(1−q²).
func geometricFit(values []float64) (location, scale float64) {
	location, mean := medianFit(values)
	if mean == 0 {
		return location, 0
	}
	return location, -1 / math.Log((math.Sqrt(1+mean*mean)-1)/mean)
}

func geometricCDF(x, location, scale float64) float64 {
	q := math.Exp(-1 / scale)
	k := math.Floor(x) - location
	if k < 0 {
		return math.Pow(q, -k) / (1 + q)
	}
	return 1 - math.Pow(q, k+1)/(1+q)
}

// geometricError is by the delta method: E|X| = 2q/(1−q²) and E X² = 2q/(1−q)².
func geometricError(scale float64) float64 {
	meanOf := func(scale float64) float64 {
		q := math.Exp(-1 / scale)
		return 2 * q / (1 - q*q)
	}
	q, mean, h := math.Exp(-1/scale), meanOf(scale), 1e-4*scale
	slope := (meanOf(scale+h) - meanOf(scale-h)) / (2 * h)
	return math.Sqrt(math.Max(0, 2*q/((1-q)*(1-q))-mean*mean)) / slope / scale
}

// distance is Kolmogorov's, of ascending values and a law.
func (l noiseDistribution) distance(values []float64, location, scale float64) (most float64) {
	n := float64(len(values))
	for i := 0; i < len(values); {
		j := i
		for j < len(values) && values[j] == values[i] {
			j++
		}
		at, before := l.cdf(values[i], location, scale), 0.0
		if before = at; l.whole {
			before = l.cdf(values[i]-1, location, scale)
		}
		most = max(most, math.Abs(at-float64(j)/n), math.Abs(before-float64(i)/n))
		i = j
	}
	return most
}

// farthest is the distance that values have from a law fitted to as many others with probability CauseLevel at most,
// roughly: Kolmogorov's for two samples, of which a fit is less far off than the sample it was fitted to.
func farthest(n int) float64 { return math.Sqrt(math.Log(2/CauseLevel) / 2 * 2 / float64(n)) }

// repeats reports whether ascending values are taken more than once, by a part that noise with a density has not.
func repeats(values []float64) bool {
	again := 0
	for i := 1; i < len(values); i++ {
		if values[i] == values[i-1] {
			again++
		}
	}
	return again > len(values)/100
}

func allWhole(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) || math.Abs(v) > 1<<52 })
}
