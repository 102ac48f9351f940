// Package verifytest contains helpers for tests of checks: runs with fixed seeds, limits of error rates, journals,
// and consistency tests of the evidence.
package verifytest

import (
	"context"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// checkTried fails if the nearest case is missing, or if its margin contradicts the verdict by more than rounding. The
// margin of a vacuous claim is not checked.
func checkTried(t *testing.T, reason string, e verify.Evidence) {
	t.Helper()
	x := e.Tried
	if x.Cases == 0 && (e.Verdict == verify.Inconclusive || e.Verdict == verify.Vacuous) {
		return // nothing was examined
	}
	if x.Cases < 1 || x.Case == "" || x.Nearest.Label == "" {
		t.Errorf("%s: %s after %+v", reason, e.Verdict, x)
	}
	slack := 1e-8 * math.Max(1, math.Abs(x.Nearest.Claimed.X))
	switch {
	case !x.Margin.Set || e.Verdict == verify.Vacuous:
	case (e.Verdict == verify.Refuted || e.Verdict == verify.Contradictory) && x.Margin.X > 0,
		(e.Verdict == verify.Holds || e.Verdict == verify.Consistent) && x.Margin.X < -slack:
		t.Errorf("%s: %s by a margin of %v at %+v", reason, e.Verdict, x.Margin.X, x.Nearest)
	}
}

// Look returns the explanation of a verdict. It fails if the evidence does not have exactly one, or if the explanation
// contradicts the verdict.
func Look(t *testing.T, reason string, e verify.Evidence) string {
	t.Helper()
	x := e.Counterexample
	var texts []string
	for _, s := range []string{e.Attempt, x.Label + x.Choice, e.Needed} {
		if s != "" {
			texts = append(texts, s)
		}
	}
	if len(texts) != 1 {
		t.Errorf("%s: the verdict %s has the explanations %q; want exactly one", reason, e.Verdict, texts)
		return ""
	}
	checkTried(t, reason, e)
	if x.Label != "" {
		return x.Label + ": " + x.Choice
	}
	return texts[0]
}

// JudgeAt judges a check at the standard budget and alpha 1e-6, with the given seed.
func JudgeAt(t *testing.T, c verify.Check, seed uint64) verify.Evidence {
	t.Helper()
	return Judged(t, c, verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(seed)})
}

// Judged judges a check with the given settings. It fails the test if an estimate is outside its own interval.
func Judged(t testing.TB, c verify.Check, s verify.Settings) verify.Evidence {
	t.Helper()
	e, err := verify.Judge(context.Background(), c, s, Pool, nil)
	if err != nil {
		t.Fatal(err)
	}
	insideIntervals(t, e)
	return e
}

// insideIntervals fails if an estimate is outside its own interval.
func insideIntervals(t testing.TB, e verify.Evidence) {
	t.Helper()
	worst := verify.Cell{Label: e.WorstCase, Measured: e.Measured, Lower: e.Lower, Upper: e.Upper}
	for _, c := range append(e.Cells[:len(e.Cells):len(e.Cells)], worst, e.Tried.Nearest) {
		if c.Inside().Measured != c.Measured && !math.IsNaN(c.Measured.X) {
			t.Errorf("at %s: the estimate %v is outside [%v, %v]", c.Label, c.Measured.X, c.Lower.X, c.Upper.X)
		}
	}
}

// EvidenceOf returns the evidence of a check that does not sample.
func EvidenceOf(t testing.TB, c verify.Check) verify.Evidence {
	t.Helper()
	return Judged(t, c, verify.Settings{Budget: verify.Standard, Alpha: 0.01})
}

// FailureOf returns the error of a check that must fail.
func FailureOf(t testing.TB, c verify.Check) error {
	t.Helper()
	e, err := verify.Judge(context.Background(), c, verify.Settings{Budget: verify.Standard, Alpha: 0.01}, Pool, nil)
	if err == nil {
		t.Fatalf("no error; verdict %s", e.Verdict)
	}
	return err
}

// Pool is shared by the tests of single checks.
var Pool = empirical.NewPool(2)

// Alpha is the error probability of each calibration run.
const Alpha = 0.01

// Repeat judges a check n times, with seeds derived from the name of the test. It returns the evidence of each run, and
// whether the run had claimed power before sampling.
func Repeat(t *testing.T, check verify.Check, n int) (found []verify.Evidence, powered []bool) {
	t.Helper()
	return RepeatAs(t, check, n, verify.Settings{Budget: verify.Standard, Alpha: Alpha,
		Seed: empirical.NewSeed(1).Derive(t.Name())})
}

// RepeatAs does the same as [Repeat] with the given settings. The seeds are derived from their seed; a single run uses
// that seed itself.
func RepeatAs(t *testing.T, check verify.Check, n int,
	settings verify.Settings) (found []verify.Evidence, powered []bool) {
	t.Helper()
	return repeatFrom(t, check, 0, n, settings)
}

// repeatFrom judges the check at n seeds, starting with the seed of index from.
func repeatFrom(t *testing.T, check verify.Check, from, n int,
	settings verify.Settings) (found []verify.Evidence, powered []bool) {
	t.Helper()
	found, powered = make([]verify.Evidence, n), make([]bool, n)
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			pool := empirical.NewPool(1)
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				s := settings
				if n > 1 {
					s.Seed = s.Seed.Derive(strconv.Itoa(from + i))
				}
				watched := verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
					trial, err := check.Prepare(ctx, s)
					if err == nil {
						powered[i] = trial.Plan().Power > 0
					}
					return trial, err
				})
				found[i], errs[i] = verify.Judge(context.Background(), watched, s, pool, nil)
			}
		})
	}
	workers.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("run %d: %v", from+i, err)
		}
	}
	return found, powered
}

// CountVerdict returns the number of runs with a verdict.
func CountVerdict(found []verify.Evidence, v verify.Verdict) int {
	n := 0
	for _, e := range found {
		if e.Verdict == v {
			n++
		}
	}
	return n
}

// WantRateAtMost fails if k of n runs show a probability above p at 99.9 % confidence. A correct check fails with
// probability at most 1e-3 over the choice of the fixed seeds.
func WantRateAtMost(t *testing.T, k, n int, p float64) {
	t.Helper()
	least, err := confidence.BinomialLower(int64(k), int64(n), 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	if least > p {
		t.Errorf("%d of %d runs, a rate of at least %.4f at 99.9 %%, but at most %.4f is allowed", k, n, least, p)
	}
}
