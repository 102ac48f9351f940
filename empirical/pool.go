package empirical

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Pool is a set of processor slots that concurrent experiments share.
type Pool struct{ slots chan struct{} }

// NewPool returns a pool of n slots, at least one.
func NewPool(n int) *Pool { return &Pool{slots: make(chan struct{}, max(1, n))} }

// Size returns the number of slots. A nil pool has one, the caller's.
func (p *Pool) Size() int {
	if p == nil {
		return 1
	}
	return cap(p.slots)
}

// PanicError is a recovered panic of the code under test. The message is for the user, the stack for debugging that
// code.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// ErrExit is the error of code under test that ends its goroutine instead of returning.
var ErrExit = errors.New(
	"the code under test ended its goroutine, for example by t.Fatal, t.SkipNow or runtime.Goexit: " +
		"let it return a value, or panic")

// Do waits for a slot of p, runs f on it and returns f's result. A panic in f becomes a *PanicError, and the end of
// its goroutine [ErrExit]. When ctx ends, Do returns its cause immediately and releases the slot even if f hangs;
// f's result is then lost.
//
// Code that holds a slot must not call Do on the same pool, because it could wait for its own slot. It must call
// [Each].
func Do[T any](ctx context.Context, p *Pool, f func(context.Context) (T, error)) (result T, err error) {
	if err := p.acquire(ctx); err != nil {
		return result, err
	}
	defer p.release()
	return until(ctx, f)
}

// Each runs f for i = 0, …, n-1 for code that holds a slot of p: in that slot, and in others as they become free.
// It never waits for a slot, so calls may be nested. A nil p is a pool with only the caller's slot.
//
// If calls fail, Each starts no further calls and returns the smallest failing i and its error. If ctx ends, it
// returns n and the cause of ctx. A panic in f becomes a *PanicError, and the end of its goroutine [ErrExit].
// Values written by f may be read if there is no error.
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
			// The result is stored in e, or it is the cause of ctx.
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

// each is the state of one call of Each. Calls are started in order, so the first failing call has always been
// started.
type each struct {
	n int

	mu      sync.Mutex
	next    int // next call to start
	failed  int // smallest failing index; n if there is none
	failure error
}

// work runs calls until none is left.
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
		// A goroutine for each call, because the call may end its goroutine.
		o := <-started(func() (struct{}, error) { return struct{}{}, f(ctx, i) })
		e.mu.Lock()
		if o.err != nil && i < e.failed {
			e.failed, e.failure = i, o.err
		}
		e.mu.Unlock()
	}
}

// Start starts f on a slot of p, like [Do], and returns immediately. The returned function waits for f's result.
// The caller must not hold a slot.
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

// acquire waits for a slot. If ctx ends, it returns the cause of ctx.
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

// until returns f's result, or the cause of ctx if ctx ends first.
func until[T any](ctx context.Context, f func(context.Context) (T, error)) (result T, err error) {
	select {
	case o := <-started(func() (T, error) { return f(ctx) }):
		return o.result, o.err
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
}

// ended is the result or the error of a function.
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
