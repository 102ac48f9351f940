package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dpsgd"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// TrainingSubject is a training algorithm with its described account and its claim.
type TrainingSubject struct {
	// Train returns the training algorithm with a fault, scored by an attack. An error means that it cannot have the
	// fault.
	Train func(dpsgd.Attack, dpsgd.Fault) (dpsgd.Training, error)
	// Assumed is the release that the accountant assumes. Claimed is the claimed ε at Delta; nil means the ε that the
	// accountant proves.
	Assumed accounting.Release
	Delta   float64
	Claimed *float64
}

// trainingClaim is the claim about a subject.
type trainingClaim struct {
	Epsilon   accountant.Bracket // of the account
	Guarantee privacy.Guarantee
	Described *training.Described
}

// claim returns the claimed guarantee, by default the ε that the accountant proves for the assumed release, and the
// trade-off function of this release.
func (s TrainingSubject) claim() (c trainingClaim, err error) {
	if c.Epsilon, err = s.Assumed.Bracket(accounting.EpsilonAt(s.Delta), accountant.Precision{}); err != nil {
		return c, err
	}
	epsilon := c.Epsilon.Upper
	if s.Claimed != nil {
		epsilon = *s.Claimed
	}
	c.Guarantee = privacy.ApproximateDP(epsilon, s.Delta)
	if err := c.Guarantee.Check(); err != nil {
		return c, fmt.Errorf("the account of %s is not a claim to audit: %w", s.Assumed, err)
	}
	lines, err := s.Assumed.TradeOff()
	c.Described = &training.Described{Null: lines, Description: s.Assumed.String()}
	return c, err
}

// firstLookCanaries is the number of canaries of the first look of the one-run design. Each further look trains again
// with twice as many canaries, and gets twice the error probability.
const firstLookCanaries = 100

// canaryLooks returns the numbers of canaries of all looks, up to limit. If limit is below firstLookCanaries, there
// is one look with limit canaries.
func canaryLooks(limit int) (list []int) {
	for m := firstLookCanaries; m <= limit; m *= 2 {
		list = append(list, m)
	}
	if list == nil {
		list = []int{limit}
	}
	return list
}

// oneRun trains once at each look, until a look refutes the claim. The error probabilities of the looks sum to alpha.
// It returns the number of canaries of the last look, and whether it refuted the claim.
func oneRun(ctx context.Context, t dpsgd.Training, claim trainingClaim, limit int, s verify.Settings) (canaries int,
	found bool,
	err error) {
	looks := canaryLooks(min(limit, t.MaxCanaries()))
	shares := math.Ldexp(1, len(looks)) - 1
	for i := range looks {
		canaries = looks[i]
		seed := s.Seed.Derive("one run", fmt.Sprint(canaries))
		r := seed.Rand()
		coins := make([]bool, canaries)
		for i := range coins {
			coins[i] = r.IntN(2) == 1
		}
		values, err := t.Scores(ctx, r, coins)
		if err != nil {
			return canaries, false, err
		}
		scores, err := training.NewScores("scores", values, coins)
		if err != nil {
			continue // equal inclusion bits or equal scores show nothing
		}
		audit := training.OneRunAudit{Scores: scores, Guarantee: claim.Guarantee, Described: claim.Described}
		e, err := verify.Judge(ctx, audit, verify.Settings{Budget: s.Budget, Alpha: s.Alpha * math.Ldexp(1, i) / shares,
			Seed: seed.Derive("audit")}, empirical.NewPool(1), nil)
		if err != nil || e.Verdict == verify.Refuted {
			return canaries, err == nil, err
		}
	}
	return canaries, false, nil
}

// oneCanary is a training algorithm with one canary as a mechanism. Its input is whether the canary is included.
type oneCanary struct {
	dpsgd.Training
	ctx context.Context
}

// Release trains and returns the score of the canary.
func (t oneCanary) Release(r *rand.Rand, with bool) (any, error) {
	scores, err := t.Scores(t.ctx, r, []bool{with})
	if err != nil {
		return nil, err
	}
	return scores[0], nil
}

// manyRuns trains alternately with and without the canary and applies a sequential test to the scores, until it
// refutes the claim. It returns the number of training runs, and whether the claim was refuted.
func manyRuns(ctx context.Context, t dpsgd.Training, claim trainingClaim, limit int, s verify.Settings) (runs int,
	found bool,
	err error) {
	audit := training.TrainedAudit[bool]{Training: oneCanary{t, ctx}, With: true, Without: false, Runs: limit / 2,
		MultiRunAudit: training.MultiRunAudit{A: outputs.Recording{Name: "with"}, B: outputs.Recording{Name: "without"},
			Guarantee: claim.Guarantee, Described: claim.Described, Anytime: true}}
	e, err := verify.Judge(ctx, audit, verify.Settings{Budget: verify.Standard, Alpha: s.Alpha,
		Seed: s.Seed.Derive("many runs")}, empirical.NewPool(1), nil)
	return int(e.Samples), e.Verdict == verify.Refuted, err
}
