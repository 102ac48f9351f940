package erm

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// Objective is F(w) = (1/n) Σ f_i(w) with f_i(w) = loss(y_i⟨w, x_i⟩) + ρ(w), ρ the regularizer. With L2 it is eq.
// (1) of Han et al. 2018 and eq. (2) of Hardwarsing 2018.
type Objective struct {
	Loss Loss
	Reg  Regularizer // nil for none
}

// Value returns F(w) on a data set. w has the dimension of the data set.
func (o Objective) Value(w []float64, data *dataset.Dataset) float64 {
	sum := 0.0
	for i := range data.Len() {
		sum += o.Loss.Value(data.Label(i) * data.Row(i).Dot(w))
	}
	mean := sum / float64(data.Len())
	if o.Reg == nil {
		return mean
	}
	return mean + o.Reg.Value(w)
}

// Gradient writes a (sub)gradient of f_i at w to dst, for the row x with label y. w and dst have the row's
// dimension and do not overlap. Gradient does not allocate. It takes time O(d) because of the regularizer; Slope
// is faster on sparse rows.
func (o Objective) Gradient(w []float64, x dataset.Row, y float64, dst []float64) {
	if o.Reg == nil {
		clear(dst[:len(w)])
	} else {
		o.Reg.Gradient(w, dst)
	}
	if slope := o.Slope(w, x, y); slope != 0 {
		x.AddTo(dst, slope)
	}
}

// Slope returns y·loss'(y⟨w, x⟩). The gradient of the loss part of f_i is Slope·x. Slope takes time O(stored
// values of x). A training algorithm that omits the regularizer or applies it lazily never touches the other
// columns: x.AddTo(w, -η·Slope) is a step.
func (o Objective) Slope(w []float64, x dataset.Row, y float64) float64 {
	return y * o.Loss.Derivative(y*x.Dot(w))
}

// Lipschitz returns a bound on the norm of every gradient of f_i on the ball ‖w‖ ≤ radius, for rows of norm at
// most rowNorm > 0. The bound is G·rowNorm + G_ρ. G is the loss's constant for margins up to rowNorm·radius and
// G_ρ is the regularizer's, λ·radius for L2.
func (o Objective) Lipschitz(rowNorm, radius float64) float64 {
	g := o.Loss.Lipschitz(rowNorm*radius) * rowNorm
	if o.Reg == nil {
		return g
	}
	return g + o.Reg.Lipschitz(radius)
}

// ErrorRate returns the share, in [0, 1], of rows whose label differs from the predicted label: +1 if ⟨w, x⟩ ≥ 0,
// else -1 (Han et al. 2018, Fig. 3). A score of NaN counts as an error, whatever the label.
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
