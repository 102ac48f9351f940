package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// curveKinds lists the values of --curve.
var curveKinds = []string{reports.EpsilonCurve, reports.DeltaCurve, reports.TradeOffCurve}

// curveFlags holds the flags of a curve: its kind and picture, and the prior probability and false-positive rates at
// which bounds on attacks are computed.
type curveFlags struct {
	Kind  string
	Plot  string // file of the picture, "" for none
	prior float64
	rates []float64
}

// Add adds --curve, --prior and --fpr. The caller adds --plot, a [fileFlag].
func (f *curveFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Kind, "curve", "", "`CURVE` to compute: "+curveChoice())
	c.Flags().Float64Var(&f.prior, "prior", 0.5,
		"with --curve: prior `PROBABILITY` of an attacker")
	c.Flags().Float64SliceVar(&f.rates, "fpr", []float64{0.001, 0.01, 0.1},
		"`LIST` of false-positive rates")
	c.Flags().Lookup("fpr").DefValue = "0.001,0.01,0.1" // without the zeros that pflag adds
}

func curveChoice() string { return strings.Join(curveKinds[:2], ", ") + " or " + curveKinds[2] }

// Check checks the flags before any computation; methods holds the values of --method.
func (f *curveFlags) Check(c *cobra.Command, methods []string) error {
	flags := c.Flags()
	if !flags.Changed("curve") {
		for _, name := range []string{"prior", "fpr", "plot"} {
			if flags.Changed(name) {
				return fmt.Errorf("--%s needs --curve: add --curve %s", name, curveChoice())
			}
		}
		return nil
	}
	switch {
	case f.Kind == "":
		return fmt.Errorf("--curve: want %s, and got none", curveChoice())
	case !slices.Contains(curveKinds, f.Kind):
		return fmt.Errorf("--curve %q%s: want %s", f.Kind, claimsfile.DidYouMean(f.Kind, curveKinds), curveChoice())
	case flags.Changed("epsilon"):
		return fmt.Errorf("--curve computes every ε: leave --epsilon out")
	case !(f.prior > 0 && f.prior < 1):
		return fmt.Errorf("--prior %v: want a probability above 0 and below 1", f.prior)
	case len(methods) > 1:
		return fmt.Errorf("--curve uses one method: give --method one name, or leave it out for the best")
	case f.Plot != "" && !strings.HasSuffix(f.Plot, ".svg"):
		return fmt.Errorf("--plot %s: want a name that ends in .svg", f.Plot)
	}
	for _, rate := range f.rates {
		if !(rate >= 0 && rate <= 1) {
			return fmt.Errorf("--fpr %v: want probabilities in [0, 1]", rate)
		}
	}
	if delta := flags.Lookup("delta"); delta.Changed {
		if d, err := flags.GetFloat64("delta"); err != nil || !(d > 0 && d < 1) {
			return fmt.Errorf("--delta %s: want the smallest δ of the curve, above 0 and below 1", delta.Value)
		}
	}
	return nil
}

// accountQuestion says what to compute for every event: ε at Delta, δ at Epsilon, or a curve.
type accountQuestion struct {
	Epsilon, Delta float64
	HasDelta       bool
	Methods        []string
	curveFlags
}

// accountSubject is an event to account for, with notes on how its file was interpreted.
type accountSubject struct {
	Event     event.Event
	Neighbors event.Adjacency
	Notes     []string
	Votes     [][]float64 // votes for each query; nil without --votes
}

// Answers returns the account of the first subject. The field Beside of each account holds the next subject's account.
func (q accountQuestion) Answers(subjects ...accountSubject) (reports.Account, error) {
	all := make([]reports.Account, len(subjects))
	for i, s := range subjects {
		all[i] = reports.Account{
			Quantity: "delta", Epsilon: verify.Num(q.Epsilon), Event: s.Event.String(), Adjacency: s.Neighbors,
		}
		if q.HasDelta || q.Kind != "" {
			all[i].Quantity, all[i].Epsilon = "epsilon", verify.Number{}
		}
		if q.HasDelta {
			all[i].Delta = verify.Num(q.Delta)
		}
	}
	answer := q.results
	if q.Kind != "" {
		answer = q.curves
	}
	if err := answer(subjects, all); err != nil {
		return reports.Account{}, err
	}
	for i := len(all) - 1; i > 0; i-- {
		all[i-1].Beside = &all[i]
	}
	return all[0], nil
}

// results enters the brackets of ε at Delta, or of δ at Epsilon, by method.
func (q accountQuestion) results(subjects []accountSubject, all []reports.Account) error {
	for i, s := range subjects {
		ask := func() ([]accountant.Result, error) {
			o := accountant.Options{Methods: q.Methods}
			if q.HasDelta {
				return accountant.Epsilons(s.Event, s.Neighbors, q.Delta, o)
			}
			return accountant.Deltas(s.Event, s.Neighbors, q.Epsilon, o)
		}
		results, err := ask()
		if err != nil {
			return err
		}
		for k := range results {
			results[k].Assumptions = slices.Concat(s.Notes, results[k].Assumptions)
		}
		all[i].Results = results
		if s.Votes != nil {
			if all[i].Votes, err = s.votesAccount(q.Delta, results); err != nil {
				return err
			}
		}
	}
	return nil
}

// votesAccount returns the data-dependent ε. The upper ends of the results hold for all data sets, so it is at most
// their minimum.
func (s accountSubject) votesAccount(delta float64, results []accountant.Result) (*reports.Votes, error) {
	one := s.Event
	for one.Kind == event.KindRepeat || one.Kind == event.KindCompose && len(one.Parts) == 1 {
		one = one.Parts[0]
	}
	epsilon, err := accountant.VotesEpsilon(one, s.Neighbors, s.Votes, delta)
	for _, r := range results {
		epsilon = math.Min(epsilon, r.Upper)
	}
	return &reports.Votes{Epsilon: verify.Num(epsilon), Queries: len(s.Votes)}, err
}

const (
	curvePlaces = 40   // intervals between the points of a curve
	curveWidth  = 2e-3 // target width of a bracket: absolute in ε, relative in δ
)

// curves enters a curve at the same points for all subjects, the μ of Gaussian DP and the bounds on attacks.
func (q accountQuestion) curves(subjects []accountSubject, all []reports.Account) error {
	o := accountant.ProfileOptions{Intervals: curvePlaces, MinDelta: q.Delta,
		Precision: accountant.Precision{Width: curveWidth}}
	if len(q.Methods) > 0 {
		o.Method = q.Methods[0]
	}
	profiles, end := make([]*accountant.Profile, len(subjects)), 0.0
	for i, s := range subjects {
		p, err := accountant.NewProfile(s.Event, s.Neighbors, o)
		if err != nil {
			return err
		}
		profiles[i], end = p, math.Max(end, p.End())
	}
	minDelta := o.MinDelta
	if minDelta == 0 {
		minDelta = profiles[0].MinDelta
	}
	for i, p := range profiles {
		c := &reports.Curve{Kind: q.Kind, Assumptions: slices.Concat(subjects[i].Notes, p.Assumptions), Warnings: p.Warnings}
		all[i].Quantity, all[i].Curve = q.Kind, c
		var err error
		if c.Points, err = curvePoints(q.Kind, p, subjects[i], end, minDelta, o); err != nil {
			return err
		}
		if c.Gaussian, err = p.Gaussian(); err != nil {
			return err
		}
		if c.Attacks, err = p.Attacks(q.prior, q.rates); err != nil {
			return err
		}
	}
	return nil
}

// curvePoints returns the points of a curve. A δ curve has evenly spaced ε from 0 to end. An ε curve has δ in a
// geometric sequence from minDelta. A trade-off curve has type I errors from 0 to 1, which are denser near 0, where
// the curve is steep.
func curvePoints(kind string, p *accountant.Profile, s accountSubject, end, minDelta float64,
	o accountant.ProfileOptions) ([]accountant.Point, error) {
	if kind == reports.EpsilonCurve {
		deltas := make([]float64, curvePlaces)
		for i := range deltas {
			deltas[i] = threeDigits(math.Pow(minDelta, 1-float64(i)/curvePlaces))
		}
		return accountant.ProfileEpsilons(s.Event, s.Neighbors, deltas, o)
	}
	ask, last := p.Delta, end
	if kind == reports.TradeOffCurve {
		ask, last = p.TradeOff, 1
	}
	list := make([]accountant.Point, curvePlaces+1)
	for i := range list {
		at := float64(i) / curvePlaces
		if kind == reports.TradeOffCurve {
			at *= at
		}
		at *= last
		b, err := ask(at)
		if err != nil {
			return nil, err
		}
		list[i] = accountant.Point{At: at, Bracket: b}
	}
	return list, nil
}

// threeDigits rounds x to three significant digits, so that a table shows each δ exactly.
func threeDigits(x float64) float64 {
	scale := math.Pow(10, 2-math.Floor(math.Log10(x)))
	return math.Round(x*scale) / scale
}
