package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/dpverify/dpverify/empirical"
)

// Options holds the options of a run.
type Options struct {
	Seed       uint64  // root of all randomness
	Alpha      float64 // error probability of the whole ledger, in (0, 1)
	Budget     Budget
	Data       string         // directory of data files, or ""
	Workers    int            // number of processors to use, at least 1
	Timeout    time.Duration  // limit per claim, counted while it has a processor; 0 means none
	Progress   func(Progress) // called from one goroutine at a time; may be nil
	Checkpoint Checkpoint     // stores the tallies of shards; may be nil
	Program    string         // name of the command in reports, default "dpverify"
	RunID      string         // id of the run if its samples must differ from those of earlier runs; else ""
}

// Checkpoint stores the shards of a run, so that the run can be resumed or divided over machines. It is an open
// [checkpoint.File], or the merged files of all shards.
type Checkpoint interface {
	Check(Claim) Check                    // check of a claim as it is to be run
	Shelf(claim string) empirical.Shelf   // where its shards are stored; nil for nowhere
	Left(claim string)                    // records that shards of the claim are missing
	Failed(claim string, err error) error // records that a shard of the claim failed
	Gaps() error                          // error for claims that could not be judged because shards are missing
	Close() error
}

// Progress is a step of a run.
type Progress struct {
	Claim       string
	Finished    bool
	Verdict     Verdict            // when finished
	Elapsed     time.Duration      // when finished
	Searched    Searched           // while the claim searches for its inputs
	Sampling    empirical.Progress // while the claim is sampled
	Done, Total int                // numbers of finished claims and of all claims
}

// Result is a claim with its evidence.
type Result struct {
	Claim Claim
	Evidence
	Alpha   float64 // share of the claim
	Elapsed time.Duration
}

// Run is the outcome of a run, with results in ledger order. An interrupted run contains only the finished claims.
type Run struct {
	Options     Options
	Results     []Result
	Selected    int // number of selected claims
	Interrupted bool
}

// ErrTimeout is the cause of the error for a claim that exceeds its time limit.
var ErrTimeout = errors.New("timeout")

// Validate returns an error for the first option outside its domain.
func (o Options) Validate() error {
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("alpha %v: want an error probability in (0, 1)", o.Alpha)
	case o.Workers < 1:
		return fmt.Errorf("workers %d: want at least 1", o.Workers)
	case o.Timeout < 0:
		return fmt.Errorf("timeout %v: want a duration of 0 or more", o.Timeout)
	}
	_, err := empirical.ParseBudget(string(o.Budget))
	return err
}

// Run judges the given claims of the ledger. A claim that fails, hangs or panics gets the verdict Error, and the
// others continue.
func (l *Ledger) Run(ctx context.Context, claims []Claim, opt Options) (Run, error) {
	if err := opt.Validate(); err != nil {
		return Run{}, err
	}
	pool := empirical.NewPool(opt.Workers)
	var mu sync.Mutex
	finished := 0
	tell := func(e Progress) {
		if opt.Progress == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if e.Finished {
			finished++
		}
		e.Done, e.Total = finished, len(claims)
		opt.Progress(e)
	}
	results := make([]Result, len(claims))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(opt.Workers, len(claims)) {
		workers.Go(func() {
			for i := range next {
				results[i] = l.judge(ctx, claims[i], opt, pool, tell)
				if ctx.Err() == nil {
					tell(Progress{Claim: claims[i].ID, Finished: true, Verdict: results[i].Verdict,
						Elapsed: results[i].Elapsed})
				}
			}
		})
	}
feed:
	for i := range claims {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	run := Run{Options: opt, Selected: len(claims), Interrupted: ctx.Err() != nil}
	for _, r := range results {
		if r.Verdict != "" {
			run.Results = append(run.Results, r)
		}
	}
	return run, nil
}

// Settings returns the settings of a claim under the given options.
func (l *Ledger) Settings(c Claim, opt Options) Settings {
	seed := empirical.NewSeed(opt.Seed).Derive("claim", c.ID)
	if opt.RunID != "" {
		seed = seed.Derive("run", opt.RunID)
	}
	return Settings{Budget: opt.Budget, Alpha: l.Alpha(c, opt.Alpha), Seed: seed, Data: opt.Data}
}

// judge runs one claim. The result is empty if the whole run is interrupted.
func (l *Ledger) judge(ctx context.Context, c Claim, opt Options, pool *empirical.Pool, tell func(Progress)) Result {
	start := time.Now()
	whole, check, shelf := ctx, c.Check, empirical.Shelf(nil)
	if opt.Checkpoint != nil {
		check, shelf = opt.Checkpoint.Check(c), opt.Checkpoint.Shelf(c.ID)
	}
	if opt.Timeout > 0 {
		limited, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		ctx = limited
		check = timedCheck{check, &stopwatch{left: opt.Timeout, expire: func() {
			cancel(fmt.Errorf("%w: no result within %v", ErrTimeout, opt.Timeout))
		}}}
	}
	settings := l.Settings(c, opt)
	settings.Searching = func(done Searched) { tell(Progress{Claim: c.ID, Searched: done}) }
	e, err := judge(ctx, check, settings, empirical.Options{
		Pool: pool, Shelf: shelf, Progress: func(p empirical.Progress) { tell(Progress{Claim: c.ID, Sampling: p}) },
	})
	switch {
	case whole.Err() != nil:
		return Result{}
	case errors.Is(err, empirical.ErrPartial):
		opt.Checkpoint.Left(c.ID)
		return Result{}
	case err != nil:
		if opt.Checkpoint != nil {
			err = errors.Join(err, opt.Checkpoint.Failed(c.ID, err))
		}
		e = Evidence{Verdict: Error, Warnings: []string{err.Error()}}
	}
	return Result{Claim: c, Evidence: e, Alpha: settings.Alpha, Elapsed: time.Since(start)}
}

// stopwatch expires when a claim has used its working time. Waiting for a processor does not count: a claim that
// hangs on all processors until its own limit must not use up the time of the others.
type stopwatch struct {
	expire func()

	mu      sync.Mutex
	left    time.Duration
	working int // running calls of the claim
	since   time.Time
	timer   *time.Timer
}

func (w *stopwatch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.working++; w.working == 1 {
		w.since, w.timer = time.Now(), time.AfterFunc(w.left, w.expire)
	}
}

func (w *stopwatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.working--; w.working == 0 {
		w.timer.Stop()
		w.left -= time.Since(w.since)
	}
}

// timedCheck runs a stopwatch while the check or its trial works.
type timedCheck struct {
	Check
	watch *stopwatch
}

func (t timedCheck) Prepare(ctx context.Context, s Settings) (Trial, error) {
	t.watch.start()
	defer t.watch.stop()
	trial, err := t.Check.Prepare(ctx, s)
	if err != nil || trial == nil {
		return nil, err
	}
	return timedTrial{trial, t.watch}, nil
}

type timedTrial struct {
	Trial
	watch *stopwatch
}

func (t timedTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	t.watch.start()
	defer t.watch.stop()
	return t.Trial.Sample(ctx, shard)
}

func (t timedTrial) Judge(merged empirical.Tally) (Evidence, error) {
	t.watch.start()
	defer t.watch.stop()
	return t.Trial.Judge(merged)
}

// Done forwards to the trial if it can stop early.
func (t timedTrial) Done(merged empirical.Tally) bool {
	s, ok := t.Trial.(empirical.Stopper)
	return ok && s.Done(merged)
}

// Judge runs one check from Prepare to its evidence. Progress may be nil.
func Judge(ctx context.Context, check Check, s Settings, pool *empirical.Pool,
	progress func(empirical.Progress)) (Evidence, error) {
	return judge(ctx, check, s, empirical.Options{Pool: pool, Progress: progress})
}

func judge(ctx context.Context, check Check, s Settings, opt empirical.Options) (Evidence, error) {
	pool := opt.Pool
	s.Pool = pool
	opt.Seed = s.Seed.Derive("sample")
	trial, err := empirical.Do(ctx, pool, func(ctx context.Context) (Trial, error) { return check.Prepare(ctx, s) })
	if missing := (*MissingData)(nil); errors.As(err, &missing) {
		return missing.notRun(), nil
	}
	if err != nil {
		return Evidence{}, fmt.Errorf("preparing: %w", err)
	}
	if trial == nil {
		return Evidence{}, errors.New("preparing: the check returned no trial")
	}
	tally, err := empirical.Run(ctx, trial, opt)
	if err != nil {
		return Evidence{}, fmt.Errorf("sampling: %w", err)
	}
	e, err := empirical.Do(ctx, pool, func(context.Context) (Evidence, error) { return trial.Judge(tally) })
	if err != nil {
		return Evidence{}, fmt.Errorf("judging: %w", err)
	}
	return e, e.sane()
}

// sane returns an error for invalid evidence.
func (e Evidence) sane() error {
	if !slices.Contains(Verdicts, e.Verdict) {
		return fmt.Errorf("the check returned the unknown verdict %q", e.Verdict)
	}
	if e.Lower.Set && e.Upper.Set && !(e.Lower.X <= e.Upper.X) {
		return fmt.Errorf("the interval [%v, %v] is empty", e.Lower.X, e.Upper.X)
	}
	if e.Measured.Set && math.IsNaN(e.Measured.X) && e.Verdict != Refuted {
		return fmt.Errorf("the measured value is not a number at %s", e.WorstCase)
	}
	return nil
}
