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

// errWatchTimeout is the error if shards did not finish in time.
var errWatchTimeout = errors.New("timeout expired")

// partsWatch waits for shards.
type partsWatch struct {
	Patterns []string      // files or globs: a shard may have no file yet
	Poll     time.Duration // interval
	Timeout  time.Duration // 0 for none
	To       io.Writer     // gets a table that is redrawn on a terminal, else a line for each change
}

// watchFlags holds the flags of a command that can wait for shards.
type watchFlags struct {
	watch   bool
	timeout time.Duration
}

// Add adds the flags to a command.
func (f *watchFlags) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.watch, "watch", false, "wait until all shards are done and show their progress")
	flags.DurationVar(&f.timeout, "timeout", 0, "with --watch, maximum `TIME` to wait; 0 for no limit")
}

// Files returns the files that the patterns name once their shards are done; without --watch it returns the given
// files.
func (f watchFlags) Files(ctx context.Context, files []string, to io.Writer) ([]string, error) {
	const poll = time.Second
	switch {
	case f.timeout < 0 || f.timeout > 0 && !f.watch:
		return nil, errors.New("--timeout TIME needs --watch and a time above 0")
	case !f.watch:
		return files, nil
	}
	return partsWatch{Patterns: files, Poll: poll, Timeout: f.timeout, To: to}.Wait(ctx)
}

// Wait returns the files once all shards are done. An error names the unfinished shards, or a file of another run.
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

// expandPatterns returns the sorted files that the patterns name, without duplicates.
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

// watchScreen shows the progress of shards.
type watchScreen struct {
	to       io.Writer
	terminal bool
	lines    int // of the table that is shown
	before   string
}

func (s *watchScreen) show(parts []checkpoint.Part) {
	line := visible.Line(checkpoint.InWords(parts))
	if len(parts) == 0 {
		line = "no shard has started"
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
	const maxRows = 40
	rows := []string{line}
	for _, p := range parts {
		if !p.Done() && len(rows) < maxRows {
			rows = append(rows, "  "+visible.Line(p.String()))
		}
	}
	s.lines = len(rows)
	b.WriteString(strings.Join(rows, "\n") + "\n")
	_, _ = io.WriteString(s.to, b.String()) // a closed terminal does not end the merge
}
