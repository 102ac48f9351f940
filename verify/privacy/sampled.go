package privacy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// Sampled tests (ε, δ) claims about mechanisms on given pairs of inputs and given events, from
// samples alone, by the joint test of p ≤ min(1, e^ε q + δ) ([confidence.EpsilonLower]). Its verdict
// is about those pairs and events only.
type Sampled[D, O any] struct {
	Cells   []Cell[D, O]
	Samples int64 // of each input of each cell, at the standard budget
	// Effect is the factor, above 1, by which a near violation exceeds the claimed ε of a cell:
	// what the run must be able to detect to be consistent, as that of an [Audit].
	Effect float64
}

// Cell is a mechanism at two neighbouring inputs, A and B, the (ε, δ) that is claimed, and the
// events on which it is tested, in both directions.
type Cell[D, O any] struct {
	Place          string // the place of the cell in the domain, in words
	Mechanism      verify.Mechanism[D, O]
	A, B           D
	Epsilon, Delta float64 // ε ≥ 0 and finite, δ in [0, 1)
	Events         []Event[O]
}

// Event is a set of outputs.
type Event[O any] struct {
	Name  string       // in words
	Holds func(O) bool // reports whether an output is in the set
}

const (
	privacyShards = 16
	pilotReleases = 4096
	pilotError    = 1e-3 // that the pilot puts a mass above what it is
)

// Prepare estimates the probabilities of the events on a pilot sample, from which the power of
// the test follows before its first sample is drawn.
func (s Sampled[D, O]) Prepare(ctx context.Context, settings verify.Settings) (verify.Trial, error) {
	if len(s.Cells) == 0 {
		return nil, errors.New("no pairs of inputs")
	}
	t := &privacyTrial[D, O]{Sampled: s, settings: settings}
	t.perShard = max(1, settings.Budget.Samples(s.Samples)/privacyShards)
	for _, c := range s.Cells {
		if len(c.Events) == 0 || c.Mechanism == nil {
			return nil, fmt.Errorf("at %s: a mechanism and at least one event are needed", c.Place)
		}
		if err := checkClaim(c.Epsilon, c.Delta); err != nil {
			return nil, fmt.Errorf("at %s: %w", c.Place, err)
		}
		t.tests += 2 * len(c.Events)
	}
	for i, c := range s.Cells {
		pilot, err := t.pilot(ctx, i)
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", c.Place, err)
		}
		power := t.powerOf(c, pilot)
		t.power, t.sizes = append(t.power, power), append(t.sizes, power.Sizes(t.samples()))
	}
	return t, nil
}

// privacyTrial holds what Prepare chose.
type privacyTrial[D, O any] struct {
	Sampled[D, O]
	settings verify.Settings
	perShard int64
	tests    int                    // event and direction, over all cells
	power    []givenPower           // of each cell
	sizes    []verify.Sizes         // that will be seen on each
	watches  dependence.Set[[2]int] // of the inputs of each cell
}

// samples of each input of each cell.
func (t *privacyTrial[D, O]) samples() int64 { return t.perShard * privacyShards }

// share is each test's part of alpha: one half is for the lower limits, which
// refute, and one half for the upper limits.
func (t *privacyTrial[D, O]) share() float64 { return t.settings.Alpha / float64(2*t.tests) }

// powerOf a cell. A gross violation has at least the mass of the rarest of its events: rarer
// ones need not be seen.
func (t *privacyTrial[D, O]) powerOf(c Cell[D, O], events []likelyEvent) givenPower {
	g := ApproximateDP(c.Epsilon, c.Delta)
	all := func(total int64) int64 { return total }
	p := givenPower{Events: events, Effect: t.Effect, Wanted: 1, searchPower: &searchPower{Guarantee: g, Rows: all,
		Certifying: all,
		Refutes: func(_, _ float64, x, y, n int64) bool {
			return confidence.Exceeds(x, n, y, n, c.Epsilon, c.Delta, t.share())
		}}}
	for _, e := range events {
		p.Wanted = math.Min(p.Wanted, e.Mass)
	}
	p.Wanted = math.Max(p.Wanted, g.WantedProbability())
	return p
}

// pilot are the events as the pilot leaves them open: a rare event needs more samples than
// its estimated mass suggests, so the estimate will not do.
func (t *privacyTrial[D, O]) pilot(ctx context.Context, i int) ([]likelyEvent, error) {
	c := t.Cells[i]
	var mass [2][]int64
	for side, input := range []D{c.A, c.B} {
		mass[side] = make([]int64, len(c.Events))
		r := t.settings.Stream("pilot", strconv.Itoa(i), strconv.Itoa(side))
		if err := count(ctx, c, input, r, pilotReleases, mass[side], t.watches.Of([2]int{i, side})); err != nil {
			return nil, err
		}
	}
	out := make([]likelyEvent, len(c.Events))
	for event := range c.Events {
		a, b := mass[0][event], mass[1][event]
		least, err := confidence.BinomialLower(max(a, b), pilotReleases, pilotError/float64(len(c.Events)))
		if err != nil {
			return nil, err
		}
		out[event] = likelyEvent{Mass: least, NearlySure: float64(min(a, b)) > sureMass*pilotReleases}
	}
	return out, nil
}

func (t *privacyTrial[D, O]) Plan() empirical.Plan {
	p := empirical.Plan{Shards: privacyShards, SamplesPerShard: t.perShard}
	if t.allPowered() {
		p.Effect, p.Power = t.Effect, verify.TargetPower
	}
	return p
}

func (t *privacyTrial[D, O]) allPowered() bool {
	return weakestSizes(t.sizes).Enough()
}

// NewTally counts each event under A and then under B, cell by cell.
func (t *privacyTrial[D, O]) NewTally() empirical.Tally { return make(empirical.Counts, t.tests) }

func (t *privacyTrial[D, O]) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	counts := make(empirical.Counts, t.tests)
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

// count adds how often each event happens in n releases.
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

// Judge certifies ε on every event in both directions.
func (t *privacyTrial[D, O]) Judge(merged empirical.Tally) (verify.Evidence, error) {
	e := verify.Evidence{Quantity: "privacy loss ε", Sense: verify.AtMost, Verdict: verify.Consistent,
		Samples: 2 * t.samples() * int64(len(t.Cells))}
	rest := merged.(empirical.Counts)
	look := privacyLook[D, O]{trial: t, cases: verify.Cases[verify.Cell]{Noun: "pair"}, rarest: math.Inf(1)}
	worst := math.Inf(-1)
	for i, c := range t.Cells {
		a, b := rest[:len(c.Events)], rest[len(c.Events):2*len(c.Events)]
		rest = rest[2*len(c.Events):]
		cell, event, err := t.cell(c, a, b)
		if err != nil {
			return e, fmt.Errorf("at %s: %w", c.Place, err)
		}
		e.Cells = append(e.Cells, cell)
		look.see(cell, event, a, b)
		switch {
		case cell.Lower.X > c.Epsilon:
			e.Verdict = verify.Refuted
		case !t.sizes[i].Enough():
			e.Verdict = e.Verdict.Worse(verify.Inconclusive)
		}
		if excess := (cell.Lower.X - c.Epsilon) / math.Max(c.Epsilon, 1e-300); excess > worst {
			worst = excess
			e.CopyWorst(cell)
			e.WorstCase = cell.Label + ", event " + event
			look.nearest = cell
			look.nearest.Label = e.WorstCase
		}
	}
	e.Method = fmt.Sprintf("joint test of p ≤ min(1, e^ε q + δ) on %d events and directions of %s, joint error %.2g; "+
		"other pairs and events were not tried",
		t.tests, verify.Plural(len(t.Cells), "pair"), t.settings.Alpha)
	e.Sizes = weakestSizes(t.sizes)
	if e.Verdict != verify.Refuted || e.Sizes.Enough() {
		e.Power = e.Sizes.Words("of the pairs, and on the given events,")
	}
	e.LookAgain(&look)
	e.Statistics = verify.NewStatistics(SampledMethod, t.basis(merged.(empirical.Counts)))
	return e, nil
}

// cell finds the event and direction with the largest certified ε.
func (t *privacyTrial[D, O]) cell(c Cell[D, O], a, b []int64) (verify.Cell, string, error) {
	n := t.samples()
	best := verify.Cell{Label: c.Place, Claimed: verify.Num(c.Epsilon), Lower: verify.Num(math.Inf(-1)),
		Upper:   verify.Num(0),
		Samples: 2 * n}
	var name string
	for i, event := range c.Events {
		for _, side := range []struct {
			x, y int64
			name string
		}{{a[i], b[i], event.Name}, {b[i], a[i], event.Name + " (B against A)"}} {
			lower := confidence.EpsilonLower(side.x, n, side.y, n, c.Delta, t.share())
			upper, err := diagnosis.EpsilonUpper(side.x, side.y, n, c.Delta, t.share())
			if err != nil {
				return best, "", err
			}
			best.Upper = verify.Num(math.Max(best.Upper.X, upper))
			if name == "" || lower > best.Lower.X {
				best.Lower, name = verify.Num(lower), side.name
				best.Measured = verify.Num(diagnosis.PlugIn(side.x, side.y, n, c.Delta))
			}
		}
	}
	best.Lower = verify.Num(math.Max(best.Lower.X, 0))
	best.Upper = verify.Num(math.Max(best.Upper.X, best.Lower.X))
	return best, name, nil
}
