package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting/external"
	"github.com/dpverify/dpverify/verify/process"
)

// trialFlags holds the flags of account trial.
type trialFlags struct {
	exec   string
	trees  int
	factor float64
	seed   seedFlag
	limits processFlags
	out    outputFlags
}

func (a *app) accountTrial() *cobra.Command {
	var f trialFlags
	c := &cobra.Command{
		Use:   "trial --exec COMMAND",
		Short: "Test another accountant against certified brackets",
		Long: `Trial asks another accountant for ε or δ of random releases, and compares each answer
with a certified bracket. COMMAND reads one request per line and writes one reply per
line, both JSON:

    {"id": 0, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 2},
     "adjacency": "add-or-remove-one", "sensitivity": 1, "ask": "epsilon", "delta": 1e-6}
    {"epsilon": 2.2541, "bound": "upper"}

The event is a tree of dp_accounting's classes. The bound is upper or estimate. Other
replies are {"unsupported": "why"} and {"error": "why"}. 'dpverify init accountant-trial'
writes commands for three Python libraries.

An upper bound below the certified lower end is a fault, if a second back end confirms
the bracket. Faults are shrunk to small trees. The exit code is 3 if a question has an
error or an unconfirmed bracket. Otherwise it is 1 if an upper bound is too small, and 4
if the accountant supports none of the questions.`,
		Example: `  dpverify account trial --exec 'python3 trial_dp_accounting.py'
  dpverify account trial --exec ./accountant --trees 500 --factor 1.5 --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.trial(c.Context(), f) },
	}
	c.Flags().StringVar(&f.exec, "exec", "", "`COMMAND` that runs the accountant, quoted as for a shell")
	c.Flags().IntVar(&f.trees, "trees", 100, "number `N` of releases to ask about")
	c.Flags().Float64Var(&f.factor, "factor", external.DefaultFactor,
		"answers above `FACTOR` · upper end are loose")
	for _, name := range []string{"exec", "trees", "factor"} {
		complete(c, name, cobra.NoFileCompletions)
	}
	f.seed.add(c)
	f.limits.add(c)
	f.out.addShown(c)
	if err := c.MarkFlagRequired("exec"); err != nil {
		panic(err) // the flag was added above
	}
	return c
}

// trial runs a trial and writes its report.
func (a *app) trial(ctx context.Context, f trialFlags) error {
	if err := f.out.check(); err != nil {
		return err
	}
	command, err := claimsfile.SplitWords(f.exec)
	if err != nil {
		return usage(fmt.Errorf("--exec: %w", err))
	}
	memory, err := claimsfile.ParseMemory(f.limits.memory)
	if err != nil {
		return usage(fmt.Errorf("--process-memory: %w", err))
	}
	seed, err := f.seed.value(a)
	if err != nil {
		return err
	}
	o := external.Options{Seed: seed, Trees: f.trees, Factor: f.factor}
	p := &process.Process{Command: command, Timeout: f.limits.reply, Memory: memory}
	if err := errors.Join(o.Check(), p.Check()); err != nil {
		return usage(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = p.Close() }) // ends a request that waits for its reply
	defer stop()
	defer func() { _ = p.Close() }()
	res, err := empirical.Do(ctx, empirical.NewPool(1), func(ctx context.Context) (external.Result, error) {
		return external.Run(ctx, p, o)
	})
	if ctx.Err() != nil {
		return withCode(codeInterrupted, errors.New("interrupted: the trial was not finished"))
	}
	if err != nil {
		return internal(err)
	}
	t := reports.AccountantTrial{Result: res, Version: a.version, Go: runtime.Version(), Command: f.repeat(seed)}
	if err := a.writeTrial(f.out, t); err != nil {
		return err
	}
	return trialOutcome(res)
}

// repeat returns the command that repeats the trial.
func (f trialFlags) repeat(seed uint64) string {
	text := fmt.Sprintf("dpverify account trial --exec %s --trees %d --factor %s --seed %d", shellWord(f.exec), f.trees,
		strconv.FormatFloat(f.factor, 'g', -1, 64), seed)
	if f.limits.reply != process.DefaultReplyTimeout {
		text += fmt.Sprintf(" --%s %s", processNames[0], f.limits.reply)
	}
	if f.limits.memory != defaultMemory {
		text += fmt.Sprintf(" --%s %s", processNames[1], shellWord(f.limits.memory))
	}
	return text
}

func (a *app) writeTrial(out outputFlags, t reports.AccountantTrial) error {
	if out.json() {
		return a.write(out, func(w io.Writer) error { return reports.AccountantTrialJSON(w, t) })
	}
	return a.writeSheet(out, t.Sheet())
}

// trialOutcome returns the error with the exit code of a finished trial, or nil.
func trialOutcome(r external.Result) error {
	if failed := r.Count(external.Failed) + r.Count(external.Unconfirmed); failed > 0 {
		return internal(fmt.Errorf("%d of %d questions have no usable answer or no confirmed bracket", failed, len(r.Rows)))
	}
	if n := r.Count(external.NotUpper); n > 0 {
		return withCode(codeRefuted, fmt.Errorf("%d of %d answers are not upper bounds", n, len(r.Rows)))
	}
	if n, _ := r.Answers(); n == 0 {
		return withCode(codeInconclusive, fmt.Errorf("no answer was compared: the accountant supports none of %s",
			verify.Plural(len(r.Rows), "question")))
	}
	return nil
}
