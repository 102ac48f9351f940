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

// Parameters of the experiments: δ, n and p of the synthetic data, n and p of Covertype, T of Figures 1 and 4, and
// the λ/2 of the regularizer.
const (
	paperDelta       = 1e-3
	syntheticRecords = 10000
	syntheticDim     = 100
	covertypeRecords = 200000
	paperSteps       = 200
	paperLambda      = 0.005
)

// paperEpsilons holds the ε of the experiments.
var paperEpsilons = []float64{0.1, 0.5, 2, 5}

// noiseFormula returns the standard deviation σ.
type noiseFormula func(algorithm.Budget) (float64, error)

// paperGamma returns the constant step size of Theorem 2, 1/(2L), for the sigmoid on rows of norm at most 1.
func paperGamma() float64 { return 1 / (2 * erm.Sigmoid{}.Smoothness(math.Inf(1))) }

// plantedRows returns n planted rows of norm 1.
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

// setting is one run of DP-GD as in the experiments: the decreasing sigmoid with noise for its own constant, 0.25,
// from a random unit vector, γ = 1/(2L).
type setting struct {
	records, steps int
	epsilon        float64
	noise          noiseFormula
	subgradient    bool // gradient descent by the subgradient of the regularizer, in place of Algorithm 1
}

// norm returns the norm of the projected gradient at ∇F(x_R), averaged exactly over R. Each row represents
// records/rows of the n records: F is a mean, and the noise is made for n.
func (e setting) norm(ctx context.Context, r *rand.Rand, data *dataset.Dataset) (float64, error) {
	sigma, err := e.noise(algorithm.Budget{Epsilon: e.epsilon, Delta: paperDelta, Steps: e.steps, Records: e.records,
		Lipschitz: erm.Sigmoid{}.Lipschitz(1)})
	if err != nil {
		return 0, err
	}
	space, err := erm.NewSpace(data.Dim())
	if err != nil {
		return 0, err
	}
	start := make([]float64, data.Dim())
	for j := range start {
		start[j] = rng.Normal(r)
	}
	floats.Scale(1/floats.Norm(start, 2), start)
	step, err := erm.NewProximal(space, paperLambda)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	next, p := make([]float64, data.Dim()), make([]float64, data.Dim())
	c := algorithm.Config{Loss: erm.Sigmoid{Falling: true}, Iterations: e.steps, Start: start, Sigma: sigma,
		StepSize: algorithm.Constant(paperGamma()),
		Observe: func(_ int, x, gradient, _ []float64) {
			erm.ProjectedGradient(step, x, gradient, paperGamma(), next, p)
			sum += floats.Norm(p, 2) / float64(e.steps)
		}}
	if e.subgradient {
		_, err = algorithm.GD(ctx, r, data, erm.L1{Lambda: paperLambda}, c)
	} else {
		_, err = algorithm.PGD(ctx, r, data, space, paperLambda, c)
	}
	return sum, err
}
