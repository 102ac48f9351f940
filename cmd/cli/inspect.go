package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

func (a *app) listCommand() *cobra.Command {
	var out outputFlags
	var experiments bool
	var origin string
	c := &cobra.Command{
		Use:   "list [PATTERN…]",
		Short: "List claims or experiments",
		Long: `List shows the claims whose ids match a pattern, by default all claims, with place,
origin, kind and statement. The origins are

    stated       the paper states it at the named place
    implied      it follows from the named lines
    reading      our reading of an ambiguous statement
    program      the published program that the paper names does it
    correction   our correction of a claim that fails
    observation  a consequence at a setting of the paper

Nothing is run.`,
		Example: `  dpverify list
  dpverify list prestige --format json
  dpverify list --origin stated
  dpverify list --experiments`,
		ValidArgsFunction: a.completeIDs(-1),
		RunE: func(_ *cobra.Command, patterns []string) error {
			if err := out.check(); err != nil {
				return err
			}
			if experiments && (len(patterns) > 0 || origin != "") {
				return usage(fmt.Errorf("--experiments lists all experiments: leave out patterns and --origin"))
			}
			if origin != "" && !slices.Contains(verify.Origins, verify.Origin(origin)) {
				return usage(fmt.Errorf("--origin %q: want one of %s", origin, originNames()))
			}
			if experiments {
				all := experimentsOfPapers(a.papers)
				if out.json() {
					return a.write(out, func(w io.Writer) error { return reports.ListExperimentsJSON(w, all) })
				}
				return a.writeSheet(out, reports.ListExperiments(all))
			}
			ledger, err := a.open()
			if err != nil {
				return err
			}
			chosen, err := ledger.Select(patterns...)
			if err != nil {
				return usage(err)
			}
			if origin != "" {
				chosen = slices.DeleteFunc(chosen, func(c verify.Claim) bool { return c.Origin != verify.Origin(origin) })
			}
			if out.json() {
				return a.write(out, func(w io.Writer) error { return reports.ListClaimsJSON(w, chosen) })
			}
			return a.writeSheet(out, reports.ListClaims(chosen))
		},
	}
	out.addShown(c)
	c.Flags().StringVar(&origin, "origin", "", "only claims of this `ORIGIN`, for example stated")
	c.Flags().BoolVar(&experiments, "experiments", false, "list the experiments of the papers instead")
	return c
}

func originNames() string {
	var names []string
	for _, o := range verify.Origins {
		names = append(names, string(o))
	}
	return strings.Join(names, ", ")
}

func (a *app) explainCommand() *cobra.Command {
	var run runFlags
	c := &cobra.Command{
		Use:   "explain ID",
		Short: "Explain how a claim is measured and how its verdict could be wrong",
		Long: `Explain shows a claim's statement, how it is measured, its share of the error
probability, the violation that the check would detect, the control that it must
refute, and how the verdict could be wrong. It prepares the check and takes no
samples that count.`,
		Example: `  dpverify explain prestige/lemma-2
  dpverify explain prestige/lemma-2 --budget thorough`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeIDs(1),
		RunE: func(c *cobra.Command, args []string) error {
			ledger, err := a.open()
			if err != nil {
				return err
			}
			claim, err := oneClaim(ledger, args[0])
			if err != nil {
				return err
			}
			o, err := run.options(a)
			if err != nil {
				return err
			}
			e := prepare(c.Context(), ledger, claim, o)
			if c.Context().Err() != nil {
				return withCode(codeInterrupted, fmt.Errorf("interrupted"))
			}
			return a.writeSheet(outputFlags{}, reports.Explain(e))
		},
	}
	run.plan(c)
	return c
}

func oneClaim(l *verify.Ledger, id string) (verify.Claim, error) {
	if claim, ok := l.Find(id); ok {
		return claim, nil
	}
	several, err := l.Select(id)
	if err != nil {
		return verify.Claim{}, usage(err)
	}
	return verify.Claim{}, usage(fmt.Errorf("%q matches %d claims: want the id of one claim, as in %q", id, len(several),
		several[0].ID))
}

// prepare prepares the check of a claim and explains what a run would do.
func prepare(ctx context.Context, l *verify.Ledger, c verify.Claim, o verify.Options) reports.Explanation {
	settings := l.Settings(c, o)
	e := reports.Explanation{Claim: c, Options: o, Alpha: settings.Alpha}
	settings.Pool = empirical.NewPool(o.Workers)
	trial, err := empirical.Do(ctx, settings.Pool,
		func(ctx context.Context) (verify.Trial, error) { return c.Check.Prepare(ctx, settings) })
	if err != nil {
		e.Unprepared = err.Error()
		return e
	}
	e.Plan = trial.Plan()
	if e.Plan.Shards > 0 {
		return e
	}
	// A check without shards is decided already, and its evidence names the method.
	evidence, err := trial.Judge(trial.NewTally())
	if err != nil {
		e.Unprepared = err.Error()
		return e
	}
	e.Decided = &evidence
	return e
}
