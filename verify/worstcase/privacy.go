package worstcase

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Privacy is a [privacy.Audit] on the worst pair of a space that a search finds.
type Privacy[D, O any] struct {
	// Audit holds the mechanism, the claim and the settings. Its Samples are the samples of each input for search and
	// certification together. Its Pairs may be empty; they are tried before the pairs of the space.
	Audit privacy.Audit[D, O]
	Space inputs.PairSpace[D] // see [inputs.NewPairSpace]
	// Search is the number of pairs to try at the standard budget; see [MinSamples]. A smaller budget tries fewer.
	Search int
}

// Check returns an error that names the invalid parameter.
func (p Privacy[D, O]) Check() error {
	if p.Space == nil {
		return errors.New("no space of inputs to search: set Space")
	}
	if err := p.Space.Check(); err != nil {
		return err
	}
	if err := checkTries(p.Search, p.Audit.Samples); err != nil {
		return err
	}
	audit := p.Audit
	audit.Pairs = slices.Clone(audit.Pairs)
	for pair := range inputs.Edges(p.Space) { // one pair is enough to check the audit
		audit.Pairs = append(audit.Pairs, pair)
		break
	}
	if len(audit.Pairs) == 0 {
		return errors.New("the space proposes no pair of inputs: want at least one edge, or a pair in Audit.Pairs")
	}
	return audit.Check()
}

// Prepare searches for the pair and chooses its distinguishing event.
func (p Privacy[D, O]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	t, _, err := p.prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Judge searches and certifies on a pool, and returns the finding with the smallest refuting pair.
func (p Privacy[D, O]) Judge(ctx context.Context, s verify.Settings, pool *empirical.Pool) (privacy.Finding[D], error) {
	f := privacy.Finding[D]{Alpha: s.Alpha}
	var prepared *trial
	check := verify.CheckFunc(func(ctx context.Context, s verify.Settings) (_ verify.Trial, err error) {
		prepared, f.Pairs, err = p.prepare(ctx, s)
		return prepared, err
	})
	var err error
	if f.Evidence, err = verify.Judge(ctx, check, s, pool, nil); err != nil || f.Verdict != verify.Refuted {
		return f, err
	}
	refuted := prepared.refuted
	warnings := f.Warnings
	f.Evidence, f.Smallest = refuted.Evidence, &f.Pairs[refuted.part]
	f.Warnings = warnings
	f.Event, f.Swapped = f.Events[0].Event, f.Events[0].Swapped
	f.Diagnosis.Smallest = true
	return f, nil
}

// prepare returns the trial and the pairs to certify.
func (p Privacy[D, O]) prepare(ctx context.Context, s verify.Settings) (*trial, []inputs.Pair[D], error) {
	if err := p.Check(); err != nil {
		return nil, nil, err
	}
	edges, err := inputs.CollectPairs(ctx, inputs.Edges(p.Space))
	if err != nil {
		return nil, nil, err
	}
	first := inputs.DistinctPairs[D]{Seen: map[string]bool{}}
	for _, pair := range slices.Concat(p.Audit.Pairs, edges) { // given pairs first
		first.Add(pair)
	}
	total := s.Budget.Samples(p.Audit.Samples)
	f := finder[inputs.Pair[D]]{tries: p.Search, total: total, refutes: p.Audit.Guarantee.Value(), noun: pairNoun,
		near:    inputs.Search[inputs.Pair[D]]{First: first.Pairs, Key: inputs.PairKey[D]},
		smaller: func(pair inputs.Pair[D]) []inputs.Pair[D] { return inputs.DifferentPairs(p.Space.Smaller(pair)) },
		state:   inputs.PairKey[D]}
	f.near.Mutate = func(r *rand.Rand, pair inputs.Pair[D]) (inputs.Pair[D], bool) {
		return different(p.Space.Mutate(r, pair))
	}
	if combiner, ok := p.Space.(inputs.PairCombiner[D]); ok {
		f.near.Combine = func(r *rand.Rand, a, b inputs.Pair[D]) (inputs.Pair[D], bool) {
			return different(combiner.Combine(r, a, b))
		}
	}
	f.promise = func(ctx context.Context, s verify.Settings, stage string, pairs []inputs.Pair[D],
		samples int) ([]float64, error) {
		audit := p.Audit
		audit.Pairs = pairs
		return audit.Promises(ctx, s.Part(1, "search", stage), samples, total/2)
	}
	f.check = func(pair inputs.Pair[D], samples int64) (verify.Check, error) {
		audit := p.Audit
		audit.Pairs, audit.Samples = []inputs.Pair[D]{pair}, samples
		return audit, nil
	}
	return f.prepare(ctx, s)
}

// different returns ok = false for a pair with equal inputs, so that the search draws another pair.
func different[D any](p inputs.Pair[D], ok bool) (inputs.Pair[D], bool) {
	return p, ok && !inputs.EqualInputs(p.A, p.B)
}
