package pairwise

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

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
			ID: "pairwise/settings/release", Source: "Experiments, Algs. 1-4", Kind: verify.Privacy,
			Origin: verify.Observation, Place: bothPlace, Formerly: []string{"pairwise/experiments/metric/figure-6"},
			Statement: "what the four algorithms release at the settings of the experiments, to whoever sees all of it, does " +
				"not depend on the records: on the same coins other rows and labels change no output, so that the whole run " +
				"costs ε = 0 where 0.5, 1.5 and 2.5 are stated",
			Check:   coinChange(printedPlans, otherRecords, releaseProof),
			Control: verify.Control{Check: coinChange(soundPlans, otherRecords, ""), Want: checks.Refuted, Fault: plansWords},
		},
		{
			ID: "pairwise/settings/baseline", Source: "Experiments, Baselines", Kind: verify.Experiment,
			Origin: verify.Observation,
			Place: bothPlace + "; Baselines: NonPrivate is Pairwise GIGA, which below Algorithm 1 is " +
				"that without lines 12 and 13",
			Statement: "NonPrivate, as the paper defines it, takes no step at these settings either: on the same coins every " +
				"output of OnPairStrC and OnPairC is that of NonPrivate",
			Check:   coinChange(printedOnline, withoutNoise, releaseProof),
			Control: verify.Control{Check: coinChange(soundOnline, withoutNoise, ""), Want: checks.Refuted, Fault: plansWords},
		},
		{
			ID: "pairwise/settings/constants", Source: "Experiments, Algs. 1-2", Kind: verify.Experiment,
			Origin: verify.Observation, Place: bothPlace,
			Statement: "no printed constant has an effect on OnPairStrC or OnPairC at these settings: ε, δ, G (so the 32 of " +
				"line 12), L (so the 16 of line 2) and α, each doubled or halved, change no output on the same coins",
			Check:   coinChange(printedOnline, otherConstants, releaseProof),
			Control: verify.Control{Check: coinChange(soundOnline, otherConstants, ""), Want: checks.Refuted, Fault: plansWords},
		},
		{
			ID: "pairwise/settings/objective", Source: "Experiments, Figs. 1-3 and 5", Kind: verify.Identity,
			Origin: verify.Observation, Place: bothPlace + "; eq. (1)",
			Statement: "at these settings the mean objective value is, whatever the data, no better than that of w = 0, which " +
				"needs none: log 2 for AUC maximisation",
			Check: symmetricLoss(false),
			Control: verify.Control{Check: symmetricLoss(true), Want: checks.Refuted,
				Fault: "a w that ranks every pair rightly, in the place of a symmetric one"},
		},
	}
}

const releaseProof = "T₁ ≥ n at all these settings (settings/steps, …/convex): no line that reads a record is reached"

// plan is a learner with a problem and all that it is run with.
type plan struct {
	name    string
	offline bool
	n       int
	problem pairwise.Problem // without a ridge where alpha is that of Algorithms 2 and 4
	alpha   float64          // 0 for Algorithms 1 and 3
	privacy pairwise.Privacy
	options pairwise.Options
}

// run is everything that is released: all outputs of an online learner, ŵ of an offline one. nil privacy
// is NonPrivate.
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

// printedPlans are the learners at the settings of the experiments, at the least and the largest n.
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

// newPlan is one learner at n and ε = 2.5; rows of dimension 3.
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

// soundPlans are the learners at settings at which they take steps.
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

func onlinePlans(of func() ([]plan, error)) func() ([]plan, error) {
	return func() (kept []plan, err error) {
		plans, err := of()
		for _, p := range plans {
			if !p.offline {
				kept = append(kept, p)
			}
		}
		return kept, err
	}
}

var printedOnline, soundOnline = onlinePlans(printedPlans), onlinePlans(soundPlans)

// variant is what is changed of a run on the same coins.
type variant struct {
	name  string
	of    func(p *plan)
	other bool // other records
	plain bool // NonPrivate
}

func otherRecords() []variant { return []variant{{name: "other records", other: true}} }
func withoutNoise() []variant { return []variant{{name: "NonPrivate", plain: true}} }
func otherConstants() (all []variant) {
	for _, f := range []float64{0.5, 2} {
		all = append(all,
			variant{name: fmt.Sprintf("ε·%g", f), of: func(p *plan) { p.privacy.Epsilon *= f }},
			variant{name: fmt.Sprintf("δ·%g", f), of: func(p *plan) { p.privacy.Delta *= f }},
			variant{name: fmt.Sprintf("G·%g", f), of: func(p *plan) { p.problem.G *= f }},
			variant{name: fmt.Sprintf("L·%g", f), of: func(p *plan) { p.problem.L *= f }},
			variant{name: fmt.Sprintf("α·%g", f), of: func(p *plan) {
				if p.alpha *= f; p.alpha == 0 {
					p.problem = pairwise.Stated(p.problem.Loss, p.problem.Set, p.problem.Ridge*f, 1)
				}
			}})
	}
	return all
}

// coinChange is the largest change of any entry that is released between a run and its variants.
func coinChange(plans func() ([]plan, error), variants func() []variant, proof string) verify.Check {
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
					for _, v := range variants() {
						change, err := largestChange(ctx, s, p, v)
						add(formula.Point{Place: formula.Placef("%s, %s", p.name, v.name), Measured: change, Claimed: 0, Show: true,
							Err: err})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

func largestChange(ctx context.Context, s verify.Settings, p plan, v variant) (far float64, err error) {
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
	if v.of != nil {
		v.of(&p)
	}
	after, err := p.run(ctx, s.Common("run"), data, !v.plain)
	if err != nil {
		return 0, err
	}
	for t := range before {
		for k := range before[t] {
			far = math.Max(far, math.Abs(before[t][k]-after[t][k]))
		}
	}
	return far, nil
}

// symmetricLoss is the mean of a pair's loss over w and −w less that at 0, for the arguments that pairs can have.
func symmetricLoss(right bool) verify.Check {
	return formula.Check{
		Quantity: "mean of a pair's loss over w and −w", Sense: verify.AtLeast,
		Domain: "the argument of φ from −4 to 4 (AUC), and 1 ∓ 4 about ±1 (metric), on a grid, against that at w = 0",
		Proof:  "w and −w are equally likely in the warm-up, and with noise added to their mean; φ is convex",
		Points: func(add func(formula.Point)) {
			for _, about := range []float64{0, 1, -1} {
				for i := 0; i <= 400; i++ {
					t := float64(i) / 100
					mean := (aucLoss.Phi.Value(about+t) + aucLoss.Phi.Value(about-t)) / 2
					if right {
						mean = aucLoss.Phi.Value(about + t)
					}
					add(formula.Point{Place: formula.Placef("about %g, t=±%g", about, t), Measured: mean,
						Claimed: aucLoss.Phi.Value(about),
						Show:    i%200 == 0})
				}
			}
		},
	}
}
