package pairwise

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// classifierClaims returns the claims about the classifier of Figure 6.
func classifierClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/neighbours", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Performance measures 2, Fig. 6: K = 3; the paper reports the accuracy on a test set, and W itself is " +
				"private",
			Statement: "the predictions that Figure 6 scores are not private for any ε or W, because the classifier " +
				"looks up the training rows. With n equal rows, one label changes a prediction of the three nearest " +
				"neighbors with probability 1",
			Check:   flipped(false),
			Control: checks.Faulty(flipped(true), "neighbors looked up in public rows; the records affect only W"),
		},
	}
}

// flipped computes the change of the probability of a prediction if one of n equal rows has the other label. The
// three nearest rows are the first three for every W.
func flipped(public bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "change of the probability of the prediction +1 by one record", Sense: verify.AtLeast,
			Domain: "n ∈ {50, 350} rows, all equal, two or one of the first three labels +1; W of a run of OffPairC, one " +
				"run for each",
			Proof: "all distances are equal under every W, so the labels of the first three rows decide",
			Points: func(add func(formula.Point)) {
				for _, n := range convexSizes {
					var sides [2]float64
					var err error
					for k := range sides {
						if sides[k], err = predicted(ctx, s, n, k, public); err != nil {
							break
						}
					}
					add(formula.Point{Place: formula.Placef("n=%d", n), Measured: math.Abs(sides[0] - sides[1]), Claimed: 1,
						Show: true,
						Err:  err})
				}
			},
		}.Prepare(ctx, s)
	})
}

// predicted returns the share of predictions +1 for a row equal to the training rows, whose first flips labels are
// +1.
func predicted(ctx context.Context, s verify.Settings, n, flips int, public bool) (float64, error) {
	equal := func(n, positives int) (*dataset.Dataset, error) {
		values, labels := make([]float64, 3*n), make([]float64, n)
		for i := range labels {
			values[3*i], labels[i] = 1, -1
			if i < positives {
				labels[i] = 1
			}
		}
		return dataset.NewDense(3, values, labels)
	}
	train, err := equal(n, 2-flips)
	if err != nil {
		return 0, err
	}
	p, err := newPlan(true, n, true, true)
	if err != nil {
		return 0, err
	}
	released, err := p.run(ctx, s.Common("run", fmt.Sprint(n)), train, true)
	if err != nil {
		return 0, err
	}
	if public {
		if train, err = equal(n, 2); err != nil {
			return 0, err
		}
	}
	query, err := equal(1, 1)
	if err != nil {
		return 0, err
	}
	return pairwise.NearestNeighborAccuracy(released[0], train, query, 3)
}
