package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
)

func (a *app) reportCommand() *cobra.Command {
	var run runFlags
	var out outputFlags
	var side sideFlags
	var paper string
	var form reportFlags
	c := &cobra.Command{
		Use:   "report",
		Short: "Judge all claims and write the report",
		Long: `Report judges every claim of the claim set and writes a report for readers of the
papers. For each paper it has the consequences at the paper's own settings, the findings
by impact with their reasons and corrections, the paper item by item, the confirmed
claims and the undecided ones. --full appends every claim with its counterexample and
method. HTML is one file with everything, including pictures, and needs no script. With
-o DIR/ the Markdown is DIR/report.md, with a picture of each paper's main finding.

It exits with 0 for any verdicts, unless a check fails.`,
		Example: `  dpverify report
  dpverify report --budget quick -o report.md
  dpverify report --format html -o report.html
  dpverify report -o report/
  dpverify report --paper prestige --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ledger, err := a.open()
			if err != nil {
				return err
			}
			var patterns []string
			words := []string{"report"}
			if c.Flags().Changed("paper") {
				if err := knownPaper(ledger, paper); err != nil {
					return err
				}
				patterns = []string{paper}
				words = append(words, "--paper", paper)
			}
			return a.judge(c.Context(), job{ledger: ledger, patterns: patterns, words: words, run: run, out: out, side: side,
				reportFlags: form})
		},
	}
	run.add(c)
	run.journal.add(c)
	out.addJudged(c, "html", "erratum", "junit", "sarif")
	side.add(c)
	form.add(c)
	c.Flags().StringVar(&paper, "paper", "",
		"only claims of this `PAPER`, the first part of an id")
	complete(c, "paper", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var ids []cobra.Completion
		for _, p := range a.papers {
			ids = append(ids, cobra.CompletionWithDesc(p.ID, p.Title))
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

func (a *app) verifyCommand() *cobra.Command {
	var run runFlags
	var out outputFlags
	var side sideFlags
	c := &cobra.Command{
		Use:   "verify [PATTERN…]",
		Short: "Judge claims chosen by their ids",
		Long: `Verify judges the claims whose ids match a pattern, by default all claims. A
pattern is a prefix of an id that ends at a slash, or a glob. Verdicts and figures
are the same as in the report.

It exits with 1 if a claim is refuted or contradictory and the baseline does not
list it.`,
		Example: `  dpverify verify prestige/lemma-2
  dpverify verify prestige/prop-1 prestige/prop-2 --budget quick
  dpverify verify '*/lemma-*' --format json
  dpverify verify --budget quick --baseline testdata/baseline.json`,
		ValidArgsFunction: a.completeIDs(-1),
		RunE: func(c *cobra.Command, patterns []string) error {
			ledger, err := a.open()
			if err != nil {
				return err
			}
			return a.judge(c.Context(), job{ledger: ledger, patterns: patterns, words: append([]string{"verify"}, patterns...),
				run: run, out: out, side: side, refutedIsError: true})
		},
	}
	run.add(c)
	run.journal.add(c)
	out.addJudged(c, "html", "junit", "sarif")
	side.add(c)
	side.addBaseline(c)
	return c
}

// reportFlags holds the flags for the size and form of a report.
type reportFlags struct{ full bool }

func (f *reportFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.full, "full", false, "append every claim with its evidence")
	c.Flags().Bool("plain-math", true, "formulas are plain text in every format")
	_ = c.Flags().MarkHidden("plain-math")
}

// job holds the inputs that report and verify have in common.
type job struct {
	ledger         *verify.Ledger
	patterns       []string
	words          []string // the command without the shared flags
	run            runFlags
	out            outputFlags
	side           sideFlags
	refutedIsError bool
	reportFlags
}

// judge selects the claims of a job, checks its flags, and runs the claims.
func (a *app) judge(ctx context.Context, j job) error {
	chosen, err := j.ledger.Select(j.patterns...)
	if err != nil {
		return usage(err)
	}
	if err := j.out.check(); err != nil {
		return err
	}
	if err := j.run.timed(j.out); err != nil {
		return err
	}
	o, err := j.run.options(a)
	if err != nil {
		return err
	}
	if j.run.journal != (journalFlags{}) {
		head := checkpoint.NewHead(sourcesVersion(a.version), j.words, chosen, o)
		if o.Checkpoint, err = j.run.journal.open(a, head, j.out, j.side); err != nil {
			return err
		}
	}
	if j.words[0] == "report" && j.run.journal.shard == "" {
		a.say("%s", reportCost(chosen, o.Budget, o.Workers))
	}
	return a.runChosen(ctx, j, chosen, o)
}

// runChosen runs the claims of a job, or reads them from a merged journal, and writes the result.
func (a *app) runChosen(ctx context.Context, j job, chosen []verify.Claim, o verify.Options) error {
	side, err := j.side.open(a, j.out)
	if err != nil {
		return errors.Join(err, closeJournal(o))
	}
	run, err := a.watched(ctx, side, "judging claims", j.ledger, chosen, o, j.words)
	switch {
	case err != nil:
		return err
	case j.run.journal.shard != "":
		return a.sampled(side, j.run.journal, j.out.path, run)
	}
	d := reports.Document{
		Full:  j.full || j.words[0] != "report",
		Title: a.command() + " " + j.words[0], Run: run, Papers: a.papers, Version: a.version, Go: runtime.Version(),
		Command: reports.Command(o, j.words...), Experiments: experimentsOfPapers(a.papers),
		Times: j.run.times,
	}
	if a.remarks != nil {
		if d.Remarks, err = a.remarks(); err != nil {
			return internal(err)
		}
	}
	return side.publish(j.ledger, d, j.out,
		func(run verify.Run, exempt func(verify.Result) bool) error {
			return outcome(run, exempt, j.refutedIsError, j.run.strict)
		})
}

// watched runs claims, shows the progress, and closes the journal.
func (a *app) watched(ctx context.Context, s *side, doing string, l *verify.Ledger, chosen []verify.Claim,
	o verify.Options, words []string) (verify.Run, error) {
	bar := a.meter(doing)
	bar.Each, bar.IsWarning = s.flags.progress, s.isWarning
	run, err := s.watch(l, chosen, o, bar, reports.Command(o, words...))(ctx)
	bar.Close()
	if unkept := closeJournal(o); unkept != nil {
		return run, usage(errors.Join(err, unkept))
	}
	if err != nil {
		return run, internal(err)
	}
	return run, usage(gapsOf(o))
}

// open returns the ledger. An inconsistent ledger is an internal error, not an error of the user.
func (a *app) open() (*verify.Ledger, error) {
	ledger, err := a.ledger()
	if err != nil {
		return nil, internal(fmt.Errorf("the claim set: %w", err))
	}
	return ledger, nil
}

func knownPaper(l *verify.Ledger, id string) error {
	var papers []string
	for _, c := range l.Claims() {
		if !slices.Contains(papers, c.Paper) {
			papers = append(papers, c.Paper)
		}
	}
	if slices.Contains(papers, id) {
		return nil
	}
	return usage(fmt.Errorf("no paper %q: there are %s", id, strings.Join(papers, ", ")))
}

// completeIDs completes up to limit claim ids; -1 means any number.
func (a *app) completeIDs(limit int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ledger, err := a.ledger()
		if err != nil || limit >= 0 && len(args) >= limit {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []cobra.Completion
		for _, c := range ledger.Claims() {
			ids = append(ids, cobra.CompletionWithDesc(c.ID, c.Statement))
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
