package nonconvex

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
	paperDelta       = 1e-3
	syntheticRecords = 10000
	syntheticDim     = 100
	covertypeRecords = 200000
	covertypeDim     = 54
	paperSteps       = 200
	paperLambda      = 0.005
)

// paperEpsilons are those of the experiments.
func paperEpsilons() []float64 { return []float64{0.1, 0.5, 2, 5} }

// noiseFormula is a formula of the deviation σ.
type noiseFormula func(algorithm.Budget) (float64, error)

// paperGamma is the constant step size of Theorem 2, 1/(2L), for the sigmoid on rows of norm at most 1.
func paperGamma() float64 { return 1 / (2 * erm.Sigmoid{}.Smoothness(math.Inf(1))) }

// plantedRows are n planted rows of norm 1.
func plantedRows(r *rand.Rand, n, dim int) (*dataset.Dataset, error) {
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

// trainingRun is one run of DP-GD as in the experiments: the falling sigmoid, from a random unit vector, γ = 1/(2L).
type trainingRun struct {
	Records, Steps int
	Epsilon        float64
	Noise          noiseFormula
	Lipschitz      float64 // G that the noise is made for
	Lambda         float64 // λ/2
	Errors         bool    // count the Error of the result, which takes as long as many a step
	Subgradient    bool    // gradient descent by the subgradient of the regulariser, in the place of Algorithm 1
}

// trainingResult is what a run comes to, at x_R in the mean over R, which is taken exactly.
type trainingResult struct {
	Start, Norm float64 // of the projected gradient at ∇F(x_1) and at ∇F(x_R)
	Gradient    float64 // ‖∇F(x_R)‖₂, without the regulariser
	Error       float64 // share of the rows that x_R errs on, over every tenth R; 0 unless Errors
}

// errorInterval is between the iterates whose errors are counted: a count takes as long as a step.
const errorInterval = 10

// Of runs it on rows, each of which stands for Records/rows of the n records: F is a mean, and the noise knows n.
func (e trainingRun) Of(ctx context.Context, r *rand.Rand, data *dataset.Dataset) (trainingResult, error) {
	sigma, err := e.Noise(algorithm.Budget{Epsilon: e.Epsilon, Delta: paperDelta, Steps: e.Steps, Records: e.Records,
		Lipschitz: e.Lipschitz})
	if err != nil {
		return trainingResult{}, err
	}
	space, err := erm.NewSpace(data.Dim())
	if err != nil {
		return trainingResult{}, err
	}
	start := make([]float64, data.Dim())
	for j := range start {
		start[j] = rng.Normal(r)
	}
	floats.Scale(1/floats.Norm(start, 2), start)
	step, err := erm.NewProximal(space, e.Lambda)
	if err != nil {
		return trainingResult{}, err
	}
	var result trainingResult
	next, p := make([]float64, data.Dim()), make([]float64, data.Dim())
	c := algorithm.Config{Loss: erm.Sigmoid{Falling: true}, Iterations: e.Steps, Start: start, Sigma: sigma,
		StepSize: algorithm.Constant(paperGamma()),
		Observe: func(k int, x, gradient, _ []float64) {
			erm.ProjectedGradient(step, x, gradient, paperGamma(), next, p)
			norm := floats.Norm(p, 2)
			if k == 1 {
				result.Start = norm
			}
			result.Norm += norm / float64(e.Steps)
			result.Gradient += floats.Norm(gradient, 2) / float64(e.Steps)
			if e.Errors && k%errorInterval == 0 {
				result.Error += erm.ErrorRate(x, data) / float64(e.Steps/errorInterval)
			}
		}}
	if e.Subgradient {
		_, err = algorithm.GD(ctx, r, data, erm.L1{Lambda: e.Lambda}, c)
	} else {
		_, err = algorithm.PGD(ctx, r, data, space, e.Lambda, c)
	}
	return result, err
}

// gradientAtZero is the norm of the projected gradient at θ = 0.
func gradientAtZero(data *dataset.Dataset) (float64, error) {
	space, err := erm.NewSpace(data.Dim())
	if err != nil {
		return 0, err
	}
	step, err := erm.NewProximal(space, paperLambda)
	if err != nil {
		return 0, err
	}
	zero, g, next := make([]float64, data.Dim()), make([]float64, data.Dim()), make([]float64, data.Dim())
	algorithm.Gradient(erm.Sigmoid{Falling: true}, data, zero, g)
	erm.ProjectedGradient(step, zero, g, paperGamma(), next, g)
	return floats.Norm(g, 2), nil
}
