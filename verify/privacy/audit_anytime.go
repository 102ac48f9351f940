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

// A sequential audit tests the claim by betting. Prepare draws the first samples, and the earlier samples choose
// the bet on each further pair of samples (sequential.Stream). No sample is used only for the search. Then the event
// is fixed, and the shards add further blocks to the same test (confidence.EProcess), which starts from the
// accumulated wealth. The product of all factors is one test martingale, so it may be evaluated at any time. The
// claim is refuted when the wealth reaches 1/alpha (Ville 1939).

const (
	// firstLook is the number of samples per input before the first choice of bets.
	firstLook = 4
	// minSearchRows is the minimum number of samples in which an event is searched.
	minSearchRows = 20
	// doublingFrom is the number of samples from which they double between choices. Below it they grow by a
	// quarter, because every sample counts.
	doublingFrom = 4000
	// learnUpTo is the minimum number of samples per input after which the event is fixed. The actual
	// number suffices to find the required large violations, and is at most a third of all samples.
	learnUpTo = 16_384
	// learnShare is the share of the permitted learning samples that is used at least. A round that does
	// not fit is not started.
	learnShare = 0.8
	// learnAll is the number of samples up to which all samples are used for learning and the event is
	// never fixed.
	learnAll = 600
	// blocksPerShard is the number of interim analyses per shard.
	blocksPerShard = 8
)

// prepareAnytime learns on every pair, each with an equal share of alpha.
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
	a.choosePair(learned)
	a.divideRest(least, learnedOf)
	t.setMinProbability()
	t.seeRounded()
	t.warn(t.shown.ConstantWord())
	return a, nil
}

// planBets returns the maximum number of learning samples per input as a function of the total.
func (t *auditTrial[D, O]) planBets() (learnedOf func(total int64) int64) {
	t.sight = t.newSight(1, 1)
	blind := t.unknownSmallViolation()
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

// divideRest divides the remaining samples among the shards. Every pair has used at least `least` samples for learning.
func (a *anytimeTrial[D, O]) divideRest(least int64, learnedOf func(total int64) int64) {
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

// choosePair chooses the pair to continue with. It is the pair that was refuted first, else the pair whose event has
// the largest expected growth. If that event is not expected to refute the claim and the scan found another pair
// that violates it, it is the latter.
func (a *anytimeTrial[D, O]) choosePair(learned []*learning) {
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
	case best < 0: // no pair has an event: bet on the certain event
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

// learning holds the event learned from the samples of one pair and the wealth accumulated so far.
type learning struct {
	stream  *sequential.Stream
	won     wealth // wealth of the bets of the stream
	witness *distinguisher.Event
	pilot   confidence.Pilot
	rungs   []float64 // parameters against which it bets, including the claimed one
	claim   int       // index of the claimed parameter
	samples int64     // per input
	passed  sequential.Passed
	refuted bool
}

// wealth returns the logarithm of the wealth of the bets against each rung: at the end, and at its maximum.
type wealth interface {
	LogWealth(claim int) float64
	PeakLogWealth(claim int) float64
}

// refutedAt returns the number of samples after which the claim was refuted, or the largest integer if it was not.
func (l *learning) refutedAt() int64 {
	if l.refuted {
		return l.samples
	}
	return math.MaxInt64
}

// anytimeRungs returns the parameters against which the audit bets. For privacy definitions other than (ε, δ)-DP it
// is only the claimed parameter, by its privacy curve.
func anytimeRungs(g Guarantee) (all []float64, claim int) {
	if !g.IsApproximate() {
		return []float64{g.Value()}, 0
	}
	all = slices.DeleteFunc(diagnosis.Rungs(g.Value(), 12), func(v float64) bool { return g.With(v).Vacuous() })
	return all, slices.Index(all, g.Value())
}

// startBets starts a test of every rung for the event of the witness.
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

// learn draws samples of one pair and bets on each by the samples before it. It stops when the claim is refuted at
// the pair's share of alpha, when the event is learned well, or when a third of the samples is used.
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

// draws holds the samples of a pair so far.
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

// draw returns the given number of new rows of each input.
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

// observe bets on new rows until the log wealth against the claim reaches need.
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

// findEvent searches for an event in all rows if there are enough of them.
func (t *auditTrial[D, O]) findEvent(l *learning, d *draws[D, O]) error {
	if l.samples < minSearchRows {
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

// nameEvent finds the event that explains a refuted claim. It searches all rows, and draws more if there are too
// few.
func (t *auditTrial[D, O]) nameEvent(ctx context.Context, l *learning, d *draws[D, O]) error {
	if short := minSearchRows - l.samples; short > 0 {
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

// adopt makes a witness the event of the next bets. The pilot counts are the search's corrected estimates: the
// event looks better than it is on the rows that chose it, and too large a bet loses.
func (l *learning) adopt(w *distinguisher.Event) {
	n := float64(l.samples)
	l.witness, l.pilot = w, confidence.Pilot{X: int64(w.P * n), N1: l.samples, Y: int64(math.Ceil(w.Q * n)), N2: l.samples}
}

// batchAfter returns the number of samples per input drawn at a time.
func batchAfter(samples int64) int64 { return max(1, samples/32) }

// nextLook returns the number of samples after which scores and event are chosen again. It skips a choice shortly
// before the end of learning.
func (t *auditTrial[D, O]) nextLook(samples int64) int64 {
	if samples < doublingFrom {
		return samples + max(firstLook, samples/4)
	}
	if 2*samples > t.searched-t.searched/5 {
		return t.searched
	}
	return 2 * samples
}
