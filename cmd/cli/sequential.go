package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration"
)

func (a *app) sequentialCommand() *cobra.Command {
	var f benchmarkFlags
	c := &cobra.Command{
		Use:   "sequential",
		Short: "How many samples an anytime audit draws until it refutes a false claim",
		Example: `  dpverify experiment sequential --budget quick
  dpverify experiment sequential --runs 20 --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.sequential(c, f) },
	}
	f.add(c, "runs of each row, a `BUDGET`: quick (5), standard (20) or thorough (200)")
	c.Flags().Float64Var(&f.alpha, "alpha", 0.05, "error `PROBABILITY` of each run, in (0, 1)")
	return c
}

func (a *app) sequential(c *cobra.Command, f benchmarkFlags) error {
	seed, _, err := f.settle(a, map[verify.Budget]int{verify.Quick: 5, verify.Standard: 20, verify.Thorough: 200})
	if err != nil {
		return err
	}
	if !(f.alpha > 0 && f.alpha < 1) {
		return usage(fmt.Errorf("--alpha %v: want an error probability in (0, 1)", f.alpha))
	}
	audits := plannedWork{Amount: 11 * float64(f.runs), What: "audits", PerSecond: 3, Workers: f.workers.n}
	if err := f.cost.check(a, audits); err != nil {
		return err
	}
	bar := a.meter("sequential")
	defer bar.Close()
	rows, err := calibration.Stopping(c.Context(), calibration.StoppingOptions{
		Alpha: f.alpha, Runs: f.runs, Seed: empirical.NewSeed(seed), Pool: empirical.NewPool(f.workers.n),
		Progress: func(done, of int) {
			bar.Set(float64(done)/float64(of), fmt.Sprintf("sequential, %d of %d rows", done, of))
		},
	})
	if err := unfinished(c, internal(err)); err != nil {
		return err
	}
	command := fmt.Sprintf("dpverify experiment sequential --alpha %g --runs %d --seed %d", f.alpha, f.runs, seed)
	return a.write(f.out, func(w io.Writer) error {
		if f.out.json() {
			return reports.StoppingJSON(w, rows, command)
		}
		return reports.StoppingMarkdown(w, rows, command)
	})
}
