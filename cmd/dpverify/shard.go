package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/verify"
)

// journalFlags are --shard and --checkpoint: they keep the tallies of a run in a file.
type journalFlags struct{ shard, checkpoint string }

func (f *journalFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.shard, "shard", "", "sample the `i/n`-th part alone, i from 1, into the file of -o, which 'dpverify merge' takes")
	c.Flags().StringVar(&f.checkpoint, "checkpoint", "", "keep what is sampled in `FILE`, and go on from what is there")
	complete(c, "shard", cobra.NoFileCompletions)
}

// part reads --shard; 1 of 1 where it is not given.
func (f *journalFlags) part() (shard, of int, err error) {
	if f.shard == "" {
		return 1, 1, nil
	}
	i, n, cut := strings.Cut(f.shard, "/")
	shard, err1 := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !cut || err1 != nil || err2 != nil || !(1 <= shard && shard <= of) {
		return 0, 0, usage(fmt.Errorf("--shard %s: want i/n, two whole numbers, i from 1 to n", f.shard))
	}
	return shard, of, nil
}

// open begins the journal that the flags ask for, or goes on with it; nil if they ask for none.
func (f *journalFlags) open(a *app, j job, chosen []verify.Claim, o verify.Options) (*verify.Journal, error) {
	shard, of, err := f.part()
	if err != nil {
		return nil, err
	}
	path := f.checkpoint
	switch {
	case f.shard != "" && f.checkpoint != "":
		return nil, usage(errors.New("--shard keeps what is sampled in the file of -o: leave --checkpoint out"))
	case f.shard != "" && j.side.record != "":
		return nil, usage(errors.New("--shard judges nothing: give --write-baseline to 'dpverify merge'"))
	case f.shard != "" && j.out.path == "":
		return nil, usage(errors.New("--shard writes tallies, not a report: give their file with -o FILE"))
	case f.shard != "":
		path = j.out.path
	case path == "":
		return nil, nil
	}
	journal, err := verify.OpenJournal(path, verify.NewJournalHead(a.version, j.words, chosen, o, shard, of))
	return journal, usage(err)
}

// sampled is the end of a shard: no report, but a word on standard error.
func (a *app) sampled(j job, run verify.Run) error {
	for _, r := range run.Results {
		if r.Verdict == verify.Error {
			fmt.Fprintf(a.stderr, "dpverify: %s: %s\n", r.Claim.ID, strings.Join(r.Warnings, "; "))
		}
	}
	if err := outcome(run, false, false); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "dpverify: shard %s of %d claims is in %s\n", j.run.journal.shard, run.Selected, j.out.path)
	return nil
}

func (a *app) mergeCommand() *cobra.Command {
	var out outputFlags
	var side sideFlags
	var workers workersFlag
	var data dataFlag
	c := &cobra.Command{
		Use:   "merge FILE…",
		Short: "Judge what several machines have sampled",
		Long: `Merge reads the files that 'report' or 'verify' wrote with --shard i/n, one for
each i from 1 to n, and writes what that command would have written had it run as
a whole, byte for byte. A file of another version or of another run, a part that
is there twice and one that is missing are refused.

Its exit code is that of the command whose parts are merged.`,
		Example: `  dpverify verify prestige --shard 1/2 -o part-1.jsonl
  dpverify verify prestige --shard 2/2 -o part-2.jsonl
  dpverify merge part-1.jsonl part-2.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			ledger, err := a.open()
			if err != nil {
				return err
			}
			journal, head, err := verify.MergeJournals(files)
			if err != nil {
				return usage(err)
			}
			if head.Version != a.version {
				return usage(fmt.Errorf("%s: was written by version %s, and this is %s", files[0], head.Version, a.version))
			}
			dir, err := data.value()
			if err != nil {
				return err
			}
			if head.Data && dir == "" {
				return usage(errors.New("the files were sampled with data: give --data DIR"))
			}
			if !head.Data {
				dir = ""
			}
			o := verify.Options{Seed: head.Seed, Alpha: head.Alpha, Budget: head.Budget, Data: dir, Workers: workers.n, Journal: journal}
			if err := o.Validate(); err != nil {
				return usage(err)
			}
			j := job{ledger: ledger, words: head.Command, out: out, side: side, refutedIsError: head.Command[0] == "verify"}
			if j.refutedIsError {
				j.patterns = head.Command[1:]
			} else if len(head.Command) == 3 { // report --paper P
				j.patterns = head.Command[2:]
			}
			return a.judgeWith(c.Context(), j, o)
		},
	}
	workers.add(c)
	data.add(c)
	out.add(c, "html", "junit", "sarif")
	side.add(c)
	side.addBaseline(c)
	return c
}
