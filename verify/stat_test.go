package verify

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// testPool is shared by the tests of single checks.
var testPool = empirical.NewPool(2)

// calibrationAlpha is the error probability of each calibration run.
const calibrationAlpha = 0.01

// runCount is the number of runs of a calibration or detection test.
func runCount() int {
	if testing.Short() {
		return 100
	}
	return 1000
}

// repeat judges the check at n fixed seeds of its own and returns the evidence of
// each, with whether power was claimed before sampling.
func repeat(t *testing.T, check Check, n int) (found []Evidence, powered []bool) {
	t.Helper()
	return repeatAs(t, check, n, Settings{Budget: Standard, Alpha: calibrationAlpha, Seed: empirical.NewSeed(1).Derive(t.Name())})
}

// repeatAs is repeat under given settings; a single run has their own seed.
func repeatAs(t *testing.T, check Check, n int, settings Settings) (found []Evidence, powered []bool) {
	t.Helper()
	found, powered = make([]Evidence, n), make([]bool, n)
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			pool := empirical.NewPool(1)
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				s := settings
				if n > 1 {
					s.Seed = s.Seed.Derive(strconv.Itoa(i))
				}
				watched := CheckFunc(func(ctx context.Context, s Settings) (Trial, error) {
					trial, err := check.Prepare(ctx, s)
					if err == nil {
						powered[i] = trial.Plan().Power > 0
					}
					return trial, err
				})
				found[i], errs[i] = Judge(context.Background(), watched, s, pool, nil)
			}
		})
	}
	workers.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
	}
	return found, powered
}

// countVerdict is how often a verdict was found.
func countVerdict(found []Evidence, v Verdict) int {
	n := 0
	for _, e := range found {
		if e.Verdict == v {
			n++
		}
	}
	return n
}

// wantRateAtMost fails unless k of n is what a probability of at most p allows at
// 99.9 %: a test that is right raises a false alarm with probability at most
// 1e-3 over the choice of the seeds, which are fixed.
func wantRateAtMost(t *testing.T, k, n int, p float64) {
	t.Helper()
	least, err := empirical.BinomialLower(int64(k), int64(n), 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	if least > p {
		t.Errorf("%d of %d runs, a rate of at least %.4f at 99.9 %%, where at most %.4f is allowed", k, n, least, p)
	}
}
