package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/dpverify/dpverify/empirical"
)

// Audit checks a privacy claim of a black box: it looks for the pair of inputs
// and the event that give most away on samples of their own, and certifies them
// on fresh ones.
type Audit[D, O any] struct {
	Mechanism Mechanism[D, O]
	Pairs     []Neighbours[D]
	Epsilon   float64 // the claim: ε ≥ 0
	Delta     float64 // δ in [0, 1)
	// Samples of each input of each pair, at the standard budget, for search and
	// certification together; at least 200.
	Samples int64
	// LogLikelihood is ln of the density of output o at an input, where it is
	// known: the search then knows the best score. May be nil.
	LogLikelihood func(input D, o O) float64
	// Effect is the factor by which the true ε would have to exceed the claim, on
	// the event that was chosen, to be sure to be seen; 0 means 1.25.
	Effect float64
}

// Neighbours are two inputs that differ in one record, with a name.
type Neighbours[D any] struct {
	Name string
	A, B D
}

const (
	auditShards = 32
	// searchShare of the samples choose the witness: a third, for a poor event costs
	// more than a third of the certificate's precision.
	searchShare = 0.35
	// maxWitnessRows bounds the memory of the search.
	maxWitnessRows = 100_000
	leastSamples   = 200
)

// Check names what is wrong with an audit's parameters.
func (a Audit[D, O]) Check() error {
	switch {
	case a.Mechanism == nil:
		return errors.New("no mechanism")
	case len(a.Pairs) == 0:
		return errors.New("no pairs of inputs: an audit needs at least one")
	case !(a.Epsilon >= 0):
		return fmt.Errorf("claimed ε = %v: want a number of at least 0", a.Epsilon)
	case !(a.Delta >= 0 && a.Delta < 1):
		return fmt.Errorf("claimed δ = %v: want a number in [0, 1)", a.Delta)
	case a.Samples < leastSamples:
		return fmt.Errorf("%d samples: want at least %d of each input", a.Samples, leastSamples)
	}
	return nil
}

// Prepare looks for the witness.
func (a Audit[D, O]) Prepare(ctx context.Context, s Settings) (Trial, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if a.Effect == 0 {
		a.Effect = 1.25
	}
	encode, err := empirical.Encoder[O]()
	if err != nil {
		return nil, err
	}
	total := max(leastSamples, s.Budget.Samples(a.Samples))
	rows := min(int64(searchShare*float64(total)), maxWitnessRows)
	t := &auditTrial[D, O]{Audit: a, settings: s, encode: encode, perShard: (total - rows) / auditShards}
	found, err := t.searchAll(ctx, int(rows))
	if err != nil {
		return nil, err
	}
	t.choose(found)
	return t, nil
}

// choose takes the pair of the best witness, and others with it where they bear
// it out: certification then draws the pair of each sample at random. The claim
// holds for such a mixture of pairs if it holds for each, and the samples of all
// of them count.
func (t *auditTrial[D, O]) choose(found []*empirical.Witness) {
	for i, w := range found {
		t.chosen = append(t.chosen, choice{i, w})
	}
	slices.SortStableFunc(t.chosen, func(a, b choice) int { return cmp.Compare(b.witness.Value, a.witness.Value) })
	fast := empirical.NewEpsilonFast(t.Delta, t.settings.Alpha)
	each := float64(t.perShard * auditShards)
	best, k := t.chosen[0].witness.Value, 1
	var p, q float64
	for i, c := range t.chosen {
		p, q = p+c.witness.P, q+c.witness.Q
		n := float64(i+1) * each
		// One pair is easier to understand: more must be worth it.
		if value := fast.Lower(p*each, n, q*each, n); value > best+0.03*math.Abs(best) {
			best, k = value, i+1
		}
	}
	t.chosen = t.chosen[:k]
}

// searchAll looks for a witness on every pair, on all processors: each pair has
// its own stream.
func (t *auditTrial[D, O]) searchAll(ctx context.Context, rows int) ([]*empirical.Witness, error) {
	found := make([]*empirical.Witness, len(t.Pairs))
	errs := make([]error, len(t.Pairs))
	pool := empirical.NewPool(runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range t.Pairs {
		all.Go(func() {
			found[i], errs[i] = empirical.Do(ctx, pool, func(ctx context.Context) (*empirical.Witness, error) {
				return t.search(ctx, t.Pairs[i], rows)
			})
		})
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("pair %s: %w", t.Pairs[i].Name, err)
		}
	}
	return found, nil
}

func (t *auditTrial[D, O]) search(ctx context.Context, pair Neighbours[D], rows int) (*empirical.Witness, error) {
	a, err := t.sampleRows(ctx, t.settings.Stream("search", pair.Name, "a"), pair.A, rows)
	if err != nil {
		return nil, err
	}
	b, err := t.sampleRows(ctx, t.settings.Stream("search", pair.Name, "b"), pair.B, rows)
	if err != nil {
		return nil, err
	}
	a, b = empirical.SameWidth(a, b)
	fast := empirical.NewEpsilonFast(t.Delta, t.settings.Alpha)
	search := empirical.Search{
		Samples:   t.perShard * auditShards,
		Certified: func(x, y, n float64) float64 { return fast.Lower(x, n, y, n) },
	}
	return search.Find(a, b)
}

// sampleRows encodes releases of one input; the width is that of the longest.
func (t *auditTrial[D, O]) sampleRows(ctx context.Context, r *rand.Rand, input D, rows int) (*empirical.Rows, error) {
	var out empirical.Sample
	err := releases(ctx, t.Mechanism, r, input, int64(rows), func(batch []O) {
		for _, o := range batch {
			out.Add(t.encode(out.Scratch(), o))
		}
	})
	return out.Rows(), err
}

// auditTrial holds the pairs and the events that were chosen.
type auditTrial[D, O any] struct {
	Audit[D, O]
	settings Settings
	encode   func([]float64, O) []float64
	chosen   []choice
	perShard int64 // samples of each input of each chosen pair
}

// choice is a pair with its event.
type choice struct {
	pair    int
	witness *empirical.Witness
}

func (t *auditTrial[D, O]) Plan() empirical.Plan {
	p := empirical.Plan{Shards: auditShards, SamplesPerShard: t.perShard * int64(len(t.chosen))}
	if t.powered() {
		p.Effect, p.Power = t.Effect, wantedPower
	}
	return p
}

// NewTally counts the event under the likelier input and under the other.
func (t *auditTrial[D, O]) NewTally() empirical.Tally { return make(empirical.Counts, 2) }

func (t *auditTrial[D, O]) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	counts := make(empirical.Counts, 2)
	row := make([]float64, 0, 64)
	for side := range 2 {
		r := shard.Seed.Derive(fmt.Sprint(side)).Rand()
		ties := shard.Seed.Derive("ties", fmt.Sprint(side)).Rand()
		times := make([]int64, len(t.chosen))
		for range shard.Samples {
			times[ties.IntN(len(times))]++
		}
		for i, c := range t.chosen {
			pair := t.Pairs[c.pair]
			input := pair.A
			if (side == 1) != c.witness.Swapped {
				input = pair.B
			}
			err := releases(ctx, t.Mechanism, r, input, times[i], func(batch []O) {
				for _, o := range batch {
					row = t.encode(row[:0], o)
					if c.witness.Holds(ties, row) {
						counts[side]++
					}
				}
			})
			if err != nil {
				return nil, fmt.Errorf("pair %s: %w", pair.Name, err)
			}
		}
	}
	return counts, nil
}

// n is the number of samples of each side.
func (t *auditTrial[D, O]) n() int64 { return t.perShard * auditShards * int64(len(t.chosen)) }

// mass of the event under the less likely side, as the search found it.
func (t *auditTrial[D, O]) mass() float64 {
	var q float64
	for _, c := range t.chosen {
		q += c.witness.Q
	}
	return q / float64(len(t.chosen))
}

// powered tells whether a mechanism whose ε exceeds the claim by the effect on an
// event of the mass that was found would be refuted with probability wantedPower.
func (t *auditTrial[D, O]) powered() bool {
	return seesEffect(t.mass(), t.n(), t.Epsilon, t.Delta, t.Effect, t.settings.Alpha)
}

// event in words, on each chosen pair.
func (t *auditTrial[D, O]) event() string {
	var parts []string
	for _, c := range t.chosen {
		direction := ""
		if c.witness.Swapped {
			direction = " (B against A)"
		}
		parts = append(parts, fmt.Sprintf("%s%s, event %s", t.Pairs[c.pair].Name, direction, c.witness.Event))
	}
	return strings.Join(parts, "; or ")
}

// Judge certifies ε on the chosen event.
func (t *auditTrial[D, O]) Judge(merged empirical.Tally) (Evidence, error) {
	c := merged.(empirical.Counts)
	n := t.n()
	lower := math.Max(0, empirical.EpsilonLower(c[0], n, c[1], n, t.Delta, t.settings.Alpha))
	upper, err := epsilonUpper(c[0], c[1], n, t.Delta, t.settings.Alpha)
	if err != nil {
		return Evidence{}, err
	}
	cell := Cell{
		At: t.event(), Claimed: Num(t.Epsilon), Measured: Num(plugIn(c[0], c[1], n, t.Delta)),
		Lower: Num(lower), Upper: Num(math.Max(lower, upper)), Samples: 2 * n,
	}
	e := Evidence{Quantity: "privacy loss ε", Sense: AtMost, Verdict: Inconclusive, Samples: 2 * n, Cells: []Cell{cell}}
	e.WorstOf(cell)
	switch {
	case lower > t.Epsilon:
		e.Verdict = Refuted
	case t.powered():
		e.Verdict = Consistent
	}
	e.Method = fmt.Sprintf("pairs and events chosen on samples of their own among %d pairs, then a joint test of p ≤ min(1, e^ε q + δ) with error %.2g; it speaks of the chosen pairs and events",
		len(t.Pairs), t.settings.Alpha)
	e.Power = t.explainPower()
	return e, nil
}

func (t *auditTrial[D, O]) explainPower() string {
	if t.powered() {
		return fmt.Sprintf("ε above %.3g times the claim on this event (mass %.2g) would have been seen with probability at least %v", t.Effect, t.mass(), wantedPower)
	}
	return fmt.Sprintf("too few samples to see ε at %.3g times the claim on this event (mass %.2g)", t.Effect, t.mass())
}
