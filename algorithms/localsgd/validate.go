package localsgd

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

// Lambdas lists the values from which the paper chooses λ (Sect. 4.1).
var Lambdas = []float64{1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3}

// CrossValidate chooses λ by folds-fold cross-validation: the candidate with the lowest mean error rate on the
// held-out folds, the first one in a tie. It also returns the mean error rates. learn trains on the other folds at
// λ and returns w. Every training uses the stream r. A failed training counts as error rate 1, because a diverged
// classifier predicts nothing. If all trainings fail, CrossValidate returns an error.
//
// The choice reads the records once more per candidate and fold, which the paper does not count: the privacy of
// the training does not cover the choice of λ.
//
// Errors: folds outside [2, n], no candidates, or the context's error.
func CrossValidate(ctx context.Context, r *rand.Rand, data *dataset.Dataset, folds int, lambdas []float64,
	learn func(ctx context.Context, r *rand.Rand, train *dataset.Dataset, lambda float64) ([]float64, error),
) (lambda float64, rates []float64, err error) {
	if folds < 2 || folds > data.Len() {
		return 0, nil, fmt.Errorf("localsgd: %d folds for %d rows: need 2 to %d", folds, data.Len(), data.Len())
	}
	if len(lambdas) == 0 {
		return 0, nil, fmt.Errorf("localsgd: no candidates for lambda")
	}
	order := r.Perm(data.Len())
	rates = make([]float64, len(lambdas))
	var failure error
	failed := 0
	for f := range folds {
		low, high := f*len(order)/folds, (f+1)*len(order)/folds
		rest := append(append([]int{}, order[:low]...), order[high:]...)
		train, err := data.Subset(rest)
		if err != nil {
			return 0, nil, err
		}
		test, err := data.Subset(order[low:high])
		if err != nil {
			return 0, nil, err
		}
		for k, l := range lambdas {
			rate := 1.0
			w, err := learn(ctx, r, train, l)
			switch {
			case ctx.Err() != nil:
				return 0, nil, context.Cause(ctx)
			case err != nil:
				failed, failure = failed+1, err
			default:
				rate = erm.ErrorRate(w, test)
			}
			rates[k] += rate
		}
	}
	if failed == folds*len(lambdas) {
		return 0, nil, fmt.Errorf("localsgd: no candidate for lambda could be trained: %w", failure)
	}
	scale(rates, 1/float64(folds))
	best := 0
	for k, rate := range rates {
		if rate < rates[best] {
			best = k
		}
	}
	return lambdas[best], rates, nil
}
