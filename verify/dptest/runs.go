package dptest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// MultiRun audits a training algorithm from many runs. It calls train once per run, with or without the audited
// record, and train returns the score of an attack on the result. The test fails if the scores refute the claim for
// adding or removing one record: (ε, δ), or μ of Gaussian differential privacy.
//
// The event states which scores indicate the record, for example "score >= 0.3". If it is fixed in advance, all
// runs count towards the test. If it is "", part of the runs is used to choose it. [Samples] is the number of runs
// with the record and without it, default [DefaultRuns]. With [Anytime] the test ends at the run that refutes. A
// pass means little if the attack is weak, see [training.MultiRunAudit].
//
// MultiRun accepts the options Name, Seed, Alpha, Samples, Anytime, Timeout, Strict and [Evidence].
func MultiRun(t testing.TB, train func(r *rand.Rand, with bool) float64, event string, claim privacy.Guarantee,
	options ...Option) {
	t.Helper()
	j := newJudging(t, "the training", options, append(commonWithEvidence, "Anytime")...)
	if j == nil {
		return
	}
	audit := training.MultiRunAudit{A: outputs.Recording{Name: "runs with the record"},
		B:         outputs.Recording{Name: "runs without"},
		Guarantee: claim, Anytime: j.s.anytime}
	var err error
	if train == nil {
		err = errors.New("no training function")
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
	j.statement += fmt.Sprintf(" %s, event %q", claimKey(claim), event)
	check := verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return trained.Prepare(ctx, s)
	})
	if e, ok := j.judge(t, check, "dptest"); ok {
		j.report(t, e)
	}
}

// DefaultRuns is the default number of runs of [MultiRun] with the record, and without it.
const DefaultRuns = 100

// runTraining is a training algorithm as a mechanism. The input states whether the audited record is included.
type runTraining func(r *rand.Rand, with bool) float64

func (f runTraining) Release(r *rand.Rand, with bool) (any, error) { return f(r, with), nil }
