package curricula

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Losses are Cost(L(x_i), y_i) of all samples under a trained model, eq. (1).
func Losses(m Model, theta []float64, data Data) ([]float64, error) {
	if err := checkData(data, m); err != nil {
		return nil, err
	}
	if len(theta) != m.Params() {
		return nil, fmt.Errorf("curricula: %d parameters for a model of %d", len(theta), m.Params())
	}
	x, losses := make([]float64, data.Dim()), make([]float64, data.Len())
	for i := range losses {
		y := data.Load(i, x)
		if losses[i] = m.Loss(theta, x, y); math.IsNaN(losses[i]) {
			return nil, fmt.Errorf("curricula: the loss of sample %d is not a number", i)
		}
	}
	return losses, nil
}

// Order is step 1 of Algorithm 2: the samples by ascending loss. The paper wants
// strictly ascending losses; equal ones keep the order of the data.
func Order(losses []float64) []int {
	order := make([]int, len(losses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(losses[a], losses[b]) })
	return order
}

// SampleCurriculum trains the logistic regression L of Section 5.1 by plain SGD
// without noise and returns the order of its losses. Training and sorting look at
// the private data; nothing hides that. The paper reports an accuracy of 0.9346 of L on
// the training set.
func SampleCurriculum(ctx context.Context, r *rand.Rand, data Data, epochs, batch int, rate float64) ([]int, error) {
	m, err := NewSoftmax(data.Dim(), data.Classes())
	if err != nil {
		return nil, err
	}
	c := Config{Epochs: epochs, Batch: batch, Rate: rate, Clip: math.Inf(1), Sampling: SampleShuffled}
	result, err := Train(ctx, r, m, data, c)
	if err != nil {
		return nil, err
	}
	losses, err := Losses(m, result.Theta, data)
	if err != nil {
		return nil, err
	}
	return Order(losses), nil
}
