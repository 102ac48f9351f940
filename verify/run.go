package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/dpverify/dpverify/empirical"
)

// Options of a run over claims.
type Options struct {
	Seed     uint64  // root of all randomness
	Alpha    float64 // error probability of the whole ledger, in (0, 1)
	Budget   Budget
	Workers  int            // processors to use, at least 1
	Timeout  time.Duration  // for each claim; 0 means none
	Progress func(Progress) // called from one goroutine at a time; may be nil
}

// Progress is a step of a run.
type Progress struct {
	Claim    string
	Finished bool
	Verdict  Verdict            // once finished
	Sampling empirical.Progress // while it is sampled
	Done, Of int                // claims finished, claims in the run
}

// Result is a claim with what was found.
type Result struct {
	Claim Claim
	Evidence
	Alpha   float64 // the claim's share
	Elapsed time.Duration
}

// Run is the outcome of running claims: results in ledger order. A run that was
// interrupted holds the claims that were finished.
type Run struct {
	Options     Options
	Results     []Result
	Interrupted bool
}

// ErrTimeout is the cause when a claim takes longer than it may.
var ErrTimeout = errors.New("timeout")

// Validate names the first option that is out of its domain.
func (o Options) Validate() error {
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("alpha %v: want an error probability in (0, 1)", o.Alpha)
	case o.Workers < 1:
		return fmt.Errorf("workers %d: want at least 1", o.Workers)
	case o.Timeout < 0:
		return fmt.Errorf("timeout %v: want a positive duration", o.Timeout)
	}
	_, err := ParseBudget(string(o.Budget))
	return err
}

// Run judges the given claims of the ledger. A claim that fails, hangs or
// panics gets the verdict Error and the others go on.
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
		e.Done, e.Of = finished, len(claims)
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
					tell(Progress{Claim: claims[i].ID, Finished: true, Verdict: results[i].Verdict})
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
	run := Run{Options: opt, Interrupted: ctx.Err() != nil}
	for _, r := range results {
		if r.Verdict != "" {
			run.Results = append(run.Results, r)
		}
	}
	return run, nil
}

// judge runs one claim. When the whole run is interrupted the result is empty.
func (l *Ledger) judge(ctx context.Context, c Claim, opt Options, pool *empirical.Pool, tell func(Progress)) Result {
	start := time.Now()
	whole := ctx
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opt.Timeout, fmt.Errorf("%w: no result within %v", ErrTimeout, opt.Timeout))
		defer cancel()
	}
	settings := Settings{Budget: opt.Budget, Alpha: l.Alpha(c, opt.Alpha), Seed: empirical.NewSeed(opt.Seed).Derive("claim", c.ID)}
	e, err := Judge(ctx, c.Check, settings, pool, func(p empirical.Progress) { tell(Progress{Claim: c.ID, Sampling: p}) })
	if whole.Err() != nil {
		return Result{}
	}
	if err != nil {
		e = Evidence{Verdict: Error, Warnings: []string{err.Error()}}
	}
	return Result{Claim: c, Evidence: e, Alpha: settings.Alpha, Elapsed: time.Since(start)}
}

// Judge takes one check from Prepare to its evidence. Progress may be nil.
func Judge(ctx context.Context, check Check, s Settings, pool *empirical.Pool, progress func(empirical.Progress)) (Evidence, error) {
	trial, err := empirical.Do(ctx, pool, func(ctx context.Context) (Trial, error) { return check.Prepare(ctx, s) })
	if err != nil {
		return Evidence{}, fmt.Errorf("preparing: %w", err)
	}
	tally, err := empirical.Run(ctx, trial, empirical.Options{Seed: s.Seed.Derive("sample"), Pool: pool, Progress: progress})
	if err != nil {
		return Evidence{}, fmt.Errorf("sampling: %w", err)
	}
	e, err := empirical.Do(ctx, pool, func(context.Context) (Evidence, error) { return trial.Judge(tally) })
	if err != nil {
		return Evidence{}, fmt.Errorf("judging: %w", err)
	}
	return e, e.sane()
}

// sane refuses evidence that no reader could trust.
func (e Evidence) sane() error {
	if e.Lower.Set && e.Upper.Set && !(e.Lower.X <= e.Upper.X) {
		return fmt.Errorf("the interval [%v, %v] is empty", e.Lower.X, e.Upper.X)
	}
	if e.Measured.Set && math.IsNaN(e.Measured.X) && e.Verdict != Refuted {
		return fmt.Errorf("the measured value is not a number at %s", e.Witness)
	}
	return nil
}
