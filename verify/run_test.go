package verify_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

func TestOptionsValidate(t *testing.T) {
	cases := []struct {
		reason string
		change func(o *verify.Options)
		names  string // part of the error; empty for none
	}{
		{"all is well", func(*verify.Options) {}, ""},
		{"a timeout", func(o *verify.Options) { o.Timeout = time.Second }, ""},
		{"alpha = 0", func(o *verify.Options) { o.Alpha = 0 }, "alpha 0"},
		{"alpha = 1", func(o *verify.Options) { o.Alpha = 1 }, "alpha 1"},
		{"alpha below 0", func(o *verify.Options) { o.Alpha = -0.1 }, "alpha -0.1"},
		{"alpha NaN", func(o *verify.Options) { o.Alpha = math.NaN() }, "alpha NaN"},
		{"no workers", func(o *verify.Options) { o.Workers = 0 }, "workers 0"},
		{"negative workers", func(o *verify.Options) { o.Workers = -2 }, "workers -2"},
		{"a negative timeout", func(o *verify.Options) { o.Timeout = -time.Second }, "timeout -1s"},
		{"no budget", func(o *verify.Options) { o.Budget = "" }, `budget ""`},
		{"an unknown budget", func(o *verify.Options) { o.Budget = "lavish" }, `budget "lavish"`},
	}
	for _, c := range cases {
		o := verifytest.RunOptions(1)
		c.change(&o)
		judged := false
		l := verifytest.LedgerOf(t, verify.Claim{ID: "p/c", Source: "s", Statement: "s", Kind: verify.Identity, Check: verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
			judged = true
			return verify.Decided{Verdict: verify.Holds}, nil
		})})
		_, err := l.Run(context.Background(), l.Claims(), o)
		if c.names == "" && (err != nil || !judged) {
			t.Errorf("%s: %v", c.reason, err)
		}
		if c.names != "" && (err == nil || !strings.Contains(err.Error(), c.names) || judged) {
			t.Errorf("%s: error %v, want one that names %q before anything runs", c.reason, err, c.names)
		}
	}
}

// hang blocks a check until the end of the test.
func hang(t *testing.T) func() {
	free := make(chan struct{})
	t.Cleanup(func() { close(free) })
	return func() { <-free }
}

// TestRunContainsFailures checks that a failing claim gets the verdict Error and the others continue.
func TestRunContainsFailures(t *testing.T) {
	never, broken := hang(t), errors.New("out of order")
	evidence := func(e verify.Evidence) verify.Check {
		return verifytest.TrialOf{Judging: func(empirical.Tally) (verify.Evidence, error) { return e, nil }}
	}
	cases := []struct {
		reason  string
		check   verify.Check
		warning string // text of the result
	}{
		{"preparing fails", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { return nil, broken }), "preparing: out of order"},
		{"preparing panics", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { panic("burst") }), "preparing: panic: burst"},
		{"preparing gives nothing", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { return nil, nil }), "no trial"},
		{"preparing hangs", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { never(); return nil, nil }), "timeout"},
		{"preparing waits for the end", verify.CheckFunc(func(ctx context.Context, _ verify.Settings) (verify.Trial, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}), "timeout: no result within"},
		{"sampling fails", verifytest.TrialOf{Sampling: func(_ context.Context, s empirical.Shard) (empirical.Tally, error) {
			if s.Index == 1 {
				return nil, broken
			}
			return empirical.Counts{1}, nil
		}}, "shard 2 of 3: out of order"},
		{"sampling panics", verifytest.TrialOf{Sampling: func(context.Context, empirical.Shard) (empirical.Tally, error) { panic("burst") }}, "panic: burst"},
		{"sampling hangs", verifytest.TrialOf{Sampling: func(context.Context, empirical.Shard) (empirical.Tally, error) { never(); return nil, nil }}, "timeout"},
		{"sampling gives nothing", verifytest.TrialOf{Sampling: func(context.Context, empirical.Shard) (empirical.Tally, error) { return nil, nil }}, "no tally"},
		{"sampling gives something else", verifytest.TrialOf{Sampling: func(context.Context, empirical.Shard) (empirical.Tally, error) { return empirical.NoTally{}, nil }}, "merge"},
		{"judging fails", verifytest.TrialOf{Judging: func(empirical.Tally) (verify.Evidence, error) { return verify.Evidence{}, broken }}, "judging: out of order"},
		{"judging panics", verifytest.TrialOf{Judging: func(empirical.Tally) (verify.Evidence, error) { panic("burst") }}, "judging: panic: burst"},
		{"judging hangs", verifytest.TrialOf{Judging: func(empirical.Tally) (verify.Evidence, error) { never(); return verify.Evidence{}, nil }}, "timeout"},
		{"no verdict, which would drop the claim", evidence(verify.Evidence{}), `unknown verdict ""`},
		{"an unknown verdict", evidence(verify.Evidence{Verdict: "maybe"}), `"maybe"`},
		{"an empty interval", evidence(verify.Evidence{Verdict: verify.Consistent, Lower: verify.Num(2), Upper: verify.Num(1)}), "interval [2, 1] is empty"},
		{"a NaN limit", evidence(verify.Evidence{Verdict: verify.Consistent, Lower: verify.Num(math.NaN()), Upper: verify.Num(1)}), "is empty"},
		{"consistent with NaN", evidence(verify.Evidence{Verdict: verify.Consistent, Measured: verify.Num(math.NaN()), WorstCase: "x=7"}), "not a number at x=7"},
	}
	for _, workers := range []int{1, 3} {
		for _, c := range cases {
			l := verifytest.LedgerOf(t, verifytest.ClaimWith("p/before", verifytest.TrialOf{}), verifytest.ClaimWith("p/bad", c.check), verifytest.ClaimWith("p/after", verifytest.TrialOf{}))
			o := verifytest.RunOptions(workers)
			o.Timeout = 10 * time.Second
			if c.warning == "timeout" || strings.HasPrefix(c.warning, "timeout:") {
				o.Timeout = 250 * time.Millisecond // the others take microseconds
			}
			run, err := l.Run(context.Background(), l.Claims(), o)
			if err != nil || run.Interrupted || run.Selected != 3 || len(run.Results) != 3 {
				t.Fatalf("%s, %d workers: %+v, %v", c.reason, workers, run, err)
			}
			for i, want := range []verify.Verdict{verify.Consistent, verify.Error, verify.Consistent} {
				if r := run.Results[i]; r.Verdict != want || r.Claim.ID != l.Claims()[i].ID {
					t.Errorf("%s, %d workers: %s is %s (%v), want %s", c.reason, workers, r.Claim.ID, r.Verdict, r.Warnings, want)
				}
			}
			bad := run.Results[1]
			if len(bad.Warnings) != 1 || !strings.Contains(bad.Warnings[0], c.warning) || strings.Contains(bad.Warnings[0], "goroutine") {
				t.Errorf("%s, %d workers: warnings %q, want one that says %q", c.reason, workers, bad.Warnings, c.warning)
			}
			if run.Results[2].Samples != 30 {
				t.Errorf("%s: the claim after it counts %d samples, want 30", c.reason, run.Results[2].Samples)
			}
		}
	}
}

// TestTimeoutDoesNotCountWaiting checks that a claim that hangs on every processor does not use up the time of a
// waiting claim.
func TestTimeoutDoesNotCountWaiting(t *testing.T) {
	never := hang(t)
	hanging, stuck := make(chan struct{}), sync.Once{}
	bad := verifytest.TrialOf{Sampling: func(context.Context, empirical.Shard) (empirical.Tally, error) {
		stuck.Do(func() { close(hanging) })
		never()
		return nil, nil
	}}
	patient := verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
		<-hanging
		time.Sleep(30 * time.Millisecond) // the second shard is now next in line for this slot
		return verifytest.TrialOf{}, nil
	})
	l := verifytest.LedgerOf(t, verifytest.ClaimWith("p/patient", patient), verifytest.ClaimWith("p/bad", bad))
	o := verifytest.RunOptions(2)
	o.Timeout = 300 * time.Millisecond
	run, err := l.Run(context.Background(), l.Claims(), o)
	if err != nil || len(run.Results) != 2 {
		t.Fatal(run, err)
	}
	if r := run.Results[0]; r.Verdict != verify.Consistent || r.Samples != 30 {
		t.Errorf("the claim that waited is %s: %v", r.Verdict, r.Warnings)
	}
	if r := run.Results[1]; r.Verdict != verify.Error || r.Elapsed > 5*o.Timeout {
		t.Errorf("the claim that hangs is %s after %v", r.Verdict, r.Elapsed)
	}
}

// TestTimeoutAddsUp checks that the limit applies to the total working time over the shards, and that a claim that
// stops early is not affected.
func TestTimeoutAddsUp(t *testing.T) {
	slow := verifytest.TrialOf{Sampling: func(context.Context, empirical.Shard) (empirical.Tally, error) {
		time.Sleep(100 * time.Millisecond)
		return empirical.Counts{10}, nil
	}}
	l := verifytest.LedgerOf(t, verifytest.ClaimWith("p/slow", slow), verifytest.ClaimWith("p/enough", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
		return enough{slow}, nil
	})))
	o := verifytest.RunOptions(1)
	o.Timeout = 250 * time.Millisecond
	run, err := l.Run(context.Background(), l.Claims(), o)
	if err != nil || len(run.Results) != 2 {
		t.Fatal(run, err)
	}
	if r := run.Results[0]; r.Verdict != verify.Error || !strings.Contains(r.Warnings[0], "no result within 250ms") {
		t.Errorf("300 ms of work: %s %v", r.Verdict, r.Warnings)
	}
	if r := run.Results[1]; r.Verdict != verify.Consistent || r.Samples != 10 {
		t.Errorf("enough after the first of three shards: %s with %d samples %v", r.Verdict, r.Samples, r.Warnings)
	}
}

// enough is a trial that stops after its first shard.
type enough struct{ verifytest.TrialOf }

func (enough) Done(empirical.Tally) bool { return true }

// TestTimeoutIsAnError checks that a timeout can be distinguished from other failures.
func TestTimeoutIsAnError(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, verify.ErrTimeout)
	defer cancel()
	never := hang(t)
	_, err := verify.Judge(ctx, verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { never(); return nil, nil }), verify.Settings{}, verifytest.Pool, nil)
	if !errors.Is(err, verify.ErrTimeout) {
		t.Errorf("error %v", err)
	}
}

// TestRunInterrupted checks that an interrupted run keeps the finished claims and is marked as interrupted.
func TestRunInterrupted(t *testing.T) {
	never := hang(t)
	for _, workers := range []int{1, 2} {
		ctx, cancel := context.WithCancel(context.Background())
		var reached atomic.Int64
		late := verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
			reached.Add(1)
			return verify.Decided{Verdict: verify.Holds}, nil
		})
		l := verifytest.LedgerOf(t, verifytest.Claim("p/first"), verifytest.Claim("p/second"), verifytest.ClaimWith("p/hangs", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
			never()
			return nil, nil
		})), verifytest.ClaimWith("p/late", late))
		o := verifytest.RunOptions(workers)
		finished := 0
		o.Progress = func(p verify.Progress) {
			if p.Finished {
				if finished++; finished == workers+1 { // with two workers, p/late is finished as well
					cancel()
				}
			}
		}
		run, err := l.Run(ctx, l.Claims(), o)
		cancel()
		if err != nil || !run.Interrupted || run.Selected != 4 || len(run.Results) != workers+1 {
			t.Fatalf("%d workers: %+v, %v", workers, run, err)
		}
		for _, r := range run.Results {
			if r.Verdict != verify.Holds || r.Claim.ID == "p/hangs" {
				t.Errorf("%d workers: %s is %s", workers, r.Claim.ID, r.Verdict)
			}
		}
		if got := reached.Load(); got != int64(workers-1) {
			t.Errorf("%d workers: the last claim was begun %d times", workers, got)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l := verifytest.LedgerOf(t, verifytest.Claim("p/first"))
	if run, err := l.Run(ctx, l.Claims(), verifytest.RunOptions(1)); err != nil || !run.Interrupted || len(run.Results) != 0 {
		t.Errorf("interrupted before it began: %+v, %v", run, err)
	}
}

// TestRunProgress checks that each claim is reported once per shard and once when finished, with increasing counts.
func TestRunProgress(t *testing.T) {
	bad := verifytest.ClaimWith("p/bad", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { panic("burst") }))
	l := verifytest.LedgerOf(t, verifytest.ClaimWith("p/a", verifytest.TrialOf{}), bad, verifytest.Claim("p/exact"), verifytest.ClaimWith("p/b", verifytest.TrialOf{}))
	for _, workers := range []int{1, 2, 7} {
		finished, shards := map[string]verify.Verdict{}, map[string]int{}
		o := verifytest.RunOptions(workers)
		o.Progress = func(p verify.Progress) {
			if p.Finished {
				if _, again := finished[p.Claim]; again {
					t.Errorf("%s finished twice", p.Claim)
				}
				finished[p.Claim] = p.Verdict
			} else {
				shards[p.Claim]++
				if p.Sampling.Shards != shards[p.Claim] || p.Sampling.Total != 3 || p.Sampling.Samples != int64(10*shards[p.Claim]) {
					t.Errorf("%s: event %d is %+v", p.Claim, shards[p.Claim], p.Sampling)
				}
			}
			if p.Done != len(finished) || p.Total != 4 {
				t.Errorf("%d of %d done, want %d of 4", p.Done, p.Total, len(finished))
			}
		}
		run, err := l.Run(context.Background(), l.Claims(), o)
		if err != nil || run.Interrupted {
			t.Fatal(err)
		}
		for _, r := range run.Results {
			if v, ok := finished[r.Claim.ID]; !ok || v != r.Verdict {
				t.Errorf("%s is %s, told %q", r.Claim.ID, r.Verdict, v)
			}
		}
		if len(finished) != 4 || len(shards) != 2 || shards["p/a"] != 3 || shards["p/b"] != 3 {
			t.Errorf("%d workers: finished %v, shards %v", workers, finished, shards)
		}
	}
}

// TestRunDoesNotDependOnTheSelection checks that a claim judged separately gets the share, seed and figures of the
// report, with any number of workers, and that another seed draws other samples.
func TestRunDoesNotDependOnTheSelection(t *testing.T) {
	sampled := func(id string, weight float64) verify.Claim {
		c := verifytest.ClaimWith(id, verifytest.TrialOf{
			Sampling: func(_ context.Context, s empirical.Shard) (empirical.Tally, error) {
				return empirical.Counts{s.Seed.Rand().Int64N(1 << 40)}, nil
			},
			Judging: func(m empirical.Tally) (verify.Evidence, error) {
				return verify.Evidence{Verdict: verify.Consistent, Measured: verify.Num(float64(m.(empirical.Counts)[0]))}, nil
			},
		})
		c.Weight = weight
		return c
	}
	l := verifytest.LedgerOf(t, sampled("p/a", 1), sampled("p/b", 3), sampled("q/c", 0))
	whole, err := l.Run(context.Background(), l.Claims(), verifytest.RunOptions(1))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, r := range whole.Results {
		sum += r.Alpha
		for _, workers := range []int{1, 2, 7} {
			run, err := l.Run(context.Background(), l.Claims()[i:i+1], verifytest.RunOptions(workers))
			if err != nil {
				t.Fatal(err)
			}
			alone := run.Results[0]
			if alone.Alpha != r.Alpha || alone.Measured != r.Measured || alone.Lower != r.Lower || alone.Upper != r.Upper {
				t.Errorf("%s alone on %d workers: %+v, want %+v", r.Claim.ID, workers, alone, r)
			}
		}
		o := verifytest.RunOptions(1)
		o.Seed = 2
		if other, err := l.Run(context.Background(), []verify.Claim{r.Claim}, o); err != nil || other.Results[0].Measured == r.Measured {
			t.Errorf("%s: the same figure under another seed, or error %v", r.Claim.ID, err)
		}
	}
	if math.Abs(sum/verify.DefaultAlpha-1) > 1e-12 || whole.Results[1].Alpha != 3*whole.Results[0].Alpha {
		t.Errorf("the shares add up to %v", sum)
	}
	if whole.Results[0].Measured == whole.Results[2].Measured {
		t.Error("two claims share their samples")
	}
}
