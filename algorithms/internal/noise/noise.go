// Package noise draws finite noise of unit scale.
package noise

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
)

// Exponential returns one finite draw from the exponential distribution with mean 1. The generator's tail can
// return +Inf, with probability about 2⁻⁶⁴; such a value is drawn again.
func Exponential(r *rand.Rand) float64 {
	for {
		if e := rng.Exponential(r); e <= math.MaxFloat64 {
			return e
		}
	}
}

// Laplace returns one finite draw from the Laplace distribution with mean 0 and scale 1.
func Laplace(r *rand.Rand) float64 {
	e := Exponential(r)
	return math.Float64frombits(math.Float64bits(e) | r.Uint64()<<63)
}

// Normal returns one finite draw from the standard normal distribution.
func Normal(r *rand.Rand) float64 {
	for {
		if z := rng.Normal(r); math.Abs(z) <= math.MaxFloat64 {
			return z
		}
	}
}

// Resize returns a slice of length n that reuses s if its capacity suffices.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
