package signals

import (
	"context"
	"sync/atomic"
	"time"
)

// A Phase records whether a command works or waits for files, which determines how long it may run after a signal.
// The zero value is the phase of reading inputs. Methods of a nil Phase do nothing.
type Phase struct {
	working atomic.Bool
	since   atomic.Int64 // the last change or progress, in nanoseconds of the clock
}

// After a signal, a command that reads its inputs or writes its result ends if it makes no progress for waitGrace:
// opening or reading a FIFO and writing to a full pipe can wait forever. A command that works has workGrace to end
// its processes and to render the finished claims.
const (
	waitGrace = 500 * time.Millisecond
	workGrace = 5 * time.Second
	poll      = 20 * time.Millisecond
)

// Work begins the part of a command that ends by itself after a signal.
func (p *Phase) Work() { p.enter(true) }

// Write begins or continues the output of a result. Each call is progress.
func (p *Phase) Write() { p.enter(false) }

func (p *Phase) enter(working bool) {
	if p != nil {
		p.working.Store(working)
		p.since.Store(time.Now().UnixNano())
	}
}

// Working reports whether the command is in a part that ends by itself after a signal.
func (p *Phase) Working() bool { return p.working.Load() }

// Await returns the exit code of a command. It returns false if the command does not end in time after ctx is done.
func (p *Phase) Await(ctx context.Context, code <-chan int) (int, bool) {
	select {
	case c := <-code:
		return c, true
	case <-ctx.Done():
	}
	signaled := time.Now()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		select {
		case c := <-code:
			return c, true
		case now := <-tick.C:
			grace, from := waitGrace, signaled
			if p.Working() {
				grace = workGrace
			}
			if last := time.Unix(0, p.since.Load()); last.After(from) {
				from = last
			}
			if now.Sub(from) > grace {
				return 0, false
			}
		}
	}
}
