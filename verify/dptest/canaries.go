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

// Canaries audits one run of a training algorithm (Steinke, Nasr and Jagielski 2023). It includes each of m
// canaries with probability 1/2 and calls train once. Train trains with the included canaries and returns one score
// per canary from a membership inference attack on the result. A larger score indicates inclusion.
//
// The test fails if the scores refute the claim for adding or removing one record: (ε, δ), or μ of Gaussian
// differential privacy. A pass means little if the attack is weak, see [training.OneRunAudit].
//
// If δ > 0, an [Alpha] below δ never refutes: with probability δ, an (ε, δ)-private training algorithm may reveal
// everything.
//
// Canaries accepts the options Name, Seed, Alpha, Timeout and Strict.
func Canaries(t testing.TB, m int, train func(r *rand.Rand, included []bool) []float64, claim privacy.Guarantee,
	options ...Option) {
	t.Helper()
	j := newJudging(t, "the training", options, canaryOptions...)
	if j == nil {
		return
	}
	if train == nil || m < 1 {
		j.fatal(t, fmt.Errorf("%d canaries: want at least 1 and a non-nil training function", m))
		return
	}
	seed := empirical.NewSeed(j.s.seed)
	coins := seed.Derive("coins").Rand()
	included, unchanged := make([]bool, m), make([]bool, m)
	for i := range included {
		included[i] = coins.IntN(2) == 1
		unchanged[i] = included[i]
	}
	j.canaries(t, unchanged, claim, func() []float64 { return train(seed.Derive("training").Rand(), included) })
}

// CanaryAudit is like [Canaries] for the recorded scores of a training run. It takes one score and one inclusion
// bit per canary. Each canary must have been included independently with probability 1/2, and the scores may depend
// on the inclusion bits only through the trained model.
func CanaryAudit(t testing.TB, scores []float64, included []bool, claim privacy.Guarantee, options ...Option) {
	t.Helper()
	if j := newJudging(t, "the training", options, canaryOptions...); j != nil {
		j.canaries(t, included, claim, func() []float64 { return scores })
	}
}

var canaryOptions = []string{"Name", "Seed", "Alpha", "Timeout", "Strict"}

// canaries audits the scores of one run. It calls scores under the time limit of the test, so that a panic or a
// hang of the training algorithm is reported like one of a mechanism.
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
