package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
)

// journalFlags holds --shard, --checkpoint and, for audit, --prepared, which keep the tallies of a run in a file.
type journalFlags struct{ shard, checkpoint, prepared string }

const shardName = "shard"

func (f *journalFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.shard, shardName, "",
		"sample shard `i/n` into the file of -o; auto: by environment")
	fileFlag{to: &f.checkpoint, use: claimsfile.WritesFile}.add(c, "checkpoint", "",
		"keep samples in `FILE` and continue from there")
	complete(c, shardName, cobra.NoFileCompletions)
}

// part returns the shard of --shard and the number of shards; 1 and 1 by default.
func (f *journalFlags) part(a *app) (shard, of int, err error) {
	if f.shard == "" {
		return 1, 1, nil
	}
	part, whence, err := parseShard(f.shard, os.Getenv)
	if err != nil {
		return 0, 0, usage(fmt.Errorf("--shard %s: %w", f.shard, err))
	}
	if f.shard = fmt.Sprintf("%d/%d", part.Shard, part.Of); whence != "" {
		a.say("--shard %s, from %s", f.shard, whence)
	}
	return part.Shard, part.Of, nil
}

// open starts or continues the journal of the flags, and returns nil if they request none. The head describes the
// whole run.
func (f *journalFlags) open(a *app, head checkpoint.Head, out outputFlags, side sideFlags) (*checkpoint.File,
	error) {
	var err error
	if head.Shard, head.Total, err = f.part(a); err != nil {
		return nil, err
	}
	path := f.checkpoint
	switch {
	case f.shard != "" && f.checkpoint != "":
		return nil, usage(errors.New("--shard keeps its samples in the file of -o: leave --checkpoint out"))
	case f.shard != "" && side.record != "":
		return nil, usage(errors.New("--shard judges nothing: give --write-baseline to 'dpverify merge'"))
	case f.shard != "" && out.path == "":
		return nil, usage(errors.New("--shard writes tallies, not a report: give their file with -o FILE"))
	case f.shard == "" && f.prepared != "":
		return nil, usage(errors.New("--prepared FILE is for the shards of a run: give --shard i/n"))
	case f.shard != "":
		path = out.path
	case path == "":
		return nil, nil
	}
	_, missing := os.Stat(path)
	journal, err := checkpoint.Open(path, head)
	if err == nil && f.prepared != "" {
		if err = journal.PreparedBy(f.prepared); err != nil {
			err = errors.Join(err, journal.Close())
			if missing != nil {
				err = errors.Join(err, os.Remove(path)) // it is still empty
			}
		}
	}
	if err != nil {
		return nil, usage(err)
	}
	a.warn(journal.Flaws())
	return journal, nil
}

// warn prints up to 20 faults of files that can still be used, one per line.
func (a *app) warn(flaws []error) {
	const maxLines = 20
	for _, flaw := range flaws[:min(maxLines, len(flaws))] {
		a.say("%v", flaw)
	}
	if more := len(flaws) - maxLines; more > 0 {
		a.say("and %d more such lines", more)
	}
}

// closeJournal closes the journal of a run, if there is one.
func closeJournal(o verify.Options) error {
	if o.Checkpoint == nil {
		return nil
	}
	return o.Checkpoint.Close()
}

// gapsOf returns an error with the claims for which a merged journal has too few samples.
func gapsOf(o verify.Options) error {
	if o.Checkpoint == nil {
		return nil
	}
	return o.Checkpoint.Gaps()
}

// tellFailures prints the reason of each failed claim, one per line.
func (a *app) tellFailures(run verify.Run) {
	for _, r := range run.Results {
		if r.Verdict == verify.Error {
			reason := strings.Join(strings.Fields(strings.Join(r.Warnings, "; ")), " ")
			a.say("%s: %s", r.Claim.ID, reason)
		}
	}
}

// sampled ends the run of a shard, which has no report but a line on standard error.
func (a *app) sampled(s *side, f journalFlags, path string, run verify.Run) error {
	if err := s.events.Close(); err != nil {
		return unwritten(err)
	}
	a.tellFailures(run)
	if err := outcome(run, exempt(reports.Document{}), false, false); err != nil {
		return err
	}
	a.say("shard %s of %d claims is in %s", f.shard, run.Selected, path)
	return nil
}
