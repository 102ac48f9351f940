package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify/checkpoint"
)

// errWatchTimeout says that the parts were not done in time.
var errWatchTimeout = errors.New("the time is over")

// partsWatch is how parts are waited for.
type partsWatch struct {
	Patterns []string      // files, or globs of them: a part may have no file yet
	Poll     time.Duration // between two looks
	Timeout  time.Duration // 0 is none
	To       io.Writer     // a table that is drawn anew on a terminal, else a line for each change
}

// watchFlags are those of a command that may wait.
type watchFlags struct {
	watch   bool
	timeout time.Duration
}

// Add makes them flags of a command.
func (f *watchFlags) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.watch, "watch", false, "wait until all shards are done and show their progress")
	flags.DurationVar(&f.timeout, "timeout", 0, "with --watch, maximum `TIME` to wait; 0 is no limit")
}

// Files are those that patterns name once their parts are done; without --watch just those that are given.
func (f watchFlags) Files(ctx context.Context, files []string, to io.Writer) ([]string, error) {
	const poll = time.Second
	switch {
	case f.timeout < 0 || f.timeout > 0 && !f.watch:
		return nil, errors.New("--timeout TIME is for --watch, and above 0")
	case !f.watch:
		return files, nil
	}
	return partsWatch{Patterns: files, Poll: poll, Timeout: f.timeout, To: to}.Wait(ctx)
}

// Wait returns the files once all parts are done. An error names the parts that are not, or the file that is of
// another run.
func (w partsWatch) Wait(ctx context.Context) ([]string, error) {
	if w.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, w.Timeout, errWatchTimeout)
		defer cancel()
		ctx = limited
	}
	tick := time.NewTicker(w.Poll)
	defer tick.Stop()
	screen := watchScreen{to: w.To}
	_, screen.terminal = terminalOf(w.To)
	for {
		files, err := expandPatterns(w.Patterns)
		if err != nil {
			return nil, err
		}
		parts, err := checkpoint.Survey(files)
		if err != nil {
			return nil, err
		}
		screen.show(parts)
		if len(parts) > 0 && !slices.ContainsFunc(parts, func(p checkpoint.Part) bool { return !p.Done() }) {
			return files, nil
		}
		select {
		case <-ctx.Done():
			return files, fmt.Errorf("%w: %s", context.Cause(ctx), checkpoint.InWords(parts))
		case <-tick.C:
		}
	}
}

// expandPatterns is the files that patterns name, in order, each once.
func expandPatterns(patterns []string) (files []string, err error) {
	for _, pattern := range patterns {
		if _, err := os.Stat(pattern); err == nil {
			files = append(files, pattern)
			continue
		}
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// watchScreen shows parts as they go on.
type watchScreen struct {
	to       io.Writer
	terminal bool
	lines    int // of the table that is shown
	before   string
}

func (s *watchScreen) show(parts []checkpoint.Part) {
	line := visible.Line(checkpoint.InWords(parts))
	if len(parts) == 0 {
		line = "there is no part yet"
	}
	if !s.terminal {
		if line != s.before {
			fmt.Fprintf(s.to, "dpverify: %s\n", line)
		}
		s.before = line
		return
	}
	var b strings.Builder
	if s.lines > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\x1b[J", s.lines)
	}
	const most = 40 // rows that a terminal has
	rows := []string{line}
	for _, p := range parts {
		if !p.Done() && len(rows) < most {
			rows = append(rows, "  "+visible.Line(p.String()))
		}
	}
	s.lines = len(rows)
	b.WriteString(strings.Join(rows, "\n") + "\n")
	_, _ = io.WriteString(s.to, b.String()) // a screen that is gone ends nothing
}
