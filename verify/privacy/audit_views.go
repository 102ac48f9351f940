package privacy

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify"
)

// An audit of a fixed number of samples looks at its claim twice. Two samples choose
// pairs and events, each on its own; the events that one of them chose are counted
// in the other and in all samples that follow. Neither view sees the samples that
// chose its events, so each errs with at most its half of alpha, and the audit, which
// takes the better of the two, with at most alpha. What a poor choice loses costs
// more than half of alpha does.

// view is one of the ways in which an audit looks at its claim.
type view struct {
	chosen []choice // the likeliest to tell first
	// held are the counts of the event in the sample that chose the other view's,
	// under the input where it is to be likelier and under the other; heldN is how
	// many there are of each.
	held  [2]int64
	heldN int64
}

// choice is a pair with its event.
type choice struct {
	pair    int
	witness *witness.Witness
}

// side of the view to which the samples at an input of the pair count: 0 is the one
// where the event is to be likelier.
func (c choice) side(atB bool) int {
	if atB != c.witness.Swapped {
		return 1
	}
	return 0
}

// of is the view's choice of a pair, or nil.
func (v view) of(pair int) *choice {
	if i := slices.IndexFunc(v.chosen, func(c choice) bool { return c.pair == pair }); i >= 0 {
		return &v.chosen[i]
	}
	return nil
}

// allotted is how many samples of a side are of each chosen pair where there are
// each samples of it on average: the pair of each is drawn at random.
func (v view) allotted(r *rand.Rand, each int64) map[int]int64 {
	times := make(map[int]int64, len(v.chosen))
	if len(v.chosen) == 1 {
		times[v.chosen[0].pair] = each
		return times
	}
	for range each * int64(len(v.chosen)) {
		times[v.chosen[r.IntN(len(v.chosen))].pair]++
	}
	return times
}

// events of the view, in the order of the choices.
func (v view) events() (events []verify.PairEvent) {
	for _, c := range v.chosen {
		events = append(events, verify.PairEvent{Pair: c.pair, Event: c.witness.Event, Swapped: c.witness.Swapped})
	}
	return events
}

// suspect tells whether the view has an event of the scan.
func (v view) suspect() bool {
	return slices.ContainsFunc(v.chosen, func(c choice) bool { return c.witness.Deviation > 0 })
}

// masses of the event on both sides, as the search cautiously estimates them.
func (v view) masses() (p, q float64) {
	for _, c := range v.chosen {
		p, q = p+c.witness.P, q+c.witness.Q
	}
	return p / float64(len(v.chosen)), q / float64(len(v.chosen))
}

// halves is what two samples of a pair found: the witnesses that each chose, and the
// rows of the other in which they hold, under either input of the pair.
type halves [2]struct {
	found finds
	hits  [][2][]bool // for each of found
}

// searchHalves looks for a witness in each of two samples of every pair, of as many
// rows of each input.
func (t *auditTrial[D, O]) searchHalves(ctx context.Context, rows int) ([]halves, error) {
	return forPairs(ctx, t, func(ctx context.Context, i int) (out halves, err error) {
		pair := t.Pairs[i]
		var a, b [2]*witness.Rows
		err = t.forHalves(ctx, func(ctx context.Context, half int) (err error) {
			name := []string{"search", strconv.Itoa(i), strconv.Itoa(half)}
			if a[half], err = t.sampleRows(ctx, t.settings.Stream(append(name, "a")...), pair, pair.A, rows); err != nil {
				return err
			}
			b[half], err = t.sampleRows(ctx, t.settings.Stream(append(name, "b")...), pair, pair.B, rows)
			return err
		})
		if err != nil {
			return out, err
		}
		return out, t.forHalves(ctx, func(_ context.Context, half int) error {
			found, err := t.search(a[half], b[half], half == 1, t.mixtures()...)
			if errors.Is(err, witness.ErrNoEvent) {
				return nil
			} else if err != nil {
				return err
			}
			ties := t.settings.Stream("ties of held rows", strconv.Itoa(i), strconv.Itoa(half))
			out[half].found = found
			out[half].hits = hitsOf(found, ties, a[1-half], b[1-half])
			return nil
		})
	})
}

// forHalves runs f for both samples of a pair, on the slots of the run.
func (t *auditTrial[D, O]) forHalves(ctx context.Context, f func(ctx context.Context, half int) error) error {
	_, err := empirical.Each(ctx, t.settings.Pool, 2, f)
	return err
}

// setViews takes the views of the claim from what both samples found; where none is worth
// testing, the view of the event that always happens.
func (t *auditTrial[D, O]) setViews(ctx context.Context, found []halves) error {
	t.views = nil
	for half := range 2 {
		all := make([]finds, len(found))
		for i, f := range found {
			all[i] = f[half].found
		}
		v := view{chosen: t.choose(all)}
		if len(v.chosen) == 0 {
			continue
		}
		if err := t.hold(ctx, &v, half, found); err != nil {
			return err
		}
		t.views = append(t.views, v)
	}
	if len(t.views) == 0 {
		t.views = []view{t.blind(t.searched)}
	}
	return nil
}

// blind is the view of the event that always happens, with held samples of each input.
func (t *auditTrial[D, O]) blind(held int64) view {
	return view{chosen: []choice{{0, witness.Sure()}}, held: [2]int64{held, held}, heldN: held}
}

// hold counts a view's events in the sample that did not choose them. The pair of
// each sample is drawn at random, as it is later on: where a pair is drawn more often
// than it has rows, the rest is drawn afresh.
func (t *auditTrial[D, O]) hold(ctx context.Context, v *view, half int, found []halves) error {
	rows := t.searched
	v.heldN = rows * int64(len(v.chosen))
	for side := range v.held {
		place := []string{strconv.Itoa(half), strconv.Itoa(side)}
		times := v.allotted(t.settings.Stream(append([]string{"pairs of held rows"}, place...)...), rows)
		for _, c := range v.chosen {
			atB := c.side(true) == side
			from := found[c.pair][half]
			both := from.hits[slices.Index(from.found, c.witness)]
			hits := both[0]
			if atB {
				hits = both[1]
			}
			for _, hit := range hits[:min(times[c.pair], rows)] {
				if hit {
					v.held[side]++
				}
			}
			rest := teller{c.witness, times[c.pair] - rows, &v.held[side]}
			more := slices.Concat([]string{"more held rows"}, place, []string{strconv.Itoa(c.pair)})
			if err := t.tell(ctx, t.settings.Stream(append(more, "rest")...), t.settings.Stream(append(more, "ties")...), c.pair,
				atB, []teller{rest}); err != nil {
				return err
			}
		}
	}
	return nil
}

// finds are the witnesses of a pair: the k-th is for a certification by the samples of
// 2^k pairs together. Empty where nothing is worth testing.
type finds []*witness.Witness

// mixtures are the numbers of samples for which witnesses are looked for: those of one
// pair, and of two, four, … as long as there are as many.
func (t *auditTrial[D, O]) mixtures() (samples []int64) {
	for k := 1; k <= len(t.Pairs); k *= 2 {
		samples = append(samples, int64(k)*t.certifying)
	}
	return samples
}

// mixtureHurdle is the share by which a mixture of pairs must promise more than fewer do.
const mixtureHurdle = 0.003

// choose takes the pair of the best witness, and others with it where they bear
// it out: certification then draws the pair of each sample at random. The claim
// holds for such a mixture of pairs if it holds for each, and the samples of all
// of them count: rarer events will do. Where none of that promises to refute the claim, a
// pair on which the scan saw it violated is taken by itself. None where no pair has a
// witness.
func (t *auditTrial[D, O]) choose(found []finds) (chosen []choice) {
	certified := t.objective()
	each := float64(t.certifying)
	best := math.Inf(-1)
	for k := range t.mixtures() {
		var ranked []choice
		for i, f := range found {
			if len(f) > 0 {
				ranked = append(ranked, choice{i, f[k]})
			}
		}
		slices.SortStableFunc(ranked, func(a, b choice) int { return cmp.Compare(b.witness.Value, a.witness.Value) })
		var p, q float64
		for i, c := range ranked {
			// The errors of several estimates cancel in part: half the caution of one.
			p += (c.witness.P + c.witness.SeenP) / 2
			q += (c.witness.Q + c.witness.SeenQ) / 2
			switch {
			case i > 0:
				// One pair is easier to understand: more must be worth it.
				if value := certified(p*each, q*each, float64(i+1)*each); value > best+mixtureHurdle*math.Abs(best) {
					best, chosen = value, ranked[:i+1]
				}
			case k == 0:
				best, chosen = c.witness.Value, ranked[:1]
			}
		}
	}
	if t.promisesMore(best) {
		return chosen
	}
	suspect := 0.0
	for i, f := range found {
		if len(f) > 0 && f[0].Deviation > suspect {
			suspect, chosen = f[0].Deviation, []choice{{i, f[0]}}
		}
	}
	return chosen
}

// hitsOf are the rows of two samples in which each witness holds.
func hitsOf(found finds, ties *rand.Rand, a, b *witness.Rows) [][2][]bool {
	hits := make([][2][]bool, len(found))
	for k, w := range found {
		if k > 0 && w.SameEvent(found[k-1]) {
			hits[k] = hits[k-1]
			continue
		}
		hits[k] = [2][]bool{w.Hits(ties, a), w.Hits(ties, b)}
	}
	return hits
}
