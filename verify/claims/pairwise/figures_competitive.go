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
)

// learn trains on the given rows and returns the parameter.
type learn func(ctx context.Context, r *rand.Rand, train *dataset.Dataset) ([]float64, error)

// competitive compares a learner of the paper with NonPrivate minus 0.1 in each run; a higher value is better.
func competitive(from source, plain, private learn, quantity string, n int, replicates int64,
	value func(w []float64, train, test *dataset.Dataset) (float64, error)) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := from(s)
		if err != nil {
			return nil, err
		}
		run := func(ctx context.Context, r *rand.Rand, by learn) (float64, error) {
			train, test, err := data.split(r, n)
			if err != nil {
				return 0, err
			}
			w, err := by(ctx, r, train)
			if err != nil {
				return 0, err
			}
			return value(w, train, test)
		}
		return valueOrder(quantity, []string{"NonPrivate less 0.1", "the private learner"}, replicates,
			fmt.Sprintf("n = %d, NonPrivate with λ = 0.1 and T₁ = ⌈L/λ⌉ + 2, a new order of the rows for every run, rows of "+
				"norm 1", n),
			func(ctx context.Context, r *rand.Rand) (low, high float64, err error) {
				if low, err = run(ctx, r, plain); err == nil {
					high, err = run(ctx, r, private)
				}
				return low - 0.1, high, err
			}), nil
	})
}

func competitiveObjective(from source, private learn) verify.Check {
	return competitive(from, aucTask.nonPrivate, private, "negative objective value", 150, 800,
		func(w []float64, train, _ *dataset.Dataset) (float64, error) {
			p, err := aucTask.problem(train, 0)
			return -p.Risk(w, train), err
		})
}

// sameDirection compares the mean accuracies of Figure 6 at ε = 2.5 and 0.5. The distributions of the mean of the
// random parameters and of the noise are invariant under rotations of the symmetric matrices. So the direction of
// their sum is uniform for every ε, the projection onto C keeps it, and the neighbors depend only on it.
func sameDirection(from source) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		data, err := from(s)
		if err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "mean accuracy on the other rows at ε = 2.5", Sense: verify.Above,
			Domain: "runs that take no step: the accuracy depends only on the direction of the matrix, which is uniform at " +
				"both ε; computed: the accuracy of one run instead of the mean",
			Points: func(add func(formula.Point)) {
				p := formula.Point{Place: formula.Placef("OffPairC, n = 100, against ε = 0.5"), Tie: true, Show: true}
				for _, epsilon := range []float64{0.5, 2.5} {
					if p.Measured, p.Err = accuracyAt(ctx, s.Common("run"), data, 100,
						metricTask.offline(epsilon)); p.Err != nil {
						break
					}
				}
				p.Claimed = p.Measured
				add(p)
			},
		}, nil
	})
}

// accuracyAt returns the accuracy of three neighbors under the matrix of a learner.
func accuracyAt(ctx context.Context, r *rand.Rand, data unprepared, n int, by learn) (float64, error) {
	train, test, err := data.split(r, n)
	if err != nil {
		return 0, err
	}
	w, err := by(ctx, r, train)
	if err != nil {
		return 0, err
	}
	return pairwise.NearestNeighborAccuracy(w, train, test, 3)
}

func competitiveAccuracy(from source) verify.Check {
	return competitive(from, metricTask.nonPrivate, metricTask.offline(2.5), "accuracy on the other rows", 100, 640,
		func(w []float64, train, test *dataset.Dataset) (float64, error) {
			return pairwise.NearestNeighborAccuracy(w, train, test, 3)
		})
}
