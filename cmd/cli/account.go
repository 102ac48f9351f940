package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports"
)

func (a *app) accountCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "account FILE",
		Short: "Compute ε at a δ, δ at an ε, or the noise for a target",
		Long: `Compute the privacy of a mechanism from its description: ε at --delta, or δ at
--epsilon. Every answer is a bracket, lower ≤ true value ≤ upper, with an estimate. It
names the adjacency, the sensitivity, the sampling and the theorem. The table has a row
for each method that applies. best combines the largest lower and the smallest upper
end. --curve computes a whole curve, bounds on attacks, and the smallest μ of Gaussian
DP. --beside compares two files. Methods: ` + strings.Join(accountant.Methods(), ", ") + `.

The bracket is for the mechanism as described. 'dpverify audit' tests whether an
implementation is that mechanism.`,
		Example: `  dpverify account gaussian --sigma 10 --count 100 --delta 1e-5
  dpverify account sgm --sampling-rate 0.01 --noise-multiplier 1 --count 10000 --delta 1e-5
  dpverify account compose release.yaml --epsilon 2
  dpverify account before.yaml --beside after.yaml --curve tradeoff --plot both.svg
  dpverify account calibrate gaussian --delta 1e-6 --epsilon 1`,
	}
	var q questionFlags
	var sampling string
	q.common(c, "all")
	q.addQuestion(c)
	q.addBeside(c)
	addSampling(c, &sampling)
	describesEvents(c)
	known, help := c.Args, c.RunE
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 1 && claimsfile.IsFile(args[0]) {
			return nil
		}
		return known(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 && q.beside != "" {
			return usage(errors.New("--beside compares a second file with a first: dpverify account FILE --beside FILE"))
		}
		if len(args) == 0 {
			return help(c, args)
		}
		return a.accountFile(c, args[0], sampling, q)
	}
	argumentsAreFiles(c)
	for _, spec := range eventSpecs {
		c.AddCommand(a.accountEvent(spec))
	}
	c.AddCommand(a.accountCompose(), a.accountCalibrate(), a.accountTrial())
	return c
}

// accountEvent returns the subcommand of account for one kind of event.
func (a *app) accountEvent(spec eventSpec) *cobra.Command {
	var q questionFlags
	var e eventFlags
	c := &cobra.Command{
		Use: spec.Name, Short: "Account for " + spec.What, Long: spec.Long,
		Example: "  dpverify account " + spec.Name + " " + spec.Example,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := q.check(c); err != nil {
				return err
			}
			event, votes, err := e.Event()
			if err != nil {
				return usage(err)
			}
			if votes != nil && (!q.hasDelta || q.curve.Kind != "" || q.group > 1) {
				return usage(errors.New("--votes: want --delta, without --curve and --group; the data-dependent ε is computed " +
					"only at a δ and for one record"))
			}
			return a.account(c.Context(), q, accountSubject{Event: q.grouped(c, event), Neighbors: q.neighbors, Votes: votes})
		},
	}
	e.Add(c, spec, true, readBy(c))
	q.add(c)
	return c
}

func (a *app) accountCompose() *cobra.Command {
	var q questionFlags
	var sampling string
	c := &cobra.Command{
		Use:   "compose FILE",
		Short: "Account for a composition of events described in a file",
		Long: `Compose accounts for the adaptive composition of the events in a YAML or JSON file:
each event may use the outputs of those before it. The file is a list of events, or a
mapping with the keys events, adjacency and group:

    adjacency: replace-one
    group: 3
    events:
      - {mechanism: sgm, sampling-rate: 0.01, noise-multiplier: 1.1, count: 1000}
      - {mechanism: laplace, scale: 10, sensitivity: 2}
      - {mechanism: gaussian, sigma: 4, sampling: fixed, batches: 50, count: 3}

Mechanisms and their keys: gaussian (sigma), laplace (scale), discrete-laplace
(rate), discrete-gaussian (sigma), truncated-laplace (scale, bound), uniform
(bound), threshold (threshold, scale or sigma), rr (epsilon0, categories),
exponential, permute-and-flip and pure (epsilon0), top-k (epsilon0, k),
noisy-argmax (sigma), laplace-argmax (scale), sparse-vector (epsilon1, epsilon2,
cutoff), approximate (epsilon0, delta0), zcdp (rho), sgm (noise-multiplier), schedule
(noise-multipliers, steps-each), matrix (strategy, steps, noise-multiplier,
participation with times and separation or every), gaussian-mixture (sigma, shifts,
weights), table (file, or outputs), compose (events), repeat-and-select (events,
eta, gamma). All of them take count and sampling: poisson with sampling-rate, fixed
or shuffled with batches, allocation with steps and picks (count is then in epochs),
without-replacement or with-replacement with records and batch, truncated-poisson with
both and sampling-rate, or shuffled-reports with records (rr or pure is then the local
randomizer of each record). With-replacement and shuffled-reports need the adjacency
replace-one. Mechanisms with noise take sensitivity. File names in the file are
relative to its directory.`,
		Example: "  dpverify account compose release.yaml --delta 1e-6",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.accountFile(c, args[0], sampling, q) },
	}
	argumentsAreFiles(c)
	addSampling(c, &sampling)
	q.add(c)
	q.addBeside(c)
	return c
}

// accountFile accounts for the events in a file, and for those in the file of --beside if it is given. Without
// --delta, --epsilon and --curve it uses the δ at which the first file reports an ε.
func (a *app) accountFile(c *cobra.Command, path, sampling string, q questionFlags) error {
	if err := q.check(c); err != nil {
		return err
	}
	var subjects []accountSubject
	for i, path := range []string{path, q.beside}[:1+min(len(q.beside), 1)] {
		file, err := event.OpenFile(path, sampling)
		if err != nil {
			return usage(claimsfile.HintEvents(err))
		}
		s := accountSubject{Event: q.grouped(c, file.Event), Neighbors: q.neighbors, Notes: file.Notes}
		if file.Adjacency != nil && !c.Flags().Changed("adjacency") {
			s.Neighbors = *file.Adjacency
		}
		subjects = append(subjects, s)
		if i == 0 && !q.hasDelta && !c.Flags().Changed("epsilon") && q.curve.Kind == "" {
			if q.delta, q.hasDelta = file.Delta, true; file.Epsilon == "" {
				return usage(errors.New("give --delta or --epsilon or --curve"))
			}
		}
	}
	return a.account(c.Context(), q, subjects...)
}

// account computes and writes the account of one event, or of two for comparison.
func (a *app) account(ctx context.Context, q questionFlags, subjects ...accountSubject) error {
	question := accountQuestion{Epsilon: q.epsilon, Delta: q.delta, HasDelta: q.hasDelta, Methods: q.methods,
		curveFlags: q.curve}
	result, err := computed(ctx, func() (reports.Account, error) { return question.Answers(subjects...) })
	if err != nil {
		return err
	}
	result.Version, result.Go = a.version, runtime.Version()
	if err := a.plot(q.curve.Plot, func(w io.Writer) error { return reports.CurveSVG(w, result) }); err != nil {
		return err
	}
	return a.writeAccount(q.out, result)
}

func (a *app) writeAccount(out outputFlags, r reports.Account) error {
	if out.json() {
		return a.write(out, func(w io.Writer) error { return reports.AccountJSON(w, r) })
	}
	return a.writeSheet(out, r.Sheet())
}

// computed runs an accountant until it ends or ctx is canceled. Parameters outside the domain and methods that do
// not apply are usage errors.
func computed[T any](ctx context.Context, f func() (T, error)) (T, error) {
	results, err := empirical.Do(ctx, empirical.NewPool(1), func(context.Context) (T, error) { return f() })
	switch {
	case ctx.Err() != nil:
		return results, withCode(codeInterrupted, errors.New("interrupted: the accounting was not finished"))
	case errors.Is(err, event.ErrDomain) || errors.Is(err, accountant.ErrNotApplicable):
		return results, usage(err)
	}
	return results, internal(err)
}

// questionFlags holds the flags that say what to compute: ε, δ or a curve, the adjacency and the methods.
type questionFlags struct {
	delta, epsilon float64
	hasDelta       bool
	adjacency      string
	neighbors      event.Adjacency
	group          int64 // number of records in which neighbors differ
	methods        []string
	curve          curveFlags
	risks          riskFlags
	risk           *accountant.Risk // target of a calibration, nil for ε
	beside         string           // a file to compare with, "" for none
	out            outputFlags
}

func (q *questionFlags) add(c *cobra.Command) {
	q.addQuestion(c)
	c.MarkFlagsOneRequired("delta", "epsilon", "curve")
	q.common(c, "all")
}

func (q *questionFlags) addQuestion(c *cobra.Command) {
	c.Flags().Float64Var(&q.delta, "delta", 0, "compute ε at this `δ`, in [0, 1]")
	c.Flags().Float64Var(&q.epsilon, "epsilon", 0, "compute δ at this `ε`, 0 or more")
	c.MarkFlagsMutuallyExclusive("delta", "epsilon")
	q.curve.Add(c)
	fileFlag{to: &q.curve.Plot, use: claimsfile.ReplacesFile}.add(c, "plot", "",
		"with --curve, also draw it to `FILE`.svg")
	complete(c, "curve", cobra.FixedCompletions(curveKinds, cobra.ShellCompDirectiveNoFileComp))
	complete(c, "prior", cobra.NoFileCompletions)
	complete(c, "fpr", cobra.NoFileCompletions)
}

// addBeside adds --beside to a command whose argument is a file.
func (q *questionFlags) addBeside(c *cobra.Command) {
	fileFlag{to: &q.beside, use: claimsfile.ReadsFile}.add(c, "beside", "", "second `FILE` to compare with")
}

// common adds the flags of every account. The text methods names the methods used by default.
func (q *questionFlags) common(c *cobra.Command, methods string) {
	c.Flags().StringVar(&q.adjacency, "adjacency", event.AddRemove.String(),
		"`NEIGHBORS`: "+strings.Join(adjacencies[1:], ", "))
	c.Flags().Int64Var(&q.group, "group", 1, "neighbors differ by a group of up to `K` records")
	complete(c, "group", cobra.NoFileCompletions)
	c.Flags().StringSliceVar(&q.methods, "method", nil,
		"`LIST` of methods, for example pld,rdp (default "+methods+")")
	q.out.addShown(c)
	complete(c, "adjacency", cobra.FixedCompletions(adjacencies, cobra.ShellCompDirectiveNoFileComp))
	complete(c, "method", cobra.FixedCompletions(accountant.Methods(), cobra.ShellCompDirectiveNoFileComp))
}

var adjacencies = []string{event.AddRemove.String(), event.ReplaceOne.String()}

// check checks the flags before any computation.
func (q *questionFlags) check(c *cobra.Command) (err error) {
	q.hasDelta = c.Flags().Changed("delta")
	if q.hasDelta && !(q.delta >= 0 && q.delta <= 1) {
		return usage(fmt.Errorf("--delta %v: want a probability in [0, 1]", q.delta))
	}
	if c.Flags().Changed("epsilon") && !(q.epsilon >= 0 && q.epsilon <= math.MaxFloat64) {
		return usage(fmt.Errorf("--epsilon %v: want a finite number that is 0 or more", q.epsilon))
	}
	if q.neighbors, err = event.ParseAdjacency(q.adjacency); err != nil {
		return usage(fmt.Errorf("--adjacency %q: want %s", q.adjacency, strings.Join(adjacencies, " or ")))
	}
	if !(q.group >= 1 && q.group <= event.MaxGroup) {
		return usage(fmt.Errorf("--group %d: want a number of records, 1 to %d", q.group, event.MaxGroup))
	}
	if c.Flags().Changed("method") && len(q.methods) == 0 {
		return usage(errors.New("--method: want at least one name"))
	}
	for _, name := range q.methods {
		if known := accountant.Methods(); !slices.Contains(known, name) {
			return usage(fmt.Errorf("--method: no method %q%s; the methods are %s", name, claimsfile.DidYouMean(name, known),
				strings.Join(known, ", ")))
		}
	}
	if c.Flags().Lookup("curve") != nil {
		if err := q.curve.Check(c, q.methods); err != nil {
			return usage(err)
		}
	}
	return q.out.check()
}

// grouped returns the event for the group of --group. The flag replaces the group of a file.
func (q *questionFlags) grouped(c *cobra.Command, e event.Event) event.Event {
	if !c.Flags().Changed("group") {
		return e
	}
	if e.Kind == event.KindGroup {
		e = e.Parts[0]
	}
	return event.Group(q.group, e)
}

// describesEvents makes c a command with a subcommand for each event. Without arguments c shows its help. With an
// unknown event c returns an error; cobra would show the help.
func describesEvents(c *cobra.Command) {
	known := func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return fmt.Errorf("unknown event %q%s", args[0], claimsfile.DidYouMean(args[0], namesOf(c.Commands())))
	}
	c.Args = known
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.SetFlagErrorFunc(func(called *cobra.Command, err error) error {
		if called == c && c.Flags().NArg() > 0 { // the flags are unknown because the event is
			return cmp.Or(c.Args(c, c.Flags().Args()), err)
		}
		return err
	})
}

func namesOf(commands []*cobra.Command) []string {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name())
	}
	return names
}
