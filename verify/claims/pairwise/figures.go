package pairwise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/relation"
	"github.com/dpverify/dpverify/verify/series"
)

// soundAlpha is the α of the settings under which the algorithms are themselves: with rows of
// norm 1 and WarmupContraction, T₁ is 4 for it.
const soundAlpha = 8

func figureClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/experiments/auc", Source: "Figs. 1-2", Kind: verify.Experiment,
			Statement: "the smaller ε, the larger the objective value of OnPairStrC (λ = 10⁻³) and OnPairC (α = 1/√n) for AUC " +
				"maximisation, at n = 90 and 350",
			Check: checks.OnData("cancer", objectiveFalls(fromFile("cancer"), literal, aucTask)),
			Twin: verify.Twin{Check: objectiveFalls(planted, itself, aucTask), Want: checks.Holds,
				Fault: "none: planted rows, α = 8, the shortest warm-up, ε = 0.5 against 10⁹"},
			Corrected: "pairwise/experiments/auc/corrected",
		},
		{
			ID: "pairwise/experiments/auc/figure-4", Source: "Fig. 4", Kind: verify.Experiment,
			Statement: "at n = 350 the mean AUC of OffPairC (α = 1/√n, ε = 2.5) is within 0.1 of that of NonPrivate: " +
				"they are competitive",
			Check: checks.OnData("pima", competitive(fromFile("pima"))),
			Twin: verify.Twin{Check: competitive(noise), Want: checks.Holds,
				Fault: "none: rows that tell nothing of the label, on which nobody is better"},
			Corrected: "pairwise/experiments/auc/figure-4/corrected",
		},
		{
			ID: "pairwise/experiments/auc/size", Source: "Fig. 4", Kind: verify.Experiment,
			Statement: "the larger n, the larger the mean AUC of OffPairC (α = 1/√n, ε = 2.5), n = 350 against 50",
			Check:     checks.OnData("pima", growsInSize(fromFile("pima"), false)),
			Twin: verify.Twin{Check: growsInSize(planted, true), Want: checks.Holds,
				Fault: "none: NonPrivate on planted rows"},
			Corrected: "pairwise/experiments/auc/size/corrected",
		},
		{
			ID: "pairwise/experiments/auc/size/corrected", Source: "Fig. 4, NonPrivate", Kind: verify.Experiment,
			Statement: "the larger n, the larger the mean AUC of NonPrivate, n = 350 against 50",
			Check:     checks.OnData("pima", growsInSize(fromFile("pima"), true)),
			Twin: verify.Twin{Check: growsInSize(planted, false), Want: checks.Refuted,
				Fault: "OffPairC at the paper's settings, on planted rows"},
		},
		{
			ID: "pairwise/experiments/auc/figure-4/corrected", Source: "Fig. 4, corrected", Kind: verify.Experiment,
			Statement: "with α = 8, w₀ = 0 and T₁ = ⌈L/α⌉ + 2 the mean of 1 − AUC of OffPairC at n = 90 does not grow with ε",
			Check:     checks.OnData("pima", fallsInEpsilon(fromFile("pima"), false)),
			Twin: verify.Twin{Check: fallsInEpsilon(planted, true), Want: checks.Refuted,
				Fault: "AUC in the place of 1 − AUC, on planted rows"},
		},
		{
			ID: "pairwise/experiments/auc/corrected", Source: "Figs. 1-2, corrected", Kind: verify.Experiment,
			Statement: "with α = 8, w₀ = 0 and T₁ = ⌈L/α⌉ + 2 the mean objective value of OnPairC for AUC maximisation is " +
				"larger at ε = 0.5 than at ε = 10⁹, next to no noise, at n = 90",
			Check: checks.OnData("cancer", objectiveFalls(fromFile("cancer"), itself, aucTask)),
			Twin: verify.Twin{Check: objectiveFalls(planted, literal, aucTask), Want: checks.Refuted,
				Fault: "the paper's settings, on planted rows"},
		},
		{
			ID: "pairwise/experiments/metric", Source: "Fig. 5", Kind: verify.Experiment,
			Statement: "the smaller ε, the larger the objective value of OnPairC (α = 1/√n) for metric " +
				"learning, at n = 90 and 350",
			Check: checks.OnData("pima", objectiveFalls(fromFile("pima"), literal, metricTask)),
			Twin: verify.Twin{Check: objectiveFalls(planted, itself.of(100), metricTask), Want: checks.Holds,
				Fault: "none: planted rows, α = 8, the shortest warm-up, ε = 0.5 against 10⁹"},
			Corrected: "pairwise/experiments/metric/corrected",
		},
		{
			ID: "pairwise/experiments/metric/figure-6", Source: "Fig. 6", Kind: verify.Experiment,
			Statement: "the matrix that OffPairC (α = 1/√n) hands to the 3-nearest-neighbour classifier depends on the data, " +
				"at n = 350 and ε = 2.5",
			Check: checks.OnData("pima", dependsOnData(fromFile("pima"), literal)),
			Twin: verify.Twin{Check: dependsOnData(planted, itself), Want: checks.Holds,
				Fault: "none: planted rows, α = 8, the shortest warm-up"},
		},
		{
			ID: "pairwise/experiments/metric/corrected", Source: "Fig. 5, corrected", Kind: verify.Experiment,
			Statement: "with α = 8, w₀ = 0 and T₁ = ⌈L/α⌉ + 2 the mean objective value of OnPairC for metric learning is " +
				"larger at ε = 0.5 than at ε = 10⁹, next to no noise, at n = 90",
			Check: checks.OnData("pima", objectiveFalls(fromFile("pima"), itself, metricTask)),
			Twin: verify.Twin{Check: objectiveFalls(planted, literal, metricTask), Want: checks.Refuted,
				Fault: "the paper's settings, on planted rows"},
		},
	}
}

// task is AUC maximisation or metric learning.
type task struct {
	loss erm.PairLoss
	set  func(d int) (erm.Set, error)
}

var (
	aucTask    = task{aucLoss, func(d int) (erm.Set, error) { return erm.NewL2Ball(d, 1) }}
	metricTask = task{metricLoss, func(d int) (erm.Set, error) { return erm.NewFrobeniusBall(d, 1) }}
)

// setting is how a learner is run: its α as a function of n, and the warm-up.
type setting struct {
	alpha    func(n int) float64
	warmup   pairwise.Warmup
	strongly bool    // OnPairStrC at λ = 10⁻³ besides
	origin   bool    // w₀ = 0, and outputs kept apart; else w₀ is drawn, and they are fed back
	high     float64 // the ε held against 0.5
	sizes    []int
	runs     int // permutations
}

var (
	literal = setting{func(n int) float64 { return 1 / math.Sqrt(float64(n)) }, pairwise.WarmupPaper, true, false, 2.5,
		[]int{90, 350}, 5}
	itself = setting{func(int) float64 { return soundAlpha }, pairwise.WarmupContraction, false, true, 1e9, []int{90},
		400}
)

// of is the setting with so many permutations.
func (s setting) of(runs int) setting {
	s.runs = runs
	return s
}

// options for a set.
func (s setting) options(set erm.Set) pairwise.Options {
	o := pairwise.Options{Warmup: s.warmup}
	if s.origin {
		o.Feedback, o.Center = pairwise.FeedbackNone, make([]float64, set.Dim())
	}
	return o
}

func privacyAt(epsilon float64, n int) pairwise.Privacy {
	return pairwise.Privacy{Epsilon: epsilon, Delta: 1 / float64(n)}
}

// learner is OnPairStrC, for strongly convex losses, or OnPairC.
func learner(strongly bool) string {
	if strongly {
		return "OnPairStrC"
	}
	return "OnPairC"
}

// objectiveFalls compares the mean objective over permutations at ε = 0.5 with that at a larger ε,
// both runs of a permutation on the same coins. Where no step is taken there is no noise either,
// and the two are equal whatever the data.
func objectiveFalls(rows source, at setting, of task) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		set, err := of.set(data.Dim())
		if err != nil {
			return nil, err
		}
		plain := pairwise.Stated(of.loss, set, 0, 1)
		curves := &series.Picture{Along: "training size n", Quantity: "objective value"}
		objective := func(n int, epsilon float64, strongly bool) (float64, error) {
			sum := 0.0
			series, place := learner(strongly), fmt.Sprintf("ε = %g", epsilon)
			for run := range at.runs {
				name := fmt.Sprint(n, run)
				train, _, err := first(s.Common("order", name), data, n)
				if err != nil {
					return 0, err
				}
				o := at.options(set)
				r := s.Common("run", name)
				var result *pairwise.Result
				if strongly {
					result, err = pairwise.OnPairStrC(ctx, r, train, pairwise.Stated(of.loss, set, paperLambda, 1),
						privacyAt(epsilon, n), o)
				} else {
					result, err = pairwise.OnPairC(ctx, r, train, plain, at.alpha(n), privacyAt(epsilon, n), o)
				}
				if err != nil {
					return 0, err
				}
				risk := plain.Risk(result.W, train)
				sum += risk / float64(at.runs)
				if len(at.sizes) > 1 {
					curves.Add(series+", "+place, float64(n), risk)
				} else {
					curves.AddAt(fmt.Sprintf("%s, n = %d", series, n), place, risk)
				}
			}
			return sum, nil
		}
		if len(at.sizes) == 1 {
			curves.Along = ""
		}
		return relation.Check{
			Beside: curves, Quantity: "mean objective value at ε = 0.5", Sense: verify.Above,
			Domain: fmt.Sprintf("%d permutations, the last output, both ε on the same coins, rows of norm 1", at.runs),
			Points: func(add func(relation.Point)) {
				for _, n := range at.sizes {
					for _, strongly := range []bool{false, true} {
						if strongly && (!at.strongly || of.loss != aucTask.loss) {
							continue
						}
						low, errLow := objective(n, 0.5, strongly)
						high, errHigh := objective(n, at.high, strongly)
						add(relation.Point{
							At:       relation.At("%s, n=%d, ε=0.5 against %g", learner(strongly), n, at.high),
							Measured: low, Claimed: high, Tie: low == high, Show: true, Err: cmp.Or(errHigh, errLow),
						})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// meanAUC is the mean AUC of 20 permutations on the rows that are left over: that of NonPrivate, λ = 0.1 and
// T₁ = ⌈L/α⌉ + 2; or that of OffPairC of the paper at ε = 2.5, which is ½ exactly where no run takes a
// step: ŵ is symmetric about 0, whatever the noise, and AUC(w) + AUC(−w) = 1; an error where one does.
func meanAUC(ctx context.Context, s verify.Settings, data *dataset.Dataset, n int, plain bool,
	curves *series.Picture) (float64, error) {
	set, err := aucTask.set(data.Dim())
	if err != nil {
		return 0, err
	}
	mean := 0.0
	for run := range 20 {
		name := fmt.Sprint(n, run)
		train, test, err := first(s.Stream("order", name), data, n)
		if err != nil {
			return 0, err
		}
		if plain {
			giga, err := pairwise.GIGA(ctx, s.Stream("run", name), train, pairwise.Stated(aucLoss, set, 0.1, 1),
				pairwise.Options{Warmup: pairwise.WarmupContraction})
			if err != nil {
				return 0, err
			}
			auc := pairwise.AUC(giga.W, test)
			mean += auc / 20
			curves.Add("NonPrivate", float64(n), auc)
			continue
		}
		private, err := pairwise.OffPairC(ctx, s.Stream("run", name), train, pairwise.Stated(aucLoss, set, 0, 1),
			literal.alpha(n), privacyAt(2.5, n), pairwise.Options{})
		if err != nil {
			return 0, err
		}
		if mean = 0.5; private.Steps > 0 {
			return 0, fmt.Errorf("OffPairC took %d steps, run %d: its mean AUC is not known by symmetry", private.Steps, run)
		}
	}
	if !plain {
		curves.Add("OffPairC, computed", float64(n), mean)
	}
	return mean, nil
}

// competitive compares OffPairC of the paper with NonPrivate.
func competitive(rows source) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		const n = 350
		curves := &series.Picture{Along: "training size n", Quantity: "AUC on the rows left over"}
		return relation.Check{
			Beside: curves, Quantity: "mean AUC of NonPrivate less that of OffPairC", Sense: verify.AtMost,
			Domain: "20 permutations, n = 350, rows of norm 1; OffPairC by symmetry, as its runs take no step",
			Points: func(add func(relation.Point)) {
				plain, errPlain := meanAUC(ctx, s, data, n, true, curves)
				private, errPrivate := meanAUC(ctx, s, data, n, false, curves)
				add(relation.Point{
					At:       relation.At("NonPrivate with λ = 0.1, T₁ = ⌈L/α⌉ + 2: %.3f; OffPairC: %g", plain, private),
					Measured: plain - private,
					Claimed:  0.1, Show: true, Err: cmp.Or(errPlain, errPrivate),
				})
			},
		}.Prepare(ctx, s)
	})
}

// growsInSize compares the mean AUC at n = 350 with that at n = 50.
func growsInSize(rows source, plain bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		curves := &series.Picture{Along: "training size n", Quantity: "AUC on the rows left over"}
		return relation.Check{
			Beside: curves, Quantity: "mean AUC at n = 350", Sense: verify.Above,
			Domain: "20 permutations of each size, rows of norm 1; OffPairC by symmetry, as its runs take no step",
			Points: func(add func(relation.Point)) {
				small, errSmall := meanAUC(ctx, s, data, 50, plain, curves)
				large, errLarge := meanAUC(ctx, s, data, 350, plain, curves)
				add(relation.Point{At: relation.At("against n = 50"), Measured: large, Claimed: small, Tie: small == large,
					Show: true, Err: cmp.Or(errLarge, errSmall)})
			},
		}.Prepare(ctx, s)
	})
}

// dependsOnData runs OffPairC on the rows, and on others in their place, on the same coins.
func dependsOnData(rows source, at setting) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		set, err := metricTask.set(data.Dim())
		if err != nil {
			return nil, err
		}
		const n = 350
		train, _, err := first(s.Stream("order"), data, n)
		if err != nil {
			return nil, err
		}
		other, err := relabelled(train, func(int) float64 { return 1 })
		if err != nil {
			return nil, err
		}
		var w [2][]float64
		for i, d := range []*dataset.Dataset{train, other} {
			result, err := pairwise.OffPairC(ctx, s.Common("run"), d, pairwise.Stated(metricLoss, set, 0, 1), at.alpha(n),
				privacyAt(2.5, n), at.options(set))
			if err != nil {
				return nil, err
			}
			w[i] = result.W
		}
		far := 0.0
		for k := range w[0] {
			far = math.Max(far, math.Abs(w[0][k]-w[1][k]))
		}
		return relation.Check{
			Quantity: "largest entry of W − W', other labels on the same coins", Sense: verify.Above, Void: true,
			Domain: "n = 350, ε = 2.5, rows of norm 1",
			Points: func(add func(relation.Point)) {
				add(relation.Point{At: relation.At("n=%d", n), Measured: far, Claimed: 0, Tie: far == 0, Show: true})
			},
		}.Prepare(ctx, s)
	})
}

// fallsInEpsilon runs OffPairC under the settings in which it is itself, from the ε of the experiments
// up to where its noise is small.
func fallsInEpsilon(rows source, turned bool) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		set, err := aucTask.set(data.Dim())
		if err != nil {
			return nil, err
		}
		const n = 90
		plain := pairwise.Stated(aucLoss, set, 0, 1)
		return mean.Rate{
			Quantity: "mean of 1 − AUC on the rows left over", Variable: "ε", Grid: []float64{0.5, 2.5, 10, 40, 160, 2500},
			Replicates: 3200,
			Sense:      verify.AtMost, Law: true, Exponent: 0,
			Range: func(float64) (lo, hi float64) { return 0, 1 },
			Run: func(ctx context.Context, r *rand.Rand, epsilon float64) (float64, error) {
				train, test, err := first(r, data, n)
				if err != nil {
					return 0, err
				}
				result, err := pairwise.OffPairC(ctx, r, train, plain, soundAlpha, privacyAt(epsilon, n), itself.options(set))
				if err != nil {
					return 0, err
				}
				value := 1 - pairwise.AUC(result.W, test)
				if turned {
					value = 1 - value
				}
				return value, nil
			},
		}, nil
	})
}
