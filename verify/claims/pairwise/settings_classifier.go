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

// classifierClaims are about what Figures 5 and 6 do with the matrix.
func classifierClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/distances", Source: "Experiments, Example 1, Figs. 5-6", Kind: verify.Experiment,
			Origin: verify.Observation, Place: bothPlace + "; Example 1",
			Statement: "half of the squared distances under the matrix that OnPairC and OffPairC hand to the classifier of " +
				"Figure 6 are negative: W and −W are equally likely, and one of them makes a given distance negative",
			Check: negativeDistances(false),
			Control: verify.Control{Check: negativeDistances(true), Want: checks.Refuted,
				Fault: "two positive semi-definite matrices, the squares of W and −W"},
		},
		{
			ID: "pairwise/settings/neighbours", Source: "Experiments, Performance measures 2, Fig. 6", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place:  "Performance measures, item 2 (K = 3); Experiments for Metric Learning, Figure 6",
			Statement: "the classifier that Figure 6 is about is private for no ε: it looks up the training rows " +
				"themselves, so that for every W one record changes a prediction with probability 1",
			Check: flipped(false),
			Control: verify.Control{Check: flipped(true), Want: checks.Refuted,
				Fault: "the neighbours are looked up in rows of the public, and the records only make W"},
		},
	}
}

// negativeDistances is the lesser of the squared distances of two rows under W and −W, for W of runs of OnPairC and
// pairs of rows in random directions.
func negativeDistances(squared bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		const n = 50
		p, err := newPlan(true, n, false, true)
		if err != nil {
			return nil, err
		}
		data, _, err := dataset.Sphere(s.Stream("records"), n, 3, 0.1)
		if err != nil {
			return nil, err
		}
		outputs, err := p.run(ctx, s.Stream("run"), data, true)
		if err != nil {
			return nil, err
		}
		u := make([]float64, 3)
		return formula.Check{
			Quantity: "the lesser squared distance under W and −W", Sense: verify.Below,
			Domain: "OnPairC for metric learning at n = 50, d = 3: each of its outputs, and pairs of rows that follow each " +
				"other",
			Proof: "a draw from a ball about 0 and its projection to the symmetric matrices have the law of their negatives",
			Points: func(add func(formula.Point)) {
				for t, w := range outputs {
					i, j := t%n, (t+1)%n
					clear(u)
					data.Row(i).AddTo(u, 1)
					data.Row(j).AddTo(u, -1)
					form := quadratic(w, u)
					lesser := -math.Abs(form)
					if squared {
						lesser = form * form
					}
					add(formula.Point{Place: formula.Placef("output %d, rows %d and %d", t+1, i+1, j+1), Measured: lesser, Claimed: 0,
						Show: t%16 == 0})
				}
			},
		}.Prepare(ctx, s)
	})
}

// quadratic is uᵀWu of a flat matrix.
func quadratic(w, u []float64) (sum float64) {
	for i, a := range u {
		for j, b := range u {
			sum += a * b * w[i*len(u)+j]
		}
	}
	return sum
}

// flipped is the change of the probability of a prediction when one of n equal rows has the other label: the nearest
// three are the first three under any W.
func flipped(public bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "change of the probability of the prediction +1 by one record", Sense: verify.AtLeast,
			Domain: "n ∈ {50, 350} rows, all equal, two or one of the first three labels +1; W of a run of OffPairC, one run " +
				"for each",
			Proof: "all distances are equal under every W, so that the labels of the first three decide",
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

// predicted is the share of predictions +1 for a row like those of training, whose first two labels, or first alone,
// are +1.
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
