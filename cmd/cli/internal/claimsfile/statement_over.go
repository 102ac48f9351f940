package claimsfile

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// OverInputs is the common part of statements about every input of a space. Another program may give the true mean,
// or the center of the distribution, at each input.
type OverInputs struct {
	FoundInputs
	Command []string  // of the program that gives the truth; nil for none
	Truth   Mechanism // the program, set before the statement is checked
}

// Asked returns o. It identifies statements about every input of a space.
func (o *OverInputs) Asked() *OverInputs { return o }

// worst names the input that the statement is about.
func (o *OverInputs) worst() string {
	return fmt.Sprintf("at the worst input that a search over up to %d inputs finds", o.Search) + o.reduced()
}

// search returns the check that searches for the worst input; at gives the check at one input.
func (o *OverInputs) search(samples int64,
	at func(s verify.Settings, input json.RawMessage, place string, samples int64) (worstcase.Check, error)) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		singles, err := worstcase.SingleInputs[json.RawMessage](o.Space)
		if err != nil {
			return nil, err
		}
		return worstcase.Input[json.RawMessage]{Samples: samples, Search: o.Search, Inputs: singles,
			At: func(input json.RawMessage, place string, samples int64) (worstcase.Check, error) {
				return at(s, input, place, samples)
			}}.Prepare(ctx, s)
	})
}

// truth returns the truth at an input.
func (o *OverInputs) truth(s verify.Settings, at json.RawMessage) ([]float64, error) {
	f := evaluatedMap{mechanism: o.Truth, r: s.Common("truth", string(at))}
	truth, err := f.at(at)
	if err != nil {
		err = fmt.Errorf("the truth: %w", err)
	}
	return truth, err
}

// UnbiasedOver claims that outputs have a mean at every input of a space: a fixed one, or the truth that another
// program gives.
type UnbiasedOver struct {
	OverInputs
	Of       []float64 // the mean if no program gives it
	Range    *[2]float64
	Variance float64
}

func (u *UnbiasedOver) Kind() verify.Kind { return verify.Unbiasedness }
func (u *UnbiasedOver) Inputs() int       { return 1 }

func (u *UnbiasedOver) String() string {
	if u.Command == nil {
		return fmt.Sprintf("unbiased %v %v %v%v", u.Of, valueOrNone(u.Range), u.Variance, &u.FoundInputs)
	}
	return fmt.Sprintf("unbiased for %q %v %v%v", u.Command, valueOrNone(u.Range), u.Variance, &u.FoundInputs)
}

func (u *UnbiasedOver) Says() string {
	mean := fmt.Sprintf("has the mean that the process %q computes", u.Command)
	if u.Command == nil {
		mean = fmt.Sprintf("has the mean %v", u.Of)
	}
	return mean + " " + u.worst() + knownText(u.Range, u.Variance)
}

// Check searches for the worst input.
func (u *UnbiasedOver) Check(m Mechanism, samples int64) verify.Check {
	var vectors outputVectors
	return u.search(samples, func(s verify.Settings, input json.RawMessage, place string,
		samples int64) (_ worstcase.Check, err error) {
		one, are := Unbiased{input, u.Of, u.Range, u.Variance}, statedNumbers(u.Of)
		if u.Command != nil {
			are = "are in the truth"
			one.Of, err = u.truth(s, input)
		}
		return one.stated(m, "the output "+place, &vectors, are, samples), err
	})
}

// LawOver claims the distribution of outputs at every input of a space, optionally centered at the truth that another
// program gives.
type LawOver struct {
	OverInputs
	Law   distribution.Distribution
	Exact string // the distribution with all digits of its parameters
}

func (l *LawOver) Kind() verify.Kind { return verify.Law }
func (l *LawOver) Inputs() int       { return 1 }
func (l *LawOver) String() string {
	if l.Command == nil {
		return fmt.Sprintf("law %s%v", l.Exact, &l.FoundInputs)
	}
	return fmt.Sprintf("law %s around %q%v", l.Exact, l.Command, &l.FoundInputs)
}

func (l *LawOver) Says() string {
	around := ""
	if l.Command != nil {
		around = fmt.Sprintf(" around the output of the process %q", l.Command)
	}
	return fmt.Sprintf("has the distribution %s%s %s", l.Law, around, l.worst())
}

// Check searches for the worst input.
func (l *LawOver) Check(m Mechanism, samples int64) verify.Check {
	return l.search(samples, func(s verify.Settings, input json.RawMessage, place string,
		samples int64) (worstcase.Check, error) {
		quantity, center := "the output", 0.0
		if l.Command != nil {
			truth, err := l.truth(s, input)
			if err == nil && len(truth) != 1 {
				err = fmt.Errorf("the truth holds %d numbers: a law needs a single number", len(truth))
			}
			if err != nil {
				return nil, err
			}
			quantity, center = "the output less the truth", truth[0]
		}
		check := Law{Input: input, Law: l.Law}.stated(m, quantity, center, samples)
		check.Place = place
		return check, nil
	})
}
