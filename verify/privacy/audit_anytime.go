package privacy

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// An anytime audit tests the claim sequentially, by betting. The first samples are drawn in
// Prepare, and every pair of them is bet on by what those before it taught
// (sequential.Stream), so that no sample serves the search alone. Then the event is fixed, and
// the shards are further blocks of the same test (confidence.EProcess), which starts from the wealth
// that was won. The product of all factors is one test martingale: it may be evaluated at any time,
// and the claim is refuted when the wealth reaches 1/alpha (Ville 1939).

const (
	// firstLook is after how many samples of each input what to bet on is chosen first.
	firstLook = 4
	// leastToSearch are the fewest that an event is searched in.
	leastToSearch = 20
	// The samples grow by a quarter from one choice to the next while every sample counts, and
	// double from here on.
	doublingFrom = 4000
	// learnUpTo samples of each input, at the least, the event is fixed: as many as find
	// the gross violations that are to be seen, or a third of all.
	learnUpTo = 16_384
	// learnShare of what learning may take it takes: a round that does not fit is not begun.
	learnShare = 0.8
	// learnAll: so few samples are all learned from, and the event is never fixed.
	learnAll = 600
	// blocksPerShard are the interim analyses within a shard.
	blocksPerShard = 8
)

// prepareAnytime runs the rounds on every pair, each with an equal share of alpha.
func prepareAnytime[D, O any](ctx context.Context, t *auditTrial[D, O]) (verify.Trial, error) {
	if g := t.Guarantee; g.Vacuous() {
		return t.untested(untestedWeakClaim)
	}
	learnedOf := t.planBets()
	learned, err := forPairs(ctx, t, func(ctx context.Context, i int) (*learning, error) { return t.learn(ctx, i) })
	if err != nil {
		return nil, err
	}
	a := &anytimeTrial[D, O]{auditTrial: t, share: t.settings.Alpha / float64(len(learned))}
	least := learned[0].samples
	for _, l := range learned {
		a.spent, least = max(a.spent, l.samples), min(least, l.samples)
	}
	a.takeOne(learned)
	a.goOn(least, learnedOf)
	t.setLeastMass()
	t.seeRounded()
	return a, nil
}

// planBets says from how many samples of each input the event is learned at most, where there are so many in all.
func (t *auditTrial[D, O]) planBets() (learnedOf func(total int64) int64) {
	t.sight = t.newSight(1, 1)
	blind := t.blindNear()
	learnMost := t.sight.EnoughRows(t.wanted(), blind.mass, blind.other, learnUpTo, maxWitnessRows)
	learnedOf = func(total int64) int64 {
		if total <= learnAll {
			return total
		}
		return min(learnMost, total/3)
	}
	t.searched = learnedOf(t.total)
	return learnedOf
}

// goOn divides what is left among the shards, once as many samples as each pair has at least have been learned from.
func (a *anytimeTrial[D, O]) goOn(least int64, learnedOf func(total int64) int64) {
	t, total := a.auditTrial, a.total
	a.least = least
	if total > learnAll {
		t.perShard = max(blocksPerShard, (total-a.spent)/auditShards/blocksPerShard*blocksPerShard)
	}
	t.certifying = t.perShard * auditShards
	t.sight.Refutes = a.refutes
	t.sight.Rows = func(all int64) int64 {
		if all == total {
			return least
		}
		return int64(learnShare * float64(learnedOf(all)))
	}
	t.sight.Certifying = func(all int64) int64 {
		if all == total {
			return t.certifying
		}
		return max(1, all-learnedOf(all))
	}
}

// takeOne chooses the pair that goes on: that which was refuted first, else the one whose
// event promises most, unless it is not to refute the claim and the scan saw another do so.
func (a *anytimeTrial[D, O]) takeOne(learned []*learning) {
	best, suspect := -1, -1
	for i, l := range learned {
		if l.witness == nil {
			continue
		}
		if best < 0 || l.witness.Value > learned[best].witness.Value {
			best = i
		}
		if l.witness.Excess > 0 && (suspect < 0 || l.witness.Excess > learned[suspect].witness.Excess) {
			suspect = i
		}
	}
	switch {
	case best < 0: // none has an event: what always happens is bet on
		best = 0
		learned[0].adopt(distinguisher.CertainEvent())
	case suspect >= 0 && !a.wouldRefute(learned[best].witness.Value):
		best = suspect
	}
	for i, l := range learned {
		if l.refutedAt() < learned[best].refutedAt() {
			best = i
		}
	}
	a.learning = learned[best]
	a.views = []view{{chosen: []choice{{best, a.learning.witness}}}}
}

// learning is what the samples of one pair taught, and what was won on the way.
type learning struct {
	stream  *sequential.Stream
	won     wealth // what the bets of the stream have won
	witness *distinguisher.Event
	pilot   confidence.Pilot
	rungs   []float64 // parameters that are bet against; the claimed one is among them
	claim   int       // its place
	samples int64     // of each input
	passed  sequential.Passed
	refuted bool
}

// wealth is what the bets against each rung have won, as logarithms: in the end, and at the most.
type wealth interface {
	LogWealth(claim int) float64
	PeakLogWealth(claim int) float64
}

// refutedAt is the number of samples after which the claim was refuted; a large number if it
// was not.
func (l *learning) refutedAt() int64 {
	if l.refuted {
		return l.samples
	}
	return math.MaxInt64
}

// anytimeRungs are the parameters that are bet against. For notions of privacy other than
// (ε, δ) the claim alone is, by its curve.
func anytimeRungs(g Guarantee) (all []float64, claim int) {
	if !g.IsApproximate() {
		return []float64{g.Value()}, 0
	}
	all = slices.DeleteFunc(diagnosis.Rungs(g.Value(), 12), func(v float64) bool { return g.With(v).Vacuous() })
	return all, slices.Index(all, g.Value())
}

// startBets starts a test of every rung by the event of the witness.
func (t *auditTrial[D, O]) startBets(l *learning) (bets []*confidence.EProcess, err error) {
	for _, v := range l.rungs {
		g := t.Guarantee.With(v)
		epsilon := g.Tangent(l.witness.P, l.witness.Q)
		e, err := confidence.NewEProcess(confidence.NotAbove, epsilon, g.HockeyStick(epsilon), l.pilot)
		if err != nil {
			return nil, err
		}
		bets = append(bets, e)
	}
	return bets, nil
}

// learn draws samples of one pair, bets on each by those before, and stops when the claim is
// refuted at its share of alpha, the event is learned well, or a third of the samples is used.
func (t *auditTrial[D, O]) learn(ctx context.Context, pair int) (*learning, error) {
	l := &learning{passed: sequential.Passed{Family: len(t.Pairs)}}
	l.rungs, l.claim = anytimeRungs(t.Guarantee)
	var claims []sequential.Claim
	for _, v := range l.rungs {
		claims = append(claims, t.Guarantee.With(v).Sequential())
	}
	l.stream = sequential.New(claims, t.LogLikelihood != nil)
	l.won = l.stream
	d := t.newDraws(pair)
	need := -math.Log(t.settings.Alpha / float64(len(t.Pairs)))
	next := int64(firstLook)
	for l.samples < t.searched {
		a, b, err := d.draw(ctx, min(batchAfter(l.samples), t.searched-l.samples))
		if err != nil {
			return nil, err
		}
		l.observe(d.ties, a, b, need)
		switch {
		case l.refuted:
			err := t.nameEvent(ctx, l, d)
			t.readDraws(l, d)
			return l, err
		case l.samples >= next || l.samples == t.searched:
			l.stream.Follow(distinguisher.Leading(d.a, d.b, sequential.Tracks-1), d.a, d.b)
			if err := t.findEvent(l, d); err != nil {
				return nil, err
			}
			next = t.nextLook(l.samples)
		}
	}
	t.readDraws(l, d)
	return l, nil
}

// draws are the samples of a pair so far.
type draws[D, O any] struct {
	trial  *auditTrial[D, O]
	pair   int
	ra, rb *rand.Rand
	ties   *rand.Rand
	a, b   *distinguisher.Rows
}

func (t *auditTrial[D, O]) newDraws(pair int) *draws[D, O] {
	name := []string{"learn", strconv.Itoa(pair)}
	return &draws[D, O]{trial: t, pair: pair, ra: t.settings.Stream(append(name, "a")...),
		rb: t.settings.Stream(append(name, "b")...), ties: t.settings.Stream(append(name, "ties")...)}
}

// draw returns so many new rows of each input.
func (d *draws[D, O]) draw(ctx context.Context, size int64) (a, b *distinguisher.Rows, err error) {
	kept := &d.trial.shown.Pairs[d.pair].Examples
	if a, err = d.trial.sampleRows(ctx, d.ra, inputPlace{Pair: d.pair}, int(size), &kept[0]); err != nil {
		return nil, nil, err
	}
	if b, err = d.trial.sampleRows(ctx, d.rb, inputPlace{Pair: d.pair, AtB: true}, int(size), &kept[1]); err != nil {
		return nil, nil, err
	}
	d.a, d.b = distinguisher.Join(d.a, a), distinguisher.Join(d.b, b)
	return a, b, nil
}

// observe bets on new rows until the wealth against the claim reaches need.
func (l *learning) observe(ties *rand.Rand, a, b *distinguisher.Rows, need float64) {
	for i := range a.Len() {
		l.stream.Observe(ties, a.Row(i), b.Row(i))
		now := l.stream.LogWealth(l.claim)
		l.passed.See(now, l.samples+int64(i)+1)
		if l.refuted = now >= need; l.refuted {
			break
		}
	}
	l.samples += int64(a.Len())
}

// findEvent looks for an event in all rows, if there are enough.
func (t *auditTrial[D, O]) findEvent(l *learning, d *draws[D, O]) error {
	if l.samples < leastToSearch {
		return nil
	}
	found, err := t.search(d.a, d.b, false, [2]int64{4 * l.samples, 4 * l.samples})
	if errors.Is(err, distinguisher.ErrNoEvent) {
		return nil
	} else if err != nil {
		return err
	}
	l.adopt(found[0])
	l.stream.Adopt(found[0])
	return nil
}

// nameEvent looks for the event by which a refuted claim is to be explained, in all rows and, if
// they are too few, in some more.
func (t *auditTrial[D, O]) nameEvent(ctx context.Context, l *learning, d *draws[D, O]) error {
	if short := leastToSearch - l.samples; short > 0 {
		if _, _, err := d.draw(ctx, short); err != nil {
			return err
		}
		l.samples += short
	}
	if err := t.findEvent(l, d); err != nil || l.witness != nil {
		return err
	}
	l.adopt(distinguisher.CertainEvent())
	return nil
}

// adopt makes a witness the event of the next bets. The pilot counts are the search's
// corrected ones: on the rows that chose the event it looks better than it is, and a bet
// too high loses.
func (l *learning) adopt(w *distinguisher.Event) {
	n := float64(l.samples)
	l.witness, l.pilot = w, confidence.Pilot{X: int64(w.P * n), N1: l.samples, Y: int64(math.Ceil(w.Q * n)), N2: l.samples}
}

// batchAfter is how many samples of each input are drawn at a time.
func batchAfter(samples int64) int64 { return max(1, samples/32) }

// nextLook is the number of samples after which scores and event are chosen again; a last look
// soon before learning ends is not worth its time.
func (t *auditTrial[D, O]) nextLook(samples int64) int64 {
	if samples < doublingFrom {
		return samples + max(firstLook, samples/4)
	}
	if 2*samples > t.searched-t.searched/5 {
		return t.searched
	}
	return 2 * samples
}
