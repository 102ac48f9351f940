package pairwise

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func settingsReleaseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/release", Kind: verify.Privacy, Origin: verify.Observation, Place: bothPlace,
			Statement: "the outputs of the four algorithms do not depend on the records, so the algorithms cost ε = 0, " +
				"not up to 2.5 as stated. With the same random draws, other rows and labels change no output. Setting: " +
				printedParameters + "; n = 40, 90, 50, 350; ε = 2.5",
			Check:   coinChange(printedPlans, variant{name: "other records", other: true}, releaseProof),
			Control: checks.Faulty(coinChange(soundPlans, variant{name: "other records", other: true}, ""), plansWords),
			Formerly: []string{"pairwise/experiments/metric/figure-6", "pairwise/settings/constants",
				"pairwise/settings/objective"},
		},
		{
			ID: "pairwise/settings/baseline", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Experiments, Baselines: NonPrivate is Pairwise GIGA, described below Algorithm 1 as the algorithm " +
				"without lines 12 and 13. \"Comparable\" and \"competitively\" then hold trivially. The citation of Kar " +
				"et al. (2013) may mean a GIGA without a warm-up, see experiments/auc/figure-2",
			Statement: "NonPrivate, described below Algorithm 1 as Pairwise GIGA without lines 12 and 13, takes no step " +
				"either. With the same random draws it has the outputs of OnPairStrC and OnPairC. Setting: " +
				printedParameters,
			Check:   coinChange(online(printedPlans), variant{name: "NonPrivate", plain: true}, releaseProof),
			Control: checks.Faulty(coinChange(online(soundPlans), variant{name: "NonPrivate", plain: true}, ""), plansWords),
		},
	}
}

const releaseProof = "T₁ ≥ n at all these settings (settings/steps, …/convex): no line that reads a record is reached"

// plan is a learner with its problem and parameters.
type plan struct {
	name    string
	offline bool
	n       int
	problem pairwise.Problem // without a ridge where alpha is that of Algorithms 2 and 4
	alpha   float64          // 0 for Algorithms 1 and 3
	privacy pairwise.Privacy
	options pairwise.Options
}

// run returns everything that a run releases: all outputs of an online learner, or ŵ of an offline one. If private is
// false, it runs NonPrivate.
func (p plan) run(ctx context.Context, r *rand.Rand, data *dataset.Dataset, private bool) ([][]float64, error) {
	var all [][]float64
	o := p.options
	if !p.offline {
		o.Each = func(_ int, w []float64) { all = append(all, append([]float64(nil), w...)) }
	}
	problem, err := p.problem, error(nil)
	if p.alpha > 0 {
		center := make([]float64, problem.Set.Dim())
		if problem, err = problem.Regularized(p.alpha, center); err != nil {
			return nil, err
		}
	}
	var result *pairwise.Result
	switch {
	case !private:
		result, err = pairwise.GIGA(ctx, r, data, problem, o)
	case p.offline:
		result, err = pairwise.OffPairStrC(ctx, r, data, problem, p.privacy, o)
	default:
		result, err = pairwise.OnPairStrC(ctx, r, data, problem, p.privacy, o)
	}
	if err != nil {
		return nil, err
	}
	return append(all, result.W), nil
}

// printedPlans returns the learners with the settings of the experiments, at the smallest and the largest n.
func printedPlans() (plans []plan, err error) {
	for _, offline := range []bool{false, true} {
		for _, n := range strongSizes {
			p, err := newPlan(false, n, offline, false)
			if err != nil {
				return nil, err
			}
			plans = append(plans, p)
		}
		for _, n := range convexSizes {
			for _, metric := range []bool{false, true} {
				p, err := newPlan(metric, n, offline, true)
				if err != nil {
					return nil, err
				}
				plans = append(plans, p)
			}
		}
	}
	return plans, nil
}

// newPlan returns a learner at n and ε = 2.5 on rows of dimension 3.
func newPlan(metric bool, n int, offline, convex bool) (p plan, err error) {
	p = plan{name: "AUC", offline: offline, n: n, privacy: pairwise.Privacy{Epsilon: 2.5, Delta: 1 / float64(n)}}
	var loss erm.PairLoss = aucLoss
	var set erm.Set
	if metric {
		p.name, loss = "metric", metricLoss
		set, err = erm.NewFrobeniusBall(3, 1)
	} else {
		set, err = erm.NewL2Ball(3, 1)
	}
	if err != nil {
		return p, err
	}
	ridge := lambda
	if convex {
		ridge, p.alpha = 0, inverseRoot(n)
	}
	p.problem = pairwise.Stated(loss, set, ridge, 1)
	p.name = fmt.Sprintf("%s, %s, n=%d", map[bool]string{false: "On", true: "Off"}[offline]+"Pair"+
		map[bool]string{false: "StrC", true: "C"}[convex], p.name, n)
	return p, nil
}

const plansWords = "α = 2 and T₁ = ⌈L/α⌉ + 2, so that steps are taken"

// soundPlans returns the learners with settings at which they take steps.
func soundPlans() ([]plan, error) {
	plans, err := printedPlans()
	for i := range plans {
		p := &plans[i]
		p.options.Warmup = pairwise.WarmupContraction
		if p.alpha > 0 {
			p.alpha = 2
		} else {
			p.problem = pairwise.Stated(p.problem.Loss, p.problem.Set, 2, 1)
		}
	}
	return plans, err
}

// online returns the plans of the online learners.
func online(of func() ([]plan, error)) func() ([]plan, error) {
	return func() ([]plan, error) {
		plans, err := of()
		return slices.DeleteFunc(plans, func(p plan) bool { return p.offline }), err
	}
}

// variant is a change of a run with the same random draws.
type variant struct {
	name  string
	other bool // other records
	plain bool // NonPrivate
}

// coinChange computes the largest change of a released entry between a run and its variant.
func coinChange(plans func() ([]plan, error), v variant, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		all, err := plans()
		if err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "largest change of an entry that is released", Sense: verify.Equals, Proof: proof,
			Domain: "the learners of Figures 1 to 6, ε = 2.5, δ = 1/n, d = 3, uniform rows of norm 1",
			Points: func(add func(formula.Point)) {
				for _, p := range all {
					change, err := largestChange(ctx, s, p, v)
					add(formula.Point{Place: formula.Placef("%s, %s", p.name, v.name), Measured: change, Claimed: 0, Show: true,
						Err: err})
				}
			},
		}.Prepare(ctx, s)
	})
}

func largestChange(ctx context.Context, s verify.Settings, p plan, v variant) (float64, error) {
	data, _, err := dataset.Sphere(s.Common("records"), p.n, 3, 0.1)
	if err != nil {
		return 0, err
	}
	before, err := p.run(ctx, s.Common("run"), data, true)
	if err != nil {
		return 0, err
	}
	if v.other {
		if data, _, err = dataset.Sphere(s.Common("other records"), p.n, 3, 0.1); err != nil {
			return 0, err
		}
	}
	after, err := p.run(ctx, s.Common("run"), data, !v.plain)
	if err != nil {
		return 0, err
	}
	return farthest(before, after), nil
}

// recordReplaced computes the largest change of the outputs before t, or up to t, if record t is replaced and the
// random draws are the same, in runs of OnPairStrC that take steps.
func recordReplaced(included bool, proof string) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		p, err := newPlan(false, 90, false, false)
		if err != nil {
			return nil, err
		}
		p.problem = pairwise.Stated(p.problem.Loss, p.problem.Set, 8, 1)
		data, _, err := dataset.Sphere(s.Common("records"), p.n, 3, 0.1)
		if err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "largest change of an entry of the outputs", Sense: verify.Equals, Proof: proof,
			Domain: "λ = 8, T₁ = 36, n = 90, ε = 2.5, δ = 1/n, d = 3, uniform rows of norm 1; outputs kept apart and fed " +
				"back",
			Grid: formula.Grid{formula.Over("t", 2, 36, 37, 60, 90)},
			At: func(at []float64, add func(formula.Point)) {
				t := int(at[0])
				rows := make([]int, p.n) // record t is the one before it, twice
				for i := range rows {
					rows[i] = i
				}
				rows[t-1] = t - 2
				before := t - 1
				if included {
					before = t
				}
				for _, feedback := range []pairwise.Feedback{pairwise.FeedbackOutput, pairwise.FeedbackNone} {
					p.options.Feedback = feedback
					other, err := data.Subset(rows)
					far := 0.0
					if err == nil {
						far, err = changeUpTo(ctx, s, p, data, other, before)
					}
					add(formula.Point{Measured: far, Claimed: 0, Show: true, Err: err})
				}
			},
		}, nil
	})
}

// changeUpTo returns the largest change of an entry of the first outputs between two data sets, with the same random
// draws.
func changeUpTo(ctx context.Context, s verify.Settings, p plan, data, other *dataset.Dataset, outputs int) (float64,
	error) {
	before, err := p.run(ctx, s.Common("run"), data, true)
	if err != nil {
		return 0, err
	}
	after, err := p.run(ctx, s.Common("run"), other, true)
	if err != nil {
		return 0, err
	}
	return farthest(before[:outputs], after[:outputs]), nil
}

func farthest(before, after [][]float64) (far float64) {
	for t := range before {
		for k := range before[t] {
			far = math.Max(far, math.Abs(before[t][k]-after[t][k]))
		}
	}
	return far
}
