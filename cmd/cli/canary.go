package cli

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// canaryFlags are those of `dpverify experiment canary`.
type canaryFlags struct {
	benchmarkFlags
	data  dataFlag
	train string
	sound int
	serve bool
}

func (a *app) canaryCommand() *cobra.Command {
	var f canaryFlags
	c := &cobra.Command{
		Use:   "canary",
		Short: "Count the canaries or trainings that reveal a faulty training",
		Long: `Count the canaries, or the trainings, that reveal that a training is not as its account says.

Budgets: quick (1 seed of each fault and 2 of the sound training), standard (5 and 20) and thorough (5 and 200).

With --serve it is a process for 'dpverify audit --exec': it trains once a request, with the canary if the input is 1.`,
		Example: `  dpverify experiment canary --train training.yaml
  dpverify experiment canary --train training.yaml --serve`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.canary(c, f) },
	}
	f.add(c)
	f.data.add(c)
	fileFlag{to: &f.train, use: claimsfile.ReadsFile}.add(c, "train", "",
		"`FILE` that describes the training; see help training-example")
	c.Flags().IntVar(&f.sound, "sound", 0, "`N` seeds of the sound training; 0 is what the budget says")
	c.Flags().BoolVar(&f.serve, "serve", false,
		"serve trainings as a process for audit --exec")
	return c
}

func (a *app) canary(c *cobra.Command, f canaryFlags) error {
	if f.train == "" {
		return usage(errors.New("--train FILE is missing: want the description of a training, see dpverify help " +
			"training-example"))
	}
	seed, budget, err := f.settle(a, map[verify.Budget]int{verify.Quick: 1, verify.Standard: 5, verify.Thorough: 5})
	if err != nil {
		return err
	}
	if f.sound == 0 {
		f.sound = map[verify.Budget]int{verify.Quick: 2, verify.Standard: 20, verify.Thorough: 200}[budget]
	}
	dir, err := f.data.value()
	if err != nil {
		return err
	}
	file, err := claimsfile.ReadTraining(f.train)
	if err != nil {
		return usage(err)
	}
	if f.serve {
		return usage(file.Serve(c.Context(), dir, os.Stdin, a.stdout))
	}
	trainings := (f.runs*len(file.Faults) + f.sound) * len(file.Attacks) * file.Runs
	return tabulate(a, c, f.benchmarkFlags, seed, measurement[results.TrainingRow]{unit: "rows",
		work:    plannedWork{Amount: float64(trainings), What: "trainings", PerSecond: 1e4},
		command: file.Command(f.runs, f.sound, seed),
		measure: func(o calibration.Options) ([]results.TrainingRow, error) {
			rows, err := file.Measure(c.Context(), dir, calibration.TrainingOptions{Options: o, Sound: f.sound})
			return rows, usage(err)
		}, schema: reports.TrainingSchema,
		sheet: func(rows []results.TrainingRow, command string) reports.Sheet {
			return reports.Training(rows, file.Words(), command)
		}})
}
