package distribution

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/decimal"
)

// onIntegers is a law on the whole numbers from lower up to upper.
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

// whole is the error of a location that is no whole number.
func whole(name string, location float64) error {
	return wants(location == math.Trunc(location) && math.Abs(location) <= decimal.ExactWhole,
		"%s: location %v: want a whole number of at most 2⁵³", name, location)
}

// DiscreteLaplace has probabilities proportional to exp(−|k − location|/scale) on the
// whole numbers k (Ghosh, Roughgarden & Sundararajan 2009). Scale > 0, a whole location.
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

// gaussianReach is beyond how many standard deviations a discrete Gaussian is nothing: there
// its tail is below the smallest number above 0.
const gaussianReach = 39

// DiscreteGaussian has probabilities proportional to exp(−(k − location)²/(2σ²)) on the whole
// numbers k (Canonne, Kamath & Steinke 2020). σ in (0, 10⁴], a whole location.
func DiscreteGaussian(location, sigma float64) Distribution {
	name := fmt.Sprintf("discrete Gaussian(%.6g, %.6g)", location, sigma)
	err := errors.Join(wants(sigma > 0 && sigma <= 1e4, "discrete Gaussian: σ = %v: want one in (0, 1e4]", sigma),
		whole("discrete Gaussian", location))
	if err != nil {
		return Distribution{name: name, err: err}
	}
	// tails[k] is proportional to P(X ≥ location + k), summed from the small terms up.
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
		func(x float64) float64 { return beyond(location - x - 1) }, func(x float64) float64 { return beyond(x - location) })
}

// Geometric is the number of failures before the first success: P(X = k) = p(1 − p)^k, k ≥ 0.
// p in (0, 1].
func Geometric(p float64) Distribution {
	return onIntegers(fmt.Sprintf("Geometric(%.6g)", p),
		wants(p > 0 && p <= 1, "Geometric: p = %v: want one in (0, 1]", p), 0, math.Inf(1),
		func(x float64) float64 { return -math.Expm1((x + 1) * math.Log1p(-p)) },
		func(x float64) float64 { return math.Exp((x + 1) * math.Log1p(-p)) })
}

// Bernoulli is 1 with probability p and else 0, or true and false. p in [0, 1].
func Bernoulli(p float64) Distribution {
	l := Values(map[float64]float64{0: 1 - p, 1: p})
	l.name, l.err = fmt.Sprintf("Bernoulli(%.6g)", p), wants(p >= 0 && p <= 1, "Bernoulli: p = %v: want one in [0, 1]", p)
	return l
}

// maxTrials of a binomial law: beyond it the tails take long to compute.
const maxTrials = 1e9

// Binomial is the number of successes among n trials of probability p. n ≥ 0 whole and at most
// 10⁹, p in [0, 1].
func Binomial(n, p float64) Distribution {
	name := fmt.Sprintf("Binomial(%.6g, %.6g)", n, p)
	err := errors.Join(wants(n >= 0 && n == math.Trunc(n) && n <= maxTrials,
		"Binomial: n = %v: want a whole number of at least 0 and at most 1e9", n),
		wants(p >= 0 && p <= 1, "Binomial: p = %v: want one in [0, 1]", p))
	if err != nil {
		return Distribution{name: name, err: err}
	}
	// The tails of the exact test, which stay precise near the mean of many trials.
	tails := func(x float64) confidence.Tails {
		t, err := confidence.BinomialTest(int64(x), int64(n), p)
		if err != nil { // n and p were checked, and x is within them
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
