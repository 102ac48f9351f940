package pairwise

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/mean"
)

// onRest is the AUC, on the rows left over, of what a learner makes of n rows in a random order.
func onRest(ctx context.Context, r *rand.Rand, data *dataset.Dataset, n int,
	by learn) (float64, error) {
	train, test, err := splitRows(r, data, n)
	if err != nil {
		return 0, err
	}
	w, err := by(ctx, r, train)
	if err != nil {
		return 0, err
	}
	return pairwise.AUC(w, test), nil
}

// growsInSize holds the AUC at n = 350 against that at n = 50: of NonPrivate by runs, of OffPairC of the paper by
// symmetry.
func growsInSize(rows source, plain bool) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		if !plain {
			return symmetricAUC(ctx, s, data, place{50, 2.5}, place{350, 2.5}), nil
		}
		return valueOrder("AUC on the rows left over", []string{"at n = 50", "at n = 350"}, 800, "NonPrivate, λ = 0.1, "+
			"T₁ = ⌈L/λ⌉ + 2, a new order of the rows for every run, rows of norm 1",
			func(ctx context.Context, r *rand.Rand) (small, large float64, err error) {
				if small, err = onRest(ctx, r, data, 50, aucTask.nonPrivate); err == nil {
					large, err = onRest(ctx, r, data, 350, aucTask.nonPrivate)
				}
				return small, large, err
			}), nil
	})
}

// place is a size and an ε of the experiments.
type place struct {
	n       int
	epsilon float64
}

// symmetricAUC is the mean AUC of OffPairC of the paper, ½ at any n and ε, once a run at each place has taken no step.
func symmetricAUC(ctx context.Context, s verify.Settings, data *dataset.Dataset, from, to place) verify.Check {
	return formula.Check{
		Quantity: fmt.Sprintf("mean AUC of OffPairC at n = %d, ε = %g", to.n, to.epsilon), Sense: verify.Above,
		Domain: "runs that take no step, whose ŵ is symmetric about 0: AUC(w) + AUC(−w) = 1 makes the mean ½",
		Points: func(add func(formula.Point)) {
			p := formula.Point{Place: formula.Placef("against n = %d, ε = %g", from.n, from.epsilon), Measured: 0.5,
				Claimed: 0.5,
				Tie:     true, Show: true}
			for i, at := range []place{from, to} {
				w, err := onRest(ctx, s.Stream("run", fmt.Sprint(i)), data, at.n, aucTask.offline(at.epsilon))
				if !(w >= 0 && w <= 1) && err == nil {
					err = fmt.Errorf("an AUC of %v at n = %d", w, at.n)
				}
				if err != nil {
					p.Err = err
				}
			}
			add(p)
		},
	}
}

// growsInEpsilon holds the AUC of OffPairC at n = 350 and ε = 2.5 against that at 0.5: of the paper by symmetry, and
// where it takes steps, at n = 50 and ε = 10⁹, by runs.
func growsInEpsilon(rows source, sound bool) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		if !sound {
			return symmetricAUC(ctx, s, data, place{350, 0.5}, place{350, 2.5}), nil
		}
		n := ownSetting.sizes[0]
		return valueOrder("AUC on the rows left over", []string{"at ε = 0.5", "at ε = 10⁹"}, 800, "OffPairC, a new order of "+
			"the "+
			"rows for every run, rows of norm 1",
			func(ctx context.Context, r *rand.Rand) (low, high float64, err error) {
				if low, err = onRest(ctx, r, data, n, offlineItself(0.5)); err == nil {
					high, err = onRest(ctx, r, data, n, offlineItself(ownSetting.high))
				}
				return low, high, err
			}), nil
	})
}

// fallsInEpsilon runs OffPairC under the settings in which it is itself, from the ε of the experiments
// up to where its noise is small.
func fallsInEpsilon(rows source, turned bool) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		const n = 90
		plain, err := aucTask.problem(data, 0)
		if err != nil {
			return nil, err
		}
		return mean.Rate{
			Quantity: "mean of 1 − AUC on the rows left over", Variable: "ε", Grid: []float64{0.5, 2.5, 10, 40, 160, 2500},
			Replicates: 3200,
			Sense:      verify.AtMost, Distribution: true, Exponent: 0,
			Range: func(float64) (lo, hi float64) { return 0, 1 },
			Run: func(ctx context.Context, r *rand.Rand, epsilon float64) (float64, error) {
				value, err := onRest(ctx, r, data, n, func(ctx context.Context, r *rand.Rand,
					train *dataset.Dataset) ([]float64, error) {
					result, err := pairwise.OffPairC(ctx, r, train, plain, soundAlpha, privacyAt(epsilon, n),
						ownSetting.options(plain.Set))
					if err != nil {
						return nil, err
					}
					return result.W, nil
				})
				if !turned {
					value = 1 - value
				}
				return value, err
			},
		}, nil
	})
}
