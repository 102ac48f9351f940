package erm

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// Objective is F(w) = (1/n) Σ f_i(w) with f_i(w) = loss(y_i⟨w, x_i⟩) + (λ/2)‖w‖²
// (Han et al. 2018, eq. (1)).
type Objective struct {
	Loss Loss
	Reg  L2
}

// Value is F(w) on a data set; w has its dimension.
func (o Objective) Value(w []float64, data *dataset.Dataset) float64 {
	sum := 0.0
	for i := range data.Len() {
		sum += o.Loss.Value(data.Label(i) * data.Row(i).Dot(w))
	}
	return sum/float64(data.Len()) + o.Reg.Value(w)
}

// Gradient writes the (sub)gradient of f_i at w to dst, for the row x with the
// label y; w and dst have the row's dimension. It does not allocate.
func (o Objective) Gradient(w []float64, x dataset.Row, y float64, dst []float64) {
	o.Reg.Gradient(w, dst)
	if slope := o.Loss.Derivative(y * x.Dot(w)); slope != 0 {
		x.AddTo(dst, slope*y)
	}
}

// Lipschitz bounds the norm of every gradient of f_i on the ball ‖w‖ ≤ radius
// for rows of norm at most rowNorm: G·rowNorm + λ·radius, G the loss's constant for
// margins up to rowNorm·radius.
func (o Objective) Lipschitz(rowNorm, radius float64) float64 {
	return o.Loss.Lipschitz(rowNorm*radius)*rowNorm + o.Reg.Lipschitz(radius)
}

// ErrorRate is the share of rows whose label differs from the predicted one,
// +1 where ⟨w, x⟩ ≥ 0 and else -1 (Han et al. 2018, Fig. 3); in [0, 1]. A NaN
// on the way is counted as an error, whatever the label.
func ErrorRate(w []float64, data *dataset.Dataset) float64 {
	wrong := 0
	for i := range data.Len() {
		score := data.Row(i).Dot(w)
		if math.IsNaN(score) || (score >= 0) != (data.Label(i) > 0) {
			wrong++
		}
	}
	return float64(wrong) / float64(data.Len())
}
