package claimsfile

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// OverInputs is what statements about every input of a space have in common: the mean, or the location of the law, may
// be what another program gives at the input.
type OverInputs struct {
	FoundInputs
	Command []string  // of the other program; nil for none
	Truth   Mechanism // the program; it is there when the statement is checked
}

// Asked is itself: by it a statement with another program is told.
func (o *OverInputs) Asked() *OverInputs { return o }

// worst says in words where.
func (o *OverInputs) worst() string {
	return fmt.Sprintf("at the worst input that a search over up to %d inputs finds", o.Search)
}

// truth at an input.
func (o *OverInputs) truth(s verify.Settings, at json.RawMessage) ([]float64, error) {
	f := evaluatedMap{mechanism: o.Truth, r: s.Common("truth", string(at))}
	return f.at(shownInput{text: string(at)})
}

// UnbiasedOver says that outputs have a mean at every input of a space: one, or that which another program
// gives.
type UnbiasedOver struct {
	OverInputs
	Of       []float64 // where no program gives it
	Range    *[2]float64
	Variance float64
}

func (u *UnbiasedOver) Kind() verify.Kind { return verify.Unbiasedness }
func (u *UnbiasedOver) Inputs() int       { return 1 }

func (u *UnbiasedOver) String() string {
	if u.Command == nil {
		return fmt.Sprintf("unbiased %v %v %v%v", u.Of, pointed(u.Range), u.Variance, &u.FoundInputs)
	}
	return fmt.Sprintf("unbiased for %q %v %v%v", u.Command, pointed(u.Range), u.Variance, &u.FoundInputs)
}

func (u *UnbiasedOver) Says() string {
	mean := fmt.Sprintf("has the mean that the process %q gives", u.Command)
	if u.Command == nil {
		mean = fmt.Sprintf("has the mean %v", u.Of)
	}
	return mean + " " + u.worst() + knownText(u.Range, u.Variance)
}

// Check searches for the input.
func (u *UnbiasedOver) Check(m Mechanism, samples int64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		var vectors outputVectors
		singles, err := worstcase.SingleInputs[json.RawMessage](u.Space)
		if err != nil {
			return nil, err
		}
		stated := "are in the truth"
		if u.Command == nil {
			stated = fmt.Sprintf("are in the mean that is stated, %v", u.Of)
		}
		return worstcase.Unbiased[json.RawMessage]{
			Quantity: "the output", Range: u.Range, Variance: u.Variance, Samples: samples, Search: u.Search, Inputs: singles,
			Truth: func(at json.RawMessage) ([]float64, error) {
				if u.Command == nil {
					return u.Of, nil
				}
				return u.truth(s, at)
			},
			SampleN: func(r *rand.Rand, at json.RawMessage, dst [][]float64) error {
				out := make([]any, len(dst))
				err := m.ReleaseN(r, at, out)
				for i := 0; i < len(out) && err == nil; i++ {
					err = vectors.put(dst[i], out[i], stated)
				}
				return err
			},
		}.Prepare(ctx, s)
	})
}

// LawOver says how outputs are distributed at every input of a space: by a law, or by that law around what another
// program gives.
type LawOver struct {
	OverInputs
	Law   distribution.Distribution
	Exact string // the law with all digits of its parameters
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
		around = fmt.Sprintf(" around what the process %q gives", l.Command)
	}
	return fmt.Sprintf("has the law %s%s %s", l.Law, around, l.worst())
}

// Check searches for the input.
func (l *LawOver) Check(m Mechanism, samples int64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		singles, err := worstcase.SingleInputs[json.RawMessage](l.Space)
		if err != nil {
			return nil, err
		}
		var centers sync.Map // by input
		quantity := "the output"
		if l.Command != nil {
			quantity = "the output less the truth"
		}
		return worstcase.Distribution[json.RawMessage]{
			Quantity: quantity, Samples: samples, Search: l.Search, Inputs: singles,
			Stated: func(json.RawMessage) (distribution.Distribution, error) { return l.Law, nil },
			SampleN: func(r *rand.Rand, at json.RawMessage, out []any) error {
				center, err := l.center(s, at, &centers)
				if err == nil {
					err = m.ReleaseN(r, at, out)
				}
				for i := 0; i < len(out) && err == nil; i++ {
					if out[i], err = singleNumber(out[i]); err == nil && center != 0 {
						out[i] = out[i].(float64) - center
					}
				}
				return err
			},
		}.Prepare(ctx, s)
	})
}

// center of the law at an input; the program is asked once.
func (l *LawOver) center(s verify.Settings, at json.RawMessage, known *sync.Map) (float64, error) {
	if l.Command == nil {
		return 0, nil
	}
	if center, ok := known.Load(string(at)); ok {
		return center.(float64), nil
	}
	truth, err := l.truth(s, at)
	if err == nil && len(truth) != 1 {
		err = fmt.Errorf("the truth at the input %s holds %d numbers: a law is of single numbers", shortened(at), len(truth))
	}
	if err != nil {
		return 0, err
	}
	known.Store(string(at), truth[0])
	return truth[0], nil
}
