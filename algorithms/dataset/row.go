package dataset

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Row is one row of a [Dataset]. Values[k] is in column Columns[k] (from 0), or in column k if Columns is nil (a
// dense row). Its methods do not allocate.
type Row struct {
	Columns []int32
	Values  []float64
}

// Dot returns the inner product ⟨w, x⟩. w has the dimension of the set.
func (x Row) Dot(w []float64) float64 {
	sum := 0.0
	if x.Columns == nil {
		w = w[:len(x.Values)]
		for k, v := range x.Values {
			sum += v * w[k]
		}
		return sum
	}
	for k, v := range x.Values {
		sum += v * w[x.Columns[k]]
	}
	return sum
}

// AddTo adds c·x to dst, which has the dimension of the set.
func (x Row) AddTo(dst []float64, c float64) {
	if x.Columns == nil {
		dst = dst[:len(x.Values)]
		for k, v := range x.Values {
			dst[k] += c * v
		}
		return
	}
	for k, v := range x.Values {
		dst[x.Columns[k]] += c * v
	}
}

// Norm returns the ℓ2 norm ‖x‖ without overflow or underflow in intermediate results.
func (x Row) Norm() float64 {
	sum := 0.0
	for _, v := range x.Values {
		sum += v * v
	}
	// Within these limits no square has overflowed or lost relevant digits, and
	// the plain sum is faster than the scaled one.
	if sum >= 1e-280 && sum <= 1e300 {
		return math.Sqrt(sum)
	}
	return floats.Norm(x.Values, 2)
}
