// Package noise draws unit noise, which is always finite.
package noise

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
)

// Exponential returns one draw of the exponential law of mean 1. It is finite: the
// generator's own tail can return +Inf, with probability about 2⁻⁶⁴, and is drawn again.
func Exponential(r *rand.Rand) float64 {
	for {
		if e := rng.Exponential(r); e <= math.MaxFloat64 {
			return e
		}
	}
}

// Laplace returns one draw of the Laplace law of mean 0 and scale 1; it is finite.
func Laplace(r *rand.Rand) float64 {
	e := Exponential(r)
	return math.Float64frombits(math.Float64bits(e) | r.Uint64()<<63)
}

// Normal returns one draw of the standard normal law; it is finite.
func Normal(r *rand.Rand) float64 {
	for {
		if z := rng.Normal(r); math.Abs(z) <= math.MaxFloat64 {
			return z
		}
	}
}

// Resize returns a slice of length n that reuses s where its capacity allows.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
