package empirical

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// busy counts the calls that run simultaneously.
type busy struct{ now, most atomic.Int64 }

func (b *busy) work(f func()) {
	n := b.now.Add(1)
	defer b.now.Add(-1)
	for most := b.most.Load(); n > most && !b.most.CompareAndSwap(most, n); most = b.most.Load() {
	}
	f()
}

// Nested calls of Each, from all slots of the pool simultaneously, end, run every task once and use no more than
// the slots.
func TestEachNestsWithinThePool(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		pool := NewPool(workers)
		var b busy
		var done [4][3][2]atomic.Int64
		var callers sync.WaitGroup
		for i := range done {
			callers.Go(func() {
				_, err := Do(context.Background(), pool, func(ctx context.Context) (int, error) {
					return Each(ctx, pool, len(done[i]), func(ctx context.Context, j int) error {
						_, err := Each(ctx, pool, len(done[i][j]), func(_ context.Context, k int) error {
							b.work(func() { done[i][j][k].Add(1) })
							return nil
						})
						return err
					})
				})
				if err != nil {
					t.Errorf("%d workers: %v", workers, err)
				}
			})
		}
		callers.Wait()
		for i := range done {
			for j := range done[i] {
				for k := range done[i][j] {
					if n := done[i][j][k].Load(); n != 1 {
						t.Errorf("%d workers: task %d, %d, %d was done %d times", workers, i, j, k, n)
					}
				}
			}
		}
		if most := b.most.Load(); most > int64(workers) {
			t.Errorf("%d tasks at the same time on %d workers", most, workers)
		}
		if len(pool.slots) != 0 {
			t.Errorf("%d of %d slots are not given back", len(pool.slots), workers)
		}
	}
}

// Two tasks that wait for each other end only if both of two free slots are used.
func TestEachUsesFreeSlots(t *testing.T) {
	pool := NewPool(2)
	var here [2]chan struct{}
	for i := range here {
		here[i] = make(chan struct{})
	}
	_, err := Do(t.Context(), pool, func(ctx context.Context) (int, error) {
		return Each(ctx, pool, 2, func(ctx context.Context, i int) error {
			close(here[i])
			select {
			case <-here[1-i]:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEachFails(t *testing.T) {
	broken, cause := errors.New("out of order"), errors.New("interrupted")
	for _, c := range []struct {
		reason string
		pool   *Pool
		fails  map[int]func(cancel func()) error
		failed int
		want   string
	}{
		{"the least failure is told, on one slot", nil, map[int]func(func()) error{3: func(func()) error { return broken }, 5: func(func()) error { return cause }}, 3, "out of order"},
		{"the least failure is told, on four", NewPool(4), map[int]func(func()) error{3: func(func()) error { return broken }, 4: func(func()) error { return cause }}, 3, "out of order"},
		{"a panic in the caller's slot", nil, map[int]func(func()) error{2: func(func()) error { panic("burst") }}, 2, "panic: burst"},
		{"a panic on any slot", NewPool(4), map[int]func(func()) error{2: func(func()) error { panic("burst") }}, 2, "panic: burst"},
		{"the run ends", NewPool(2), map[int]func(func()) error{2: func(cancel func()) error { cancel(); return nil }}, 8, "interrupted"},
		{"nothing fails", NewPool(2), nil, 8, ""},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		failed, err := Each(ctx, c.pool, 8, func(_ context.Context, i int) error {
			if f := c.fails[i]; f != nil {
				return f(func() { cancel(cause) })
			}
			return nil
		})
		cancel(nil)
		if text := ""; err != nil {
			text = err.Error()
			if text != c.want {
				t.Errorf("%s: got %q, want %q", c.reason, text, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%s: no error, want %q", c.reason, c.want)
		}
		if failed != c.failed {
			t.Errorf("%s: task %d is told to have failed, want %d", c.reason, failed, c.failed)
		}
	}
}

// Code that ends its goroutine gives an error immediately, on every worker and at every depth.
func TestGoexitIsAnError(t *testing.T) {
	exit := func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }
	for _, slots := range []int{1, 3} {
		p := NewPool(slots)
		if _, err := Do(context.Background(), p, exit); !errors.Is(err, ErrExit) {
			t.Errorf("%d slots: Do: %v", slots, err)
		}
		last := func(_ context.Context, i int) error {
			if i == 7 {
				runtime.Goexit()
			}
			return nil
		}
		if failed, err := Each(context.Background(), p, 9, last); failed != 7 || !errors.Is(err, ErrExit) {
			t.Errorf("%d slots: Each: %d, %v", slots, failed, err)
		}
		_, err := Do(context.Background(), p, func(ctx context.Context) (int, error) { return Each(ctx, p, 9, last) })
		if !errors.Is(err, ErrExit) {
			t.Errorf("%d slots: Each within Do: %v", slots, err)
		}
	}
}
