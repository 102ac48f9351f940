package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration"
)

// benchmarkFlags are those of `dpverify experiment power` and `… calibration`.
type benchmarkFlags struct {
	seed    seedFlag
	budget  budgetFlag
	workers workersFlag
	out     outputFlags
	samples []int64
	only    []string
	kinds   []string
	runs    int
	alpha   float64
	cost    costFlag
}

func (a *app) powerCommand() *cobra.Command {
	var f benchmarkFlags
	c := &cobra.Command{
		Use:   "power",
		Short: "How much ε the audit certifies on known mechanisms, beside other tools",
		Example: `  dpverify experiment power --budget quick
  dpverify experiment power --only laplace_1,svt1 --samples 100000 --runs 20 --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.power(c, f) },
	}
	f.add(c, "a `BUDGET`: quick (n = 1e5, 3 runs a row), standard (n = 1e5 and 1e6, 5 runs) or thorough (20 runs)")
	c.Flags().Int64SliceVar(&f.samples, "samples", nil,
		"samples of each input of each pair, a `LIST`; empty is what the budget says")
	c.Flags().StringSliceVar(&f.only, "only", nil, "mechanisms, a `LIST` of ids; default all")
	return c
}

func (a *app) calibrationCommand() *cobra.Command {
	var f benchmarkFlags
	c := &cobra.Command{
		Use:   "calibration",
		Short: "How often each check errs on claims whose truth is known",
		Example: `  dpverify experiment calibration --budget quick
  dpverify experiment calibration --kind rate,compare --runs 1000 --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.calibration(c, f) },
	}
	f.add(c, "runs of each row, a `BUDGET`: quick (40), standard (200) or thorough (1000)")
	c.Flags().StringSliceVar(&f.kinds, "kind", nil,
		"kinds of checks, a `LIST` of "+strings.Join(calibration.Kinds(), ", ")+"; empty is all")
	complete(c, "kind", cobra.FixedCompletions(calibration.Kinds(), cobra.ShellCompDirectiveNoFileComp))
	c.Flags().Float64Var(&f.alpha, "alpha", 0.05, "error `PROBABILITY` of each run, in (0, 1)")
	return c
}

func (f *benchmarkFlags) add(c *cobra.Command, budget string) {
	c.Flags().IntVar(&f.runs, "runs", 0, "`N` runs of each row; 0 is what the budget says")
	f.seed.add(c)
	f.budget.add(c, budget)
	f.workers.add(c)
	f.cost.add(c)
	f.out.add(c)
}

// settle checks what both have in common.
func (f *benchmarkFlags) settle(a *app, runs map[verify.Budget]int) (seed uint64, budget verify.Budget, err error) {
	if budget, err = f.budget.value(); err != nil {
		return 0, "", err
	}
	if err := f.out.check(); err != nil {
		return 0, "", err
	}
	if f.workers.n < 1 {
		return 0, "", usage(fmt.Errorf("workers %d: want at least 1", f.workers.n))
	}
	if f.runs < 0 {
		return 0, "", usage(fmt.Errorf("runs %d: want at least 1", f.runs))
	}
	if f.runs == 0 {
		f.runs = runs[budget]
	}
	seed, err = f.seed.value(a)
	return seed, budget, err
}

// unfinished is the error of an experiment that was interrupted, or failed.
func unfinished(c *cobra.Command, err error) error {
	if c.Context().Err() != nil {
		return withCode(codeInterrupted, errors.New("interrupted: the experiment was not finished"))
	}
	return err
}

func (a *app) power(c *cobra.Command, f benchmarkFlags) error {
	seed, budget, err := f.settle(a, map[verify.Budget]int{verify.Quick: 3, verify.Standard: 5, verify.Thorough: 20})
	if err != nil {
		return err
	}
	if len(f.samples) == 0 {
		f.samples = []int64{1e5, 1e6}
		if budget == verify.Quick {
			f.samples = f.samples[:1]
		}
	}
	for _, n := range f.samples {
		if n < 200 {
			return usage(fmt.Errorf("--samples %d: want at least 200", n))
		}
	}
	known, err := calibration.Subjects()
	if err != nil {
		return internal(err)
	}
	for _, id := range f.only {
		if !calibration.Has(known, id) {
			return usage(fmt.Errorf("--only %s: no such mechanism; there are %s", id, strings.Join(calibration.IDs(known),
				", ")))
		}
	}
	w := plannedWork{What: "outputs of mechanisms", PerSecond: 1e7, Workers: f.workers.n}
	for _, n := range f.samples {
		w.Amount += 2 * float64(n) * float64(f.runs) * float64(max(len(f.only), 1))
	}
	if err := f.cost.check(a, w); err != nil {
		return err
	}
	bar := a.meter("power")
	defer bar.Close()
	rows, err := calibration.Power(c.Context(), calibration.PowerOptions{
		Subjects: f.only, Samples: f.samples, Seeds: f.runs, Seed: empirical.NewSeed(seed),
		Pool: empirical.NewPool(f.workers.n),
		Progress: func(done, of int) {
			bar.Set(float64(done)/float64(of), fmt.Sprintf("power, %d of %d audits", done, of))
		},
	})
	if err := unfinished(c, internal(err)); err != nil {
		return err
	}
	command := fmt.Sprintf("dpverify experiment power --samples %s --runs %d --seed %d", formatInts(f.samples), f.runs,
		seed)
	if len(f.only) > 0 {
		command += " --only " + strings.Join(f.only, ",")
	}
	return a.write(f.out, func(w io.Writer) error {
		if f.out.json() {
			return reports.PowerJSON(w, rows, command)
		}
		return reports.PowerMarkdown(w, rows, command)
	})
}

func (a *app) calibration(c *cobra.Command, f benchmarkFlags) error {
	seed, _, err := f.settle(a, map[verify.Budget]int{verify.Quick: 40, verify.Standard: 200, verify.Thorough: 1000})
	if err != nil {
		return err
	}
	if !(f.alpha > 0 && f.alpha < 1) {
		return usage(fmt.Errorf("--alpha %v: want an error probability in (0, 1)", f.alpha))
	}
	for _, kind := range f.kinds {
		if !slices.Contains(calibration.Kinds(), kind) {
			return usage(fmt.Errorf("--kind %s: no such kind of check; there are %s", kind,
				strings.Join(calibration.Kinds(), ", ")))
		}
	}
	cases, err := calibration.Cases(f.kinds...)
	if err != nil {
		return internal(err)
	}
	if err := f.cost.check(a, plannedWork{Amount: float64(f.runs) * float64(len(cases)), What: "runs of checks",
		PerSecond: 100,
		Workers:   f.workers.n}); err != nil {
		return err
	}
	bar := a.meter("calibration")
	defer bar.Close()
	rows, err := calibration.Calibrate(c.Context(), cases, calibration.CalibrationOptions{
		Alpha: f.alpha, Runs: f.runs, Seed: empirical.NewSeed(seed), Pool: empirical.NewPool(f.workers.n),
		Progress: func(done, of int) {
			bar.Set(float64(done)/float64(of), fmt.Sprintf("calibration, %d of %d runs", done, of))
		},
	})
	if err := unfinished(c, internal(err)); err != nil {
		return err
	}
	command := fmt.Sprintf("dpverify experiment calibration --alpha %g --runs %d --seed %d", f.alpha, f.runs, seed)
	if len(f.kinds) > 0 {
		command += " --kind " + strings.Join(f.kinds, ",")
	}
	return a.write(f.out, func(w io.Writer) error {
		if f.out.json() {
			return reports.CalibrationJSON(w, rows, command)
		}
		return reports.CalibrationMarkdown(w, rows, command)
	})
}
