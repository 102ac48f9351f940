package prestige

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/verify"
)

// deferred is a check that is built when it is prepared.
func deferred(build func() (verify.Check, error)) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		check, err := build()
		if err != nil {
			return nil, err
		}
		return check.Prepare(ctx, s)
	})
}

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
