package mean

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// Compare checks claimed orders between random quantities, for example that the error of training algorithm a is below
// that of b. One replicate draws every quantity once, independently. The order "a below b" means that a is below b in
// at least half of the replicates. Comparing means can need far more runs: about thirty replicates decide the order of
// quantities that never overlap, at any alpha in use.
//
// An order is refuted if the exact (Clopper–Pearson) upper limit of P(a ≤ b) is below 1/2. It is confirmed if the lower
// limit of P(a < b) is above 1/2. Ties therefore count against either conclusion. The claim is Refuted if one order is
// refuted, Consistent if all are confirmed, and Inconclusive otherwise.
type Compare struct {
	Quantity string   // name of the values, for example "testing error rate"
	Names    []string // names of the values that Run returns, in order
	Orders   []Order  // the claimed orders, tested jointly
	// Run returns one independent value for each name. It must take all its randomness from r.
	Run        func(ctx context.Context, r *rand.Rand) ([]float64, error)
	Replicates int64  // at the standard budget
	Data       string // description of the data files that it uses, if any
	Note       string // description of how the values are made, for the method; may be empty
}

// Order states that Names[Less] is below Names[More].
type Order struct{ Less, More int }

const compareBlocks = int64(256) // number of shards; replicates are expensive, so there may be fewer

// Prepare checks the parameters. It does not call Run.
func (c Compare) Prepare(_ context.Context, s verify.Settings) (verify.Trial, error) {
	switch {
	case c.Run == nil || c.Quantity == "":
		return nil, errors.New("compare: Run and Quantity are required")
	case len(c.Orders) == 0:
		return nil, errors.New("compare: no orders")
	case c.Replicates < 1:
		return nil, fmt.Errorf("compare: %d replicates: want at least 1", c.Replicates)
	}
	for _, o := range c.Orders {
		if min(o.Less, o.More) < 0 || max(o.Less, o.More) >= len(c.Names) || o.Less == o.More {
			return nil, fmt.Errorf("compare: order %+v: want two of the %d names", o, len(c.Names))
		}
	}
	n := s.Budget.Samples(c.Replicates)
	t := &compareTrial{Compare: c, settings: s, shards: min(compareBlocks, n)}
	t.perShard = (n + t.shards - 1) / t.shards
	t.design = compareStatistics{Quantity: c.Quantity, Names: c.Names, Replicates: t.shards * t.perShard, Note: c.Note}
	for _, o := range c.Orders {
		t.design.Orders = append(t.design.Orders, orderStatistics{Less: o.Less, More: o.More})
	}
	return t, nil
}

type compareTrial struct {
	Compare
	design           compareStatistics
	settings         verify.Settings
	shards, perShard int64
}

func (t *compareTrial) Plan() empirical.Plan {
	p := empirical.Plan{Shards: int(t.shards), SamplesPerShard: t.perShard}
	if e, ok := (compareJudge{t.design, t.settings.Alpha}).seen(); ok {
		p.Effect, p.Power = e, verify.TargetPower
	}
	return p
}

// NewTally returns the counts of a < b and a ≤ b for each order, and the moments of each value.
func (t *compareTrial) NewTally() empirical.Tally {
	parts := empirical.Tallies{make(empirical.Counts, 2*len(t.Orders))}
	for range t.Names {
		parts = append(parts, &confidence.Moments{})
	}
	return parts
}

func (t *compareTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	tally := t.NewTally().(empirical.Tallies)
	counts := tally[0].(empirical.Counts)
	r := shard.Seed.Rand()
	for range shard.Samples {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		values, err := t.Run(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		if len(values) != len(t.Names) {
			return nil, fmt.Errorf("compare: a replicate gave %d values: want one for each of the %d names", len(values),
				len(t.Names))
		}
		for i, v := range values {
			if err := tally[1+i].(*confidence.Moments).Add(v); err != nil {
				return nil, fmt.Errorf("compare: %s: %w", t.Names[i], err)
			}
		}
		for i, o := range t.Orders {
			if values[o.Less] < values[o.More] {
				counts[2*i]++
			}
			if values[o.Less] <= values[o.More] {
				counts[2*i+1]++
			}
		}
	}
	return tally, nil
}

// Judge evaluates the merged tally.
func (t *compareTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	parts, ok := merged.(empirical.Tallies)
	if !ok || len(parts) != 1+len(t.Names) {
		return verify.Evidence{}, fmt.Errorf("compare: the tally belongs to another trial: %T", merged)
	}
	counts, ok := parts[0].(empirical.Counts)
	if !ok || len(counts) != 2*len(t.Orders) {
		return verify.Evidence{}, fmt.Errorf("compare: the tally belongs to another trial: %T", parts[0])
	}
	f := t.design
	f.Orders = slices.Clone(f.Orders)
	for i := range f.Orders {
		f.Orders[i].Below, f.Orders[i].BelowOrLike = counts[2*i], counts[2*i+1]
	}
	for _, m := range parts[1:] {
		f.Moments = append(f.Moments, m.(*confidence.Moments))
	}
	e, err := verify.JudgeStatistics(CompareMethod, f, t.settings)
	e.Data = t.Data
	return e, err
}
