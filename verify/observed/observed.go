// Package observed accounts for the training that a log shows, next to the claimed ε.
//
// The log of a training can refute a premise of its account: see package premises. This package computes ε of the
// training with the observed sampling, noise and steps. It has no verdict, and does not affect the verdict on the
// claimed ε: the instrumented run need not be the deployed one, and values that were not logged are not covered.
package observed

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/premises"
)

// Method names the statistics of a claim about ε with an account of the observed training.
var Method = verify.RegisterStatistics[statistics]("accounted/observed")

// Logged is a training with its log.
type Logged struct {
	Log, Neighbor *premises.Log // Neighbor is nil if there is one log
	Claimed       premises.Training
}

// Account adds the account of the observed training to a check of ε ≤ epsilon at delta.
func (l Logged) Account(check verify.Check, adjacency event.Adjacency, epsilon, delta float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		trial, err := check.Prepare(ctx, s)
		if err != nil {
			return nil, err
		}
		e, err := trial.Judge(nil)
		if err != nil || e.Statistics == nil {
			return verify.Decided(e), err
		}
		o, err := premises.Observe(l.Log, l.Neighbor, l.Claimed, s.Alpha)
		if err != nil {
			return nil, err
		}
		f := statistics{Adjacency: adjacency.String(), Epsilon: epsilon, Delta: delta, Observation: o, Of: *e.Statistics}
		if e.Observed, err = f.observed(s.Alpha); err != nil {
			return nil, err
		}
		e.Statistics = verify.NewStatistics(Method, f)
		return verify.Decided(e), nil
	})
}

// statistics holds the observation and the statistics of the check of ε.
type statistics struct {
	Adjacency   string                      `json:"adjacency"`
	Epsilon     float64                     `json:"epsilon"`
	Delta       float64                     `json:"delta"`
	Observation premises.Observation        `json:"observation"`
	Of          verify.SufficientStatistics `json:"of"`
}

func (f statistics) Check() error {
	if !(f.Epsilon >= 0 && f.Epsilon <= math.MaxFloat64 && f.Delta >= 0 && f.Delta < 1) {
		return fmt.Errorf("claimed ε = %v at δ = %v: want a finite ε of at least 0, and δ in [0, 1)", f.Epsilon, f.Delta)
	}
	if f.Of.Method != accounting.Method {
		return fmt.Errorf("an account of the observed training in a check by method %q: want %q", f.Of.Method,
			accounting.Method)
	}
	return f.Observation.Check()
}

// Judge returns the evidence on the claimed ε with the account of the observed training.
func (f statistics) Judge(s verify.Settings) (verify.Evidence, error) {
	e, err := f.Of.Judge(s)
	if err == nil {
		e.Observed, err = f.observed(s.Alpha)
	}
	return e, err
}

// observed returns the account of the observed training.
func (f statistics) observed(alpha float64) (*verify.ObservedAccount, error) {
	adjacency, err := event.ParseAdjacency(f.Adjacency)
	if err != nil {
		return nil, err
	}
	x, err := f.Observation.Judge(alpha)
	if err != nil {
		return nil, err
	}
	t := f.Observation.Claimed
	a := &verify.ObservedAccount{Delta: f.Delta, Alpha: x.Alpha, Claimed: sampling(t.Sampling, t.Rate, t.Batch),
		Observed: sampling(x.Sampling, x.Rate.Value, x.Batch), Numbers: numbers(t, x), Reason: x.Reason}
	if own, err := f.epsilon(verify.ClaimedEpsilon, claimedForm(t, x), adjacency); err == nil {
		a.Numbers = append(a.Numbers, own)
	}
	if a.Reason != "" {
		a.Observed = ""
		return a, nil
	}
	events := formOf(x)
	if a.Reason = events.why; a.Reason != "" {
		return a, nil
	}
	seen, err := f.epsilon(verify.ObservedEpsilon, events, adjacency)
	if err != nil {
		a.Reason = err.Error()
		return a, nil
	}
	a.Numbers, a.Conditions = append(a.Numbers, seen), conditions(x)
	return a, nil
}

// numbers returns the numbers that the account uses, as claimed and as observed.
func numbers(t premises.Training, x premises.Observed) []verify.ObservedNumber {
	limits := func(quantity string, claimed float64, l premises.Limits) verify.ObservedNumber {
		n := verify.ObservedNumber{Quantity: quantity}
		if claimed > 0 {
			n.Claimed = verify.Num(claimed)
		}
		if l.Refuted {
			n.Observed, n.Lower, n.Upper = verify.Num(l.Value), verify.Num(l.Low), verify.Num(l.High)
		}
		return n
	}
	var list []verify.ObservedNumber
	if t.Sampling == premises.Poisson && !x.Resampled || x.Rate.Refuted {
		list = append(list, limits("sampling rate", t.Rate, x.Rate))
	}
	list = append(list, limits("noise multiplier", t.NoiseMultiplier, x.Multiplier), verify.ObservedNumber{
		Quantity: "steps", Claimed: verify.Num(float64(t.Steps)), Observed: verify.Num(float64(x.Steps))})
	if b := x.Beyond; b != nil {
		list = append(list, verify.ObservedNumber{Quantity: "largest norm / clipping norm", Claimed: verify.Num(1),
			Observed: verify.Num(b.Largest)})
	}
	return list
}

// epsilon returns ε of a training at delta: the largest lower end and the upper end.
func (f statistics) epsilon(quantity string, events form, adjacency event.Adjacency) (n verify.ObservedNumber,
	err error) {
	n.Quantity, n.Claimed = quantity, verify.Num(f.Epsilon)
	bracket := func(e event.Event) (accountant.Bracket, error) {
		r := accounting.Release{Event: e, Adjacency: adjacency}
		return r.Bracket(accounting.EpsilonAt(f.Delta), accountant.Precision{})
	}
	for _, e := range events.below {
		b, err := bracket(e)
		if err != nil {
			return n, err
		}
		if !n.Lower.Set || b.Lower > n.Lower.X {
			n.Lower = verify.Num(b.Lower)
		}
	}
	if events.above == nil {
		return n, nil
	}
	b, err := bracket(*events.above)
	if err == nil && b.Upper <= math.MaxFloat64 {
		n.Upper = verify.Num(b.Upper)
	}
	return n, err
}

// conditions lists what the account assumes although the log does not show it.
func conditions(x premises.Observed) (list []string) {
	for _, premise := range x.Undecided {
		list = append(list, "not decided by the log: "+premise)
	}
	if x.Longer {
		list = append(list, "the log ends before the claimed number of steps, so the account has only a lower end")
	}
	if b := x.Beyond; b != nil {
		list = append(list, fmt.Sprintf("the lower end is for a record whose contributions have the observed norms in %s, "+
			"and the clipping norm in the other steps; a record that was not logged can have larger ones",
			verify.Plural(b.Steps, "step")))
	}
	if x.Resampled {
		list = append(list, "the sampling is the first known way that the log supports, which has no error probability")
	}
	return list
}
