package prestige

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/internal/ziggurat"
)

// diagonal is the vector of R^d along (1, …, 1) with the given length, signed.
func diagonal(d int, length float64) []float64 {
	v := make([]float64, d)
	for i := range v {
		v[i] = length / math.Sqrt(float64(d))
	}
	return v
}

func dot(a, b []float64) float64  { return floats.Dot(a, b) }
func largest(x []float64) float64 { return slices.Max(x) }
func least(x []float64) float64   { return slices.Min(x) }

// onSphere draws a uniform point of the unit sphere in R^d.
func onSphere(r *rand.Rand, d int) []float64 {
	x := make([]float64, d)
	for {
		for j := range x {
			x[j] = ziggurat.Normal(r)
		}
		if n := floats.Norm(x, 2); n > 0 {
			floats.Scale(1/n, x)
			return x
		}
	}
}
