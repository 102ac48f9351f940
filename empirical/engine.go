package empirical

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Progress tells how far an experiment has come.
type Progress struct {
	Shards, Of int
	Samples    int64 // of each input, so far
}

// Options of a run. The zero value runs on one worker with the zero seed.
type Options struct {
	Seed     Seed
	Pool     *Pool          // nil: a pool of one slot
	Progress func(Progress) // called after each merge, in shard order; may be nil
}

// Run samples every shard of e and merges the tallies in shard order. The
// result depends on e and the seed alone. A shard that fails, or panics, ends
// the run with an error that names it.
func Run(ctx context.Context, e Experiment, opt Options) (Tally, error) {
	plan := e.Plan()
	if plan.Shards < 0 || plan.Shards > 0 && plan.SamplesPerShard < 1 {
		return nil, fmt.Errorf("plan of %d shards of %d samples", plan.Shards, plan.SamplesPerShard)
	}
	if opt.Pool == nil {
		opt.Pool = NewPool(1)
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
	return r.merged, nil
}

// outcome of a shard: a failure waits for its turn like a tally, so that the
// first failing shard is the one reported, at any number of workers.
type outcome struct {
	tally Tally
	err   error
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
	done    bool // a Stopper has had enough
	err     error
}

func (r *runner) work(ctx context.Context, cancel context.CancelFunc) {
	for {
		i, ok := r.take(ctx)
		if !ok {
			return
		}
		shard := Shard{Index: i, Of: r.plan.Shards, Samples: r.plan.SamplesPerShard, Seed: r.opt.Seed.Shard(i)}
		t, err := Do(ctx, r.opt.Pool, func(ctx context.Context) (Tally, error) { return r.e.Sample(ctx, shard) })
		if err == nil && t == nil {
			err = errors.New("no tally")
		}
		if !r.give(i, outcome{t, err}) {
			cancel()
			return
		}
	}
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
		if o.err == nil {
			o.err = r.merged.Merge(o.tally)
		}
		if o.err != nil {
			r.err = fmt.Errorf("shard %d of %d: %w", r.next+1, r.plan.Shards, o.err)
			return false
		}
		r.next++
		if r.opt.Progress != nil {
			r.opt.Progress(Progress{Shards: r.next, Of: r.plan.Shards, Samples: int64(r.next) * r.plan.SamplesPerShard})
		}
		if s, ok := r.e.(Stopper); ok && s.Done(r.merged) {
			r.done = true
			return false
		}
	}
}
