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

// An audit of a fixed number of samples is cross-fitted in two folds. Each fold chooses
// pairs and events on its own; the events that one of them chose are counted in the
// other and in all samples that follow: the held-out samples. No event is counted in the
// samples that chose it, so each of the two tests errs with at most its half of alpha, and
// the audit, which takes the better of the two, with at most alpha. A poor choice of the
// event, against which the second fold helps, costs more power than half of alpha does.

// view is one of the two tests of the claim: the pairs and events that one fold chose, with
// their held-out counts.
type view struct {
	chosen []choice // the most promising first
	// heldOut are the counts of the event in the fold that did not choose it, under the
	// input where it is to be likelier and under the other; heldOutN are the numbers of
	// samples.
	heldOut  [2]seen
	heldOutN [2]int64
}

// choice is a pair with its event.
type choice struct {
	pair    int
	witness *distinguisher.Event
}

// side of the view to which the samples at an input of the pair count: 0 is the one
// where the event is to be likelier.
func (c choice) side(atB bool) int {
	if atB != c.witness.Swapped {
		return 1
	}
	return 0
}

// at is where the choice counts on a side of the view; the inverse of side.
func (c choice) at(side int) inputPlace {
	return inputPlace{Pair: c.pair, AtB: (side == 1) != c.witness.Swapped}
}

// testOf is where choices count.
func testOf(chosen []choice) (test pooledTest) {
	for _, c := range chosen {
		for side := range test {
			test[side] = append(test[side], c.at(side))
		}
	}
	return test
}

// events returns the events of a view, in the order of the choices.
func (t *auditTrial[D, O]) events(v view) (events []verify.PairEvent) {
	for _, c := range v.chosen {
		events = append(events, verify.PairEvent{Pair: c.pair, Event: t.shown.Event(c.witness), Swapped: c.witness.Swapped})
	}
	return events
}

// suspect reports whether the view has an event of the scan.
func (v view) suspect() bool {
	return slices.ContainsFunc(v.chosen, func(c choice) bool { return c.witness.Excess > 0 })
}

// masses of the event on both sides, as the search estimates them, corrected for the
// winner's curse.
func (v view) masses() (p, q float64) {
	for _, c := range v.chosen {
		p, q = p+c.witness.P, q+c.witness.Q
	}
	return p / float64(len(v.chosen)), q / float64(len(v.chosen))
}

// folds are the two folds of a pair: the witnesses that each chose, and the marks of
// the rows of the other, under either input of the pair; of an input that is shared
// the rows are pooled, and counted when the events are chosen.
type folds [2]struct {
	found candidates
	marks [][2][]distinguisher.Mark // for each of found
}

// searchFolds looks for a witness in each fold of every pair, of so many rows of each
// input.
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

// forFolds runs f for both folds of a pair, on the slots of the run.
func (t *auditTrial[D, O]) forFolds(ctx context.Context, f func(ctx context.Context, fold int) error) error {
	_, err := empirical.Each(ctx, t.settings.Pool, 2, f)
	return err
}

// setViews takes the views of the claim from what both folds found; where no event is worth
// testing, the view of the event that always happens.
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

// blind is the view of the event that always happens, with so many held-out samples of each
// input.
func (t *auditTrial[D, O]) blind(n int64) view {
	v := view{chosen: []choice{{0, distinguisher.CertainEvent()}}, heldOut: t.unseen(), heldOutN: [2]int64{n, n}}
	for _, held := range v.heldOut {
		held[0] = n
	}
	return v
}

// countHeldOut counts a view's events in the fold that did not choose them. The pair of
// each sample is drawn at random, as it is later on: where an input is drawn more often than it has
// rows, the rest is drawn afresh.
func (t *auditTrial[D, O]) countHeldOut(ctx context.Context, v *view, fold int, found []folds,
	shared searchRows) error {
	test := testOf(v.chosen)
	v.heldOut = t.unseen()
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

// candidates are the witnesses of a pair: the k-th is for a certification by the samples of
// 2^k pairs together. Empty where nothing is worth testing.
type candidates []*distinguisher.Event

// mixtures are the numbers of samples of the inputs of a pair for which witnesses are looked for: those
// of one pair, and of two, four, … as long as there are as many.
func (t *auditTrial[D, O]) mixtures(pair int) (samples [][2]int64) {
	a := t.drawn().CertifyingOf(t.sharing.Input(inputPlace{Pair: pair}))
	b := t.drawn().CertifyingOf(t.sharing.Input(inputPlace{Pair: pair, AtB: true}))
	for k := 1; k <= len(t.Pairs); k *= 2 {
		each := int64(k) * t.certifying
		samples = append(samples, [2]int64{max(a, each), max(b, each)})
	}
	return samples
}

// mixtureLeastGain is the least gain, as a share, for which a mixture takes in one more pair.
const mixtureLeastGain = 0.003

// choose takes the pair of the best witness, and others with it where they bear
// it out: certification then draws the pair of each sample at random. The claim
// holds for such a mixture of pairs if it holds for each, and the samples of all
// of them count: rarer events will do. Where none of that promises to refute the claim, a
// pair on which the scan saw it violated is taken by itself. None where no pair has a
// witness.
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
			// The errors of several estimates cancel in part: half the correction of one.
			p += (c.witness.P + c.witness.SeenP) / 2
			q += (c.witness.Q + c.witness.SeenQ) / 2
			switch {
			case i > 0:
				// One pair is easier to understand: more must be worth it.
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

// marksOf are those of the rows of either input of a pair by each witness, where they are not shared.
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

// marksIn are those of all rows.
func marksIn(w *distinguisher.Event, ties *rand.Rand, rows *distinguisher.Rows) []distinguisher.Mark {
	marks := make([]distinguisher.Mark, rows.Len())
	for i := range marks {
		marks[i] = w.Mark(ties, rows.Row(i))
	}
	return marks
}
