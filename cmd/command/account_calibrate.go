package command

import (
	"fmt"
	"math"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports/tables"
	"github.com/dpverify/dpverify/verify"
)

func (a *app) accountCalibrate() *cobra.Command {
	c := &cobra.Command{
		Use:   "calibrate EVENT",
		Short: "Find the noise for a target ε at a δ",
		Long: `Calibrate finds how much noise an event needs for --epsilon at --delta. Use the
upper end: with it the method proves the target. The lower end, where there is one, is
noise with which the target is certainly missed.`,
		Example: "  dpverify account calibrate gaussian --delta 1e-6 --epsilon 1",
	}
	describesEvents(c)
	for _, spec := range eventSpecs {
		if spec.noise != "" {
			c.AddCommand(a.calibrateEvent(spec))
		}
	}
	return c
}

func (a *app) calibrateEvent(spec eventSpec) *cobra.Command {
	var q questionFlags
	var e eventFlags
	example := map[bool]string{false: "--count 100 --delta 1e-6 --epsilon 1",
		true: "--sampling-rate 0.01 --count 1000 --delta 1e-5 --epsilon 2"}
	c := &cobra.Command{
		Use: spec.name, Short: "Find the " + spec.noise + " of " + spec.what, Long: spec.long,
		Example: "  dpverify account calibrate " + spec.name + " " + example[spec.sampled],
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return a.calibrate(c, spec.noise, e, q) },
	}
	e.add(c, spec, nil)
	c.Flags().Float64Var(&q.delta, "delta", 0, "target `δ`, in [0, 1)")
	c.Flags().Float64Var(&q.epsilon, "epsilon", 0, "target `ε`, above 0")
	for _, name := range []string{"delta", "epsilon"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag was added a line above
		}
	}
	q.common(c, "best")
	return c
}

func (a *app) calibrate(c *cobra.Command, noise string, e eventFlags, q questionFlags) error {
	if err := q.check(c); err != nil {
		return err
	}
	if !positive(q.epsilon) {
		return usage(fmt.Errorf("--epsilon %v: %s", q.epsilon, aboveZero))
	}
	if !(q.delta < 1) {
		return usage(fmt.Errorf("--delta %v: want a probability in [0, 1); at 1 everything is private", q.delta))
	}
	if err := e.check(); err != nil {
		return usage(err)
	}
	if len(q.methods) == 0 {
		q.methods = []string{"best"}
	}
	out := tables.Account{
		Quantity: noise, Epsilon: verify.Num(q.epsilon), Delta: verify.Num(q.delta), Adjacency: q.neighbours,
		Version: a.version, Go: runtime.Version(),
	}
	results, err := computed(c.Context(), func() ([]accountant.Result, error) {
		var all []accountant.Result
		for _, name := range q.methods {
			r, err := e.calibrated(noise, name, q)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
		return all, nil
	})
	if err != nil {
		return err
	}
	out.Results, out.Event = results, e.with(noise, results[0].Upper).String()
	return a.writeAccount(q.out, out)
}

// with is the event at some noise. Its other parameters have been checked; at
// noise out of its domain the event is not valid, and accounting for it says so.
func (e eventFlags) with(noise string, value float64) event.Event {
	*parameters[noise].of(&e.description) = value
	described, err := e.event()
	if err != nil {
		return event.Event{}
	}
	return described
}

// calibrated is the noise by one method, with what its proof of the target rests on.
func (e eventFlags) calibrated(noise, method string, q questionFlags) (accountant.Result, error) {
	build := func(value float64) event.Event { return e.with(noise, value) }
	b, err := accountant.Calibrate(build, q.neighbours, q.epsilon, q.delta, method)
	if err != nil {
		return accountant.Result{}, err
	}
	proof, err := accountant.Epsilons(build(b.Upper), q.neighbours, q.delta, accountant.Options{Methods: []string{method}})
	if err != nil {
		return accountant.Result{}, err
	}
	r := proof[0]
	if math.IsNaN(b.Upper) || !(r.Upper <= q.epsilon) {
		return accountant.Result{}, fmt.Errorf(
			"%s proves ε ≤ %v with the noise %v that it found for ε = %v: please report this", method, r.Upper, b.Upper,
			q.epsilon)
	}
	r.Assumptions = append(r.Assumptions, fmt.Sprintf("at the upper end it proves ε ≤ %.9g", r.Upper))
	r.Bracket = b
	return r, nil
}
