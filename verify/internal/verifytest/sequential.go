package verifytest

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
)

// The errors of [Wald], over the choice of the seeds, which are fixed.
const (
	FalseAlarm = 1e-3 // that a rate of at most Most fails
	Missed     = 1e-2 // that a rate of at least Fault passes
)

// Wald is the sequential test of a rate of errors of at most Most against one of at least
// Fault, 0 < Most < Fault < 1 (A. Wald, Sequential tests of statistical hypotheses, 1945).
//
// It ends when the likelihood of Fault is 1/FalseAlarm times that of Most, or Missed times.
// Under any rate of at most Most that ratio is a nonnegative supermartingale, under one of at
// least Fault its inverse is: so, by Ville's inequality, FalseAlarm and Missed bound the
// errors. A rate between the two may pass or fail. Where nothing goes wrong it ends after
// ln(1/Missed)/ln((1−Most)/(1−Fault)) runs.
type Wald struct {
	Most, Fault float64
	wrong, runs int
}

// Add takes in a run.
func (w *Wald) Add(wrong bool) {
	if w.runs++; wrong {
		w.wrong++
	}
}

func (w *Wald) logRatio() float64 {
	return float64(w.wrong)*math.Log(w.Fault/w.Most) + float64(w.runs-w.wrong)*math.Log((1-w.Fault)/(1-w.Most))
}

// Decided tells whether no more runs are needed.
func (w *Wald) Decided() bool { return w.Fails() || w.logRatio() <= math.Log(Missed) }

// Fails tells whether the rate is more than Most.
func (w *Wald) Fails() bool { return w.logRatio() >= math.Log(1/FalseAlarm) }

// Report fails the test if the rate is too high.
func (w *Wald) Report(t *testing.T, what string) {
	t.Helper()
	if w.Fails() {
		t.Errorf("%s: %d of %d runs, where a rate of %.4f is allowed", what, w.wrong, w.runs, w.Most)
	}
	t.Logf("%s: %d of %d runs, allowed %.4f", what, w.wrong, w.runs, w.Most)
}

// Error is what may go wrong in a run at an error probability of alpha.
type Error struct {
	What        string
	Most, Fault float64 // as in [Wald], in units of alpha
	Wrong       func(verify.Evidence) bool
}

// Refutations are errors where the claim is true.
func Refutations(most, fault float64) Error {
	return Error{"refuted", most, fault, func(e verify.Evidence) bool { return e.Verdict == verify.Refuted }}
}

// Confirmations are errors where the claim is false, by less than would be refuted.
func Confirmations(most, fault float64) Error {
	return Error{"consistent", most, fault, func(e verify.Evidence) bool { return e.Verdict == verify.Consistent }}
}

// WantErrorsAtMost judges a check at alpha, at seeds of its own, until each rate of errors is
// decided by [Wald]. The long form is 1000 runs at [Alpha], of which no error may have been more
// frequent than Most at 99.9 %.
func WantErrorsAtMost(t *testing.T, check verify.Check, alpha float64, errs ...Error) {
	t.Helper()
	settings := verify.Settings{Budget: verify.Standard, Alpha: alpha, Seed: empirical.NewSeed(1).Derive(t.Name())}
	if testutil.Asked() {
		settings.Alpha = Alpha
		found, _ := RepeatAs(t, check, 1000, settings)
		for _, e := range errs {
			wrong := 0
			for _, f := range found {
				if e.Wrong(f) {
					wrong++
				}
			}
			WantRateAtMost(t, wrong, len(found), e.Most*Alpha)
		}
		return
	}
	tests := make([]Wald, len(errs))
	for i, e := range errs {
		tests[i] = Wald{Most: e.Most * alpha, Fault: e.Fault * alpha}
	}
	const batch = 4 // judged side by side: those beyond the decision are for nothing
	for from, open := 0, true; open; from += batch {
		found, _ := repeatFrom(t, check, from, batch, settings)
		open = false
		for i := range tests {
			for k := 0; k < batch && !tests[i].Decided(); k++ {
				tests[i].Add(errs[i].Wrong(found[k]))
			}
			open = open || !tests[i].Decided()
		}
	}
	for i := range tests {
		tests[i].Report(t, errs[i].What)
	}
}
