package prestige

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
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
	watch                     primitive.Watch
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
			Project: true, Watch: l.watch},
		localsgd.Privacy{Epsilon: gradient, Bound: cmp.Or(l.bound, 1) * bound, Premise: localsgd.PremiseClip},
		localsgd.Curriculum{Epsilon: paper.PrestigeLabelShare * l.epsilon, Threshold: paper.PrestigeFirstThreshold,
			Decrease: l.decrease})
}

// admitted holds the share of records that an epoch admits against none in the first and all from the fourth on, with
// rows drawn from the sphere and, whose scores are as far apart as they can be, with equal ones.
func admitted(decrease float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "share of the records that an epoch admits", Sense: verify.Equals,
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
							claimed := 1.0
							if k == 0 {
								claimed = 0
							}
							if k == 0 || k > 2 {
								add(formula.Point{Place: formula.Placef("ε = %.3g of an update, equal rows %t, epoch %d, D_th = %.3g", epsilon,
									equal, k+1, e.Threshold), Measured: float64(e.Selected) / admittedRows, Claimed: claimed, Show: k < 5})
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

// statedOverComposed is the stated budget over what the accountant says of the T_max updates that use
// one record.
func statedOverComposed(perRecord bool) verify.Check {
	return formula.Check{
		Quantity: "stated budget, divided by the composed ε of a record", Sense: verify.Equals, Domain: setWords,
		Points: overSets(func(s set, add func(formula.Point)) {
			update := wholeRun(s)
			if perRecord {
				update = maxBudget() / paper.PrestigeEpochs
			}
			results, err := accountant.Epsilons(event.Repeat(paper.PrestigeEpochs, event.Pure(update)), event.ReplaceOne, 0,
				accountant.Options{Methods: []string{"basic-composition"}})
			ratio := 0.0
			if err == nil {
				ratio = maxBudget() / results[0].Upper
			}
			add(formula.Point{Place: formula.Placef("%s, ε = %.3g of an update", s.words(), update), Measured: ratio,
				Claimed: s.rows,
				Error:   1e-9, Show: true, Err: err})
		}),
	}
}

// updateDelta is the δ at ε = 1.6 between a record whose score is 0 and one whose score is 2, for whoever sees
// whether w has changed.
func updateDelta(threshold float64) verify.Check {
	return formula.Check{
		Quantity: "δ at ε = 1.6", Sense: verify.AtLeast, Domain: setWords + ", scores 0 and 2, both labels",
		Points: overSets(func(s set, add func(formula.Point)) {
			label, _ := reading(wholeRun).of(s)
			m, err := paper.RandomizedResponse(label)
			changes := func(score float64) float64 {
				p := 0.0
				for k, y := range []float64{1, -1} {
					if score*y >= threshold {
						p += m[0][k]
					}
				}
				return p
			}
			p, q := changes(2), changes(0)
			delta := math.Max(0, math.Max(p-math.Exp(maxBudget())*q, (1-p)-math.Exp(maxBudget())*(1-q)))
			add(formula.Point{Place: formula.Placef("%s", s.words()), Measured: delta, Claimed: 0.49, Show: true, Err: err})
		}),
	}
}

// epochDelta is the δ, at the ε of one update, of the number of updates of an epoch: of n − 1 records that a
// fair coin admits, and of one that is never admitted, or by the same coin.
func epochDelta(among func(rows int) int) verify.Check {
	return formula.Check{
		Quantity: "δ at the ε of one update", Sense: verify.AtMost,
		Domain: "the number of updates of an epoch on A7A and Diabetes; every other record is admitted with the " +
			"probability that ỹ has the sign of its score, ½ up to 10⁻⁶",
		Points: overSets(func(s set, add func(formula.Point)) {
			if s.name != "A7A" && s.name != "Diabetes" {
				return
			}
			n := among(int(s.rows))
			never, coin := append(fairCounts(n-1), 0), fairCounts(n)
			add(formula.Point{Place: formula.Placef("%s, among %d", s.name, n), Claimed: 0.01, Error: 1e-9, Show: true,
				Measured: math.Max(bounds.HockeyStick(never, coin, wholeRun(s)), bounds.HockeyStick(coin, never, wholeRun(s)))})
		}),
	}
}

// fairCounts is the binomial law of n fair coins, from its middle outwards; what is below 1e-290 is left out.
func fairCounts(n int) []float64 {
	law := make([]float64, n+1)
	middle := n / 2
	law[middle] = 1
	for k := middle; k < n && law[k] > 1e-290; k++ {
		law[k+1] = law[k] * float64(n-k) / float64(k+1)
	}
	for k := middle; k > 0 && law[k] > 1e-290; k-- {
		law[k-1] = law[k] * float64(k) / float64(n-k+1)
	}
	floats.Scale(1/floats.Sum(law), law)
	return law
}

// trainings counts how often each record is trained on by a selection among so many values for each λ, and the
// run that follows, over the run alone.
func trainings(folds, values int, claimed float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "trainings on a record, divided by those of one run", Sense: verify.Equals,
			Domain: fmt.Sprintf("cross-validation over the seven powers of ten from 10⁻³ to 10³, with %s for each, on "+
				"100 records, each of them", verify.Plural(values, "candidate")),
			Proof: "a record is left out in one fold of each candidate",
			Points: func(add func(formula.Point)) {
				const rows = 100
				names, labels := make([]float64, rows), make([]float64, rows)
				for i := range names {
					names[i], labels[i] = float64(i), 1
				}
				data, err := dataset.NewDense(1, names, labels)
				counts := make([]float64, rows)
				if err == nil {
					_, _, err = localsgd.CrossValidate(ctx, s.Stream("folds"), data, folds,
						slices.Repeat(localsgd.Lambdas, values),
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

// curve is the budget of all runs behind one curve, each at the total budget that is stated of it.
func curve(repeats int) verify.Check {
	return formula.Check{
		Quantity: "total budget of the runs", Sense: verify.Equals,
		Domain: "one learner with one loss on one data set, budgets 0.8, 1.0, 1.2, 1.4 and 1.6", Proof: "a sum",
		Points: func(add func(formula.Point)) {
			all, err := bounds.SequentialComposition(slices.Repeat(paper.PrestigeBudgets, repeats)...)
			add(formula.Point{Place: formula.Placef("%d runs at each budget", repeats), Measured: all, Claimed: 120, Error: 1e-9,
				Show: true, Err: err})
		},
	}
}
