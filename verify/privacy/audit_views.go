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
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// An audit with a fixed number of samples is cross-fitted in two folds. Each fold chooses pairs and events
// independently. The events that one fold chose are counted in the other fold and in all later samples: the
// held-out samples. No event is counted in the samples that chose it. Each of the two tests errs with at most half
// of alpha, so the audit, which reports the better one, errs with at most alpha. The second fold protects against a
// poor choice of the event, which would cost more power than half of alpha does.

// view is one of the two tests of the claim: the pairs and events that one fold chose, with their held-out counts.
type view struct {
	chosen []choice // most promising first
	// heldOut holds the counts of the event in the fold that did not choose it, under the input where it
	// should be more likely and under the other. heldOutN holds the numbers of samples.
	heldOut  [2]seen
	heldOutN [2]int64
}

// choice is a pair with its event.
type choice struct {
	pair    int
	witness *distinguisher.Event
}

// side returns the side of the view on which samples of an input count: 0 for the input where the event should be
// more likely, else 1.
func (c choice) side(atB bool) int {
	if atB != c.witness.Swapped {
		return 1
	}
	return 0
}

// at returns the place that counts on a side of the view. It is the inverse of side.
func (c choice) at(side int) inputPlace {
	return inputPlace{Pair: c.pair, AtB: (side == 1) != c.witness.Swapped}
}

// testOf returns the places at which choices count.
func testOf(chosen []choice) (test pooledTest) {
	for _, c := range chosen {
		for side := range test {
			test[side] = append(test[side], c.at(side))
		}
	}
	return test
}

// events returns the events of a view in the order of the choices.
func (t *auditTrial[D, O]) events(v view) (events []verify.PairEvent) {
	for _, c := range v.chosen {
		events = append(events, verify.PairEvent{Pair: c.pair, Event: t.shown.Event(c.witness), Swapped: c.witness.Swapped})
	}
	return events
}

// suspect reports whether the view contains an event that the scan found to violate the claim.
func (v view) suspect() bool {
	return slices.ContainsFunc(v.chosen, func(c choice) bool { return c.witness.Excess > 0 })
}

// masses returns the search's estimates of the event probability on both sides, corrected for selection (the
// winner's curse).
func (v view) masses() (p, q float64) {
	for _, c := range v.chosen {
		p, q = p+c.witness.P, q+c.witness.Q
	}
	return p / float64(len(v.chosen)), q / float64(len(v.chosen))
}

// folds holds the two folds of a pair: the events that each chose, and the marks of the other fold's rows under
// either input. Rows of a shared input are pooled and marked later, when the events are chosen.
type folds [2]struct {
	found candidates
	marks [][2][]distinguisher.Mark // for each of found
}

// searchFolds searches each fold of every pair for events, in the given number of rows per input.
func (t *auditTrial[D, O]) searchFolds(ctx context.Context, rows int) ([]folds, searchRows, error) {
	shared, err := t.sharedRows(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	found, err := forPairs(ctx, t, func(ctx context.Context, i int) (out folds, err error) {
		var a, b [2]*distinguisher.Rows
		err = t.forFolds(ctx, func(ctx context.Context, fold int) (err error) {
			if a[fold], err = t.foldRows(ctx, shared, inputPlace{Pair: i}, fold, rows); err != nil {
				return err
			}
			b[fold], err = t.foldRows(ctx, shared, inputPlace{Pair: i, AtB: true}, fold, rows)
			return err
		})
		if err != nil {
			return out, err
		}
		err = t.forFolds(ctx, func(_ context.Context, fold int) error {
			found, err := t.search(a[fold], b[fold], fold == 1, t.mixtures(i)...)
			if errors.Is(err, distinguisher.ErrNoEvent) {
				return nil
			} else if err != nil {
				return err
			}
			ties := t.settings.Stream("ties of held rows", strconv.Itoa(i), strconv.Itoa(fold))
			t.nest(found, a[fold], b[fold])
			out[fold].found = found
			out[fold].marks = t.marksOf(i, found, ties, shared, [2]*distinguisher.Rows{a[1-fold], b[1-fold]})
			return nil
		})
		t.grow(i, out, a, b)
		t.read(i, diagnosis.Sample(a), diagnosis.Sample(b), out[0].found, out[1].found)
		return out, err
	})
	return found, shared, err
}

// forFolds runs f for both folds of a pair in parallel.
func (t *auditTrial[D, O]) forFolds(ctx context.Context, f func(ctx context.Context, fold int) error) error {
	_, err := empirical.Each(ctx, t.settings.Pool, 2, f)
	return err
}

// setViews sets the views from the findings of both folds. If no event is worth testing, the only view tests the
// certain event.
func (t *auditTrial[D, O]) setViews(ctx context.Context, found []folds, shared searchRows) error {
	t.views = nil
	for fold := range 2 {
		all := make([]candidates, len(found))
		for i, f := range found {
			all[i] = f[fold].found
		}
		v := view{chosen: t.choose(all)}
		if len(v.chosen) == 0 {
			continue
		}
		if err := t.countHeldOut(ctx, &v, fold, found, shared); err != nil {
			return err
		}
		t.views = append(t.views, v)
	}
	if len(t.views) == 0 {
		t.views = []view{t.blind(t.searched)}
	}
	return nil
}

// blind returns the view of the certain event with n held-out samples per input.
func (t *auditTrial[D, O]) blind(n int64) view {
	v := view{chosen: []choice{{0, distinguisher.CertainEvent()}}, heldOut: t.zeroCounts(), heldOutN: [2]int64{n, n}}
	for _, held := range v.heldOut {
		held[0] = n
	}
	return v
}

// countHeldOut counts the events of a view in the fold that did not choose them. The pair of each sample is drawn
// at random, as in the shards. If an input is drawn more often than it has rows, the missing samples are newly
// drawn.
func (t *auditTrial[D, O]) countHeldOut(ctx context.Context, v *view, fold int, found []folds,
	shared searchRows) error {
	test := testOf(v.chosen)
	v.heldOut = t.zeroCounts()
	v.heldOutN = t.sharing.Sides(test, t.drawn().SearchedOf)
	var times [2][]int64
	for side := range times {
		r := t.settings.Stream("pairs of held rows", strconv.Itoa(fold), strconv.Itoa(side))
		times[side] = allottedSamples(r, len(v.chosen), v.heldOutN[side])
	}
	for _, p := range t.sharing.Parts(test, times) {
		w, of := v.chosen[p.Choice].witness, found[p.At.Pair][fold]
		name := []string{strconv.Itoa(fold), strconv.Itoa(p.Side), strconv.Itoa(p.At.Pair)}
		var marks []distinguisher.Mark
		if pool := shared.Of(p.Input, 1-fold); pool != nil {
			ties := t.settings.Stream(append([]string{"ties of shared rows"}, name...)...)
			marks = marksIn(w, ties, pool.Slice(p.Within(pool.Len())))
		} else {
			marks = of.marks[slices.Index(of.found, w)][p.At.Side()]
			from, to := p.Within(len(marks))
			marks = marks[from:to]
		}
		for _, m := range marks {
			v.heldOut[p.Side].add(m)
		}
		rest := eventCounter{witness: w, samples: p.Samples - int64(len(marks)), into: v.heldOut[p.Side]}
		more := append([]string{"more held rows"}, name...)
		if err := t.countEvents(ctx, t.settings.Stream(append(more, "rest")...),
			t.settings.Stream(append(more, "ties")...), p.At, []eventCounter{rest}); err != nil {
			return err
		}
	}
	return nil
}

// candidates holds the events of a pair. The k-th is the best one for a certification with the samples of 2^k pairs
// together. It is empty if no event is worth testing.
type candidates []*distinguisher.Event

// mixtures returns the certifying sample sizes of a pair's inputs for which events are searched: for one pair, and
// for two, four, … up to the number of pairs.
func (t *auditTrial[D, O]) mixtures(pair int) (samples [][2]int64) {
	a := t.drawn().CertifyingOf(t.sharing.Input(inputPlace{Pair: pair}))
	b := t.drawn().CertifyingOf(t.sharing.Input(inputPlace{Pair: pair, AtB: true}))
	for k := 1; k <= len(t.Pairs); k *= 2 {
		each := int64(k) * t.certifying
		samples = append(samples, [2]int64{max(a, each), max(b, each)})
	}
	return samples
}

// mixtureLeastGain is the minimum relative gain for which a mixture includes one more pair.
const mixtureLeastGain = 0.003

// choose returns the pair with the best event, together with other pairs if they increase the objective.
// Certification then draws the pair of each sample at random. The claim holds for such a mixture if it holds for
// each pair, and the samples of all of them count, so rarer events suffice. If no choice is expected to refute the
// claim, choose returns a single pair on which the scan found a violation. It returns nil if no pair has an event.
func (t *auditTrial[D, O]) choose(found []candidates) (chosen []choice) {
	certified := t.objective()
	best := math.Inf(-1)
	for k := range t.mixtures(0) {
		var ranked []choice
		for i, f := range found {
			if len(f) > 0 {
				ranked = append(ranked, choice{i, f[k]})
			}
		}
		slices.SortStableFunc(ranked, func(a, b choice) int { return cmp.Compare(b.witness.Value, a.witness.Value) })
		var p, q float64
		for i, c := range ranked {
			// The errors of several estimates cancel in part, so use half the correction of one.
			p += (c.witness.P + c.witness.SeenP) / 2
			q += (c.witness.Q + c.witness.SeenQ) / 2
			switch {
			case i > 0:
				// One pair is easier to understand, so more pairs must have a sufficient gain.
				sides := t.sharing.Sides(testOf(ranked[:i+1]), t.drawn().CertifyingOf)
				n, m, pairs := float64(sides[0]), float64(sides[1]), float64(i+1)
				value := certified(p*(n/pairs), n, q*(m/pairs), m)
				if value > best+mixtureLeastGain*math.Abs(best) {
					best, chosen = value, ranked[:i+1]
				}
			case k == 0:
				best, chosen = c.witness.Value, ranked[:1]
			}
		}
	}
	if t.wouldRefute(best) {
		return chosen
	}
	suspect := 0.0
	for i, f := range found {
		if len(f) > 0 && f[0].Excess > suspect {
			suspect, chosen = f[0].Excess, []choice{{i, f[0]}}
		}
	}
	return chosen
}

// marksOf returns the marks of the rows of either input of a pair, for each event, unless the rows are shared.
func (t *auditTrial[D, O]) marksOf(pair int, found candidates, ties *rand.Rand, shared searchRows,
	rows [2]*distinguisher.Rows) [][2][]distinguisher.Mark {
	marks := make([][2][]distinguisher.Mark, len(found))
	for k, w := range found {
		if k > 0 && w.SameEvent(found[k-1]) {
			marks[k] = marks[k-1]
			continue
		}
		for side, of := range rows {
			if shared[t.sharing.Input(inputPlace{Pair: pair, AtB: side == 1})] == nil {
				marks[k][side] = marksIn(w, ties, of)
			}
		}
	}
	return marks
}

// marksIn returns the marks of all rows.
func marksIn(w *distinguisher.Event, ties *rand.Rand, rows *distinguisher.Rows) []distinguisher.Mark {
	marks := make([]distinguisher.Mark, rows.Len())
	for i := range marks {
		marks[i] = w.Mark(ties, rows.Row(i))
	}
	return marks
}
