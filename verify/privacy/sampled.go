package privacy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// Sampled tests (ε, δ) claims on given pairs of inputs and given events, by the joint test of p ≤ min(1, e^ε q + δ)
// ([confidence.EpsilonLower]). Its verdict applies only to those pairs and events.
type Sampled[D, O any] struct {
	Cells   []Cell[D, O]
	Samples int64 // per input of each cell at the standard budget
	// Effect is the factor, above 1, by which a small violation exceeds the claimed ε of a cell. The run
	// must be able to detect it to be consistent, see [Audit.Effect].
	Effect float64
}

// Cell is a mechanism at two neighboring inputs A and B with its claim (ε, δ) and the events on which the claim is
// tested, in both directions.
type Cell[D, O any] struct {
	Place          string // description of the cell in the domain
	Mechanism      verify.Mechanism[D, O]
	A, B           D
	Epsilon, Delta float64 // ε ≥ 0 and finite, δ in [0, 1)
	Events         []Event[O]
}

// Event is a set of outputs.
type Event[O any] struct {
	Name  string       // description
	Holds func(O) bool // reports whether the set contains an output
}

const (
	privacyShards = 16
	pilotReleases = 4096
	pilotError    = 1e-3 // probability that the pilot overestimates an event probability
)

// Prepare estimates the probabilities of the events on a pilot sample, which determine the power of the test before
// it draws its first sample.
func (s Sampled[D, O]) Prepare(ctx context.Context, settings verify.Settings) (verify.Trial, error) {
	if len(s.Cells) == 0 {
		return nil, errors.New("no pairs of inputs")
	}
	t := &privacyTrial[D, O]{Sampled: s, perShard: max(1, settings.Budget.Samples(s.Samples)/privacyShards)}
	for _, c := range s.Cells {
		if len(c.Events) == 0 || c.Mechanism == nil {
			return nil, fmt.Errorf("at %s: want a mechanism and at least one event", c.Place)
		}
		if err := checkClaim(c.Epsilon, c.Delta); err != nil {
			return nil, fmt.Errorf("at %s: %w", c.Place, err)
		}
	}
	design := sampledStatistics{Effect: s.Effect, Samples: t.perShard * privacyShards}
	for i, c := range s.Cells {
		events, err := t.pilot(ctx, settings, i)
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", c.Place, err)
		}
		design.Cells = append(design.Cells, cellStatistics{c.Place, c.Epsilon, c.Delta, events})
	}
	t.judge = design.judge(settings)
	return t, nil
}

// privacyTrial draws releases and counts the events.
type privacyTrial[D, O any] struct {
	Sampled[D, O]
	judge    sampledJudge
	perShard int64
	watches  dependence.Set[[2]int] // one per input of each cell
}

// pilot returns lower limits on the event probabilities. The estimates would overstate the power, because a rare
// event needs more samples than its estimate suggests.
func (t *privacyTrial[D, O]) pilot(ctx context.Context, s verify.Settings, i int) ([]givenStatistics, error) {
	c := t.Cells[i]
	var mass [2][]int64
	for side, input := range []D{c.A, c.B} {
		mass[side] = make([]int64, len(c.Events))
		r := s.Stream("pilot", strconv.Itoa(i), strconv.Itoa(side))
		if err := count(ctx, c, input, r, pilotReleases, mass[side], t.watches.Of([2]int{i, side})); err != nil {
			return nil, err
		}
	}
	out := make([]givenStatistics, len(c.Events))
	for event := range c.Events {
		a, b := mass[0][event], mass[1][event]
		least, err := confidence.BinomialLower(max(a, b), pilotReleases, pilotError/float64(len(c.Events)))
		if err != nil {
			return nil, err
		}
		out[event] = givenStatistics{Name: c.Events[event].Name, Mass: least,
			NearlySure: float64(min(a, b)) > nearlyCertain*pilotReleases}
	}
	return out, nil
}

func (t *privacyTrial[D, O]) Plan() empirical.Plan {
	p := empirical.Plan{Shards: privacyShards, SamplesPerShard: t.perShard}
	if weakestSizes(t.judge.sizes).Enough() {
		p.Effect, p.Power = t.Effect, verify.TargetPower
	}
	return p
}

// NewTally returns zero counts of each event under A and then under B, for each cell.
func (t *privacyTrial[D, O]) NewTally() empirical.Tally { return make(empirical.Counts, t.judge.tests) }

func (t *privacyTrial[D, O]) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	counts := make(empirical.Counts, t.judge.tests)
	rest := counts
	for i, c := range t.Cells {
		for side, input := range []D{c.A, c.B} {
			r := shard.Seed.Derive("cell", strconv.Itoa(i), strconv.Itoa(side)).Rand()
			if err := count(ctx, c, input, r, shard.Samples, rest[:len(c.Events)],
				t.watches.Of([2]int{i, side})); err != nil {
				return nil, fmt.Errorf("at %s: %w", c.Place, err)
			}
			rest = rest[len(c.Events):]
		}
	}
	return counts, nil
}

// count adds the number of occurrences of each event in n releases.
func count[D, O any](ctx context.Context, c Cell[D, O], input D, r *rand.Rand, n int64, into []int64,
	watch *dependence.Watch) error {
	var reply dependence.Reply
	row := make([]float64, len(c.Events))
	return drawReleases(ctx, c.Mechanism, r, input, n, func(batch []O) error {
		reply.Reset()
		for _, o := range batch {
			for i := range c.Events {
				row[i] = 0
				if c.Events[i].Holds(o) {
					row[i] = 1
					into[i]++
				}
			}
			reply.AddRow(row)
		}
		return watch.Reply(&reply)
	})
}

// Judge adds the counts to the statistics and judges them.
func (t *privacyTrial[D, O]) Judge(merged empirical.Tally) (verify.Evidence, error) {
	f, counts := t.judge.sampledStatistics, merged.(empirical.Counts)
	f.Cells = slices.Clone(f.Cells)
	for i, c := range f.Cells {
		n := len(c.Events)
		c.Events = slices.Clone(c.Events)
		for k := range c.Events {
			c.Events[k].A, c.Events[k].B = counts[k], counts[n+k]
		}
		f.Cells[i], counts = c, counts[2*n:]
	}
	return verify.JudgeStatistics(SampledMethod, f, t.judge.settings)
}
