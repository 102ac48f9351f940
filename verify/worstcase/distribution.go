package worstcase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Distribution is [distribution.Check] at the input of a space that a search finds, where the outputs are furthest from
// the
// law
// that is stated there, by what could be certified of it.
type Distribution[D any] struct {
	Quantity string // what is drawn: "the noise"
	// Stated is the one that is stated at an input.
	Stated func(input D) (distribution.Distribution, error)
	// Sample draws an output at an input; SampleN stands in its place where many at a time cost less. See
	// [distribution.Check].
	Sample  func(r *rand.Rand, input D) (any, error)
	SampleN func(r *rand.Rand, input D, out []any) error
	Effect  float64 // as that of [distribution.Check]
	Samples int64   // for search and certification together, at the standard budget
	Search  int     // inputs to try, at the standard budget; see [MinSamples]
	Inputs  Inputs[D]
}

// Check names the parameter that is out of its domain.
func (l Distribution[D]) Check() error {
	switch {
	case l.Sample == nil && l.SampleN == nil || l.Stated == nil:
		return errors.New("no mechanism, or no law")
	case len(l.Inputs.First) == 0:
		return errors.New("no inputs to search: want those of a space")
	}
	return checkTries(l.Search, l.Samples)
}

// Prepare finds the input.
func (l Distribution[D]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	return l.Inputs.worst(ctx, s, l.Search, l.Samples, l.promise, l.at)
}

// stated is the law at an input.
func (l Distribution[D]) stated(at Single[D]) (distribution.Distribution, error) {
	stated, err := l.Stated(at.Input)
	if err == nil {
		err = stated.Check()
	}
	if err != nil {
		err = fmt.Errorf("the law at the input %s: %w", at.Text, err)
	}
	return stated, err
}

// at an input the law is judged.
func (l Distribution[D]) at(at Single[D], samples int64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		stated, err := l.stated(at)
		if err != nil {
			return nil, err
		}
		check := distribution.Check{Quantity: l.Quantity, Place: "at " + inputs.ShortenedText(at.Text), Distribution: stated,
			Samples: samples,
			Effect:  l.Effect}
		if l.SampleN != nil {
			check.SampleN = func(r *rand.Rand, out []any) error { return l.SampleN(r, at.Input, out) }
		} else {
			check.Sample = func(r *rand.Rand) (any, error) { return l.Sample(r, at.Input) }
		}
		return check.Prepare(ctx, s)
	})
}

func (l Distribution[D]) promise(s verify.Settings, r *rand.Rand, at Single[D], samples int,
	certifying int64) (float64, error) {
	stated, err := l.stated(at)
	if err != nil {
		return 0, err
	}
	out := make([]any, samples)
	if l.SampleN != nil {
		err = l.SampleN(r, at.Input, out)
	}
	for i := 0; i < len(out) && err == nil && l.SampleN == nil; i++ {
		out[i], err = l.Sample(r, at.Input)
	}
	if err != nil {
		return 0, err
	}
	return distribution.Promise(stated, out, s.Alpha, certifying)
}
