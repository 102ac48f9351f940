package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
)

// mergeFlags holds the flags of “dpverify merge”.
type mergeFlags struct {
	out     outputFlags
	side    sideFlags
	workers workersFlag
	data    dataFlag
	limits  processFlags
	report  reportFlags
	wait    watchFlags
}

func (a *app) mergeCommand() *cobra.Command {
	var f mergeFlags
	c := &cobra.Command{
		Use:   "merge FILE…",
		Short: "Merge the shards of a run and judge its claims",
		Long: `Merge reads the files that 'report', 'verify' or 'audit' wrote with --shard i/n,
one for each i from 1 to n. It writes the same bytes as that command without
--shard. It rejects files of another version or another run, and duplicate or
missing shards.

The shards of an audit are merged where the audit could run: merge reads its files
again by the names in the command, and runs its mechanisms again for the outputs
that chose pairs and events. For a mechanism that ignores the seed, the shards
store these outputs, and merge does not run it.

Merge names unfinished shards, with their finished claims and the time of their last
write. With --watch it waits for them, shows their progress, and continues when all
are done. FILE may then be a quoted glob of files that do not exist yet.

The exit code is the same as without --shard.`,
		Example: `  dpverify verify prestige --shard 1/2 -o part-1.jsonl
  dpverify verify prestige --shard 2/2 -o part-2.jsonl
  dpverify merge part-1.jsonl part-2.jsonl
  dpverify merge --watch --timeout 2h 'part-*.jsonl' -o report.md`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error { return a.merge(c, files, f) },
	}
	argumentsAreFiles(c)
	f.workers.add(c)
	f.data.add(c)
	f.limits.add(c)
	f.out.addJudged(c, "html", "erratum", "junit", "sarif")
	f.report.add(c)
	f.side.add(c)
	f.side.addBaseline(c)
	f.wait.Add(c.Flags())
	complete(c, "timeout", cobra.NoFileCompletions)
	return c
}

func (a *app) merge(c *cobra.Command, files []string, f mergeFlags) error {
	files, err := f.wait.Files(c.Context(), files, a.stderr)
	if err != nil && c.Context().Err() != nil {
		return withCode(codeInterrupted, err)
	} else if err != nil {
		return usage(err)
	}
	journal, head, err := checkpoint.Merge(files)
	if err != nil {
		return usage(err)
	}
	a.warn(journal.Flaws())
	if this := sourcesVersion(a.version); head.Version != this {
		return usage(fmt.Errorf("%s: was written by version %s, not %s: merge with the version that sampled, or sample "+
			"again with this one", files[0], head.Version, this))
	}
	o := verify.Options{Program: a.name, Seed: head.Seed, Alpha: head.Alpha, Budget: head.Budget,
		Workers: f.workers.n, Checkpoint: journal}
	if err := o.Validate(); err != nil {
		return usage(err)
	}
	switch {
	case len(head.Command) > 0 && head.Command[0] == "audit":
		return a.mergeAudit(c, files[0], head, o, f)
	case len(head.Command) == 0 || !slices.Contains([]string{"verify", "report"}, head.Command[0]):
		return usage(fmt.Errorf("%s: holds a run of %q, which has no shards", files[0], head.Command))
	}
	return a.mergeLedger(c.Context(), files[0], head, o, f)
}

// mergeLedger merges the shards of report or verify.
func (a *app) mergeLedger(ctx context.Context, file string, head checkpoint.Head, o verify.Options,
	f mergeFlags) error {
	ledger, err := a.open()
	if err != nil {
		return err
	}
	dir, err := f.data.value()
	if err != nil {
		return err
	}
	if head.Data {
		if o.Data = dir; dir == "" {
			return usage(errors.New("the shards were sampled with data: give --data DIR"))
		}
	}
	j := job{ledger: ledger, words: head.Command, out: f.out, side: f.side, reportFlags: f.report,
		refutedIsError: head.Command[0] == "verify"}
	if j.refutedIsError {
		j.patterns = head.Command[1:]
	} else if len(head.Command) == 3 { // report --paper P
		j.patterns = head.Command[2:]
	}
	chosen, err := ledger.Select(j.patterns...)
	if err == nil && checkpoint.NewHead(sourcesVersion(a.version), j.words, chosen, o).Claims != head.Claims {
		err = errors.New("the claims have changed since")
	}
	if err != nil {
		return usage(fmt.Errorf("%s: holds a run of %q: %w", file, head.Command, err))
	}
	if err := j.out.check(); err != nil {
		return err
	}
	return a.runChosen(ctx, j, chosen, o)
}

// mergeAudit merges the shards of an audit. It reads the audited claims again from the files that the command names;
// only a claims file, never a shard, decides which program runs.
func (a *app) mergeAudit(c *cobra.Command, file string, head checkpoint.Head, o verify.Options, f mergeFlags) error {
	if err := f.out.check(); err != nil {
		return err
	}
	var audit auditFlags
	again := &cobra.Command{Use: "audit", SilenceErrors: true, SilenceUsage: true}
	argumentsAreFiles(again)
	audit.add(again)
	words := head.Command[1:]
	c.Flags().Visit(func(flag *pflag.Flag) {
		if slices.Contains(processNames, flag.Name) {
			words = append(words, "--"+flag.Name, flag.Value.String())
		}
	})
	if err := again.ParseFlags(words); err != nil || again.Flags().Changed("exec") {
		return usage(fmt.Errorf("%s: holds a run of %q, which has no shards", file, head.Command))
	}
	j, err := audit.job(again.Flags(), again.Flags().Args())
	if err != nil {
		return usage(fmt.Errorf("%s: the claims of %q cannot be read again: %w", file, head.Command, err))
	}
	defer closeAll(j.subjects)
	if config := claimsfile.Digest(j.subjects); config != head.Config {
		return usage(fmt.Errorf("%s: was sampled under another configuration, or on other recorded outputs, "+
			"than %q has here", file, head.Command))
	}
	if err := a.alsoReads(append(filesOf(again, again.Flags().Args()), j.reads...)); err != nil {
		return err
	}
	j.options, j.out, j.side = o, f.out, f.side
	return a.judgeAudit(c.Context(), j)
}
