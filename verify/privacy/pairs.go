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
	// screenRows is the maximum number of samples per input that rank a proposed pair. The audited pairs
	// are searched again.
	screenRows = 4000
	// nearPairs is the number of pairs that the local search tries in addition to the proposed ones.
	nearPairs = 72
	// auditedPairs is the number of proposed pairs that are audited.
	auditedPairs = 8
)

// candidates returns the pairs to audit: the given pairs, and the most promising of the proposed pairs and of those
// that the local search finds near them.
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

// search ranks the proposed pairs and, if there is a space, searches on from them and from the given pairs.
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
	search.Samples = int64(search.Tries) * max(inputs.MinSearchSamples, 2*rows) // the first round uses about half
	search.Promise = func(ctx context.Context, stage string, pairs []inputs.Pair[D], rows int) ([]float64, error) {
		audit := p.Audit
		audit.Pairs = pairs
		return audit.Promises(ctx, s.Part(1, "round", stage), rows, total)
	}
	o, err := search.Run(ctx, s.Stream("pairs"))
	return o.Best, err
}

// Promises returns, for each pair, the claimed parameter that a certification with the given number of samples per
// input is expected to reach at the most distinguishing event. It draws rows ≥ 20 new samples per input. The value
// is −Inf for a pair whose outputs no event distinguishes.
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
