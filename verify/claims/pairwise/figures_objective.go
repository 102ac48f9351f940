package pairwise

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/mean"
)

// ownObjectives compares the objective value of OnPairC at ε = 0.5 with the value at 10⁹, in independent runs that
// take steps.
func ownObjectives(from source, of task) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := from(s)
		if err != nil {
			return nil, err
		}
		n := ownSetting.sizes[0]
		draw := func(ctx context.Context, r *rand.Rand, epsilon float64) (float64, error) {
			train, _, err := data.split(r, n)
			if err != nil {
				return 0, err
			}
			_, risk, err := ownSetting.run(ctx, r, of, train, false, epsilon)
			return risk, err
		}
		return valueOrder("objective value", []string{fmt.Sprintf("at ε = %g", ownSetting.high), "at ε = 0.5"}, 800,
			fmt.Sprintf("OnPairC, n = %d, a new order of the rows for every run, rows of norm 1", n),
			func(ctx context.Context, r *rand.Rand) (low, high float64, err error) {
				if low, err = draw(ctx, r, ownSetting.high); err == nil {
					high, err = draw(ctx, r, 0.5)
				}
				return low, high, err
			}), nil
	})
}

// place is a size and an ε of the experiments.
type place struct {
	n       int
	epsilon float64
}

// larger is the statement that the mean objective value of OnPairStrC or OnPairC is larger at one place than at
// another.
type larger struct {
	strongly       bool
	larger, second place
}

// printedObjectives compares mean objective values with the printed parameters, at which no run takes a step. At one
// n the outputs have the same distribution, as runs with the same random draws show. At two n, the mean over all
// orders of the risk of a w that does not depend on the rows is its risk on all rows, if the preparation of the rows
// does not depend on n.
func printedObjectives(from source, of task, sentences ...larger) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		data, err := from(s)
		if err != nil {
			return nil, err
		}
		curves := &verify.PlottedCurves{Variable: "training size n", Quantity: "objective value"}
		return formula.Check{
			Curves: curves, Quantity: "mean objective value", Sense: verify.Above,
			Domain: "runs that take no step, whose last outputs have the same distribution at both places; rows of norm 1; " +
				"if n is the same, one permutation with the same random draws, else the risk on all rows, prepared " +
				"together, at the w of one run",
			Points: func(add func(formula.Point)) {
				for _, c := range sentences {
					p := formula.Point{Place: formula.Placef("%s, n=%d, ε=%g against n=%d, ε=%g", learner(c.strongly), c.larger.n,
						c.larger.epsilon, c.second.n, c.second.epsilon), Tie: true, Show: true}
					own, whole, err := riskWithoutSteps(ctx, s, data, of, c.strongly, c.larger)
					other, _, otherErr := riskWithoutSteps(ctx, s, data, of, c.strongly, c.second)
					p.Measured, p.Claimed, p.Err = own, other, cmp.Or(err, otherErr)
					if c.larger.n != c.second.n {
						p.Measured, p.Claimed = whole, whole
					} else if p.Err == nil {
						curves.Recorder.Add(fmt.Sprintf("%s, ε = %g", learner(c.strongly), c.larger.epsilon), float64(c.larger.n),
							own)
						curves.Recorder.Add(fmt.Sprintf("%s, ε = %g", learner(c.strongly), c.second.epsilon), float64(c.second.n),
							other)
					}
					add(p)
				}
			},
		}, nil
	})
}

// riskWithoutSteps returns the risk of the last output on the rows of the run and on all rows, each prepared with
// their own constants. The random draws depend only on the size. A run that takes a step is an error.
func riskWithoutSteps(ctx context.Context, s verify.Settings, data unprepared, of task, strongly bool,
	at place) (own, whole float64, err error) {
	train, _, err := data.split(s.Common("order", fmt.Sprint(at.n)), at.n)
	if err != nil {
		return 0, 0, err
	}
	result, own, err := literal.run(ctx, s.Common("run", fmt.Sprint(at.n)), of, train, strongly, at.epsilon)
	if err != nil {
		return 0, 0, err
	}
	if result.Steps > 0 {
		return 0, 0, fmt.Errorf("%d steps at n = %d: the outputs depend on ε and on the rows", result.Steps, at.n)
	}
	all, _, err := data.prepare.Both(data.Dataset, data.Dataset)
	if err != nil {
		return 0, 0, err
	}
	problem, err := of.problem(all, 0)
	return own, problem.Risk(result.W, all), err
}

// valueOrder returns the check that the first of two values in independent runs is smaller.
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
