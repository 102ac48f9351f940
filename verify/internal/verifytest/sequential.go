package verifytest

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
)

// Error probabilities of [Wald], over the choice of the fixed seeds.
const (
	FalseAlarm = 1e-3 // for an error rate of at most Most: the test fails
	Missed     = 1e-2 // for an error rate of at least Fault: the test passes
)

// Wald is the sequential probability ratio test of an error rate of at most Most against a rate of at least Fault, 0
// < Most < Fault < 1 (A. Wald, Sequential tests of statistical hypotheses, 1945).
//
// It ends when the likelihood ratio of Fault to Most reaches 1/FalseAlarm or falls to Missed. If the rate is at most
// Most, this ratio is a nonnegative supermartingale. If the rate is at least Fault, its inverse is one. By Ville's
// inequality, FalseAlarm and Missed therefore bound the errors. A rate between the two may pass or fail. Without any
// error the test ends after ln(1/Missed)/ln((1−Most)/(1−Fault)) runs.
type Wald struct {
	Most, Fault float64
	wrong, runs int
}

// Add adds the result of a run.
func (w *Wald) Add(wrong bool) {
	if w.runs++; wrong {
		w.wrong++
	}
}

func (w *Wald) logRatio() float64 {
	return float64(w.wrong)*math.Log(w.Fault/w.Most) + float64(w.runs-w.wrong)*math.Log((1-w.Fault)/(1-w.Most))
}

// Decided reports whether no more runs are needed.
func (w *Wald) Decided() bool { return w.Fails() || w.logRatio() <= math.Log(Missed) }

// Fails reports whether the test has decided that the rate is above Most.
func (w *Wald) Fails() bool { return w.logRatio() >= math.Log(1/FalseAlarm) }

// Report fails the test if the rate is too high.
func (w *Wald) Report(t *testing.T, what string) {
	t.Helper()
	if w.Fails() {
		t.Errorf("%s: %d of %d runs, but the allowed rate is %.4f", what, w.wrong, w.runs, w.Most)
	}
	t.Logf("%s: %d of %d runs, allowed %.4f", what, w.wrong, w.runs, w.Most)
}

// Error is a kind of wrong verdict, which a run has with probability at most Most times alpha.
type Error struct {
	What        string
	Most, Fault float64 // as in [Wald], in units of alpha
	Wrong       func(verify.Evidence) bool
}

// Refutations returns the error of refuting a true claim.
func Refutations(most, fault float64) Error {
	return Error{"refuted", most, fault, func(e verify.Evidence) bool { return e.Verdict == verify.Refuted }}
}

// Confirmations returns the error of confirming a false claim whose violation is too small to refute.
func Confirmations(most, fault float64) Error {
	return Error{"consistent", most, fault, func(e verify.Evidence) bool { return e.Verdict == verify.Consistent }}
}

// WantErrorsAtMost judges a check at alpha with different seeds until [Wald] has decided each error rate. Long tests
// use 1000 runs at [Alpha] and fail if an error rate exceeds Most times [Alpha] at 99.9 % confidence.
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
	const batch = 4 // judged concurrently; runs beyond the decision are discarded
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
