package experiment

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// InputError is a failure that the user can correct: an option, a data file or a checkpoint.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// Run runs the panels one after the other, and the parts of each panel on the slots of o.Pool. It may return both
// results and an error. A panel without data is not run, and a panel that fails is marked; the other panels run. If
// ctx ends, the results hold the finished parts and the error is the cause of ctx. Errors caused by the input are
// [*InputError]s.
func (e Experiment) Run(ctx context.Context, o Options) (results []result.Result, err error) {
	if err := o.check(e); err != nil {
		return nil, &InputError{err}
	}
	panels, err := e.Panels(o)
	if err != nil {
		return nil, &InputError{fmt.Errorf("%s: %w", e.Name, err)}
	}
	if o.Pool == nil {
		o.Pool = empirical.NewPool(1)
	}
	o.Open = lastOpened(o.Open)
	kept, err := openCheckpoint(e, o)
	if err != nil {
		return nil, &InputError{err}
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	var failures []error
	for i, p := range panels {
		if ctx.Err() != nil {
			results = append(results, result.Result{Name: p.Name, Title: p.Title, State: result.NotRun,
				Reason: "the run was interrupted before"})
			continue
		}
		r := &runner{panel: p, options: o, kept: kept, progress: Progress{Panel: p.Name, Index: i, Total: len(panels)}}
		result, err := r.run(ctx)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", p.Name, err))
		}
		results = append(results, result)
	}
	if ctx.Err() != nil {
		return results, context.Cause(ctx)
	}
	return results, errors.Join(failures...)
}

// lastOpened caches the last data set, for consecutive panels on the same rows.
func lastOpened(open func(string) (train, test *dataset.Dataset,
	err error)) func(string) (train, test *dataset.Dataset, err error) {
	if open == nil {
		return nil
	}
	var last string
	var train, test *dataset.Dataset
	return func(name string) (*dataset.Dataset, *dataset.Dataset, error) {
		if name == last && train != nil {
			return train, test, nil
		}
		train, test = nil, nil // release memory before reading
		var err error
		if train, test, err = open(name); err != nil {
			train, test = nil, nil
		}
		last = name
		return train, test, err
	}
}

// part is one repeat of one unit.
type part struct{ unit, repeat int }

// runner is the state of one panel's run.
type runner struct {
	panel   Panel
	task    Task
	options Options
	kept    *checkpoint

	mu       sync.Mutex // guards the fields below
	progress Progress
	outcomes []Outcome
	failure  error // error of the first failed part, in the order of repeats and units
	failed   part
}

func (r *runner) run(ctx context.Context) (result.Result, error) {
	out := result.Result{Name: r.panel.Name, Title: r.panel.Title}
	if r.kept != nil {
		r.options.prints = new(fingerprints)
	}
	var err error
	r.task, err = empirical.Do(ctx, empirical.NewPool(1),
		func(ctx context.Context) (Task, error) { return r.panel.Start(ctx, r.options) })
	switch {
	case ctx.Err() != nil:
		out.State, out.Reason = result.NotRun, "the run was interrupted before"
		return out, nil
	case errors.Is(err, fs.ErrNotExist):
		out.State, out.Reason = result.NotRun, err.Error()
		return out, nil
	case err != nil:
		return failed(out, input(err))
	}
	if err := r.task.check(r.options); err != nil {
		return failed(out, err)
	}
	todo, err := r.resume()
	if err != nil {
		return failed(out, &InputError{err})
	}
	r.work(ctx, todo)
	out = r.task.result(r.panel, r.outcomes)
	switch {
	case r.failure != nil:
		return failed(out, r.failure)
	case r.progress.Done < r.progress.OfDone:
		out.State, out.Reason = result.Partial,
			fmt.Sprintf("interrupted: %d of %d runs were finished", r.progress.Done, r.progress.OfDone)
	case r.task.Finish != nil:
		if err := r.task.Finish(&out, r.outcomes); err != nil {
			return failed(out, err)
		}
	}
	return out, nil
}

func failed(out result.Result, err error) (result.Result, error) {
	out.State, out.Reason = result.Failed, err.Error()
	return out, err
}

// input marks an error of a panel's start as an input error, unless it is a panic.
func input(err error) error {
	if panicked := (*empirical.PanicError)(nil); errors.As(err, &panicked) {
		return err
	}
	return &InputError{err}
}

// resume takes the parts in the checkpoint and lists the missing ones. It lists the first repeats of all units,
// then the second ones, so that an interrupted panel has every point.
func (r *runner) resume() (todo []part, err error) {
	have, err := r.kept.begin(r.panel.Name, r.plan())
	if err != nil {
		return nil, err
	}
	for k, unit := range r.task.Units {
		outcome := Outcome{unit, make([][]float64, r.task.repeats(r.options, unit))}
		r.outcomes = append(r.outcomes, outcome)
		for repeat := range outcome.Values {
			values, done := have[partKey{unit.key(), repeat}]
			if !done {
				todo = append(todo, part{k, repeat})
				continue
			}
			if len(values) != len(unit.X)+unit.Aside {
				return nil, fmt.Errorf("checkpoint: unit %q of %s has %d values, want %d", unit.key(), r.panel.Name, len(values),
					len(unit.X)+unit.Aside)
			}
			outcome.Values[repeat] = values
			r.progress.Done++
		}
	}
	r.progress.OfDone = r.progress.Done + len(todo)
	slices.SortStableFunc(todo, func(a, b part) int { return a.repeat - b.repeat })
	return todo, nil
}

// plan returns a digest of everything that determines the panel's values, except the seed.
func (r *runner) plan() string {
	if r.kept == nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %x\n", r.panel.Name, r.task.Config, r.options.prints.all)
	for _, unit := range r.task.Units {
		fmt.Fprintf(h, "%q %v %d\n", unit.key(), unit.X, unit.Aside)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// key returns the name of a unit's stream.
func (u Unit) key() string {
	switch {
	case u.Key != "":
		return u.Key
	case len(u.X) == 1:
		return u.Series + " at " + strconv.FormatFloat(u.X[0], 'g', -1, 64)
	}
	return u.Series
}

// work runs the parts on the pool's slots. The first failure stops the others.
func (r *runner) work(ctx context.Context, todo []part) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan part)
	var workers sync.WaitGroup
	for range min(r.options.Pool.Size(), len(todo)) {
		workers.Go(func() {
			for p := range next {
				values, err := r.do(ctx, p)
				if !r.take(ctx, p, values, err) {
					cancel()
				}
			}
		})
	}
	for _, p := range todo {
		select {
		case next <- p:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	workers.Wait()
}

// do runs one part.
func (r *runner) do(ctx context.Context, p part) ([]float64, error) {
	unit := r.task.Units[p.unit]
	repeat := strconv.Itoa(p.repeat)
	seed := r.options.Seed.Derive("study", r.panel.Name)
	d := Draw{Repeat: p.repeat, Rand: seed.Derive("unit", unit.key(), repeat).Rand(),
		Shared: seed.Derive("shared", repeat).Common()}
	values, err := empirical.Do(ctx, r.options.Pool,
		func(ctx context.Context) ([]float64, error) { return unit.Run(ctx, d) })
	if err == nil && len(values) != len(unit.X)+unit.Aside {
		err = fmt.Errorf("%d values, want %d", len(values), len(unit.X)+unit.Aside)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, repeat %d: %w", strings.TrimSpace(unit.key()), p.repeat+1, err)
	}
	return values, nil
}

// take records a part and returns false if the panel must end. The cancellation of a part is not a failure.
func (r *runner) take(ctx context.Context, p part, values []float64, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		err = r.kept.add(r.panel.Name, r.task.Units[p.unit].key(), p.repeat, values)
	}
	if err != nil {
		before := p.repeat < r.failed.repeat || p.repeat == r.failed.repeat && p.unit < r.failed.unit
		if !errors.Is(err, context.Cause(ctx)) && (r.failure == nil || before) {
			r.failure, r.failed = err, p
		}
		return false
	}
	r.outcomes[p.unit].Values[p.repeat] = values
	r.progress.Done++
	if r.options.Progress != nil {
		r.options.Progress(r.progress)
	}
	return true
}
