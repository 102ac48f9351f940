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

// Inputs are single ones of a space; [SingleInputs] makes them.
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

// SingleInputs are those of a space, whose neighbours play no part.
func SingleInputs[D any](s inputs.Space) (in Inputs[D], err error) {
	if s.Values == nil {
		return in, errors.New("no type of inputs")
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

// refuting is how many times the expected half of an interval a deviation is to be for a
// certificate to be expected.
const refuting = 1.5

// worst finds the input of the largest promise, and prepares the check at it. A promise is the deviation of
// so many samples from the claim, less what chance explains, in halves of the interval that so many certifying
// samples are expected to have.
func (in Inputs[D]) worst(ctx context.Context, s verify.Settings, tries int, samples int64,
	promise func(s verify.Settings, r *rand.Rand, at Single[D], samples int, certifying int64) (float64, error),
	check func(at Single[D], samples int64) verify.Check) (verify.Trial, error) {
	find := finder[Single[D]]{first: in.First, smaller: in.smaller, tries: tries, total: s.Budget.Samples(samples),
		refutes: refuting, noun: "inputs"}
	find.near.Key = func(one Single[D]) string { return one.Text }
	find.near.Mutate, find.near.Combine = in.near, in.joined
	find.promise = func(ctx context.Context, s verify.Settings, stage string, at []Single[D],
		samples int) ([]float64, error) {
		values, looked := make([]float64, len(at)), s.Looks(len(at))
		failed, err := empirical.Each(ctx, s.Pool, len(at), func(_ context.Context, i int) (err error) {
			defer looked()
			before := inputs.InputKey(at[i].Input)
			values[i], err = promise(s, s.Stream("search", stage, strconv.Itoa(i)), at[i], samples, find.total/2)
			if after := inputs.InputKey(at[i].Input); err == nil && after != before {
				err = fmt.Errorf("the mechanism changes its input: it was %s and is now %s; let it work on a copy", before, after)
			}
			return err
		})
		if err != nil && failed < len(at) {
			err = fmt.Errorf("at the input %s: %w", at[failed].Text, err)
		}
		return values, err
	}
	f, err := find.find(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("choosing an input: %w", err)
	}
	t, err := prepared(ctx, s, f, check)
	t.search.Noun, t.unchanged = inputNoun, func() error { return nil }
	return t, err
}
