package figures

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

const comparable = "read as within 0.1 of it in half of the runs"

// competitiveClaims are about the private learners beside NonPrivate, in Figures 2, 4 and 6.
func competitiveClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/experiments/auc/figure-2", Source: "Fig. 2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: aucPlaceOne + "2: comparable with the baseline; " + comparable,
			Statement: "at n = 150 the objective value of OnPairC (α = 1/√n, ε = 2.5) for AUC maximisation is in at least " +
				"half of the runs no further than 0.1 above that of NonPrivate: they are comparable",
			Check: checks.OnData("pima", competitiveObjective(fromFile("pima"), aucTask.online)),
			Twin: verify.Twin{Check: competitiveObjective(planted(8), withoutNoise), Want: checks.Consistent,
				Fault: "none: planted rows, " + soundWords + "ε = 10⁹"},
			Corrected: "pairwise/experiments/auc/corrected",
		},
		{
			ID: "pairwise/experiments/auc/figure-4", Source: "Fig. 4", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Experiments for Metric Learning, last sentence, which says of the proposed " +
				"algorithms that they are competitive with the baseline, read of Figure 4 too; " + comparable,
			Statement: "at n = 350 the AUC of OffPairC (α = 1/√n, ε = 2.5) is in at least half of the runs no further than " +
				"0.1 below that of NonPrivate: they are competitive",
			Check: checks.OnData("pima", competitiveAUC(fromFile("pima"))),
			Twin: verify.Twin{Check: competitiveAUC(noise(8)), Want: checks.Consistent,
				Fault: "none: rows that tell nothing of the label, on which nobody is better"},
			Corrected: "pairwise/experiments/auc/figure-4/corrected",
		},
		{
			ID: "pairwise/experiments/metric/accuracy", Source: "Fig. 6", Kind: verify.Experiment,
			Origin: verify.Reading, Place: metricPlace + ", and competitive with the baseline; " + comparable,
			Statement: "at n = 100 the accuracy of the three nearest neighbours under the matrix of OffPairC (α = 1/√n, ε = " +
				"2.5) is in at least half of the runs no further than 0.1 below that under the matrix of NonPrivate",
			Check: checks.OnData("pima", competitiveAccuracy(fromFile("pima"))),
			Twin: verify.Twin{Check: competitiveAccuracy(noise(3)), Want: checks.Consistent,
				Fault: "none: rows that tell nothing of the label, on which nobody is better"},
			Corrected: "pairwise/experiments/metric/corrected",
		},
	}
}

// learn gives the parameter that a learner leaves.
type learn func(ctx context.Context, r *rand.Rand, train *dataset.Dataset) ([]float64, error)

// competitive compares a learner of the paper with NonPrivate, run by run; value is higher where it is better.
func competitive(rows source, plain, private learn, quantity string, n int, replicates int64,
	value func(w []float64, train, test *dataset.Dataset) (float64, error)) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		run := func(ctx context.Context, r *rand.Rand, by learn) (float64, error) {
			train, test, err := first(r, data, n)
			if err != nil {
				return 0, err
			}
			w, err := by(ctx, r, train)
			if err != nil {
				return 0, err
			}
			return value(w, train, test)
		}
		return compare(quantity, []string{"NonPrivate less 0.1", "the private learner"}, replicates,
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

func competitiveObjective(rows source, private learn) verify.Check {
	return competitive(rows, aucTask.nonPrivate, private, "negative objective value", 150, 800,
		func(w []float64, train, _ *dataset.Dataset) (float64, error) {
			p, err := aucTask.problem(train, 0)
			return -p.Risk(w, train), err
		})
}

func competitiveAUC(rows source) verify.Check {
	return competitive(rows, aucTask.nonPrivate, aucTask.offline(2.5), "AUC on the rows left over", 350, 800,
		func(w []float64, _, test *dataset.Dataset) (float64, error) { return pairwise.AUC(w, test), nil })
}

func competitiveAccuracy(rows source) verify.Check {
	return competitive(rows, metricTask.nonPrivate, metricTask.offline(2.5), "accuracy on the rows left over", 100, 640,
		func(w []float64, train, test *dataset.Dataset) (float64, error) {
			return pairwise.NeighbourAccuracy(w, train, test, 3)
		})
}
