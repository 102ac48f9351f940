package curricula

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Losses returns Cost(L(x_i), y_i), eq. (1), of all samples under a trained model.
//
// Errors: data that do not fit the model, a theta of the wrong length, or a loss that is NaN.
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

// Order returns step 1 of Algorithm 2: the sample indices by ascending loss. The paper asks for strictly ascending
// losses; samples with equal losses keep the order of the data.
func Order(losses []float64) []int {
	order := make([]int, len(losses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(losses[a], losses[b]) })
	return order
}

// LogisticEpochs is the number of passes of [Logistic].
const LogisticEpochs = 15

// Logistic trains the logistic regression L of Section 5.1 by SGD without noise and returns it with its
// parameters. The paper prints its accuracies on MNIST, 0.9346 on the training set and 0.9256 on the validation
// set (Sect. 6.3, Reason 3), but not its settings. 15 passes at rate 0.5 with batches of 100 reproduce them to
// within 0.005.
func Logistic(ctx context.Context, r *rand.Rand, data Data) (*Softmax, []float64, error) {
	m, err := NewSoftmax(data.Dim(), data.Classes())
	if err != nil {
		return nil, nil, err
	}
	result, err := Train(ctx, r, m, data, Config{Epochs: LogisticEpochs, Batch: min(100, data.Len()), Rate: 0.5,
		Clip: math.Inf(1), Sampling: SampleShuffled})
	if err != nil {
		return nil, nil, err
	}
	return m, result.Theta, nil
}

// SampleCurriculum returns the samples in the order of their losses under [Logistic]. Training and sorting use the
// private data without any protection.
func SampleCurriculum(ctx context.Context, r *rand.Rand, data Data) ([]int, error) {
	m, theta, err := Logistic(ctx, r, data)
	if err != nil {
		return nil, err
	}
	losses, err := Losses(m, theta, data)
	if err != nil {
		return nil, err
	}
	return Order(losses), nil
}
