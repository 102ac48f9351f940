package curricula

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/privacy"
)

// The attack runs our implementation for one epoch on ten samples in batches of one. The δ is large enough for an
// event of moderate probability to decide.
const (
	attackSize  = 10
	attackDelta = 0.01
)

func attackClaims() []verify.Claim {
	return []verify.Claim{{
		ID: "curricula/alg-1/sampling/attack", Kind: verify.Privacy, Origin: verify.Implied,
		Place: "Sect. 3.2 and Sect. 4.1, sampled: the fault of curricula/alg-1/sampling in our implementation",
		Statement: "an epoch of our implementation with shuffled batches is as private as ten Poisson-sampled steps at " +
			"rate 1/10. The test uses the largest released gradient, with all other gradients pointing the other way",
		Check: batchAttack(curricula.SampleShuffled),
		Control: verify.Control{Check: batchAttack(curricula.SamplePoisson),
			Want: []verify.Verdict{verify.Consistent, verify.Inconclusive}, Fault: "none: Poisson batches"},
		Corrected: "curricula/table-2/eps/poisson",
		Formerly:  []string{"curricula/alg-1/sampling/attack/shuffled", "curricula/alg-1/sampling/attack/corrected"},
	}}
}

// batchRun is a mechanism that releases the noisy gradients of an epoch with noise multiplier 1.
type batchRun struct{ config curricula.Config }

func (b batchRun) Release(r *rand.Rand, data curricula.Samples) ([]float64, error) {
	return observed(linear{1}, data, b.config, &noise{1, r})
}

// batchAttack tests the ε of ten Poisson-sampled steps. The two data sets have a first record with gradient C or 0, and
// all other records have gradient −C.
func batchAttack(sampling curricula.Sampling) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		e := event.Repeat(attackSize, event.Poisson(1./attackSize, event.Gaussian(1)))
		claimed, err := accountant.LossEpsilon(e, event.AddRemove, attackDelta, accountant.Precision{Width: 0.01})
		if err != nil {
			return nil, err
		}
		data := func(first float64) curricula.Samples {
			s := curricula.Samples{X: [][]float64{{first}}, Y: make([]int, attackSize), K: 1}
			for range attackSize - 1 {
				s.X = append(s.X, []float64{-1})
			}
			return s
		}
		config := curricula.Config{Epochs: 1, Batch: 1, Rate: 1, Clip: 1, Clipping: curricula.ClipExample,
			Sampling: sampling}
		return privacy.Sampled[curricula.Samples, []float64]{Samples: 200_000, Effect: 1.25,
			Cells: []privacy.Cell[curricula.Samples, []float64]{{
				Place: fmt.Sprintf("n = %d, batches of 1, multiplier 1, a record of gradient C against one of "+
					"gradient 0, the others -1C", attackSize),
				Mechanism: batchRun{config}, A: data(1), B: data(0), Epsilon: claimed.Upper, Delta: attackDelta,
				Events: []privacy.Event[[]float64]{{Name: "the largest gradient exceeds 2.3",
					Holds: func(g []float64) bool { return floats.Max(g) > 2.3 }}},
			}}}, nil
	})
}
