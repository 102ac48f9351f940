package dptest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// Canaries audits a training by one run of it: train is called once, with a coin for each of m canaries, trains with
// those that are included, and returns a score of each canary by any attack on what was trained, larger where it
// speaks for inclusion. The test fails if the scores show that the training gives away more of a canary than is
// claimed: ε with δ, or μ of Gaussian privacy, for one record more or less. A pass says little where the attack
// is weak: see [training.OneRunAudit].
//
// Where δ > 0 no run refutes at an [Alpha] below it, since a training may show everything with probability δ.
//
// It takes the options Name, Seed, Alpha, Timeout and Strict.
func Canaries(t testing.TB, m int, train func(r *rand.Rand, included []bool) []float64, claim privacy.Guarantee,
	options ...Option) {
	t.Helper()
	j := newJudging(t, "the training", options, canaryOptions...)
	if j == nil {
		return
	}
	if train == nil || m < 1 {
		j.fatal(t, fmt.Errorf("%d canaries: want at least 1, and a training", m))
		return
	}
	seed := empirical.NewSeed(j.s.seed)
	coins := seed.Derive("coins").Rand()
	included, kept := make([]bool, m), make([]bool, m)
	for i := range included {
		included[i] = coins.IntN(2) == 1
		kept[i] = included[i]
	}
	j.canaries(t, kept, claim, func() []float64 { return train(seed.Derive("training").Rand(), included) })
}

// CanaryAudit is [Canaries] on the scores of a training that was run elsewhere, one for each coin: each canary
// was included by a fair coin of its own, and the scores depend on the coins through the trained model alone.
func CanaryAudit(t testing.TB, scores []float64, included []bool, claim privacy.Guarantee, options ...Option) {
	t.Helper()
	if j := newJudging(t, "the training", options, canaryOptions...); j != nil {
		j.canaries(t, included, claim, func() []float64 { return scores })
	}
}

var canaryOptions = []string{"Name", "Seed", "Alpha", "Timeout", "Strict"}

// canaries judges scores where whatever goes wrong in getting them is told as that of a mechanism is.
func (j *judging) canaries(t testing.TB, included []bool, claim privacy.Guarantee, scores func() []float64) {
	t.Helper()
	check := verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		read, err := training.NewScores("scores", scores(), included)
		if err != nil {
			return nil, err
		}
		return training.OneRunAudit{Scores: read, Guarantee: claim}.Prepare(ctx, s)
	})
	if e, ok := j.judge(t, check, "dptest"); ok {
		j.report(t, e)
	}
}
