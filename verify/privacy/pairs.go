package privacy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/sizes"
	"github.com/dpverify/dpverify/verify/neighbours"
)

const (
	// screenRows are the samples of each input on which a proposed pair is judged:
	// enough to rank pairs; those that are audited are searched again.
	screenRows = 4000
	// searchRounds of the local search, each from the searchBeam best pairs so far,
	// with searchNear pairs like each.
	searchRounds, searchBeam, searchNear = 4, 4, 3
	// auditedPairs of those proposed go into the audit.
	auditedPairs = 8
)

// promised is a pair with what certification is expected to find on it.
type promised[D any] struct {
	pair  neighbours.Pair[D]
	value float64
}

// candidates are the pairs of the audit: those given, and the most promising of
// those proposed and of those the local search finds near them.
func (p PairAudit[D, O]) candidates(ctx context.Context, s verify.Settings) ([]neighbours.Pair[D], error) {
	given := neighbours.Distinct[D]{Seen: map[string]bool{}}
	for _, n := range p.Audit.Pairs {
		given.Add(n)
	}
	proposed := neighbours.Distinct[D]{Seen: given.Seen}
	for _, n := range p.Proposed {
		proposed.Add(n)
	}
	if p.Space != nil {
		for _, n := range p.Space.Edges() {
			proposed.Add(n)
		}
	}
	if p.Space == nil && len(proposed.Pairs) <= auditedPairs {
		return neighbours.Named(append(given.Pairs, proposed.Pairs...)), nil
	}
	best, err := p.climb(ctx, s, given.Pairs, &proposed)
	if err != nil {
		return nil, err
	}
	for _, b := range best[:min(auditedPairs, len(best))] {
		given.Pairs = append(given.Pairs, b.pair)
	}
	return neighbours.Named(given.Pairs), nil
}

// climb is the local search: what the certified value is expected to be, on search
// samples, decides from which pairs it goes on. The best pairs come first; those
// given are starts but not results, for they are audited in any case.
func (p PairAudit[D, O]) climb(ctx context.Context, s verify.Settings, given []neighbours.Pair[D],
	proposed *neighbours.Distinct[D]) ([]promised[D], error) {
	r := s.Stream("pairs")
	var best, starts []promised[D]
	if p.Space != nil {
		var err error
		if starts, err = p.promises(ctx, s, 0, given); err != nil {
			return nil, err
		}
	}
	for round := 1; ; round++ {
		found, err := p.promises(ctx, s, round, proposed.Pairs)
		if err != nil {
			return nil, err
		}
		best, starts = append(best, found...), append(starts, found...)
		order(best)
		order(starts)
		if p.Space == nil || round > searchRounds {
			return best, nil
		}
		proposed.Pairs = nil
		for _, start := range starts[:min(searchBeam, len(starts))] {
			for range searchNear {
				if near, ok := p.Space.Near(r, start.pair); ok {
					proposed.Add(near)
				}
			}
		}
	}
}

func order[D any](pairs []promised[D]) {
	slices.SortStableFunc(pairs, func(x, y promised[D]) int { return cmp.Compare(y.value, x.value) })
}

// promises are the values expected of pairs, from search samples of this round.
func (p PairAudit[D, O]) promises(ctx context.Context, s verify.Settings, round int,
	pairs []neighbours.Pair[D]) ([]promised[D], error) {
	total := max(sizes.LeastSamples, s.Budget.Samples(p.Audit.Samples))
	s.Seed = s.Seed.Derive("round", fmt.Sprint(round))
	p.Audit.Pairs = pairs
	values, err := p.Audit.Promises(ctx, s, min(screenRows, int(searchShare*float64(total))), total)
	out := make([]promised[D], len(values))
	for i, value := range values {
		out[i] = promised[D]{pairs[i], value}
	}
	return out, err
}

// Promises are what certification by so many samples of each input of a pair is expected to find on
// each pair, the claimed parameter at the event that shows most of it: by rows fresh samples, at least 20,
// of each input. A pair whose outputs nothing tells apart has −Inf.
func (a Audit[D, O]) Promises(ctx context.Context, s verify.Settings, rows int, certifying int64) ([]float64, error) {
	encode, err := witness.Encoder[O]()
	if err != nil {
		return nil, err
	}
	a.Pairs, a.Anytime = neighbours.Named(a.Pairs), false
	t := &auditTrial[D, O]{Audit: a, settings: s, encode: encode, alpha: s.Alpha / 2,
		certifying: max(auditShards, certifying)}
	var found []candidates
	err = unchanged(t.Pairs, func() (err error) {
		found, err = t.searchAll(ctx, rows)
		return err
	})
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
