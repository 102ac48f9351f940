package cli

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

func (a *app) accountCalibrate() *cobra.Command {
	var q questionFlags
	var solve string
	c := &cobra.Command{
		Use:   "calibrate FILE",
		Short: "Find the noise, or another number, for a target ε or risk",
		Long: `Calibrate finds the noise that an event needs for --epsilon at --delta, or for a limit
on an attacker's success: --advantage, --tpr at --fpr, or --reconstruction at --prior.
For such a risk it also reports the ε at --delta that implies the same limit without
further knowledge of the event, and the noise that this ε needs. With --solve it finds another number in which ε is monotone: the number of runs, a sampling rate or the
sensitivity. For a file, --solve also names the event: sigma, or 2.sigma for the second
event.

The answer is a bracket. If ε falls with the number, as with noise, use the upper end:
it provably meets the target, and the lower end, if there is one, provably misses it.
If ε rises with the number, as with count, use the lower end.`,
		Example: `  dpverify account calibrate gaussian --delta 1e-6 --epsilon 1
  dpverify account calibrate sgm --sampling-rate 0.01 --noise-multiplier 1 --solve count --delta 1e-5 --epsilon 2
  dpverify account calibrate gaussian --tpr 0.05 --fpr 0.01 --delta 1e-6
  dpverify account calibrate release.yaml --solve noise-multiplier --delta 1e-6 --epsilon 1`,
	}
	q.addTarget(c, &solve, "")
	describesEvents(c)
	known, help := c.Args, c.RunE
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 1 && claimsfile.IsFile(args[0]) {
			return nil
		}
		return known(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return help(c, args)
		}
		if err := q.checkTarget(c); err != nil {
			return err
		}
		if solve == "" {
			return usage(errors.New("--solve: name the number to find, as in --solve noise-multiplier"))
		}
		file, err := event.OpenDescribed(args[0], "")
		if err != nil {
			return usage(claimsfile.HintEvents(err))
		}
		if file.Descriptions.Events == nil {
			return usage(fmt.Errorf("%s: want an events file, as 'account compose' reads it", args[0]))
		}
		if file.Adjacency != nil && !c.Flags().Changed("adjacency") {
			q.neighbors = *file.Adjacency
		}
		return a.calibrate(c, solve, file.Descriptions, q)
	}
	argumentsAreFiles(c)
	for _, spec := range eventSpecs {
		c.AddCommand(a.calibrateEvent(spec))
	}
	return c
}

func (a *app) calibrateEvent(spec eventSpec) *cobra.Command {
	var q questionFlags
	var e eventFlags
	var solve string
	number := "--" + spec.Noise
	if spec.Noise == "" {
		number = "the number of --solve"
	}
	c := &cobra.Command{
		Use: spec.Name, Short: "Find " + number + " for " + spec.What, Long: spec.Long,
		Example: "  dpverify account calibrate " + spec.Name + " " + spec.Target(),
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := q.checkTarget(c); err != nil {
				return err
			}
			in, err := e.Descriptions(solve)
			if err != nil {
				return usage(err)
			}
			return a.calibrate(c, solve, in, q)
		},
	}
	e.Add(c, spec, false, readBy(c))
	q.addTarget(c, &solve, spec.Noise)
	return c
}

// addTarget adds the flags of a calibration. Noise is the default of --solve.
func (q *questionFlags) addTarget(c *cobra.Command, solve *string, noise string) {
	c.Flags().StringVar(solve, "solve", noise, "`NUMBER` to find, a flag or key")
	c.Flags().Float64Var(&q.delta, "delta", 0, "`δ` of the target ε, or of the comparison, in [0, 1)")
	c.Flags().Float64Var(&q.epsilon, "epsilon", 0, "target `ε`, above 0")
	q.risks.add(c)
	complete(c, "solve", cobra.FixedCompletions(accountant.Names(), cobra.ShellCompDirectiveNoFileComp))
	q.common(c, "best")
}

// calibrate solves for the number with a name by each of the methods, and writes the brackets.
func (a *app) calibrate(c *cobra.Command, name string, in event.Descriptions, q questionFlags) error {
	if c.Flags().Changed("group") {
		in.Group = q.group
	}
	out := reports.Account{Quantity: name, Adjacency: q.neighbors, Version: a.version, Go: runtime.Version()}
	claim := "ε"
	if q.risk == nil {
		out.Epsilon, out.Delta = verify.Num(q.epsilon), verify.Num(q.delta)
	} else {
		claim = q.risk.Name()
		out.Risk = &reports.Risk{Risk: *q.risk, Delta: q.delta}
	}
	results, err := computed(c.Context(), func() (all []accountant.Result, err error) {
		for _, method := range q.methods {
			answer, err := q.solve(in, name, method)
			if err != nil {
				return nil, err
			}
			if out.Event == "" {
				out.Event = answer.Event.String()
			}
			end, r := "upper", answer.Proof
			if answer.Rises {
				end = "lower"
			}
			r.Assumptions = append(r.Assumptions, fmt.Sprintf("at the %s end it proves %s ≤ %.9g", end, claim, r.Upper))
			r.Bracket = answer.Bracket
			all = append(all, r)
			if q.risk == nil {
				continue
			}
			compared, err := q.comparison(in, name, method, answer)
			if err != nil {
				return nil, err
			}
			out.Risk.Comparisons = append(out.Risk.Comparisons, compared)
		}
		return all, nil
	})
	if err != nil {
		return err
	}
	out.Results = results
	return a.writeAccount(q.out, out)
}
