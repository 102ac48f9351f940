package privacy

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify"
)

// An anytime audit tests the claim sequentially, by betting (limits.EProcess). The first samples
// are drawn in Prepare, in rounds that grow: each round tests the event that was chosen on all
// rounds before it, so that no sample serves the search alone. Then the event is fixed,
// and the shards are further blocks of the same test. The product of all factors is one test
// martingale: it may be evaluated after every block, and the claim is refuted when the wealth
// reaches 1/alpha (Ville 1939).

const (
	firstRound = 20
	// Rounds grow by a quarter while every sample counts, and double from here on.
	doublingFrom = 4000
	// looks are the interim analyses within a round, between which the event stays.
	looks = 8
	// learnUpTo samples of each input, at the least, the event is fixed: as many as find
	// the gross violations that are to be seen, or a third of all.
	learnUpTo = 16_384
	// learnShare of what learning may take it takes: a round that does not fit is not begun.
	learnShare = 0.8
	// blocksPerShard are the interim analyses within a shard.
	blocksPerShard = 8
)

// prepareAnytime runs the rounds on every pair, each with an equal share of alpha.
func prepareAnytime[D, O any](ctx context.Context, t *auditTrial[D, O], total int64) (verify.Trial, error) {
	if g := t.Guarantee; g.saysNothing() {
		return verify.Decided{
			Verdict: verify.Inconclusive, Quantity: g.Quantity(), Sense: verify.AtMost, Claimed: verify.Num(g.value),
			Method: "betting against the claim; nothing was run",
			Power:  "no bet can be lost on so weak a claim: it allows a loss by a factor e^600",
			Needed: "a stronger claim: no number of samples refutes this one", Warnings: t.warnings, Unseeded: t.unseeded,
		}, nil
	}
	t.sight = t.newSight(1, 1)
	learnMost := t.sight.enoughRows(t.wanted(), t.blindNear(), learnUpTo, maxWitnessRows)
	t.searched = max(2*firstRound, min(learnMost, total/3))
	learned, err := forPairs(ctx, t, func(ctx context.Context, i int) (*learning, error) { return t.learn(ctx, i) })
	if err != nil {
		return nil, err
	}
	a := &anytimeTrial[D, O]{auditTrial: t, share: t.settings.Alpha / float64(len(learned))}
	least := learned[0].samples
	for _, l := range learned {
		a.spent, least = max(a.spent, l.samples), min(least, l.samples)
	}
	t.perShard = max(blocksPerShard, (total-a.spent)/auditShards/blocksPerShard*blocksPerShard)
	t.certifying = t.perShard * auditShards
	a.takeOne(learned)
	t.sight.refutes = a.refutes
	t.sight.rows = func(all int64) int64 {
		if all == total {
			return least
		}
		return int64(learnShare * math.Min(float64(learnMost), float64(all/3)))
	}
	t.sight.certifying = func(all int64) int64 {
		if all == total {
			return t.certifying
		}
		return max(1, all-max(2*firstRound, min(learnMost, all/3)))
	}
	t.setLeastMass()
	return a, nil
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
		if l.witness.Deviation > 0 && (suspect < 0 || l.witness.Deviation > learned[suspect].witness.Deviation) {
			suspect = i
		}
	}
	switch {
	case best < 0: // none has an event: what always happens is bet on
		best = 0
		learned[0].adopt(witness.Sure())
	case suspect >= 0 && !a.wouldRefute(learned[best].witness.Value):
		best = suspect
	}
	for i, l := range learned {
		if l.refutedAt(a.share) < learned[best].refutedAt(a.share) {
			best = i
		}
	}
	a.learning = learned[best]
	a.views = []view{{chosen: []choice{{best, a.learning.witness}}}}
}

// learning is what the rounds of one pair left: the log wealth of each rung after
// each round, and the last event.
type learning struct {
	witness *witness.Witness
	pilot   limits.Pilot
	rungs   []float64          // parameters that are bet against; the claimed one is among them
	claim   int                // its place
	bets    []*limits.EProcess // against each rung
	rounds  []round
	samples int64 // of each input
}

type round struct {
	samples   int64 // of each input, up to and with this round
	logWealth []float64
}

// refutedAt is the number of samples after which the claim was refuted at alpha;
// a large number if it was not.
func (l *learning) refutedAt(alpha float64) int64 {
	for _, r := range l.rounds {
		if r.logWealth[l.claim] >= -math.Log(alpha) {
			return r.samples
		}
	}
	return math.MaxInt64
}

// anytimeRungs are the parameters that are bet against. For notions of privacy other than
// (ε, δ) the claim alone is, through its tangent.
func anytimeRungs(g Guarantee) (all []float64, claim int) {
	if g.notion != approximateDP || g.value == 0 {
		return []float64{g.value}, 0
	}
	for i := -12; i <= 12; i++ {
		if i == 0 {
			claim = len(all)
		}
		if value := g.value * math.Exp2(float64(i)/6); !g.with(value).saysNothing() {
			all = append(all, value)
		}
	}
	return all, claim
}

// turn points every rung's process to the event of a witness; the first time it
// starts them.
func (t *auditTrial[D, O]) turn(l *learning, bets []*limits.EProcess) ([]*limits.EProcess, error) {
	for i, v := range l.rungs {
		g := t.Guarantee.with(v)
		epsilon := g.tangent(l.witness.P, l.witness.Q)
		delta := g.hockeyStick(epsilon)
		if i < len(bets) {
			if err := bets[i].Turn(epsilon, delta, l.pilot); err != nil {
				return nil, err
			}
			continue
		}
		e, err := limits.NewEProcess(limits.NotAbove, epsilon, delta, l.pilot)
		if err != nil {
			return nil, err
		}
		bets = append(bets, e)
	}
	return bets, nil
}

// learn runs the rounds of one pair until the claim is refuted at its share of
// alpha, the event is learned well, or a third of the samples is used.
func (t *auditTrial[D, O]) learn(ctx context.Context, pair int) (*learning, error) {
	l := &learning{}
	l.rungs, l.claim = anytimeRungs(t.Guarantee)
	share := t.settings.Alpha / float64(len(t.Pairs))
	in := t.Pairs[pair]
	name := []string{"learn", strconv.Itoa(pair)}
	ra, rb := t.settings.Stream(append(name, "a")...), t.settings.Stream(append(name, "b")...)
	ties := t.settings.Stream(append(name, "ties")...)
	var a, b *witness.Rows
	for size := int64(firstRound); l.samples+size <= t.searched; size = t.nextRound(l.samples) {
		newA, err := t.sampleRows(ctx, ra, in, in.A, int(size))
		if err != nil {
			return nil, err
		}
		newB, err := t.sampleRows(ctx, rb, in, in.B, int(size))
		if err != nil {
			return nil, err
		}
		if l.witness != nil {
			if err := t.betRound(l, ties, newA, newB, -math.Log(share)); err != nil {
				return nil, err
			}
			if l.bets[l.claim].LogWealth() >= -math.Log(share) {
				return l, nil
			}
		}
		l.samples += size
		a, b = witness.Join(a, newA), witness.Join(b, newB)
		found, err := t.search(a, b, false, [2]int64{4 * l.samples, 4 * l.samples})
		if errors.Is(err, witness.ErrNoEvent) {
			continue
		} else if err != nil {
			return nil, err
		}
		l.adopt(found[0])
	}
	return l, nil
}

// adopt makes a witness the event of the next bets. The pilot counts are the search's
// corrected ones: on the rows that chose the event it looks better than it is, and a bet
// too high loses.
func (l *learning) adopt(w *witness.Witness) {
	n := float64(l.samples)
	l.witness, l.pilot = w, limits.Pilot{X: int64(w.P * n), N1: l.samples, Y: int64(math.Ceil(w.Q * n)), N2: l.samples}
}

// nextRound is the size of the round after so many samples; the last one is as large as
// learning allows, if that is worth a search.
func (t *auditTrial[D, O]) nextRound(samples int64) int64 {
	if samples < doublingFrom {
		return max(8, samples/4)
	}
	if rest := t.searched - samples; rest < samples && rest > samples/4 {
		return rest
	}
	return samples
}

// betRound bets on new rows with the event of the rounds before, look by look; it
// stops when the wealth against the claim reaches need.
func (t *auditTrial[D, O]) betRound(l *learning, ties *rand.Rand, a, b *witness.Rows, need float64) (err error) {
	if l.bets, err = t.turn(l, l.bets); err != nil {
		return err
	}
	for look := range looks {
		from, to := a.Len()*look/looks, a.Len()*(look+1)/looks
		n := int64(to - from)
		x, y := l.witness.Count(ties, a.Slice(from, to), b.Slice(from, to))
		logs := make([]float64, len(l.bets))
		for i, e := range l.bets {
			if err := e.Observe(x, n, y, n); err != nil {
				return err
			}
			logs[i] = e.LogWealth()
		}
		l.rounds = append(l.rounds, round{l.samples + int64(to), logs})
		if logs[l.claim] >= need {
			break
		}
	}
	return nil
}
