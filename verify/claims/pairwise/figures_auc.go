package pairwise

import (
	"cmp"
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

// onRest trains a learner on n rows in a random order and returns its AUC on the other rows.
func onRest(ctx context.Context, r *rand.Rand, data unprepared, n int,
	by learn) (float64, error) {
	train, test, err := data.split(r, n)
	if err != nil {
		return 0, err
	}
	w, err := by(ctx, r, train)
	if err != nil {
		return 0, err
	}
	return pairwise.AUC(w, test), nil
}

// largerAUC compares the AUC of NonPrivate at n = 350 and 50.
func largerAUC(from source) verify.Check {
	const less, more = 50, 350
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := from(s)
		if err != nil {
			return nil, err
		}
		return valueOrder("AUC on the other rows", []string{fmt.Sprintf("at n = %d", less), fmt.Sprintf("at n = %d",
			more)},
			800, "NonPrivate, λ = 0.1, T₁ = ⌈L/λ⌉ + 2, a new order of the rows for every run, rows of norm 1",
			func(ctx context.Context, r *rand.Rand) (low, high float64, err error) {
				if low, err = onRest(ctx, r, data, less, aucTask.nonPrivate); err == nil {
					high, err = onRest(ctx, r, data, more, aucTask.nonPrivate)
				}
				return low, high, err
			}), nil
	})
}

// symmetricAUC compares the mean AUC of OffPairC with the printed parameters at two places. If a run at each of the
// places takes no step, the mean is 0.5 for every n and ε.
func symmetricAUC(from source) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		data, err := from(s)
		if err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "mean AUC of OffPairC", Sense: verify.Above,
			Domain: "runs that take no step, whose ŵ is symmetric about 0: AUC(w) + AUC(−w) = 1 makes the mean 0.5",
			Points: func(add func(formula.Point)) {
				for i, from := range []place{{350, 0.5}, {50, 2.5}} {
					p := formula.Point{Place: formula.Placef("n=350, ε=2.5 against n=%d, ε=%g", from.n, from.epsilon),
						Measured: 0.5,
						Claimed:  0.5, Tie: true, Show: true}
					for j, at := range []place{from, {350, 2.5}} {
						_, err := onRest(ctx, s.Stream("run", fmt.Sprint(i), fmt.Sprint(j)), data, at.n,
							aucTask.offline(at.epsilon))
						p.Err = cmp.Or(p.Err, err)
					}
					add(p)
				}
			},
		}, nil
	})
}

// growsInEpsilon compares the AUC of OffPairC at ε = 10⁹ and 0.5, at n = 50 with steps, on planted rows.
var growsInEpsilon = checks.Shared(checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
	data, err := planted(8)(s)
	if err != nil {
		return nil, err
	}
	n := ownSetting.sizes[0]
	return valueOrder("AUC on the other rows", []string{"at ε = 0.5", "at ε = 10⁹"}, 800,
		"OffPairC, a new order of the rows for every run, rows of norm 1",
		func(ctx context.Context, r *rand.Rand) (low, high float64, err error) {
			if low, err = onRest(ctx, r, data, n, offlineItself(0.5)); err == nil {
				high, err = onRest(ctx, r, data, n, offlineItself(ownSetting.high))
			}
			return low, high, err
		}), nil
}))

// fallsInEpsilon runs OffPairC with settings at which it takes steps, from the ε of the experiments up to an ε with
// little noise.
func fallsInEpsilon(from source, turned bool) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := from(s)
		if err != nil {
			return nil, err
		}
		const n = 90
		plain, err := aucTask.problem(data.Dataset, 0)
		if err != nil {
			return nil, err
		}
		return mean.Rate{
			Quantity: "mean of 1 − AUC on the other rows", Variable: "ε", Grid: []float64{0.5, 2.5, 10, 40, 160, 2500},
			Replicates: 3200,
			Sense:      verify.AtMost, PowerLaw: true, Exponent: 0,
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
