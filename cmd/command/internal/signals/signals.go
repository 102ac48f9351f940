// Package signals tells when the process is to end.
package signals

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interrupted is done at the first signal that asks the process to end: Ctrl-C, a
// scheduler's SIGTERM, or the end of its terminal. That ends the run in order; the next one
// ends the process.
func Interrupted() context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, func() {
		// A terminal that closes may say so more than once, and whoever reads the progress
		// may be gone with it: neither is to keep the report from being written. Before stop,
		// after which a signal ends the process.
		signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
		stop()
	})
	return ctx
}
