package prestige

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/mean"
)

// training is a setting of Theorem 1: 100 records with x = 1 and y = +1, hinge loss, projection, and every record
// selected. As the records are equal, the order of an epoch has no effect, and eq. (26) holds except for the labels.
type training struct {
	lambda, radius float64
	trueLabels     bool // F over the labels as they are, not as perturbed
}

const (
	trainingDim  = 1
	trainingRows = 100
)

const trainingWords = "100 records x = 1, y = +1 of dimension 1, hinge loss, ε_r = 0.2, ε_s = 0.8"

func (t training) lipschitz() float64 { return t.lambda*t.radius + 1 }

func trainingData() (*dataset.Dataset, error) {
	values, labels := make([]float64, trainingRows), make([]float64, trainingRows)
	for i := range labels {
		values[i], labels[i] = 1, 1
	}
	return dataset.NewDense(trainingDim, values, labels)
}

// objective returns F(w) over the original labels or over the perturbed ones.
func (t training) objective(w float64) float64 {
	turn := 1 / (1 + math.Exp(labelEpsilon))
	if t.trueLabels {
		turn = 0
	}
	return (1-turn)*erm.Hinge{}.Value(w) + turn*erm.Hinge{}.Value(-w) + t.lambda/2*w*w
}

func (t training) least() float64 { return t.objective(t.minimizer()) }

// minimizer returns the minimizer of F in the ball, by ternary search.
func (t training) minimizer() float64 {
	low, high := -t.radius, t.radius
	for range 200 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if t.objective(a) <= t.objective(b) {
			high = b
		} else {
			low = a
		}
	}
	return (low + high) / 2
}

// train runs Algorithm 1 in this setting.
func (t training) train(ctx context.Context, r *rand.Rand, data *dataset.Dataset, epochs int) (*localsgd.Result,
	error) {
	bound, err := paper.PrivateSamplingBound(trainingDim, gradientEpsilon, t.lipschitz())
	if err != nil {
		return nil, err
	}
	return localsgd.PRESTIGE(ctx, r, data,
		localsgd.Config{Loss: erm.Hinge{}, Lambda: t.lambda, Radius: t.radius, Lipschitz: t.lipschitz(), Epochs: epochs,
			Project: true, Average: true},
		localsgd.Privacy{Epsilon: gradientEpsilon, Bound: bound, Premise: localsgd.PremiseClip},
		localsgd.Curriculum{Epsilon: labelEpsilon, Threshold: math.Inf(-1)})
}

// run trains for whole epochs and returns the gap of the mean iterate.
func (t training) run(ctx context.Context, r *rand.Rand, epochs int) (float64, error) {
	data, err := trainingData()
	if err != nil {
		return 0, err
	}
	result, err := t.train(ctx, r, data, epochs)
	if err != nil {
		return 0, err
	}
	return math.Max(0, t.objective(result.Mean[0])-t.least()), nil
}

// bounded compares the gap with the bound of Theorem 1 over a grid of T.
func (t training) bounded() verify.Check {
	most := t.objective(-t.radius) - t.least() // no point of the ball is worse than its far end
	return mean.Rate{
		Quantity: "E F(ŵ) − F(w*)", Variable: "T", Sense: verify.AtMost, Note: trainingWords,
		Grid: t.grid(), Replicates: 640,
		Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
			return t.run(ctx, r, int(x)/trainingRows)
		},
		Bound: func(x float64) float64 {
			return paper.Rate(trainingDim, gradientEpsilon, t.lambda, t.lipschitz(), t.radius, x)
		},
		Trivial: func(float64) float64 { return most },
		Range:   func(float64) (lo, hi float64) { return 0, most * (1 + 1e-9) },
	}
}

// grid returns the values of T. With the original labels the gap does not vanish and exceeds the bound from T = 2,800
// on.
func (t training) grid() []float64 {
	if t.trueLabels {
		return []float64{400, 1600, 12800}
	}
	return []float64{100, 400, 1600, 6400}
}
