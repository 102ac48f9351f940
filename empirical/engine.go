package empirical

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Progress tells how far an experiment has come.
type Progress struct {
	Shards, Total int
	Samples       int64 // of each input, so far
}

// Options of a run. The zero value runs on one worker with the zero seed.
type Options struct {
	Seed     Seed
	Pool     *Pool          // nil: a pool of one slot
	Progress func(Progress) // called after each merge, in shard order; may be nil
	Shelf    Shelf          // nil: every shard is sampled here, and none is kept
}

// Shelf keeps the tallies of one experiment's shards from process to process. Its
// methods are called by several goroutines at a time.
type Shelf interface {
	// Begin is told the plan; an error ends the run, as where tallies of another plan
	// were kept.
	Begin(Plan) error
	// Stored is the tally of a shard that was sampled before, or how that failed.
	Stored(shard int) (tally json.RawMessage, ok bool, failure error)
	// Mine says whether this process is to sample a shard that is not kept.
	Mine(shard int) bool
	// Keep takes the tally of a shard.
	Keep(shard int, t Tally) error
	// Enough is told that a Stopper had enough with the first shards, so many.
	Enough(shards int) error
}

// ErrPartial is the error of a run that has left shards to other processes.
var ErrPartial = errors.New("shards are left to other processes")

// ShardError is the failure of a shard; Index is from 0.
type ShardError struct {
	Index, Total int
	Err          error
}

func (e *ShardError) Error() string {
	return fmt.Sprintf("shard %d of %d: %v", e.Index+1, e.Total, e.Err)
}
func (e *ShardError) Unwrap() error { return e.Err }

// Run samples every shard of e and merges the tallies in shard order. The
// result depends on e and the seed alone. A shard that fails, or panics, ends
// the run with a [*ShardError].
func Run(ctx context.Context, e Experiment, opt Options) (Tally, error) {
	plan := e.Plan()
	if plan.Shards < 0 || plan.Shards > 0 && plan.SamplesPerShard < 1 {
		return nil, fmt.Errorf("plan of %d shards of %d samples", plan.Shards, plan.SamplesPerShard)
	}
	if opt.Pool == nil {
		opt.Pool = NewPool(1)
	}
	if opt.Shelf != nil {
		if err := opt.Shelf.Begin(plan); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	r := runner{e: e, plan: plan, opt: opt, merged: e.NewTally(), waiting: make(map[int]outcome)}
	r.room = sync.NewCond(&r.mu)
	stopWaking := context.AfterFunc(ctx, func() { r.mu.Lock(); r.room.Broadcast(); r.mu.Unlock() })
	defer stopWaking()

	var workers sync.WaitGroup
	for range min(opt.Pool.Size(), plan.Shards) {
		workers.Go(func() { r.work(ctx, cancel) })
	}
	workers.Wait()

	if r.err != nil {
		return nil, r.err
	}
	if r.next < plan.Shards && !r.done {
		return nil, context.Cause(ctx)
	}
	if r.partial {
		return nil, ErrPartial
	}
	return r.merged, nil
}

// outcome of a shard: a failure waits for its turn like a tally, so that the
// first failing shard is the one reported, at any number of workers.
type outcome struct {
	tally  Tally
	err    error
	absent bool // left to another process
}

// runner is the state of one Run. Shards are handed out in order and merged in
// order; a worker that runs ahead waits, so that few tallies are held.
type runner struct {
	e    Experiment
	plan Plan
	opt  Options

	mu      sync.Mutex
	room    *sync.Cond
	given   int             // shards handed out
	next    int             // the shard to merge next
	waiting map[int]outcome // finished out of turn
	merged  Tally
	partial bool // a shard was left to another process: there is nothing to merge
	done    bool // a Stopper has had enough
	err     error
}

func (r *runner) work(ctx context.Context, cancel context.CancelFunc) {
	for {
		i, ok := r.take(ctx)
		if !ok {
			return
		}
		if !r.give(i, r.obtain(ctx, i)) {
			cancel()
			return
		}
	}
}

// obtain is the tally of a shard: from the shelf, by sampling, or none where it is
// another process's.
func (r *runner) obtain(ctx context.Context, i int) outcome {
	if shelf := r.opt.Shelf; shelf != nil {
		if kept, ok, err := shelf.Stored(i); ok {
			t := r.e.NewTally()
			if err == nil {
				err = t.UnmarshalJSON(kept)
			}
			return outcome{tally: t, err: err}
		}
		if !shelf.Mine(i) {
			return outcome{absent: true}
		}
	}
	shard := Shard{Index: i, Total: r.plan.Shards, Samples: r.plan.SamplesPerShard, Seed: r.opt.Seed.Shard(i)}
	t, err := Do(ctx, r.opt.Pool, func(ctx context.Context) (Tally, error) { return r.e.Sample(ctx, shard) })
	if err == nil && t == nil {
		err = errors.New("no tally")
	}
	if err == nil && r.opt.Shelf != nil {
		err = r.opt.Shelf.Keep(i, t)
	}
	return outcome{tally: t, err: err}
}

// take hands out the next shard, once there is room for its tally.
func (r *runner) take(ctx context.Context) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.given-r.next > 2*r.opt.Pool.Size() && ctx.Err() == nil && !r.done {
		r.room.Wait()
	}
	if r.given >= r.plan.Shards || r.done || r.err != nil || ctx.Err() != nil {
		return 0, false
	}
	r.given++
	return r.given - 1, true
}

// give merges what can be merged in order; false ends the run.
func (r *runner) give(i int, o outcome) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.room.Broadcast()
	if r.done || r.err != nil {
		return false
	}
	r.waiting[i] = o
	for {
		o, ok := r.waiting[r.next]
		if !ok {
			return true
		}
		delete(r.waiting, r.next)
		r.partial = r.partial || o.absent
		if o.err == nil && !r.partial {
			o.err = r.merged.Merge(o.tally)
		}
		if o.err != nil {
			r.err = &ShardError{r.next, r.plan.Shards, o.err}
			return false
		}
		r.next++
		if r.opt.Progress != nil {
			r.opt.Progress(Progress{Shards: r.next, Total: r.plan.Shards, Samples: int64(r.next) * r.plan.SamplesPerShard})
		}
		if s, ok := r.e.(Stopper); ok && !r.partial && s.Done(r.merged) {
			r.done = true
			if r.opt.Shelf != nil && r.next < r.plan.Shards {
				r.err = r.opt.Shelf.Enough(r.next)
			}
			return false
		}
	}
}
