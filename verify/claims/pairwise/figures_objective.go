package pairwise

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/mean"
)

// objectiveFalls holds the objective value at ε = 0.5 against that at a larger ε. Where a run takes no step
// there is no noise either: the law of the output is the same at both, and so is the mean, which
// one permutation on the same coins shows. Elsewhere independent runs are compared.
func objectiveFalls(rows source, at setting, of task) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		n := at.sizes[0]
		train, _, err := splitRows(s.Common("order", "0"), data, n)
		if err != nil {
			return nil, err
		}
		probe, _, err := at.run(ctx, s.Common("probe"), of, train, false, at.high)
		if err != nil {
			return nil, err
		}
		if probe.Steps == 0 {
			return sameLaw(ctx, s, data, at, of), nil
		}
		draw := func(ctx context.Context, r *rand.Rand, epsilon float64) (float64, error) {
			train, _, err := splitRows(r, data, n)
			if err != nil {
				return 0, err
			}
			_, risk, err := at.run(ctx, r, of, train, false, epsilon)
			return risk, err
		}
		return valueOrder("objective value", []string{fmt.Sprintf("at ε = %g", at.high), "at ε = 0.5"}, 800,
			fmt.Sprintf("OnPairC, n = %d, a new order of the rows for every run, rows of norm 1", n),
			func(ctx context.Context, r *rand.Rand) (low, high float64, err error) {
				if low, err = draw(ctx, r, at.high); err == nil {
					high, err = draw(ctx, r, 0.5)
				}
				return low, high, err
			}), nil
	})
}

// sameLaw is the comparison of runs that take no step.
func sameLaw(ctx context.Context, s verify.Settings, data *dataset.Dataset, at setting, of task) verify.Check {
	curves := &verify.PlottedCurves{Variable: "training size n", Quantity: "objective value"}
	return formula.Check{
		Curves: curves, Quantity: "mean objective value at ε = 0.5", Sense: verify.Above,
		Domain: "runs that take no step and so have the same law at both ε; one permutation on the same coins, the last " +
			"output, rows of norm 1",
		Points: func(add func(formula.Point)) {
			for i, n := range at.sizes {
				for _, strongly := range []bool{false, true} {
					if strongly && (!at.strongly || of.loss != aucTask.loss) {
						continue
					}
					p := formula.Point{Place: formula.Placef("%s, n=%d, ε=0.5 against %g", learner(strongly), n, at.high), Tie: true,
						Show: true}
					for _, side := range []struct {
						epsilon float64
						value   *float64
					}{{0.5, &p.Measured}, {at.high, &p.Claimed}} {
						var steps int
						if *side.value, steps, p.Err = objectiveOnCoins(ctx, s, data, at, of, i, strongly, side.epsilon); p.Err != nil {
							break
						}
						if steps > 0 {
							p.Err = fmt.Errorf("%d steps at n = %d: the law depends on ε", steps, n)
							break
						}
						curves.Recorder.Add(fmt.Sprintf("%s, ε = %g", learner(strongly), side.epsilon), float64(n), *side.value)
					}
					add(p)
				}
			}
		},
	}
}

// objectiveOnCoins is the objective value of a run on the coins of a size, whatever ε.
func objectiveOnCoins(ctx context.Context, s verify.Settings, data *dataset.Dataset, at setting, of task, size int,
	strongly bool, epsilon float64) (risk float64, steps int, err error) {
	train, _, err := splitRows(s.Common("order", fmt.Sprint(size)), data, at.sizes[size])
	if err != nil {
		return 0, 0, err
	}
	result, risk, err := at.run(ctx, s.Common("run", fmt.Sprint(size)), of, train, strongly, epsilon)
	if err != nil {
		return 0, 0, err
	}
	return risk, result.Steps, nil
}

// objectiveFallsInSize holds the objective value at n = 150 against that at n = 50: of NonPrivate by runs; of OnPairC
// of the paper, whose output no row has touched, by exchangeability: the mean over orders of the risk of a
// fixed w on the first n rows is its risk on all of them, whatever n.
func objectiveFallsInSize(rows source, of task, plain bool) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		if !plain {
			return exchangeable(ctx, s, data, of, false, 50, 150), nil
		}
		draw := func(ctx context.Context, r *rand.Rand, n int) (float64, error) {
			train, _, err := splitRows(r, data, n)
			if err != nil {
				return 0, err
			}
			w, err := of.nonPrivate(ctx, r, train)
			if err != nil {
				return 0, err
			}
			p, err := of.problem(train, 0)
			return p.Risk(w, train), err
		}
		return valueOrder("objective value", []string{"at n = 150", "at n = 50"}, 800,
			"NonPrivate, λ = 0.1, T₁ = ⌈L/λ⌉ + 2, "+
				"a new order of the rows for every run, rows of norm 1",
			func(ctx context.Context, r *rand.Rand) (large, small float64, err error) {
				if large, err = draw(ctx, r, 150); err == nil {
					small, err = draw(ctx, r, 50)
				}
				return large, small, err
			}), nil
	})
}

// stronglyFallsInSize is the same of OnPairStrC, n = 90 against 40.
func stronglyFallsInSize(rows source) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		return exchangeable(ctx, s, data, aucTask, true, 40, 90), err
	})
}

func exchangeable(ctx context.Context, s verify.Settings, data *dataset.Dataset, of task, strongly bool, from,
	to int) verify.Check {
	return formula.Check{
		Quantity: fmt.Sprintf("mean objective value at n = %d", to), Sense: verify.Below,
		Domain: "runs that take no step, whose w is independent of the rows and of the same law: the mean over all " +
			"orders is the risk on all rows, here at the w of one run",
		Points: func(add func(formula.Point)) {
			p := formula.Point{Place: formula.Placef("%s, against n = %d", learner(strongly), from), Tie: true, Show: true}
			p.Measured, p.Err = riskOfAll(ctx, s, data, of, strongly, from, to)
			p.Claimed = p.Measured
			add(p)
		},
	}
}

// riskOfAll is the risk on all rows of what a run on the first few leaves, where runs of no size take a step.
func riskOfAll(ctx context.Context, s verify.Settings, data *dataset.Dataset, of task, strongly bool,
	sizes ...int) (risk float64, err error) {
	whole, err := of.problem(data, 0)
	if err != nil {
		return 0, err
	}
	for _, n := range sizes {
		train, _, err := splitRows(s.Common("order"), data, n)
		if err != nil {
			return 0, err
		}
		result, _, err := literal.run(ctx, s.Common("run"), of, train, strongly, 2.5)
		if err != nil {
			return 0, err
		}
		if result.Steps > 0 {
			return 0, fmt.Errorf("%d steps at n = %d: w depends on the rows", result.Steps, n)
		}
		risk = whole.Risk(result.W, data)
	}
	return risk, nil
}

// valueOrder is the order of two values in independent runs, the smaller first.
func valueOrder(quantity string, names []string, replicates int64, note string,
	pair func(ctx context.Context, r *rand.Rand) (less, more float64, err error)) verify.Check {
	return mean.Compare{
		Quantity: quantity, Names: names, Orders: []mean.Order{{Less: 0, More: 1}}, Replicates: replicates, Note: note,
		Run: func(ctx context.Context, r *rand.Rand) ([]float64, error) {
			less, more, err := pair(ctx, r)
			return []float64{less, more}, err
		},
	}
}
