package privacy

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

const (
	// screenRows are the samples of each input on which a proposed pair is judged, at most: enough to rank
	// pairs; those that are audited are searched again.
	screenRows = 4000
	// nearPairs are tried by the local search, beyond those that are proposed.
	nearPairs = 72
	// auditedPairs of those proposed go into the audit.
	auditedPairs = 8
)

// candidates are the pairs of the audit: those given, and the most promising of
// those proposed and of those the local search finds near them.
func (p PairAudit[D, O]) candidates(ctx context.Context, s verify.Settings) ([]inputs.Pair[D], error) {
	given := inputs.DistinctPairs[D]{Seen: map[string]bool{}}
	for _, n := range p.Audit.Pairs {
		given.Add(n)
	}
	proposed := inputs.DistinctPairs[D]{Seen: maps.Clone(given.Seen)}
	for _, n := range p.Proposed {
		proposed.Add(n)
	}
	if p.Space != nil {
		edges, err := inputs.CollectPairs(ctx, inputs.Edges(p.Space))
		if err != nil {
			return nil, err
		}
		for _, n := range edges {
			proposed.Add(n)
		}
	}
	if p.Space == nil && len(proposed.Pairs) <= auditedPairs {
		return inputs.NamedPairs(append(given.Pairs, proposed.Pairs...)), nil
	}
	best, err := p.search(ctx, s, proposed.Pairs, given.Pairs)
	if err != nil {
		return nil, err
	}
	out := given.Pairs
	for _, b := range best {
		if len(out) < len(given.Pairs)+auditedPairs && !given.Seen[inputs.PairKey(b.Candidate)] {
			out = append(out, b.Candidate)
		}
	}
	return inputs.NamedPairs(out), nil
}

// search goes through the pairs proposed and, where there is a space, from those and the ones given on.
func (p PairAudit[D, O]) search(ctx context.Context, s verify.Settings,
	proposed, given []inputs.Pair[D]) ([]inputs.Promised[inputs.Pair[D]], error) {
	total := max(verify.MinSamples, s.Budget.Samples(p.Audit.Samples))
	search := inputs.Search[inputs.Pair[D]]{First: proposed, Key: inputs.PairKey[D], Tries: len(proposed)}
	if p.Space != nil {
		search.First = slices.Concat(given, proposed)
		search.Mutate = func(r *rand.Rand, q inputs.Pair[D]) (inputs.Pair[D], bool) {
			near, ok := p.Space.Mutate(r, q)
			return near, ok && !inputs.EqualInputs(near.A, near.B)
		}
		search.Tries = inputs.TriesFor(len(search.First), nearPairs)
	}
	rows := min(screenRows, int64(searchShare*float64(total)))
	search.Samples = int64(search.Tries) * max(inputs.MinSearchSamples, 2*rows) // of which a first look has about a half
	search.Promise = func(ctx context.Context, stage string, pairs []inputs.Pair[D], rows int) ([]float64, error) {
		audit := p.Audit
		audit.Pairs = pairs
		return audit.Promises(ctx, s.Part(1, "round", stage), rows, total)
	}
	o, err := search.Run(ctx, s.Stream("pairs"))
	return o.Best, err
}

// Promises are what certification by so many samples of each input of a pair is expected to find on
// each pair, the claimed parameter at the event that shows most of it: by rows fresh samples, at least 20,
// of each input. A pair whose outputs nothing tells apart has −Inf.
func (a Audit[D, O]) Promises(ctx context.Context, s verify.Settings, rows int, certifying int64) ([]float64, error) {
	encode, err := distinguisher.Encoder[O]()
	if err != nil {
		return nil, err
	}
	a.Pairs, a.Anytime = inputs.NamedPairs(a.Pairs), false
	t := &auditTrial[D, O]{Audit: a, settings: s, encode: encode, alpha: s.Alpha / 2,
		certifying: max(auditShards, certifying)}
	unchanged := inputs.Unchanged("mechanism", inputs.PairKey, t.Pairs...)
	found, err := t.searchAll(ctx, rows)
	if err == nil {
		err = unchanged()
	}
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(a.Pairs))
	for i, f := range found {
		if out[i] = math.Inf(-1); len(f) > 0 {
			out[i] = f[0].Value
		}
	}
	return out, nil
}
