package dpsgd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
)

// Laplace is mini-batch gradient descent with ℓ2-Laplace noise, [laplacesgd.Private], on records of norm at most
// 1. One pass is Epsilon-DP for data that differ in the value of one record.
//
// A canary is a record with one of two values, according to its coin. The distance between the two gradients is
// nearly the largest possible. The features are ±1 in the canary's own column and a small value in a column that
// all canaries share. The initial weight of the shared column is so large that all canaries are misclassified.
//
// A pass has each canary in one batch. The score is the released gradient of this batch in the canary's column
// minus the released gradient of the batch before. Noise that is the same in both batches therefore cancels.
type Laplace struct {
	Data         *dataset.Dataset // rows of norm at most 1
	Epsilon      float64          // > 0, privacy loss ε of one pass
	Batch        int              // ≥ 1
	Epochs       int              // ≥ 1
	LearningRate float64          // > 0; step t uses LearningRate/√t
	Length       float64          // norm of a canary's features under the fault NoClip, ≥ 1
	Fault        Fault
}

// Check returns an error if a field is outside its domain or if this training cannot have the fault.
func (l *Laplace) Check() error {
	switch {
	case !(l.Epsilon > 0 && l.Epsilon <= 1e6):
		return fmt.Errorf("epsilon-per-pass %v: want a number above 0 and at most 1e6", l.Epsilon)
	case l.Batch < 1 || l.Batch > l.Data.Len():
		return fmt.Errorf("batch %d: want 1 to the number of records, %d", l.Batch, l.Data.Len())
	case l.Epochs < 1 || l.Epochs > 1_000_000:
		return fmt.Errorf("epochs %d: want 1 to 1000000", l.Epochs)
	case !(l.LearningRate > 0 && l.LearningRate <= 1e6):
		return fmt.Errorf("learning-rate %v: want a number above 0 and at most 1e6", l.LearningRate)
	case !(l.Length >= 1 && l.Length <= 1e6):
		return fmt.Errorf("canary-length %v: want the norm of a record that is not scaled into the unit ball, 1 to 1e6",
			l.Length)
	case l.Fault == NoClip && l.Length == 1:
		return fmt.Errorf("fault %s: canaries of norm 1 cannot detect it: want a canary-length above 1", l.Fault)
	case l.Fault == ClipPerBatch || l.Fault == WrongRate:
		return fmt.Errorf("fault %s: this training neither clips nor samples; it may have %s, %s, %s and %s", l.Fault,
			HalfScale, NoClip, NoiseOnce, SameSeed)
	}
	return nil
}

// MaxCanaries returns a bound that limits the memory of a training.
func (l *Laplace) MaxCanaries() int { return maxCanaries / 10 }

const (
	pivotShare  = 0.02 // share of a canary's norm in the shared column
	pivotWeight = 1e4  // minus the weight of the shared column: a canary has a margin of about −200, whatever the noise
)

// Scores returns the canaries' scores in multiples of the largest gradient norm.
func (l *Laplace) Scores(ctx context.Context, r *rand.Rand, coins []bool) ([]float64, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	if len(coins) < 1 || len(coins) > l.MaxCanaries() {
		return nil, fmt.Errorf("%d canaries: want 1 to %d", len(coins), l.MaxCanaries())
	}
	data, init, err := l.planted(coins)
	if err != nil {
		return nil, err
	}
	first := l.Data.Dim() + 1
	perPass := (data.Len() + l.Batch - 1) / l.Batch
	scores := make([]float64, len(coins))
	before, last := slices.Clone(init), make([]float64, len(coins))
	c := laplacesgd.Config{Rate: laplacesgd.Rate{Scale: l.LearningRate}, Batch: l.Batch, Epochs: l.Epochs,
		Order: laplacesgd.OrderGiven, Init: init, Watch: l.Fault.watch()}
	c.Observe = func(t int, w []float64) {
		eta := l.LearningRate / math.Sqrt(float64(t))
		for i := range scores {
			released := (before[first+i] - w[first+i]) / eta * float64(l.Batch)
			if (l.Data.Len()+i)/l.Batch == (t-1)%perPass {
				scores[i] -= released
				if perPass > 1 { // with one batch per pass, the batch before contains the canary, too
					scores[i] += last[i]
				}
			}
			last[i] = released
		}
		copy(before, w)
	}
	epsilon := l.Epsilon
	if l.Fault == HalfScale {
		epsilon *= 2
	}
	_, err = laplacesgd.Private(ctx, r, data, c, laplacesgd.Privacy{Alpha: epsilon,
		Distribution: laplacesgd.DistributionDensity})
	return scores, err
}

// planted returns the records followed by the canaries, and the initial weights.
func (l *Laplace) planted(coins []bool) (*dataset.Dataset, []float64, error) {
	n, d := l.Data.Len(), l.Data.Dim()
	dim := d + 1 + len(coins)
	values, labels := make([]float64, (n+len(coins))*dim), make([]float64, n+len(coins))
	for i := range n {
		l.Data.Row(i).AddTo(values[i*dim:i*dim+d], 1)
		labels[i] = l.Data.Label(i)
	}
	length := 1.0
	if l.Fault == NoClip {
		length = l.Length
	}
	for i, in := range coins {
		row := values[(n+i)*dim : (n+i+1)*dim]
		row[d], row[d+1+i] = pivotShare*length, length*math.Sqrt(1-pivotShare*pivotShare)
		if !in {
			row[d+1+i] *= -1
		}
		labels[n+i] = 1
	}
	init := make([]float64, dim)
	init[d] = -pivotWeight
	data, err := dataset.NewDense(dim, values, labels)
	return data, init, err
}
