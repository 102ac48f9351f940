package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// benchmarkFlags holds the flags of the experiments that measure dpverify itself.
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
		Short: "Measure the ε that audits certify on known mechanisms",
		Long: `Measure the ε that audits certify on mechanisms of known ε, next to the results of other tools.

Budgets, in runs per row: quick 3 with 1e5 samples, standard 5 and thorough 20 with 1e5 and 1e6.`,
		Example: `  dpverify experiment power --budget quick
  dpverify experiment power --only laplace_1,svt1 --samples 100000 --runs 20 --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.power(c, f) },
	}
	f.add(c)
	c.Flags().Int64SliceVar(&f.samples, "samples", nil,
		"samples of each input, a `LIST` (default by budget)")
	c.Flags().StringSliceVar(&f.only, "only", nil, "`LIST` of mechanism ids (default all)")
	return c
}

func (a *app) calibrationCommand() *cobra.Command {
	var f benchmarkFlags
	c := &cobra.Command{
		Use:   "calibration",
		Short: "Measure the error rate of each check on claims of known truth",
		Long: `Measure the error rate of each check on claims whose truth is known.

Budgets, in runs per row: quick 40, standard 200, thorough 1000. Kinds of checks:
` + strings.Join(calibration.Kinds(), ", ") + ".",
		Example: `  dpverify experiment calibration --budget quick
  dpverify experiment calibration --kind rate,compare --runs 1000 --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.calibration(c, f) },
	}
	f.add(c)
	c.Flags().StringSliceVar(&f.kinds, "kind", nil,
		"`LIST` of kinds of checks, for example audit (default all)")
	complete(c, "kind", cobra.FixedCompletions(calibration.Kinds(), cobra.ShellCompDirectiveNoFileComp))
	f.addAlpha(c)
	return c
}

// countsCommand describes an experiment whose table counts samples or nights until a claim is refuted. Its figures
// depend only on alpha, the number of runs and the seed.
type countsCommand[Row any] struct {
	name, short, long string
	runs              map[verify.Budget]int
	audits            float64 // audits in one run of all rows
	perSecond         float64
	rows              func(context.Context, calibration.Options) ([]Row, error)
	schema            string
	sheet             func(rows []Row, command string) reports.Sheet
}

func (a *app) sequentialCommand() *cobra.Command {
	return countsCommand[results.StoppingRow]{
		name: "sequential", short: "Count the samples until a sequential test refutes a false claim",
		long: `Count the samples that a sequential test draws until it refutes a false claim.

Budgets, in runs per row: quick 5, standard 20, thorough 200.`,
		runs:   map[verify.Budget]int{verify.Quick: 5, verify.Standard: 20, verify.Thorough: 200},
		audits: 11, perSecond: 3,
		rows: calibration.Stopping, schema: reports.StoppingSchema, sheet: reports.Stopping,
	}.command(a)
}

func (a *app) grossCommand() *cobra.Command {
	return countsCommand[results.GrossRow]{
		name: "gross", short: "Count the samples until an audit refutes a rare gross fault",
		long: `Count the samples until an audit refutes a mechanism with a gross fault in a rare combination.

The table also has the samples that the best known event needs, and the refutations of the repaired mechanism.
Budgets, in runs per row: quick 5, standard 20, thorough 100. 95 % of the runs must refute.`,
		runs:   map[verify.Budget]int{verify.Quick: 5, verify.Standard: 20, verify.Thorough: 100},
		audits: 12 * 6, perSecond: 3,
		rows: calibration.Gross, schema: reports.GrossSchema, sheet: reports.Gross,
	}.command(a)
}

func (a *app) nightsCommand() *cobra.Command {
	return countsCommand[results.NightsRow]{
		name: "nights", short: "Count the nights until an audit with an evidence file refutes a false claim",
		long: `Count the nights until an audit with an evidence file refutes a false claim.

The table also has nightly audits that share alpha by a union bound, and one audit of all
samples. Budgets, in projects per row: quick 4, standard 20, thorough 100.`,
		runs:   map[verify.Budget]int{verify.Quick: 4, verify.Standard: 20, verify.Thorough: 100},
		audits: 2900, perSecond: 35,
		rows: calibration.Nights, schema: reports.NightsSchema, sheet: reports.Nights,
	}.command(a)
}

func (k countsCommand[Row]) command(a *app) *cobra.Command {
	var f benchmarkFlags
	c := &cobra.Command{
		Use: k.name, Short: k.short, Long: k.long,
		Example: "  dpverify experiment " + k.name + " --budget quick\n" +
			"  dpverify experiment " + k.name + " --runs 20 --format json",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return k.run(a, c, f) },
	}
	f.add(c)
	f.addAlpha(c)
	return c
}

func (k countsCommand[Row]) run(a *app, c *cobra.Command, f benchmarkFlags) error {
	seed, _, err := f.settle(a, k.runs)
	if err != nil {
		return err
	}
	return tabulate(a, c, f, seed, measurement[Row]{unit: "rows",
		command: fmt.Sprintf("dpverify experiment %s --alpha %g --runs %d --seed %d", k.name, f.alpha, f.runs, seed),
		work:    plannedWork{Amount: k.audits * float64(f.runs), What: "audits", PerSecond: k.perSecond},
		measure: func(o calibration.Options) ([]Row, error) {
			rows, err := k.rows(c.Context(), o)
			return rows, internal(err)
		}, schema: k.schema, sheet: k.sheet})
}

// tableAlpha is the default error probability. The tables that compare tools use it.
const tableAlpha = 0.05

func (f *benchmarkFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.runs, "runs", 0, "`N` runs of each row; 0: set by the budget")
	f.alpha = tableAlpha
	f.seed.add(c)
	f.budget.add(c)
	f.workers.add(c)
	f.cost.add(c)
	f.out.add(c)
}

func (f *benchmarkFlags) addAlpha(c *cobra.Command) {
	c.Flags().Float64Var(&f.alpha, "alpha", tableAlpha, "error `PROBABILITY` of each run, in (0, 1)")
}

// settle checks the flags and returns the seed and the budget. It sets f.runs from the budget if --runs is 0.
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
	if !(f.alpha > 0 && f.alpha < 1) {
		return 0, "", usage(fmt.Errorf("--alpha %v: want an error probability in (0, 1)", f.alpha))
	}
	seed, err = f.seed.value(a)
	return seed, budget, err
}

// measurement describes how to measure and write a table about dpverify itself.
type measurement[Row any] struct {
	work    plannedWork // without the number of workers
	unit    string      // unit of the progress
	measure func(calibration.Options) ([]Row, error)
	command string // command that repeats the measurement
	schema  string
	sheet   func(rows []Row, command string) reports.Sheet
}

// tabulate measures a table and writes it.
func tabulate[Row any](a *app, c *cobra.Command, f benchmarkFlags, seed uint64, m measurement[Row]) error {
	m.work.Workers = f.workers.n
	if err := f.cost.check(a, m.work); err != nil {
		return err
	}
	bar := a.meter(c.Name())
	defer bar.Close()
	table, err := m.measure(calibration.Options{Alpha: f.alpha, Runs: f.runs, Seed: empirical.NewSeed(seed),
		Pool: empirical.NewPool(f.workers.n), Progress: func(done, of int) {
			bar.Set(float64(done)/float64(of), fmt.Sprintf("%s, %d of %d %s", c.Name(), done, of, m.unit))
		}})
	if c.Context().Err() != nil {
		return withCode(codeInterrupted, errors.New("interrupted: the experiment was not finished"))
	}
	if err != nil {
		return err
	}
	if f.out.json() {
		return a.write(f.out, func(w io.Writer) error { return reports.TableJSON(w, m.schema, m.command, table) })
	}
	return a.writeSheet(f.out, m.sheet(table, m.command))
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
	amount := 0.0
	for _, n := range f.samples {
		if n < 200 {
			return usage(fmt.Errorf("--samples %d: want at least 200", n))
		}
		amount += 2 * float64(n) * float64(f.runs) * float64(max(len(f.only), 1))
	}
	subjects, err := calibration.Subjects(f.only...)
	if err != nil {
		return usage(fmt.Errorf("--only %w", err))
	}
	command := fmt.Sprintf("dpverify experiment power --samples %s --runs %d --seed %d", formatInts(f.samples), f.runs,
		seed)
	if len(f.only) > 0 {
		command += " --only " + strings.Join(f.only, ",")
	}
	return tabulate(a, c, f, seed, measurement[results.PowerRow]{unit: "audits", command: command,
		work: plannedWork{Amount: amount, What: "outputs of mechanisms", PerSecond: 1e7},
		measure: func(o calibration.Options) ([]results.PowerRow, error) {
			rows, err := calibration.Power(c.Context(), subjects, f.samples, o)
			return rows, internal(err)
		}, schema: reports.PowerSchema, sheet: reports.Power})
}

func (a *app) calibration(c *cobra.Command, f benchmarkFlags) error {
	seed, _, err := f.settle(a, map[verify.Budget]int{verify.Quick: 40, verify.Standard: 200, verify.Thorough: 1000})
	if err != nil {
		return err
	}
	cases, err := calibration.Cases(f.kinds...)
	if err != nil {
		return usage(fmt.Errorf("--kind %w", err))
	}
	command := fmt.Sprintf("dpverify experiment calibration --alpha %g --runs %d --seed %d", f.alpha, f.runs, seed)
	if len(f.kinds) > 0 {
		command += " --kind " + strings.Join(f.kinds, ",")
	}
	return tabulate(a, c, f, seed, measurement[results.CalibrationRow]{unit: "runs", command: command,
		work: plannedWork{Amount: float64(f.runs) * float64(len(cases)), What: "runs of checks", PerSecond: 100},
		measure: func(o calibration.Options) ([]results.CalibrationRow, error) {
			rows, err := calibration.Calibrate(c.Context(), cases, o)
			return rows, internal(err)
		}, schema: reports.CalibrationSchema, sheet: reports.Calibration})
}
