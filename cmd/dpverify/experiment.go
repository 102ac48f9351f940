package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/study"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// experimentFlags are those of `dpverify experiment`.
type experimentFlags struct {
	seed    seedFlag
	budget  budgetFlag
	workers workersFlag
	out     outputFlags

	train, test       string
	dataFormat        string
	header, separator string
	labels            dataset.Labels
	labelColumn       int
	options           study.Options
}

func (a *app) experimentCommand() *cobra.Command {
	var f experimentFlags
	c := &cobra.Command{
		Use:   "experiment NAME --train FILE",
		Short: "Run an experiment of a paper on given data",
		Long: `Experiment repeats a figure or a table of a paper on the given data and writes
its series: mean ± deviation over the repeats, with an interval of the mean.
'dpverify list --experiments' shows the names and the data they need.

Data are LIBSVM or CSV files of two classes, also .gz; the file's ending tells
which. In a CSV file the label is the last column unless --label-column says
otherwise. Without a test file, a part of the training rows is held out.`,
		Example: `  dpverify experiment prestige/fig-4 --train a7a.libsvm.gz --test a7a.t.libsvm.gz
  dpverify experiment prestige/fig-4 --train data.csv --positive yes --negative no --epsilon 0.5,1,2 --repeats 10
  dpverify experiment prestige/fig-4 --train data.csv --label-column 1 --budget quick --format json`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			for _, e := range study.Registry() {
				if len(args) == 0 {
					names = append(names, cobra.CompletionWithDesc(e.Name, e.Title))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return a.experiment(c, args[0], f) },
	}
	f.add(c)
	c.AddCommand(a.powerCommand(), a.calibrationCommand())
	return c
}

func (f *experimentFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.train, "train", "", "training `FILE`")
	flags.StringVar(&f.test, "test", "", "test `FILE`; without one, a part of the training rows is held out")
	flags.StringVar(&f.dataFormat, "data-format", "auto", "auto (by the file's ending), libsvm or csv")
	flags.IntVar(&f.labelColumn, "label-column", 0, "CSV: the label's `column`, from 1; 0 is the last")
	flags.StringVar(&f.header, "header", "detect", "CSV: whether the first line names the columns: detect, none or first")
	flags.StringVar(&f.separator, "separator", ",", "CSV: the `character` between fields")
	flags.StringVar(&f.labels.Positive, "positive", "", "the `label` that becomes +1; needed where labels are not -1/+1, 0/1, 1/2 or 2/4")
	flags.StringVar(&f.labels.Negative, "negative", "", "the `label` that becomes -1")
	flags.Float64SliceVar(&f.options.Epsilons, "epsilon", nil, "privacy levels of one update, a `LIST` like 0.5,1,2")
	flags.Float64SliceVar(&f.options.Budgets, "total-epsilon", nil, "privacy levels of the whole run, a `LIST`")
	flags.IntVar(&f.options.Repeats, "repeats", 0, "runs of each point; 0 is what the budget says")
	flags.IntVar(&f.options.Epochs, "epochs", 0, "passes over the training set; 0 is the experiment's own")
	flags.Float64Var(&f.options.Lambda, "lambda", 0, "weight of the regulariser; 0 is the experiment's own")
	flags.Float64Var(&f.options.Radius, "radius", 0, "radius of the ball that holds the weights; 0 is the experiment's own")
	f.seed.add(c)
	f.budget.add(c, fmt.Sprintf("repeats of each point: quick (%d), standard (the experiment's own) or thorough (%d)", quickRepeats, thoroughRepeats))
	f.workers.add(c)
	f.out.add(c)
	complete(c, "data-format", cobra.FixedCompletions([]string{"auto", "libsvm", "csv"}, cobra.ShellCompDirectiveNoFileComp))
	complete(c, "header", cobra.FixedCompletions([]string{"detect", "none", "first"}, cobra.ShellCompDirectiveNoFileComp))
}

// Repeats of the budgets; the standard one leaves them to the experiment.
const (
	quickRepeats    = 5
	thoroughRepeats = 100
)

func (a *app) experiment(c *cobra.Command, name string, f experimentFlags) error {
	e, err := study.Lookup(name)
	if err != nil {
		return usage(err)
	}
	if err := f.out.check(); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return usage(err)
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
	results, err := a.runExperiment(c.Context(), e, o)
	if err != nil {
		return err
	}
	out := reports.Outcome{Experiment: e, Results: results, Seed: seed, Version: a.version, Go: runtime.Version(), Command: f.command(c.Flags(), name, seed)}
	return a.write(f.out, func(w io.Writer) error {
		if f.out.json() {
			return reports.ExperimentJSON(w, out)
		}
		return reports.ExperimentMarkdown(w, out)
	})
}

// runExperiment tells apart what the input causes from what fails later: input is
// refused before any part of the work is finished.
func (a *app) runExperiment(ctx context.Context, e study.Experiment, o study.Options) ([]study.Result, error) {
	meter := a.newMeter(e.Name)
	defer meter.close()
	begun := false
	o.Progress = func(done, total int) {
		begun = true
		meter.set(float64(done)/float64(total), fmt.Sprintf("%s, %d of %d runs", e.Name, done, total))
	}
	results, err := e.Run(ctx, o)
	var panicked *empirical.PanicError
	switch {
	case ctx.Err() != nil:
		return nil, withCode(codeInterrupted, errors.New("interrupted: the experiment was not finished"))
	case errors.As(err, &panicked) || begun:
		return results, internal(err)
	}
	return results, usage(err)
}

// check settles the repeats and refuses flags out of their domain.
func (f *experimentFlags) check() error {
	budget, err := f.budget.value()
	if err != nil {
		return err
	}
	o := &f.options
	switch {
	case f.train == "":
		return errors.New("--train FILE is needed: the experiment has no data of its own")
	case f.workers.n < 1:
		return fmt.Errorf("workers %d: want at least 1", f.workers.n)
	case o.Repeats < 0 || o.Repeats == 1:
		return fmt.Errorf("repeats %d: a deviation needs at least 2", o.Repeats)
	case o.Epochs < 0:
		return fmt.Errorf("epochs %d: want at least 1", o.Epochs)
	case !(o.Lambda >= 0 && o.Lambda <= math.MaxFloat64):
		return fmt.Errorf("lambda %v: want a finite number above 0", o.Lambda)
	case !(o.Radius >= 0 && o.Radius <= math.MaxFloat64):
		return fmt.Errorf("radius %v: want a finite number above 0", o.Radius)
	}
	if err := checkLevels("--epsilon", o.Epsilons); err != nil {
		return err
	}
	if err := checkLevels("--total-epsilon", o.Budgets); err != nil {
		return err
	}
	if o.Repeats == 0 && budget == verify.Quick {
		o.Repeats = quickRepeats
	}
	if o.Repeats == 0 && budget == verify.Thorough {
		o.Repeats = thoroughRepeats
	}
	return nil
}

func checkLevels(flag string, levels []float64) error {
	for _, level := range levels {
		if !(level > 0 && level <= math.MaxFloat64) {
			return fmt.Errorf("%s: privacy level %v: want a finite number above 0", flag, level)
		}
	}
	return nil
}

// load reads the data files.
func (f *experimentFlags) load() error {
	o := dataset.Options{Labels: f.labels, LabelColumn: f.labelColumn}
	var ok bool
	if o.Format, ok = map[string]dataset.Format{"auto": dataset.FormatAuto, "libsvm": dataset.FormatLIBSVM, "csv": dataset.FormatCSV}[f.dataFormat]; !ok {
		return fmt.Errorf("data format %q: want auto, libsvm or csv", f.dataFormat)
	}
	if o.Header, ok = map[string]dataset.Header{"detect": dataset.HeaderDetect, "none": dataset.HeaderNone, "first": dataset.HeaderFirst}[f.header]; !ok {
		return fmt.Errorf("header %q: want detect, none or first", f.header)
	}
	separator := []rune(f.separator)
	if len(separator) != 1 {
		return fmt.Errorf("separator %q: want one character", f.separator)
	}
	o.Comma = separator[0]
	var err error
	if f.options.Train, err = dataset.Load(f.train, o); err != nil || f.test == "" {
		return err
	}
	f.options.Test, err = dataset.Load(f.test, o)
	return err
}

// levels writes a list as its flag takes it, in full precision.
func levels(list []float64) string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(words, ",")
}

// command repeats the experiment: every flag that was given and matters, in the
// order of their names.
func (f *experimentFlags) command(flags *pflag.FlagSet, name string, seed uint64) string {
	words := []string{"dpverify", "experiment", name}
	flags.Visit(func(flag *pflag.Flag) {
		if slices.Contains([]string{"seed", "workers", "output", "format"}, flag.Name) {
			return
		}
		value := flag.Value.String()
		switch flag.Name {
		case "epsilon":
			value = levels(f.options.Epsilons)
		case "total-epsilon":
			value = levels(f.options.Budgets)
		}
		words = append(words, "--"+flag.Name, value)
	})
	return reports.Shell(append(words, "--seed", fmt.Sprint(seed))...)
}
