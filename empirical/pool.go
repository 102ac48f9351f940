package empirical

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Pool is a number of processor slots that concurrent experiments share.
type Pool struct{ slots chan struct{} }

// NewPool returns a pool of n ≥ 1 slots.
func NewPool(n int) *Pool { return &Pool{slots: make(chan struct{}, max(1, n))} }

// Size is the number of slots.
func (p *Pool) Size() int { return cap(p.slots) }

// PanicError is a panic of the code under test, caught. Its message is for the
// user; the stack is for whoever debugs that code.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Do waits for a slot of p, runs f on it and returns f's result; a panic in f
// becomes a *PanicError. When ctx ends, Do returns its cause at once and gives
// the slot back even if f hangs: f's result is then lost, and the others go on.
func Do[T any](ctx context.Context, p *Pool, f func(context.Context) (T, error)) (result T, err error) {
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
	defer func() { <-p.slots }()

	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if v := recover(); v != nil {
				o.err = &PanicError{Value: v, Stack: debug.Stack()}
			}
			done <- o
		}()
		o.result, o.err = f(ctx)
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
}
