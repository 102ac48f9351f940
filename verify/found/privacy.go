package found

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Privacy is a [privacy.Audit] on the worst pair of a space that a search finds.
type Privacy[D, O any] struct {
	// Audit has the mechanism, the claim and the settings. Its Samples are for search and
	// certification together, of each input; its Pairs are tried before those of the space, and may be
	// empty.
	Audit privacy.Audit[D, O]
	Space neighbours.Space[D] // such as [inputs.Of]
	// Search is the number of pairs to try, at the standard budget; see [LeastSamples]. A
	// smaller budget tries fewer.
	Search int
}

// Check names the parameter that is out of its domain.
func (p Privacy[D, O]) Check() error {
	if p.Space == nil {
		return errors.New("no space of inputs to search")
	}
	if err := p.Space.Check(); err != nil {
		return err
	}
	if err := checkTries(p.Search, p.Audit.Samples); err != nil {
		return err
	}
	audit := p.Audit
	if audit.Pairs = append(slices.Clone(audit.Pairs), p.Space.Edges()...); len(audit.Pairs) == 0 {
		return errors.New("the space proposes no pair of inputs")
	}
	return audit.Check()
}

// Prepare finds the pair and chooses its event.
func (p Privacy[D, O]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	first := neighbours.Distinct[D]{Seen: map[string]bool{}}
	for _, pair := range slices.Concat(p.Audit.Pairs, p.Space.Edges()) {
		first.Add(pair)
	}
	total := s.Budget.Samples(p.Audit.Samples)
	find := finder[neighbours.Pair[D]]{
		first: first.Pairs, smaller: p.Space.Smaller, tries: p.Search, total: total,
		refutes: p.Audit.Guarantee.Value(),
	}
	find.near.Key = neighbours.Syntax[D]
	find.near.Near = func(r *rand.Rand, pair neighbours.Pair[D]) (neighbours.Pair[D], bool) { return p.Space.Near(r, pair) }
	find.near.Promise = func(ctx context.Context, stage string, pairs []neighbours.Pair[D], samples int) ([]float64, error) {
		audit := p.Audit
		audit.Pairs = pairs
		return audit.Promises(ctx, s.Part(1, "search", stage), samples, total/2)
	}
	f, err := find.find(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("choosing a pair of inputs: %w", err)
	}
	certified := []neighbours.Pair[D]{f.best}
	if f.shrunk {
		certified = append(certified, f.smallest)
	}
	before := syntaxes(certified)
	t, err := prepared(ctx, s, f, func(pair neighbours.Pair[D], samples int64) verify.Check {
		audit := p.Audit
		audit.Pairs, audit.Samples = []neighbours.Pair[D]{pair}, samples
		return audit
	})
	t.noun = "pair"
	t.unchanged = func() error {
		for i, after := range syntaxes(certified) {
			if after != before[i] {
				return fmt.Errorf("the mechanism changes its input: pair %s was %s and is now %s; let it work on a copy",
					certified[i].Name, before[i], after)
			}
		}
		return nil
	}
	return t, err
}

func syntaxes[D any](pairs []neighbours.Pair[D]) (out []string) {
	for _, p := range pairs {
		out = append(out, neighbours.Syntax(p))
	}
	return out
}
