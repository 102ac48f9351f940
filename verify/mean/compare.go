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

// Compare checks statements of order between random quantities, such as the errors of
// learners: "a errs less than b". One replicate draws each quantity once, all
// independently; the statement is read as "a is below b in at least half of the
// replicates". Means can need far more runs than probabilities: quantities that never
// overlap are told apart by some thirty replicates at any alpha of the ledger.
//
// An order is refuted where an exact (Clopper–Pearson) upper limit of P(a ≤ b) lies
// below 1/2, and confirmed where a lower limit of P(a < b) lies above: a tie counts
// against whatever is to be concluded. The claim is Refuted if one order is, Consistent
// if all are confirmed, else Inconclusive.
type Compare struct {
	Quantity string   // what Run returns: "testing error rate"
	Names    []string // of the values of Run, in order
	Orders   []Order  // what is claimed, all at once
	// Run returns one independent value of each name; all its randomness is from r.
	Run        func(ctx context.Context, r *rand.Rand) ([]float64, error)
	Replicates int64  // at the standard budget
	Data       string // the files it is measured on, if any
	Note       string // how the values are made, for the method; may be empty
}

// Order says that Names[Less] is below Names[More].
type Order struct{ Less, More int }

const compareBlocks = int64(256) // shards, unless there are fewer replicates: these are dear

// Prepare checks what is declared; it runs nothing.
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

// NewTally counts a < b and a ≤ b of each order, and the moments of each value.
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

// Judge adds the tally to the statistics and judges them.
func (t *compareTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	parts, ok := merged.(empirical.Tallies)
	if !ok || len(parts) != 1+len(t.Names) {
		return verify.Evidence{}, fmt.Errorf("compare: a tally of another shape: %T", merged)
	}
	counts, ok := parts[0].(empirical.Counts)
	if !ok || len(counts) != 2*len(t.Orders) {
		return verify.Evidence{}, fmt.Errorf("compare: a tally of another shape: %T", parts[0])
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
