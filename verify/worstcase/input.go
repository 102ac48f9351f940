package worstcase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Inputs holds single inputs of a space with the moves of the search. Use [SingleInputs].
type Inputs[D any] struct {
	First   []Single[D]
	near    func(r *rand.Rand, s Single[D]) (Single[D], bool)
	joined  func(r *rand.Rand, s, t Single[D]) (Single[D], bool)
	smaller func(s Single[D]) []Single[D]
}

// Single is an input with its text.
type Single[D any] struct {
	Input D
	Text  string // JSON
	value any
}

// SingleInputs returns the single inputs of a space. It ignores the neighbor relation. It returns an error if the type
// of the values is invalid or cannot be decoded as D.
func SingleInputs[D any](s inputs.Space) (in Inputs[D], err error) {
	if err := s.CheckValues(); err != nil {
		return in, err
	}
	single := func(v any) (Single[D], error) {
		d, err := inputs.DecodedInput[D](v)
		return Single[D]{d, inputs.JSONText(v), v}, err
	}
	for _, v := range s.Single() {
		one, err := single(v)
		if err != nil {
			return in, err
		}
		in.First = append(in.First, one)
	}
	in.near = func(r *rand.Rand, from Single[D]) (Single[D], bool) {
		near, err := single(s.MutateInput(r, from.value))
		return near, err == nil
	}
	in.joined = func(r *rand.Rand, from, to Single[D]) (Single[D], bool) {
		both, err := single(s.CombineInputs(r, from.value, to.value))
		return both, err == nil
	}
	in.smaller = func(from Single[D]) (out []Single[D]) {
		for _, v := range s.SimplerSingle(from.value) {
			if one, err := single(v); err == nil {
				out = append(out, one)
			}
		}
		return out
	}
	return in, nil
}

// minRefuting is the smallest deviation, in expected half widths of an interval, at which a refutation is expected.
const minRefuting = 1.5

// Check is a check of a claim at one input, such as [mean.Stated] and [distribution.Check].
type Check interface {
	verify.Check
	// Promise draws few samples, and returns the deviation from the claim minus the part that chance explains. The unit
	// is the deviation that the certifying samples are expected to detect with an error of at most alpha.
	Promise(r *rand.Rand, alpha float64, samples int, certifying int64) (float64, error)
}

// Input checks a claim about single inputs at the worst case that a search of a space finds. The worst case is the
// input with the largest deviation from the claim that is expected to be certified.
type Input[D any] struct {
	// At returns the check at an input with a number of samples. The place describes the input, as in "at [1,2]".
	At      func(input D, place string, samples int64) (Check, error)
	Samples int64 // number of samples for search and certification together, at the standard budget
	Search  int   // number of inputs to try, at the standard budget; see [MinSamples]
	Inputs  Inputs[D]
}

// Check returns an error that names the invalid parameter.
func (c Input[D]) Check() error {
	switch {
	case c.At == nil:
		return errors.New("no claim at an input: set At")
	case len(c.Inputs.First) == 0:
		return errors.New("no inputs to search: set Inputs to the result of SingleInputs")
	}
	return checkTries(c.Search, c.Samples)
}

// at returns the check at an input, and an error if the claim changes the input: the mechanism must get the input that
// is reported.
func (c Input[D]) at(one Single[D], samples int64) (Check, error) {
	unchanged := inputs.Unchanged("claim", inputState[D], one)
	check, err := c.At(one.Input, "at "+inputs.ShortenedText(one.Text), samples)
	if err == nil {
		err = unchanged()
	}
	return check, err
}

// inputState returns a text that changes if the input does.
func inputState[D any](one Single[D]) string { return inputs.InputKey(one.Input) }

// Prepare searches for the input and prepares its certification.
func (c Input[D]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	in, total := c.Inputs, s.Budget.Samples(c.Samples)
	find := finder[Single[D]]{tries: c.Search, total: total, refutes: minRefuting, noun: inputNoun, smaller: in.smaller,
		near: inputs.Search[Single[D]]{First: in.First, Mutate: in.near, Combine: in.joined,
			Key: func(one Single[D]) string { return one.Text }},
		state: inputState[D]}
	find.promise = func(ctx context.Context, s verify.Settings, stage string, at []Single[D],
		samples int) ([]float64, error) {
		values, looked := make([]float64, len(at)), s.Looks(len(at))
		failed, err := empirical.Each(ctx, s.Pool, len(at), func(_ context.Context, i int) error {
			defer looked()
			check, err := c.at(at[i], int64(samples))
			if err != nil {
				return err
			}
			unchanged := inputs.Unchanged("mechanism", find.state, at[i])
			r := s.Stream("search", stage, strconv.Itoa(i))
			if values[i], err = check.Promise(r, s.Alpha, samples, total/2); err != nil {
				return err
			}
			return unchanged()
		})
		if err != nil && failed < len(at) {
			err = fmt.Errorf("at the input %s: %w", at[failed].Text, err)
		}
		return values, err
	}
	find.check = func(one Single[D], samples int64) (verify.Check, error) {
		check, err := c.at(one, samples)
		if err != nil {
			err = fmt.Errorf("at the input %s: %w", one.Text, err)
		}
		return check, err
	}
	t, _, err := find.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	return t, nil
}
