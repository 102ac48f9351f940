package laplacesgd

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/bounds"
)

// The mean squared distance between private and non-private runs of our implementation, on the same records in the same
// order, is at most bounds.NoiseInIterate. Rows of zeros attain the bound; rows on the sphere stay a sixth or more
// below it. The means of 400 runs are compared within six standard errors, so false alarms have probability below 1e-8.
func TestNoiseInIterate(t *testing.T) {
	const n, d, runs = 200, 5, 400
	sphere, _, err := dataset.Sphere(rand.New(rand.NewPCG(1, 1)), n, d, 0.001)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]float64, n)
	for i := range labels {
		labels[i] = 1
	}
	zeros, err := dataset.NewDense(d, make([]float64, n*d), labels)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason string
		data   *dataset.Dataset
		b      int
		lambda float64
		attain bool
	}{
		{"no gradients", zeros, 1, paperLambda, true},
		{"no gradients, a large regularizer", zeros, 4, 0.1, true},
		{"the curvature of the loss reduces the distance", sphere, 1, paperLambda, false},
		{"the curvature of the loss in batches", sphere, 4, paperLambda, false},
	} {
		config := laplacesgd.Config{Lambda: c.lambda, Rate: rootRate, Batch: c.b, Epochs: 1, Order: laplacesgd.OrderGiven}
		r := rand.New(rand.NewPCG(2, uint64(c.b)))
		plain, err := laplacesgd.SGD(context.Background(), r, c.data, config)
		if err != nil {
			t.Fatal(err)
		}
		var sum, squares float64
		for range runs {
			private, err := laplacesgd.Private(context.Background(), r, c.data, config, laplacesgd.Privacy{Alpha: paperAlpha})
			if err != nil {
				t.Fatal(err)
			}
			distance := floats.Distance(private.W, plain.W, 2)
			sum, squares = sum+distance*distance, squares+math.Pow(distance, 4)
		}
		mean := sum / runs
		slack := 6 * math.Sqrt((squares/runs-mean*mean)/runs)
		bound := bounds.NoiseInIterate(plain.Steps, c.lambda, float64(c.b), rootOf) *
			bounds.BallGammaMeanSquare(d, noiseScale)
		if mean > bound+slack || c.attain && mean < bound-slack || !c.attain && mean > bound/1.2 {
			t.Errorf("%s: E‖w − w′‖² = %v ± %v, bound %v", c.reason, mean, slack, bound)
		}
	}
}
