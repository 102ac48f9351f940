package cli

import (
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// planFlags are those of `dpverify plan`.
type planFlags struct {
	auditFlags
	wall   time.Duration
	shards int
	noRun  bool
}

func (a *app) planCommand() *cobra.Command {
	var f planFlags
	c := &cobra.Command{Use: "plan [CONFIG.yaml]", Short: planShort, Long: planLong, Example: planExample,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.plan(c, args, f) }}
	argumentsAreFiles(c)
	f.addClaims(c)
	f.run.plan(c)
	f.run.workers.add(c)
	c.Flags().DurationVar(&f.wall, "wall", 0, "suggest samples for a run of this `TIME` by the clock, as in 2h")
	c.Flags().IntVar(&f.shards, "shards", 1, "plan a run in `K` parts, each with its workers, as --shard i/K makes")
	c.Flags().BoolVar(&f.noRun, "no-run", false, "run no mechanism: tell what follows from the claims alone")
	complete(c, "wall", cobra.NoFileCompletions)
	complete(c, "shards", cobra.NoFileCompletions)
	f.out.addShown(c)
	return c
}

func (a *app) plan(c *cobra.Command, args []string, f planFlags) error {
	if err := f.out.check(); err != nil {
		return err
	}
	j, err := f.job(c.Flags(), args)
	if err != nil {
		return usage(err)
	}
	if err := a.alsoReads(j.reads); err != nil {
		return err
	}
	if j.options, err = f.run.options(a); err != nil {
		return err
	}
	job := planJob{Ledger: j.ledger, Subjects: j.subjects, Options: j.options, Version: a.version, Wall: f.wall,
		Walled: c.Flags().Changed("wall"), Shards: f.shards, NoRun: f.noRun}
	if _, err := j.work().Check(true); err != nil {
		return usage(err)
	}
	if err := job.Check(); err != nil {
		return usage(err)
	}
	a.phase.Work()
	p, err := job.Plan(c.Context())
	switch {
	case c.Context().Err() != nil:
		return withCode(codeInterrupted, errors.New("interrupted: nothing is planned"))
	case err != nil:
		return usage(err)
	}
	if f.out.json() {
		err = a.write(f.out, func(w io.Writer) error { return reports.WriteJSON(w, p) })
	} else {
		err = a.writeSheet(f.out, p.Sheet())
	}
	failed := planFailures(p)
	switch {
	case err != nil:
		return err
	case j.unfit(verify.Run{}) != nil: // the claims are at fault, and not their mechanisms
		return usage(failed)
	}
	return internal(failed)
}
