package cli

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports"
)

// riskFlags holds the flags of a calibration to a risk.
type riskFlags struct {
	advantage, tpr, fpr, reconstruction, prior float64
}

var targetFlags = []string{"epsilon", "advantage", "tpr", "reconstruction"}

func (f *riskFlags) add(c *cobra.Command) {
	for _, flag := range []struct {
		to          *float64
		name, usage string
	}{
		{&f.advantage, "advantage", "target `ADVANTAGE` of a membership test: TPR − FPR"},
		{&f.tpr, "tpr", "target true-positive `RATE`, at --fpr"},
		{&f.fpr, "fpr", "with --tpr: false-positive `RATE`"},
		{&f.reconstruction, "reconstruction", "target `PROBABILITY` of guessing a secret, at --prior"},
		{&f.prior, "prior", "with --reconstruction: `PROBABILITY` without the release"},
	} {
		c.Flags().Float64Var(flag.to, flag.name, 0, flag.usage)
		complete(c, flag.name, cobra.NoFileCompletions)
	}
	c.MarkFlagsMutuallyExclusive(targetFlags...)
}

// risk returns the risk that the flags limit, or nil if the target is an ε.
func (f *riskFlags) risk(c *cobra.Command) (*accountant.Risk, error) {
	given := c.Flags().Changed
	for _, pair := range [][2]string{{"tpr", "fpr"}, {"reconstruction", "prior"}} {
		switch {
		case given(pair[0]) && !given(pair[1]):
			return nil, fmt.Errorf("--%s needs --%s, above 0 and below --%s", pair[0], pair[1], pair[0])
		case given(pair[1]) && !given(pair[0]):
			return nil, fmt.Errorf("--%s needs --%s", pair[1], pair[0])
		}
	}
	r := &accountant.Risk{}
	name := ""
	switch {
	case given("advantage"):
		r.Kind, r.Limit, name = accountant.Advantage, f.advantage, "advantage"
		if !(r.Limit > 0 && r.Limit < 1) {
			return nil, fmt.Errorf("--advantage %v: want a number above 0 and below 1", r.Limit)
		}
		return r, nil
	case given("tpr"):
		*r, name = accountant.Risk{Kind: accountant.TruePositiveRate, At: f.fpr, Limit: f.tpr}, "fpr"
	case given("reconstruction"):
		*r, name = accountant.Risk{Kind: accountant.Reconstruction, At: f.prior, Limit: f.reconstruction}, "prior"
	default:
		return nil, nil
	}
	if !(r.At > 0 && r.At < 1) {
		return nil, fmt.Errorf("--%s %v: want a number above 0 and below 1", name, r.At)
	}
	if target := map[string]string{"fpr": "tpr", "prior": "reconstruction"}[name]; !(r.Limit > r.At && r.Limit < 1) {
		return nil, fmt.Errorf("--%s %v: want a number above --%s %v, which needs no release, and below 1", target, r.Limit,
			name, r.At)
	}
	return r, nil
}

// checkTarget checks the flags of a calibration before any computation.
func (q *questionFlags) checkTarget(c *cobra.Command) (err error) {
	if q.risk, err = q.risks.risk(c); err != nil {
		return usage(err)
	}
	epsilon := c.Flags().Changed("epsilon")
	switch delta := c.Flags().Changed("delta"); {
	case !epsilon && q.risk == nil && !delta:
		return usage(errors.New("--delta and --epsilon must be given, or --delta and --advantage, --tpr or --reconstruction"))
	case !epsilon && q.risk == nil:
		return usage(errors.New("--epsilon must be given, or --advantage, --tpr or --reconstruction"))
	case !delta && q.risk != nil:
		return usage(errors.New("--delta must be given: the δ of the ε that the noise is compared with"))
	case !delta:
		return usage(errors.New("--delta must be given"))
	}
	if err := q.check(c); err != nil {
		return err
	}
	if epsilon && !(q.epsilon > 0) {
		return usage(fmt.Errorf("--epsilon %v: want a finite number above 0", q.epsilon))
	}
	if !(q.delta < 1) {
		return usage(fmt.Errorf("--delta %v: want a probability in [0, 1); at 1 every mechanism is private", q.delta))
	}
	if q.risk != nil {
		if _, err := q.risk.ImpliedBy(q.delta); err != nil {
			return usage(fmt.Errorf("--delta %v: %w", q.delta, err))
		}
	}
	if len(q.methods) == 0 {
		q.methods = []string{"best"}
	}
	return nil
}

// solve solves for the number with a name by one method.
func (q *questionFlags) solve(in event.Descriptions, name, method string) (accountant.Answer, error) {
	if q.risk != nil {
		return accountant.SolveRisk(in, name, q.neighbors, *q.risk, method)
	}
	return accountant.Solve(in, name, q.target(q.epsilon, method))
}

func (q *questionFlags) target(epsilon float64, method string) accountant.Target {
	return accountant.Target{Adjacency: q.neighbors, Epsilon: epsilon, Delta: q.delta, Method: method}
}

// comparison solves for the ε at which (ε, δ)-DP alone implies the limit of the risk. answer is the solution for the
// risk itself.
func (q *questionFlags) comparison(in event.Descriptions, name, method string,
	answer accountant.Answer) (reports.RiskComparison, error) {
	r := reports.RiskComparison{Method: method, Risk: answer.Met(), Ratio: math.NaN()}
	epsilon, err := q.risk.ImpliedBy(q.delta)
	if err != nil {
		return r, err
	}
	r.Epsilon = epsilon
	other, err := accountant.Solve(in, name, q.target(epsilon, method))
	switch {
	case errors.Is(err, event.ErrDomain) || errors.Is(err, accountant.ErrNotApplicable):
		r.Number, r.Reason = math.NaN(), err.Error()
		return r, nil
	case err != nil:
		return r, err
	}
	r.Number = other.Met()
	r.Ratio = r.Number / r.Risk
	return r, nil
}
