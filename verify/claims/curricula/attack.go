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

// The attacks run the implementation on batches of one out of ten samples for one
// epoch, at δ so large that events of moderate mass decide.
const attackSize = 10

// attack is a way to make batches, the gradients of all but the first record, δ, and
// the event.
type attack struct {
	sampling curricula.Sampling
	others   float64
	delta    float64
	event    privacy.Event[[]float64]
}

var (
	fixedAttack = attack{curricula.SampleFixed, 0, 0.1,
		privacy.Event[[]float64]{Name: "the first gradient exceeds 1", Holds: func(g []float64) bool { return g[0] > 1 }}}
	shuffledAttack = attack{curricula.SampleShuffled, -1, 0.01,
		privacy.Event[[]float64]{Name: "the largest gradient exceeds 2.3",
			Holds: func(g []float64) bool { return floats.Max(g) > 2.3 }}}
	poissonAttack = attack{curricula.SamplePoisson, -1, 0.01, shuffledAttack.event}
)

func attackClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "curricula/alg-1/sampling/attack", Source: "Alg. 1, by samples", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "as curricula/alg-1/sampling, by samples of the algorithm",
			Statement: "an epoch of the implementation with fixed batches is as private as ten Poisson-sampled steps at rate " +
				"1/10, by attack on the batch of the record that differs",
			Check: batchAttack(fixedAttack, poissonEpoch),
			Control: verify.Control{Check: batchAttack(fixedAttack, oneRelease), Want: checks.Consistent,
				Fault: "none: the ε of one Gaussian release"},
			Corrected: "curricula/alg-1/sampling/attack/corrected",
		},
		{
			ID: "curricula/alg-1/sampling/attack/corrected", Source: "Alg. 1, by samples", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "as curricula/alg-1/sampling, at the cost of fixed batches",
			Statement: "an epoch of the implementation with fixed batches is as private as one Gaussian release that " +
				"the record moves by C",
			Check: batchAttack(fixedAttack, oneRelease),
			Control: verify.Control{Check: batchAttack(fixedAttack, poissonEpoch), Want: checks.Refuted,
				Fault: "the ε of Poisson sampling"},
		},
		{
			ID: "curricula/alg-1/sampling/attack/shuffled", Source: "Alg. 1, Sect. 4.1, by samples", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "as curricula/alg-1/sampling/shuffled, by samples of the algorithm",
			Statement: "an epoch of the implementation with shuffled batches is as private as ten Poisson-sampled steps at " +
				"rate 1/10, by attack on the largest gradient, all others pointing the other way",
			Check: batchAttack(shuffledAttack, poissonEpoch),
			Control: verify.Control{Check: batchAttack(poissonAttack, poissonEpoch),
				Want: []verify.Verdict{verify.Consistent, verify.Inconclusive}, Fault: "none: Poisson batches"},
			Corrected: "curricula/alg-1/sampling/corrected",
		},
		{
			ID: "curricula/alg-2/order/attack", Source: "Alg. 2, by samples", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "as curricula/alg-2/order, by samples of the algorithm",
			Statement: "an epoch of the implementation with sorted batches is as private as one Gaussian release that a " +
				"replaced record moves by 2C, as with fixed batches",
			Check: orderAttack(1),
			Control: verify.Control{Check: orderAttack(attackSize), Want: checks.Consistent,
				Fault: "none: the ε of ten releases"},
			Corrected: "curricula/alg-2/order/attack/corrected",
		},
		{
			ID: "curricula/alg-2/order/attack/corrected", Source: "Alg. 2, by samples", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "as curricula/alg-2/order/corrected, by samples of the algorithm",
			Statement: "an epoch of the implementation with ten sorted batches is as private as ten Gaussian " +
				"releases each moved by 2C",
			Check:   orderAttack(attackSize),
			Control: verify.Control{Check: orderAttack(1), Want: checks.Refuted, Fault: "the ε of one release"},
		},
	}
}

func poissonEpoch(delta float64) (accountant.Bracket, error) {
	e := event.Repeat(attackSize, event.Poisson(1./attackSize, event.Gaussian(1)))
	return accountant.LossEpsilon(e, event.AddRemove, delta, accountant.Precision{Width: 0.01})
}

func oneRelease(delta float64) (accountant.Bracket, error) {
	return accountant.GDP{Mu: 1}.Epsilon(delta)
}

// batchRun releases the noisy gradients of an epoch, multiplier 1.
type batchRun struct{ config curricula.Config }

func (b batchRun) Release(r *rand.Rand, data curricula.Samples) ([]float64, error) {
	return observed(linear{1}, data, b.config, &noise{1, r})
}

// batchAttack tells a first record of gradient C from one of gradient 0.
func batchAttack(how attack, epsilon func(delta float64) (accountant.Bracket, error)) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		claimed, err := epsilon(how.delta)
		if err != nil {
			return nil, err
		}
		data := func(first float64) curricula.Samples {
			s := curricula.Samples{X: [][]float64{{first}}, Y: make([]int, attackSize), K: 1}
			for range attackSize - 1 {
				s.X = append(s.X, []float64{how.others})
			}
			return s
		}
		config := curricula.Config{Epochs: 1, Batch: 1, Rate: 1, Clip: 1, Clipping: curricula.ClipExample,
			Sampling: how.sampling}
		return privacy.Sampled[curricula.Samples, []float64]{Samples: 200_000, Effect: 1.25,
			Cells: []privacy.Cell[curricula.Samples, []float64]{{
				Place: fmt.Sprintf("n = %d, batches of 1, multiplier 1, a record of gradient C against one of "+
					"gradient 0, the others %gC", attackSize, how.others),
				Mechanism: batchRun{config}, A: data(1), B: data(0), Epsilon: claimed.Upper, Delta: how.delta,
				Events: []privacy.Event[[]float64]{how.event},
			}}}, nil
	})
}

// orderRun releases the noisy gradients of an epoch of Algorithm 2, multiplier 4.
type orderRun struct{}

const orderMultiplier, orderDelta = 4, 0.1

func (orderRun) Release(r *rand.Rand, data curricula.Samples) ([]float64, error) {
	return epochGradients(data, &noise{orderMultiplier, r})
}

// orderAttack claims the ε of the given number of releases each moved by 2C.
func orderAttack(releases int) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		e := event.Repeat(int64(releases), event.Gaussian(orderMultiplier))
		claimed, err := certifiedAt(e, orderDelta)
		if err != nil {
			return nil, err
		}
		a, b := sortedPair(attackSize, false)
		alternating := func(g []float64) (sum float64) {
			for i, v := range g {
				sum += float64(1-2*(i%2)) * v
			}
			return sum
		}
		return privacy.Sampled[curricula.Samples, []float64]{Samples: 100_000, Effect: 1.25,
			Cells: []privacy.Cell[curricula.Samples, []float64]{{
				Place: fmt.Sprintf("n = %d, batches of 1, multiplier %d, the record of least loss replaced by "+
					"one of greatest loss", attackSize, orderMultiplier),
				Mechanism: orderRun{}, A: a, B: b, Epsilon: claimed, Delta: orderDelta,
				Events: []privacy.Event[[]float64]{{Name: "the alternating sum of gradients exceeds 5",
					Holds: func(g []float64) bool { return alternating(g) > 5 }}},
			}}}, nil
	})
}

// certifiedAt is the upper end of the exact ε of Gaussian releases at d, a record replaced.
func certifiedAt(e event.Event, d float64) (float64, error) {
	results, err := accountant.Epsilons(e, event.ReplaceOne, d, accountant.Options{Methods: []string{"gaussian-exact"}})
	if err != nil {
		return 0, err
	}
	for _, r := range results {
		if r.Method == "gaussian-exact" {
			return r.Upper, nil
		}
	}
	return 0, fmt.Errorf("no exact ε of %s", e)
}
