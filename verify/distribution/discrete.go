package distribution

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/decimal"
)

// onIntegers returns a distribution on the integers from lower to upper.
func onIntegers(name string, err error, lower, upper float64, cdf, survival func(float64) float64) Distribution {
	return Distribution{name: name, err: err, whole: true, lower: lower, upper: upper,
		cdf: func(x float64) float64 {
			if x < lower {
				return 0
			}
			return math.Min(1, cdf(math.Floor(x)))
		},
		survival: func(x float64) float64 {
			if x < lower {
				return 1
			}
			return math.Max(0, survival(math.Floor(x)))
		}}
}

// whole returns an error unless the location is an integer of at most 2⁵³ in absolute value.
func whole(name string, location float64) error {
	return wants(location == math.Trunc(location) && math.Abs(location) <= decimal.ExactWhole,
		"%s: location %v: want an integer of at most 2⁵³", name, location)
}

// DiscreteLaplace returns the distribution on the integers k with probabilities proportional to exp(−|k −
// location|/scale) (Ghosh, Roughgarden & Sundararajan 2009). The scale is above 0 and the location an integer.
func DiscreteLaplace(location, scale float64) Distribution {
	// P(X > location + k) = r^(k+1)/(1+r) for k ≥ 0 and r = exp(−1/scale).
	above := func(k float64) float64 { return math.Exp(-(k+1)/scale) / (1 + math.Exp(-1/scale)) }
	beyond := func(k float64) float64 { // P(X > location + k) = P(X < location − k)
		if k >= 0 {
			return above(k)
		}
		return 1 - above(-k-1)
	}
	return onIntegers(fmt.Sprintf("discrete Laplace(%.6g, %.6g)", location, scale),
		errors.Join(located("discrete Laplace", location, scale), whole("discrete Laplace", location)),
		math.Inf(-1), math.Inf(1), func(x float64) float64 { return beyond(location - x - 1) },
		func(x float64) float64 { return beyond(x - location) })
}

// gaussianReach is the number of standard deviations beyond which the tail of a discrete Gaussian underflows to 0.
const gaussianReach = 39

// DiscreteGaussian returns the distribution on the integers k with probabilities proportional to exp(−(k −
// location)²/(2σ²)) (Canonne, Kamath & Steinke 2020). σ is in (0, 10⁴] and the location an integer.
func DiscreteGaussian(location, sigma float64) Distribution {
	name := fmt.Sprintf("discrete Gaussian(%.6g, %.6g)", location, sigma)
	err := errors.Join(wants(sigma > 0 && sigma <= 1e4, "discrete Gaussian: σ = %v: want a value in (0, 1e4]", sigma),
		whole("discrete Gaussian", location))
	if err != nil {
		return Distribution{name: name, err: err}
	}
	// tails[k] is proportional to P(X ≥ location + k). Adding the small terms first limits the rounding error.
	tails := make([]float64, int(gaussianReach*sigma)+3)
	for k := len(tails) - 2; k >= 0; k-- {
		z := float64(k) / sigma
		tails[k] = tails[k+1] + math.Exp(-z*z/2)
	}
	total := tails[0] + tails[1]
	beyond := func(k float64) float64 { // P(X > location + k) = P(X < location − k)
		k++
		tail := func(k float64) float64 { return tails[int(math.Min(k, float64(len(tails)-1)))] / total }
		if k >= 1 {
			return tail(k)
		}
		return 1 - tail(1-k)
	}
	return onIntegers(name, nil, math.Inf(-1), math.Inf(1),
		func(x float64) float64 { return beyond(location - x - 1) },
		func(x float64) float64 { return beyond(x - location) })
}

// Geometric returns the distribution of the number of failures before the first success, P(X = k) = p(1 − p)^k for k ≥
// 0, with p in (0, 1].
func Geometric(p float64) Distribution {
	return onIntegers(fmt.Sprintf("Geometric(%.6g)", p),
		wants(p > 0 && p <= 1, "Geometric: p = %v: want a value in (0, 1]", p), 0, math.Inf(1),
		func(x float64) float64 { return -math.Expm1((x + 1) * math.Log1p(-p)) },
		func(x float64) float64 { return math.Exp((x + 1) * math.Log1p(-p)) })
}

// Bernoulli returns the distribution with P(1) = p and P(0) = 1 − p, for p in [0, 1]. Outputs may also be true and
// false.
func Bernoulli(p float64) Distribution {
	l := Values(map[float64]float64{0: 1 - p, 1: p})
	l.name, l.err = fmt.Sprintf("Bernoulli(%.6g)", p), wants(p >= 0 && p <= 1, "Bernoulli: p = %v: want a value in "+
		"[0, 1]", p)
	return l
}

// maxTrials bounds the trials of a binomial distribution: computing its tails takes long for more.
const maxTrials = 1e9

// Binomial returns the distribution of the number of successes in n independent trials of probability p. n is an
// integer from 0 to 10⁹ and p in [0, 1].
func Binomial(n, p float64) Distribution {
	name := fmt.Sprintf("Binomial(%.6g, %.6g)", n, p)
	err := errors.Join(wants(n >= 0 && n == math.Trunc(n) && n <= maxTrials,
		"Binomial: n = %v: want an integer from 0 to 1e9", n),
		wants(p >= 0 && p <= 1, "Binomial: p = %v: want a value in [0, 1]", p))
	if err != nil {
		return Distribution{name: name, err: err}
	}
	// The tails of the exact binomial test stay accurate near the mean of many trials.
	tails := func(x float64) confidence.Tails {
		t, err := confidence.BinomialTest(int64(x), int64(n), p)
		if err != nil { // cannot happen: n, p and x are in range
			panic(err)
		}
		return t
	}
	return onIntegers(name, nil, 0, n,
		func(x float64) float64 { return tails(math.Min(x, n)).Less },
		func(x float64) float64 {
			if x >= n {
				return 0
			}
			return tails(x + 1).Greater
		})
}
