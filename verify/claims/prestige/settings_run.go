package prestige

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

// unitRows are rows of A7A's dimension on the unit sphere, with labels drawn.
func unitRows(r *rand.Rand, n int) (*dataset.Dataset, error) {
	const dims = 123
	values, labels := make([]float64, 0, n*dims), make([]float64, n)
	for i := range labels {
		values, labels[i] = append(values, onSphere(r, dims)...), float64(2*r.IntN(2)-1)
	}
	return dataset.NewDense(dims, values, labels)
}

// learner is Algorithm 1 on unit rows with w in a ball, at ε of one update.
type learner struct {
	radius, decrease, epsilon float64
	bound, lipschitz          float64 // 0 is what follows from the rest
}

// leastLambda is the least λ of the experiments.
const leastLambda = 1e-3

func (l learner) run(ctx context.Context, r *rand.Rand, data *dataset.Dataset) (*localsgd.Result, error) {
	const lambda = leastLambda
	gradient := (1 - paper.PrestigeLabelShare) * l.epsilon
	lipschitz := cmp.Or(l.lipschitz, lambda*l.radius+1)
	bound, err := paper.PrivateSamplingBound(data.Dim(), gradient, lipschitz)
	if err != nil {
		return nil, err
	}
	return localsgd.PRESTIGE(ctx, r, data,
		localsgd.Config{Loss: erm.Hinge{}, Lambda: lambda, Radius: l.radius, Lipschitz: lipschitz,
			Epochs:  paper.PrestigeEpochs,
			Project: true},
		localsgd.Privacy{Epsilon: gradient, Bound: cmp.Or(l.bound, 1) * bound, Premise: localsgd.PremiseClip},
		localsgd.Curriculum{Epsilon: paper.PrestigeLabelShare * l.epsilon, Threshold: paper.PrestigeFirstThreshold,
			Decrease: l.decrease})
}

// admitted holds the share of records that an epoch admits against none in the first and all from the fourth on, with
// rows drawn from the sphere and, whose scores are as far apart as they can be, with equal ones.
func admitted(decrease float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "share of the records that an epoch admits; 1 if D_th is below that of the epoch before",
			Sense:    verify.Equals,
			Domain: "epochs 1 and 4 to 10 of runs on 100 rows of the unit sphere, drawn or all equal, d = 123, R = 1, λ = " +
				"10⁻³, ε = 1.6 of all updates and 1.6 of each",
			Proof: "|z| ≤ ‖w‖‖x‖ ≤ 1, and D_th is 1.5 in the first epoch and −2.65 or less from the fourth on",
			Points: func(add func(formula.Point)) {
				rows, failed := unitRows(s.Stream("rows"), admittedRows)
				for _, equal := range []bool{false, true} {
					if equal && failed == nil {
						rows, failed = rows.Subset(make([]int, admittedRows))
					}
					if failed != nil {
						add(formula.Point{Place: formula.Placef("equal rows %t", equal), Err: failed})
						return
					}
					for _, epsilon := range []float64{maxBudget() / (admittedRows * paper.PrestigeEpochs), maxBudget()} {
						l := learner{radius: 1, decrease: decrease, epsilon: epsilon}
						result, err := l.run(ctx, s.Stream("run", fmt.Sprint(epsilon, equal)), rows)
						if err != nil {
							add(formula.Point{Place: formula.Placef("ε = %g", epsilon), Err: err})
							return
						}
						for k, e := range result.Epochs {
							if k > 0 && !equal {
								falls := 0.0
								if e.Threshold < result.Epochs[k-1].Threshold {
									falls = 1
								}
								add(formula.Point{Place: formula.Placef("ε = %.3g of an update, D_th = %.3g in epoch %d", epsilon,
									e.Threshold,
									k+1), Measured: falls, Claimed: 1})
							}
							claimed := 1.0
							if k == 0 {
								claimed = 0
							}
							if k == 0 || k > 2 {
								add(formula.Point{Place: formula.Placef("ε = %.3g of an update, equal rows %t, epoch %d, D_th = "+
									"%.3g", epsilon,
									equal, k+1, e.Threshold), Measured: float64(e.Selected) / admittedRows, Claimed: claimed,
									Show: k < 5})
							}
						}
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

const admittedRows = 100

// The constants that are changed.
func constantB(l learner) learner { l.bound = 0.5; return l }
func constantL(l learner) learner { l.lipschitz = 2 * (1e-3*l.radius + 1); return l }

// runChange compares runs on the same coins before and after a change of a constant.
func runChange(constant func(learner) learner) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "1 + distance of the two w over R", Sense: verify.Equals,
			Domain: "runs on 100 rows of the unit sphere, d = 123, R ∈ {1, 10}, λ = 10⁻³, ε = 1.6 of all updates and of " +
				"each, on the same coins",
			Proof: "η_t‖G‖ = R/(λ√t) or, where w is kept in the ball, its part, whatever B",
			Points: func(add func(formula.Point)) {
				const rows = 100
				data, err := unitRows(s.Stream("rows"), rows)
				for _, radius := range []float64{1, 10} {
					for _, epsilon := range []float64{maxBudget() / (rows * paper.PrestigeEpochs), maxBudget()} {
						l := learner{radius: radius, decrease: paper.PrestigeDecrease, epsilon: epsilon}
						var apart float64
						if err == nil {
							apart, err = distance(ctx, s, data, l, constant(l))
						}
						add(formula.Point{Place: formula.Placef("R=%g, ε = %.3g of an update", radius, epsilon),
							Measured: 1 + apart/radius,
							Claimed:  1, Error: 1e-9, Show: true, Err: err})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

func distance(ctx context.Context, s verify.Settings, data *dataset.Dataset, a, b learner) (float64, error) {
	one, err := a.run(ctx, s.Common("run"), data)
	if err != nil {
		return 0, err
	}
	other, err := b.run(ctx, s.Common("run"), data)
	if err != nil {
		return 0, err
	}
	return floats.Distance(one.W, other.W, 2), nil
}

// trainings counts how often each record is trained on by the selection of λ and the run that follows, over the run
// alone.
func trainings(claimed float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "trainings on a record, divided by those of one run", Sense: verify.Equals,
			Domain: "10-fold cross-validation over the seven powers of ten from 10⁻³ to 10³ on 100 records, each of them",
			Proof: "a record is left out in one fold of each candidate: 7·9 + 1 = 64 trainings; with two values of s* for " +
				"the ramp loss, if the same cross-validation selects s*, 2·7·9 + 1 = 127",
			Points: func(add func(formula.Point)) {
				const rows = 100
				names, labels := make([]float64, rows), make([]float64, rows)
				for i := range names {
					names[i], labels[i] = float64(i), 1
				}
				data, err := dataset.NewDense(1, names, labels)
				counts := make([]float64, rows)
				if err == nil {
					_, _, err = localsgd.CrossValidate(ctx, s.Stream("folds"), data, paper.PrestigeFolds,
						localsgd.Lambdas,
						func(_ context.Context, _ *rand.Rand, train *dataset.Dataset, _ float64) ([]float64, error) {
							for i := range train.Len() {
								counts[int(train.Row(i).Dot([]float64{1}))]++
							}
							return []float64{1}, nil
						})
				}
				for i, n := range counts {
					run, err2 := bounds.SequentialComposition(n, 1)
					add(formula.Point{Place: formula.Placef("record %d", i+1), Measured: run, Claimed: claimed, Show: i == 0,
						Err: cmp.Or(err, err2)})
				}
			},
		}.Prepare(ctx, s)
	})
}
