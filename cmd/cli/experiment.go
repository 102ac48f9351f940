package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/papers"
	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/reports/chart"
)

// experimentFlags holds the flags of `dpverify experiment`.
type experimentFlags struct {
	seed    seedFlag
	budget  budgetFlag
	workers workersFlag
	out     outputFlags
	plot    string
	strict  bool
	cost    costFlag

	data              dataFlag
	train, test       string
	dataFormat        string
	header, separator string
	labels            dataset.Labels
	labelColumn       int
	options           experiment.Options
}

func (a *app) experimentCommand() *cobra.Command {
	var f experimentFlags
	c := &cobra.Command{
		Use:   "experiment NAME",
		Short: "Run an experiment of a paper on its data or on yours",
		Long: `Repeat a figure or a table of a paper and write its curves: mean ± standard deviation
over the repeats, a confidence interval for the mean, and the paper's values.
'dpverify list --experiments' lists the experiments and their data. --format html
writes a page with the curves; --plot draws only the curves.

The papers' data sets are read from the directory of --data, or of DPVERIFY_DATA, under
the file names of their public copies. A panel without its data is not run and names
the missing file. Some experiments accept other data with --train: LIBSVM or CSV files
with two classes, also as .gz. The file's extension determines the format. The label is
the last column of a CSV file; --label-column selects another. Without a test file, a
part of the training rows is held out.

Budgets set repeats, points and data: quick (within a minute), standard (as in the paper) and thorough.
--positive is needed unless the labels are -1/+1, 0/1, 1/2 or 2/4.

With --checkpoint FILE finished runs are kept, and the same command continues from
there: after Ctrl-C, after a crash, or with more --repeats.`,
		Example: `  dpverify experiment prestige/fig-4 --data DIR --plot fig-4.svg
  dpverify experiment pairwise/fig-1 --data DIR --format html -o fig-1.html
  dpverify experiment prestige/fig-4 --data DIR --budget thorough --checkpoint fig-4.kept -o fig-4.md
  dpverify experiment prestige/fig-4 --train data.csv --positive yes --negative no --epsilon 0.5,1,2 --repeats 10
  dpverify experiment prestige/fig-4 --train data.csv --label-column 1 --budget quick --format json`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, e := range papers.Registry() {
				if len(args) == 0 {
					names = append(names, cobra.CompletionWithDesc(e.Name, e.Title))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return a.experiment(c, args[0], f) },
	}
	f.add(c)
	c.AddCommand(a.powerCommand(), a.calibrationCommand(), a.sequentialCommand(), a.grossCommand(), a.nightsCommand(),
		a.canaryCommand())
	return c
}

func (f *experimentFlags) add(c *cobra.Command) {
	flags := c.Flags()
	f.data.add(c)
	fileFlag{to: &f.plot, use: claimsfile.ReplacesFile}.add(c, "plot", "", "also draw the panels to `FILE`.svg")
	fileFlag{to: &f.options.Checkpoint, use: claimsfile.WritesFile}.add(c, "checkpoint", "",
		"keep finished runs in `FILE` and continue from there")
	flags.BoolVar(&f.strict, "strict", false, "exit with 4 if a panel is not run")
	fileFlag{to: &f.train, use: claimsfile.ReadsFile}.add(c, "train", "", "training `FILE`")
	fileFlag{to: &f.test, use: claimsfile.ReadsFile}.add(c, "test", "",
		"test `FILE` (default: held-out training rows)")
	flags.StringVar(&f.dataFormat, "data-format", "auto",
		"`FORM` of the data: auto, libsvm or csv")
	flags.IntVar(&f.labelColumn, "label-column", 0, "CSV: `COLUMN` of the label, from 1; 0: the last")
	flags.StringVar(&f.header, "header", "detect", "CSV header `LINE`: detect, none or first")
	flags.StringVar(&f.separator, "separator", ",", "CSV: `CHARACTER` between fields")
	flags.StringVar(&f.labels.Positive, "positive", "",
		"`LABEL` that becomes +1")
	flags.StringVar(&f.labels.Negative, "negative", "", "`LABEL` that becomes -1")
	flags.Float64SliceVar(&f.options.Epsilons, "epsilon", nil, "ε of one update, a `LIST` like 0.5,1,2")
	flags.Float64SliceVar(&f.options.Totals, "total-epsilon", nil, "ε of the whole run, a `LIST`")
	flags.IntVar(&f.options.Repeats, "repeats", 0, "`N` runs of each point; 0: set by the budget")
	flags.IntVar(&f.options.Epochs, "epochs", 0, "`N` passes over the training set; 0: set by the experiment")
	flags.Float64Var(&f.options.Lambda, "lambda", 0, "regularization weight `X`; 0: set by the experiment")
	flags.Float64Var(&f.options.Radius, "radius", 0,
		"radius `X` of the parameter ball; 0: set by the experiment")
	f.seed.add(c)
	f.budget.add(c)
	f.workers.add(c)
	f.cost.add(c)
	f.out.add(c, "html")
	complete(c, "data-format", cobra.FixedCompletions([]string{"auto", "libsvm", "csv"},
		cobra.ShellCompDirectiveNoFileComp))
	complete(c, "header", cobra.FixedCompletions([]string{"detect", "none", "first"}, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) experiment(c *cobra.Command, name string, f experimentFlags) error {
	e, err := papers.Lookup(name)
	if unknown := (*papers.UnknownError)(nil); errors.As(err, &unknown) {
		return usage(fmt.Errorf("no experiment %q%s; there are %s", name, claimsfile.DidYouMeanBelow(name, unknown.Known),
			strings.Join(unknown.Known, ", ")))
	}
	if err := f.out.check(); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return usage(err)
	}
	if err := f.cost.check(a, plannedWork{Amount: float64(max(1, f.options.Repeats)) * float64(max(1, f.options.Epochs)),
		What: "passes over the data at each point", PerSecond: 1e3, Workers: f.workers.n}); err != nil {
		return err
	}
	if err := f.load(); err != nil {
		return usage(err)
	}
	seed, err := f.seed.value(a)
	if err != nil {
		return err
	}
	o := f.options
	o.Seed, o.Pool = empirical.NewSeed(seed), empirical.NewPool(f.workers.n)
	if o.Checkpoint != "" {
		o.Flaw = func(flaw error) { a.warn([]error{flaw}) }
		if o.Build, err = claimsfile.ProgramDigest(); err != nil {
			return internal(err)
		}
	}
	if o.Dir, err = f.data.value(); err != nil {
		return err
	}
	o.Open = datasetOpener(o.Dir, dataVariable)
	results, failure := a.runExperiment(c.Context(), e, o)
	if hasSeries(results) || failure == nil {
		out := reports.ExperimentRun{Experiment: e.About, Results: results, Seed: seed, Version: a.version,
			Go:      runtime.Version(),
			Command: f.command(c.Flags(), name, o.Dir, seed)}
		if err := a.writeExperiment(f, out); err != nil {
			return err
		}
	}
	return experimentOutcome(c.Context(), results, failure, f)
}

func (a *app) runExperiment(ctx context.Context, e experiment.Experiment, o experiment.Options) ([]result.Result,
	error) {
	bar := a.meter(e.Name)
	defer bar.Close()
	o.Progress = func(p experiment.Progress) {
		bar.Set(p.Share(), fmt.Sprintf("%s, %d of %d runs, panel %d of %d", p.Panel, p.Done, p.OfDone, p.Index+1, p.Total))
	}
	return e.Run(ctx, o)
}

func (a *app) writeExperiment(f experimentFlags, out reports.ExperimentRun) error {
	if err := a.plot(f.plot, func(w io.Writer) error { return chart.ExperimentSVG(w, out.Results) }); err != nil {
		return err
	}
	if f.out.json() {
		return a.write(f.out, func(w io.Writer) error { return reports.ExperimentJSON(w, out) })
	}
	s, err := reports.Experiment(out)
	if err != nil {
		return internal(fmt.Errorf("rendering the result: %w", err))
	}
	if f.out.format == "html" {
		return a.write(f.out, s.HTML)
	}
	return a.writeSheet(f.out, s)
}

// hasSeries reports whether a panel has a series.
func hasSeries(results []result.Result) bool {
	return slices.ContainsFunc(results, func(r result.Result) bool { return len(r.Series) > 0 })
}

// experimentOutcome returns the error of a run with the exit code of highest precedence, or nil.
func experimentOutcome(ctx context.Context, results []result.Result, failure error, f experimentFlags) error {
	var notRun []string
	finished := 0
	for _, r := range results {
		switch r.State {
		case result.NotRun:
			notRun = append(notRun, r.Name)
		case result.Finished:
			finished++
		}
	}
	var input *experiment.InputError
	switch {
	case ctx.Err() != nil:
		message := fmt.Sprintf("interrupted: %d of %d panels were finished", finished, len(results))
		if f.options.Checkpoint != "" {
			message += "; finished runs are kept in " + f.options.Checkpoint + ", and the same command continues from there"
		}
		return withCode(codeInterrupted, errors.New(message))
	case errors.As(failure, &input):
		return usage(failure)
	case failure != nil:
		return internal(failure)
	case f.strict && len(notRun) > 0:
		return withCode(codeInconclusive,
			fmt.Errorf("%d of %d panels were not run: %s", len(notRun), len(results), strings.Join(notRun, ", ")))
	}
	return nil
}

// check sets the budget and returns an error for a flag with a value outside its domain.
func (f *experimentFlags) check() error {
	budget, err := f.budget.value()
	if err != nil {
		return err
	}
	o := &f.options
	o.Budget = budget
	switch {
	case f.test != "" && f.train == "":
		return errors.New("--test FILE needs --train FILE")
	case f.plot != "" && !strings.HasSuffix(f.plot, ".svg"):
		return fmt.Errorf("--plot %s: want a name that ends in .svg", f.plot)
	case f.workers.n < 1:
		return fmt.Errorf("workers %d: want at least 1", f.workers.n)
	case o.Repeats < 0 || o.Repeats == 1:
		return fmt.Errorf("repeats %d: a standard deviation needs at least 2", o.Repeats)
	case o.Epochs < 0:
		return fmt.Errorf("epochs %d: want at least 1", o.Epochs)
	case !(o.Lambda >= 0 && o.Lambda <= math.MaxFloat64):
		return fmt.Errorf("lambda %v: want a finite number above 0", o.Lambda)
	case !(o.Radius >= 0 && o.Radius <= math.MaxFloat64):
		return fmt.Errorf("radius %v: want a finite number above 0", o.Radius)
	}
	if err := claimsfile.CheckLevels("--epsilon", o.Epsilons); err != nil {
		return err
	}
	return claimsfile.CheckLevels("--total-epsilon", o.Totals)
}

// load reads the files of --train and --test.
func (f *experimentFlags) load() error {
	o, err := datasetForm{Format: f.dataFormat, Header: f.header, Separator: f.separator, Labels: f.labels,
		LabelColumn: f.labelColumn}.Options()
	if err != nil || f.train == "" {
		return err
	}
	if f.options.Train, err = dataset.Load(f.train, o); err != nil || f.test == "" {
		return err
	}
	f.options.Test, err = dataset.Load(f.test, o)
	return err
}

// command returns the command that repeats the experiment. It replaces the directory of the data sets, which is
// specific to this machine, by a placeholder.
func (f *experimentFlags) command(flags *pflag.FlagSet, name, dir string, seed uint64) string {
	words := appendGivenFlags([]string{"dpverify", "experiment", name}, flags, map[string]string{
		"epsilon": formatFloats(f.options.Epsilons), "total-epsilon": formatFloats(f.options.Totals)},
		"data", "seed", "workers", "output", "format", "plot", "checkpoint", "strict", "yes")
	if dir != "" {
		words = append(words, "--data", reports.DataDir)
	}
	return reports.Shell(append(words, "--seed", fmt.Sprint(seed))...)
}
