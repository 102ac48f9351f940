// Package training is DP-GD as in the experiments of Wang & Xu 2019, for the claims about them and about their
// settings.
package training

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/internal/rng"
)

// The experiments: δ, n and p of the synthetic data, those of Covertype, T of Figures 1 and 4, and the λ/2 of the
// regulariser.
const (
	Delta            = 1e-3
	Records          = 10000
	Dim              = 100
	CovertypeRecords = 200000
	CovertypeDim     = 54
	Steps            = 200
	Lambda           = 0.005
)

// Epsilons are those of the experiments.
func Epsilons() []float64 { return []float64{0.1, 0.5, 2, 5} }

// Noise is a formula of the deviation σ.
type Noise func(algorithm.Budget) (float64, error)

// Gamma is the constant step size of Theorem 2, 1/(2L), for the sigmoid on rows of norm at most 1.
func Gamma() float64 { return 1 / (2 * erm.Sigmoid{}.Smoothness(math.Inf(1))) }

// Rows are n planted rows of norm 1.
func Rows(r *rand.Rand, n, dim int) (*dataset.Dataset, error) {
	data, _, err := dataset.Planted(r, n, dim, dataset.PlantedSign)
	if err != nil {
		return nil, err
	}
	prepared, err := dataset.Preparation{Scale: dataset.ScaleRows}.Fit(data)
	if err != nil {
		return nil, err
	}
	return prepared.Apply(data)
}

// Run is one run of DP-GD: the falling sigmoid, from a random unit vector, γ = 1/(2L).
type Run struct {
	Records, Steps int
	Epsilon        float64
	Noise          Noise
	Lipschitz      float64 // G that the noise is made for
	Lambda         float64 // λ/2
	Errors         bool    // count the Error of the result, which takes as long as many a step
	Subgradient    bool    // gradient descent by the subgradient of the regulariser, in the place of Algorithm 1
}

// Result is what a run comes to, at x_R in the mean over R, which is taken exactly.
type Result struct {
	Start, Norm float64 // of the projected gradient at ∇F(x_1) and at ∇F(x_R)
	Gradient    float64 // ‖∇F(x_R)‖₂, without the regulariser
	Error       float64 // share of the rows that x_R errs on, over every tenth R; 0 unless Errors
}

// tenth is between the iterates whose errors are counted: a count takes as long as a step.
const tenth = 10

// Of runs it on rows, each of which stands for Records/rows of the n records: F is a mean, and the noise knows n.
func (e Run) Of(ctx context.Context, r *rand.Rand, data *dataset.Dataset) (Result, error) {
	sigma, err := e.Noise(algorithm.Budget{Epsilon: e.Epsilon, Delta: Delta, Steps: e.Steps, Records: e.Records,
		Lipschitz: e.Lipschitz})
	if err != nil {
		return Result{}, err
	}
	space, err := erm.NewSpace(data.Dim())
	if err != nil {
		return Result{}, err
	}
	start := make([]float64, data.Dim())
	for j := range start {
		start[j] = rng.Normal(r)
	}
	floats.Scale(1/floats.Norm(start, 2), start)
	step, err := erm.NewProximal(space, e.Lambda)
	if err != nil {
		return Result{}, err
	}
	var result Result
	next, p := make([]float64, data.Dim()), make([]float64, data.Dim())
	c := algorithm.Config{Loss: erm.Sigmoid{Falling: true}, Iterations: e.Steps, Start: start, Sigma: sigma,
		StepSize: algorithm.Constant(Gamma()),
		Observe: func(k int, x, gradient, _ []float64) {
			erm.ProjectedGradient(step, x, gradient, Gamma(), next, p)
			norm := floats.Norm(p, 2)
			if k == 1 {
				result.Start = norm
			}
			result.Norm += norm / float64(e.Steps)
			result.Gradient += floats.Norm(gradient, 2) / float64(e.Steps)
			if e.Errors && k%tenth == 0 {
				result.Error += erm.ErrorRate(x, data) / float64(e.Steps/tenth)
			}
		}}
	if e.Subgradient {
		_, err = algorithm.GD(ctx, r, data, erm.L1{Lambda: e.Lambda}, c)
	} else {
		_, err = algorithm.PGD(ctx, r, data, space, e.Lambda, c)
	}
	return result, err
}

// AtZero is the norm of the projected gradient at θ = 0.
func AtZero(data *dataset.Dataset) (float64, error) {
	space, err := erm.NewSpace(data.Dim())
	if err != nil {
		return 0, err
	}
	step, err := erm.NewProximal(space, Lambda)
	if err != nil {
		return 0, err
	}
	zero, g, next := make([]float64, data.Dim()), make([]float64, data.Dim()), make([]float64, data.Dim())
	algorithm.Gradient(erm.Sigmoid{Falling: true}, data, zero, g)
	erm.ProjectedGradient(step, zero, g, Gamma(), next, g)
	return floats.Norm(g, 2), nil
}
