package dptest

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// MultiRun audits a training by many runs of it: train is called once a run, with the audited record or without it, and
// returns a score by any attack on what was trained. The test fails if the scores of the two worlds show that the
// training reveals more than is claimed: ε with δ, or μ of Gaussian privacy, for one record more or less.
//
// event says which scores speak for the record, as in "score >= 0.3", fixed beforehand: then all runs count; "" lets a
// part of them choose. [Samples] is the number of runs of each world, [DefaultRuns] unless told; with [Anytime] the
// test ends at the run that refutes. A pass says little where the attack is weak: see [training.MultiRunAudit].
//
// It takes the options Name, Seed, Alpha, Samples, Anytime, Timeout and Strict.
func MultiRun(t testing.TB, train func(r *rand.Rand, with bool) float64, event string, claim privacy.Guarantee,
	options ...Option) {
	t.Helper()
	j := newJudging(t, "the training", options, "Name", "Seed", "Alpha", "Samples", "Anytime", "Timeout", "Strict")
	if j == nil {
		return
	}
	audit := training.MultiRunAudit{A: outputs.Recording{Name: "runs with the record"},
		B:         outputs.Recording{Name: "runs without"},
		Guarantee: claim, Anytime: j.s.anytime}
	var err error
	if train == nil {
		err = errors.New("there is no training to run")
	} else if event != "" {
		audit.Event, err = training.ParseEvent(event)
	}
	if err != nil {
		j.fatal(t, err)
		return
	}
	trained := training.TrainedAudit[bool]{MultiRunAudit: audit, Training: runTraining(train), With: true,
		Runs: DefaultRuns}
	if n := j.s.samples; n != 0 {
		trained.Runs = int(min(n, DefaultSamples))
	}
	check := verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return trained.Prepare(ctx, s)
	})
	if e, ok := j.judge(t, check, "dptest"); ok {
		j.report(t, e)
	}
}

// DefaultRuns is how often [MultiRun] trains in each world.
const DefaultRuns = 100

// runTraining is a mechanism whose input says whether the record is there.
type runTraining func(r *rand.Rand, with bool) float64

func (f runTraining) Release(r *rand.Rand, with bool) (any, error) { return f(r, with), nil }
