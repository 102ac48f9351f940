package empirical

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Pool is a number of processor slots that concurrent experiments share.
type Pool struct{ slots chan struct{} }

// NewPool returns a pool of n ≥ 1 slots.
func NewPool(n int) *Pool { return &Pool{slots: make(chan struct{}, max(1, n))} }

// Size is the number of slots; that of a nil pool is the one that its user has.
func (p *Pool) Size() int {
	if p == nil {
		return 1
	}
	return cap(p.slots)
}

// PanicError is a panic of the code under test, caught. Its message is for the
// user; the stack is for whoever debugs that code.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// ErrExit is the error of code under test that ends its goroutine instead of returning.
var ErrExit = errors.New(
	"the code under test ended its goroutine, for example by t.Fatal, t.SkipNow or runtime.Goexit: " +
		"let it return a value, or panic")

// Do waits for a slot of p, runs f on it and returns f's result; a panic in f
// becomes a *PanicError, and the end of its goroutine [ErrExit]. When ctx ends, Do
// returns its cause at once and gives the slot back even if f hangs: f's result is
// then lost, and the others go on.
// Code that has a slot must not call Do on the same pool, for it would wait for its
// own slot: it calls [Each].
func Do[T any](ctx context.Context, p *Pool, f func(context.Context) (T, error)) (result T, err error) {
	if err := p.acquire(ctx); err != nil {
		return result, err
	}
	defer p.release()
	return until(ctx, f)
}

// Each runs f for i = 0, …, n-1, for code that has a slot of p: in that slot, and on
// others as they become free. It waits for no slot and so needs none but its own,
// however deep the calls are nested; a nil p is a pool of that one slot. It returns the
// least i that failed, after which no further one is begun, and its error, or n and ctx's
// cause; a panic in f becomes a *PanicError, and the end of its goroutine [ErrExit].
// What f has written may be read if there is no error.
func Each(ctx context.Context, p *Pool, n int, f func(ctx context.Context, i int) error) (failed int, err error) {
	e := each{n: n, failed: n}
	var others sync.WaitGroup
	waiting, enough := context.WithCancel(ctx)
	for range min(p.Size(), n) - 1 {
		others.Go(func() {
			if p.acquire(waiting) != nil {
				return
			}
			defer p.release()
			// What this returns is in e, or it is ctx's cause.
			_, _ = until(ctx, func(ctx context.Context) (struct{}, error) { e.work(ctx, f); return struct{}{}, nil })
		})
	}
	e.work(ctx, f)
	enough()
	others.Wait()
	if ctx.Err() != nil {
		return n, context.Cause(ctx)
	}
	return e.failed, e.failure
}

// each is the state of one call of Each: tasks are handed out in order, so that the
// first that fails is among those that were begun, at any number of workers.
type each struct {
	n int

	mu      sync.Mutex
	next    int // the task to hand out
	failed  int // the least that failed; n where none has
	failure error
}

// work does tasks until none is left.
func (e *each) work(ctx context.Context, f func(context.Context, int) error) {
	for {
		e.mu.Lock()
		i := e.next
		left := i < e.failed && ctx.Err() == nil
		if left {
			e.next++
		}
		e.mu.Unlock()
		if !left {
			return
		}
		// A goroutine for each task: the task may end its own.
		o := <-started(func() (struct{}, error) { return struct{}{}, f(ctx, i) })
		e.mu.Lock()
		if o.err != nil && i < e.failed {
			e.failed, e.failure = i, o.err
		}
		e.mu.Unlock()
	}
}

// Start begins to run f on a slot of p, as [Do] does, while the caller, which has none, goes on; what it returns waits
// for f's result.
func Start[T any](ctx context.Context, p *Pool, f func() (T, error)) func() (T, error) {
	var result T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = Do(ctx, p, func(context.Context) (T, error) { return f() })
	}()
	return func() (T, error) {
		<-done
		return result, err
	}
}

// acquire waits for a slot; the error is ctx's cause.
func (p *Pool) acquire(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *Pool) release() { <-p.slots }

// until is f's result, or ctx's cause where ctx ends before.
func until[T any](ctx context.Context, f func(context.Context) (T, error)) (result T, err error) {
	select {
	case o := <-started(func() (T, error) { return f(ctx) }):
		return o.result, o.err
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
}

// ended is the result of a function, or its error.
type ended[T any] struct {
	result T
	err    error
}

// started runs f in a goroutine and sends its outcome. The error is a *PanicError if f panics, and [ErrExit] if f ends
// the goroutine.
func started[T any](f func() (T, error)) <-chan ended[T] {
	done := make(chan ended[T], 1)
	go func() {
		o := ended[T]{err: ErrExit}
		defer func() {
			if v := recover(); v != nil {
				o.err = &PanicError{Value: v, Stack: debug.Stack()}
			}
			done <- o
		}()
		o.result, o.err = f()
	}()
	return done
}
