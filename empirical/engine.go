package empirical

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Progress reports the progress of an experiment.
type Progress struct {
	Shards, Total int
	Samples       int64 // of each input, so far
}

// Options holds the options of a run. The zero value runs on one worker with the zero seed.
type Options struct {
	Seed     Seed
	Pool     *Pool          // nil: a pool of one slot
	Progress func(Progress) // called after each merge, in shard order; may be nil
	Shelf    Shelf          // nil: this process samples every shard and stores none
}

// Shelf stores the tallies of one experiment's shards across processes. Its methods may be called concurrently.
type Shelf interface {
	// Begin receives the plan. An error ends the run, for example if the stored tallies belong to another plan.
	Begin(Plan) error
	// Stored returns the stored tally of a shard, or the error with which sampling failed. ok is false if there is
	// none.
	Stored(shard int) (tally json.RawMessage, ok bool, failure error)
	// Mine reports whether this process must sample a shard that is not stored.
	Mine(shard int) bool
	// Keep stores the tally of a shard.
	Keep(shard int, t Tally) error
	// Enough records that a Stopper was done after the given number of shards.
	Enough(shards int) error
}

// ErrPartial is the error of a run that left shards to other processes.
var ErrPartial = errors.New("shards are left to other processes")

// ShardError is the failure of a shard. Index starts at 0.
type ShardError struct {
	Index, Total int
	Err          error
}

func (e *ShardError) Error() string {
	return fmt.Sprintf("shard %d of %d: %v", e.Index+1, e.Total, e.Err)
}
func (e *ShardError) Unwrap() error { return e.Err }

// Run samples every shard of e, merges the tallies in shard order and returns the result, which depends only on e
// and the seed. If a shard fails or panics, Run returns a [*ShardError]. If ctx ends, it returns the cause of ctx.
// If shards were left to other processes, it returns [ErrPartial].
func Run(ctx context.Context, e Experiment, opt Options) (Tally, error) {
	plan := e.Plan()
	if plan.Shards < 0 || plan.Shards > 0 && plan.SamplesPerShard < 1 {
		return nil, fmt.Errorf("plan of %d shards with %d samples each: want shards ≥ 0 and samples ≥ 1",
			plan.Shards, plan.SamplesPerShard)
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

// outcome is the result of a shard. A failure waits for its turn like a tally, so Run reports the first failing
// shard for any number of workers.
type outcome struct {
	tally  Tally
	err    error
	absent bool // left to another process
}

// runner is the state of one Run. Shards are started and merged in order. A worker that is ahead waits, so few
// tallies are in memory.
type runner struct {
	e    Experiment
	plan Plan
	opt  Options

	mu      sync.Mutex
	room    *sync.Cond
	given   int             // number of started shards
	next    int             // next shard to merge
	waiting map[int]outcome // finished before their turn
	merged  Tally
	partial bool // a shard was left to another process: the tallies are not merged
	done    bool // a Stopper is done
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

// obtain returns the tally of a shard from the shelf or by sampling, or an absent outcome if the shard belongs to
// another process.
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

// take returns the next shard as soon as few enough tallies are waiting.
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

// give merges all tallies whose turn has come. It returns false if the run must end.
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
