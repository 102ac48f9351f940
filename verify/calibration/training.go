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

// TrainingSubject is a training with what is told of it.
type TrainingSubject struct {
	// Train is the training with a fault, seen by an attack; an error says that it cannot have the fault.
	Train func(dpsgd.Attack, dpsgd.Fault) (dpsgd.Training, error)
	// Assumed is what the accountant was told, and Claimed the ε that is claimed at Delta; nil is what the accountant
	// proves.
	Assumed accounting.Release
	Delta   float64
	Claimed *float64
}

// trainingClaim is what is claimed of a subject.
type trainingClaim struct {
	Epsilon   accountant.Bracket // of the account
	Guarantee privacy.Guarantee
	Described *training.Described
}

// claim is what the accountant proves of what it was told: its ε, where no other is claimed, and its trade-off
// function.
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
		return c, fmt.Errorf("the account of %s is no claim to audit: %w", s.Assumed, err)
	}
	lines, err := s.Assumed.TradeOff()
	c.Described = &training.Described{Null: lines, Description: s.Assumed.String()}
	return c, err
}

// firstLookCanaries are those of the first look of one run; each further look has twice as many, in a run of its own,
// and twice the share of the error probability: what few canaries show needs little of it.
const firstLookCanaries = 100

// canaryLooks are the numbers of canaries of one run, up to most: at least one.
func canaryLooks(most int) (list []int) {
	for m := firstLookCanaries; m <= most; m *= 2 {
		list = append(list, m)
	}
	if list == nil {
		list = []int{most}
	}
	return list
}

// oneRun trains once at each look, of which each has twice the share of alpha of the one before, until the claim is
// refuted: the number of canaries at which it was; found is false where it never was.
func oneRun(ctx context.Context, t dpsgd.Training, claim trainingClaim, most int, s verify.Settings) (at int,
	found bool,
	err error) {
	looks := canaryLooks(min(most, t.MaxCanaries()))
	all := math.Ldexp(1, len(looks)) - 1
	for i := range looks {
		at = looks[i]
		seed := s.Seed.Derive("one run", fmt.Sprint(at))
		r := seed.Rand()
		coins := make([]bool, at)
		for i := range coins {
			coins[i] = r.IntN(2) == 1
		}
		values, err := t.Scores(ctx, r, coins)
		if err != nil {
			return at, false, err
		}
		scores, err := training.NewScores("scores", values, coins)
		if err != nil {
			continue // of coins that fell alike, or scores that are, nothing follows
		}
		audit := training.OneRunAudit{Scores: scores, Guarantee: claim.Guarantee, Described: claim.Described}
		e, err := verify.Judge(ctx, audit, verify.Settings{Budget: s.Budget, Alpha: s.Alpha * math.Ldexp(1, i) / all,
			Seed: seed.Derive("audit")}, empirical.NewPool(1), nil)
		if err != nil || e.Verdict == verify.Refuted {
			return at, err == nil, err
		}
	}
	return at, false, nil
}

// oneCanary is a training with one canary, as a mechanism of whether it is there.
type oneCanary struct {
	dpsgd.Training
	ctx context.Context
}

// Release is the score of the canary.
func (t oneCanary) Release(r *rand.Rand, with bool) (any, error) {
	scores, err := t.Scores(t.ctx, r, []bool{with})
	if err != nil {
		return nil, err
	}
	return scores[0], nil
}

// manyRuns trains with the canary and without it by turns, and bets on each score by those before, until the claim is
// refuted: the number of trainings of both sorts together.
func manyRuns(ctx context.Context, t dpsgd.Training, claim trainingClaim, most int, s verify.Settings) (at int,
	found bool,
	err error) {
	audit := training.TrainedAudit[bool]{Training: oneCanary{t, ctx}, With: true, Without: false, Runs: most / 2,
		MultiRunAudit: training.MultiRunAudit{A: outputs.Recording{Name: "with"}, B: outputs.Recording{Name: "without"},
			Guarantee: claim.Guarantee, Described: claim.Described, Anytime: true}}
	e, err := verify.Judge(ctx, audit, verify.Settings{Budget: verify.Standard, Alpha: s.Alpha,
		Seed: s.Seed.Derive("many runs")}, empirical.NewPool(1), nil)
	return int(e.Samples), e.Verdict == verify.Refuted, err
}
