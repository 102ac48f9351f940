package dptest

import (
	"fmt"
	"testing"

	"github.com/dpverify/dpverify/verify/premises"
)

// Premises uses the log of one training run to check the assumptions of its privacy account: how batches are sampled,
// the clipping norm, the noise, the divisor, the update and the number of steps. The test fails if a premise is
// refuted. A refuted premise is not a refuted ε, and the checks do not cover a training that differs from the logged
// run. The premises share the alpha of the test equally.
//
// Before calling Premises, run the training and add each step to the log by [premises.Log.Add].
//
// Premises accepts the options Name, Seed, Alpha, Timeout and Strict.
func Premises(t testing.TB, log *premises.Log, training premises.Training, options ...Option) {
	t.Helper()
	NeighboringPremises(t, log, nil, training, options...)
}

// NeighboringPremises does the same, and compares the divisor of each step with the log of a run on a data set with one
// record more or less. One log cannot show whether the divisor depends on the number of records.
func NeighboringPremises(t testing.TB, log, neighbor *premises.Log, training premises.Training, options ...Option) {
	t.Helper()
	j := newJudging(t, "the training", options, "Name", "Seed", "Alpha", "Timeout", "Strict")
	if j == nil {
		return
	}
	list, err := premises.Premises(log, neighbor, training)
	if err != nil {
		j.fatal(t, err)
		return
	}
	j.s.alpha /= float64(len(list))
	what := j.what
	for _, p := range list {
		j.what = fmt.Sprintf("%s: %s (%s)", what, p.Name, p.Statement)
		e, ok := j.judge(t, p.Check, p.Name)
		if !ok {
			return
		}
		j.report(t, e)
	}
}
