package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// interruptContext returns a context that is canceled at the first SIGINT, SIGTERM or SIGHUP, which ends the run in
// order. The next signal ends the process.
func interruptContext() context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // it is ignored under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, func() {
		// A closing terminal may send SIGHUP more than once, and the reader of the progress may be gone with it. Neither
		// must prevent the report. After stop a signal ends the process, so this comes first.
		signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
		stop()
	})
	return ctx
}

// A phase records whether a command works or waits for files, which determines how long it may run after a signal.
// The zero value is the phase of reading inputs. Methods of a nil phase do nothing.
type phase struct {
	working atomic.Bool
	since   atomic.Int64 // the last change or progress, in nanoseconds of the clock
}

// After a signal, a command that reads its inputs or writes its result ends if it makes no progress for waitGrace:
// opening or reading a FIFO and writing to a full pipe can wait forever. A command that works has workGrace to end
// its processes and to render the finished claims.
const (
	waitGrace    = 500 * time.Millisecond
	workGrace    = 5 * time.Second
	pollInterval = 20 * time.Millisecond
)

// Work begins the part of a command that ends by itself after a signal.
func (p *phase) Work() { p.enter(true) }

// Write begins or continues the output of a result. Each call is progress.
func (p *phase) Write() { p.enter(false) }

func (p *phase) enter(working bool) {
	if p != nil {
		p.working.Store(working)
		p.since.Store(time.Now().UnixNano())
	}
}

// Working reports whether the command is in a part that ends by itself after a signal.
func (p *phase) Working() bool { return p.working.Load() }

// Await returns the exit code of a command. It returns false if the command does not end in time after ctx is done.
func (p *phase) Await(ctx context.Context, code <-chan int) (int, bool) {
	select {
	case c := <-code:
		return c, true
	case <-ctx.Done():
	}
	signaled := time.Now()
	tick := time.NewTicker(pollInterval)
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
