// Package points holds the vectors at which the claims of a paper are evaluated.
package points

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/internal/rng"
)

// Diagonal is the vector of R^d along (1, …, 1) with the given length, signed.
func Diagonal(d int, length float64) []float64 {
	v := make([]float64, d)
	for i := range v {
		v[i] = length / math.Sqrt(float64(d))
	}
	return v
}

// OnSphere draws a uniform point of the unit sphere in R^d.
func OnSphere(r *rand.Rand, d int) []float64 {
	x := make([]float64, d)
	for {
		for j := range x {
			x[j] = rng.Normal(r)
		}
		if n := floats.Norm(x, 2); n > 0 {
			floats.Scale(1/n, x)
			return x
		}
	}
}
