package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical"
)

// Anytime mode bets against the claim. The first samples are drawn in Prepare, in
// rounds that grow: each round is bet on with the event that all rounds before
// it taught, so that none is spent on learning alone. Then the event is fixed,
// and the shards are its blocks. The product of all factors is one test
// martingale: it may be looked at after every block, and the claim is refuted
// when the wealth reaches 1/alpha.

const (
	firstRound = 20
	// Rounds grow by a quarter while every sample counts, and double from here on.
	patience = 4000
	// looks within a round: the event stays, the wealth is looked at.
	looks = 8
	// learnUpTo samples of each input, at the least, the event is fixed: as many as find
	// the gross violations that are to be seen, or a third of all.
	learnUpTo = 16_384
	// learnShare of what learning may take it takes: a round that does not fit is not begun.
	learnShare = 0.8
	// blocksPerShard are the looks within a shard.
	blocksPerShard = 8
)

// prepareAnytime runs the rounds on every pair, each with an equal share of alpha.
func prepareAnytime[D, O any](ctx context.Context, t *auditTrial[D, O], total int64) (Trial, error) {
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
	t.foresee()
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
		learned[0].believe(empirical.Sure())
	case suspect >= 0 && !a.promisesMore(learned[best].witness.Value):
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
	witness *empirical.Witness
	pilot   empirical.Pilot
	rungs   []float64             // parameters that are bet against; the claimed one is among them
	claim   int                   // its place
	bets    []*empirical.EProcess // against each rung
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

// anytimeRungs are the parameters that are bet against. For currencies other than
// (ε, δ) the claim alone is, through its tangent.
func anytimeRungs(g Guarantee) (all []float64, claim int) {
	if g.currency != approximateDP || g.value == 0 {
		return []float64{g.value}, 0
	}
	for i := -12; i <= 12; i++ {
		if i == 0 {
			claim = len(all)
		}
		all = append(all, g.value*math.Exp2(float64(i)/6))
	}
	return all, claim
}

// turn points every rung's process to the event of a witness; the first time it
// starts them.
func (t *auditTrial[D, O]) turn(l *learning, bets []*empirical.EProcess) ([]*empirical.EProcess, error) {
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
		e, err := empirical.NewEProcess(empirical.NotAbove, epsilon, delta, l.pilot)
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
	ra, rb := t.settings.Stream("learn", in.Name, "a"), t.settings.Stream("learn", in.Name, "b")
	ties := t.settings.Stream("learn", in.Name, "ties")
	var a, b *empirical.Rows
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
		a, b = empirical.Join(a, newA), empirical.Join(b, newB)
		found, err := t.search(a, b, false, 4*l.samples)
		if errors.Is(err, empirical.ErrNoEvent) {
			continue
		} else if err != nil {
			return nil, err
		}
		l.believe(found[0])
	}
	return l, nil
}

// believe makes a witness the event of the bets to come. The pilot counts are the search's
// cautious ones: on the rows that chose the event it looks better than it is, and a bet
// too high loses.
func (l *learning) believe(w *empirical.Witness) {
	n := float64(l.samples)
	l.witness, l.pilot = w, empirical.Pilot{X: int64(w.P * n), N1: l.samples, Y: int64(math.Ceil(w.Q * n)), N2: l.samples}
}

// nextRound is the size of the round after so many samples; the last one is as large as
// learning allows, if that is worth a search.
func (t *auditTrial[D, O]) nextRound(samples int64) int64 {
	if samples < patience {
		return max(8, samples/4)
	}
	if rest := t.searched - samples; rest < samples && rest > samples/4 {
		return rest
	}
	return samples
}

// betRound bets on new rows with the event of the rounds before, look by look; it
// stops when the wealth against the claim reaches need.
func (t *auditTrial[D, O]) betRound(l *learning, ties *rand.Rand, a, b *empirical.Rows, need float64) (err error) {
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

// anytimeTrial goes on with one pair and its event.
type anytimeTrial[D, O any] struct {
	*auditTrial[D, O]
	learning *learning
	share    float64 // of alpha: this pair's
	spent    int64   // samples of each input of each pair used in Prepare
}

func (a *anytimeTrial[D, O]) refuted() bool { return a.learning.refutedAt(a.share) < math.MaxInt64 }

func (a *anytimeTrial[D, O]) Plan() empirical.Plan {
	if a.refuted() {
		return empirical.Plan{}
	}
	p := empirical.Plan{Shards: auditShards, SamplesPerShard: a.perShard}
	a.power(&p)
	return p
}

// refutes tells whether a bet against the claim, on an event that the search takes to be of
// masses p and q, would refute it at counts x and y of n samples, spread evenly.
func (a *anytimeTrial[D, O]) refutes(p, q float64, x, y, n int64) bool {
	const blocks = auditShards
	epsilon := a.Guarantee.tangent(p, q)
	pilot := empirical.Pilot{X: int64(p * float64(a.spent)), N1: a.spent, Y: int64(math.Ceil(q * float64(a.spent))), N2: a.spent}
	e, err := empirical.NewEProcess(empirical.NotAbove, epsilon, a.Guarantee.hockeyStick(epsilon), pilot)
	if err != nil {
		return false
	}
	part := func(k, i int64) int64 { return k*i/blocks - k*(i-1)/blocks }
	for i := int64(1); i <= blocks; i++ {
		if size := part(n, i); size == 0 || e.Observe(min(part(x, i), size), size, min(part(y, i), size), size) != nil {
			return false
		}
	}
	return e.PeakLogWealth() >= -math.Log(a.share)+leeway
}

// Blocks is the tally of anytime mode: counts of the event, block after block.
type Blocks []Block

// Block is the counts of one look.
type Block struct{ X, Y, N int64 }

func (b *Blocks) Merge(other empirical.Tally) error {
	o, ok := other.(*Blocks)
	if !ok {
		return fmt.Errorf("blocks: cannot merge %T", other)
	}
	*b = append(*b, *o...)
	return nil
}

func (b *Blocks) MarshalJSON() ([]byte, error)    { return json.Marshal([]Block(*b)) }
func (b *Blocks) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*[]Block)(b)) }

func (a *anytimeTrial[D, O]) NewTally() empirical.Tally { return &Blocks{} }

func (a *anytimeTrial[D, O]) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	blocks := make(Blocks, blocksPerShard)
	for i := range blocks {
		n := shard.Samples / blocksPerShard
		seed := shard.Seed.Derive("block", fmt.Sprint(i))
		counts, err := a.count(ctx, seed, n)
		if err != nil {
			return nil, err
		}
		blocks[i] = Block{counts[0], counts[1], n}
	}
	return &blocks, nil
}

// Done stops the engine at the shard that refutes the claim.
func (a *anytimeTrial[D, O]) Done(merged empirical.Tally) bool {
	s, err := a.bet(*merged.(*Blocks))
	return err == nil && s.refuted
}

// standing is where the betting stopped.
type standing struct {
	refuted bool
	lower   float64 // the largest parameter that was refuted on the way
	block   Block   // sums of the blocks that were used
}

// bet goes through the blocks in order and stops at the one that refutes the claim.
// Rungs are climbed from the lowest: the lower limit is the last of those that were
// rejected, in a row, at some time.
func (a *anytimeTrial[D, O]) bet(blocks Blocks) (standing, error) {
	l := a.learning
	need := -math.Log(a.share)
	rejected := make([]bool, len(l.rungs))
	note := func(logs []float64) {
		for i, w := range logs {
			rejected[i] = rejected[i] || w >= need
		}
	}
	for _, r := range l.rounds {
		note(r.logWealth)
	}
	var bets []*empirical.EProcess
	for _, e := range l.bets {
		bets = append(bets, e.Clone())
	}
	bets, err := a.turn(l, bets)
	if err != nil {
		return standing{}, err
	}
	var s standing
	now := make([]float64, len(bets))
	for _, b := range blocks {
		if rejected[l.claim] {
			break
		}
		s.block = Block{s.block.X + b.X, s.block.Y + b.Y, s.block.N + b.N}
		for i, e := range bets {
			if err := e.Observe(b.X, b.N, b.Y, b.N); err != nil {
				return s, err
			}
			now[i] = e.LogWealth()
		}
		note(now)
	}
	s.refuted = rejected[l.claim]
	for i := 0; i < len(rejected) && rejected[i]; i++ {
		s.lower = l.rungs[i]
	}
	if s.refuted {
		s.lower = math.Max(s.lower, a.Guarantee.value)
	}
	return s, nil
}

// Judge says where the betting stopped.
func (a *anytimeTrial[D, O]) Judge(merged empirical.Tally) (Evidence, error) {
	blocks, _ := merged.(*Blocks)
	s, err := a.bet(*blocks)
	if err != nil {
		return Evidence{}, err
	}
	c := certified{lower: s.lower, upper: math.Inf(1), refuted: s.refuted}
	if s.block.N > 0 {
		if c.upper, err = a.anytimeUpper(*blocks); err != nil {
			return Evidence{}, err
		}
	}
	count := s.block
	used := a.spent
	if count.N == 0 { // refuted while learning: the figures are those of the event's pilot
		count = Block{a.learning.pilot.X, a.learning.pilot.Y, a.learning.pilot.N1}
		used = a.learning.refutedAt(a.share)
	}
	e := a.evidence(a.views[0], count.X, count.Y, count.N, c)
	e.Samples = 2 * (used + s.block.N)
	e.Cells[0].Samples = e.Samples
	e.Method = fmt.Sprintf("betting against the claim (pairs: %d), on events learned from the samples before, with error %.2g at any time to stop; stopped after %d samples of each input",
		len(a.Pairs), a.settings.Alpha, used+s.block.N)
	return e, nil
}

// anytimeUpper is the upper limit of the parameter on the fixed event, valid at
// any time to stop, with error alpha of its own.
func (a *anytimeTrial[D, O]) anytimeUpper(blocks Blocks) (float64, error) {
	if a.Guarantee.currency != approximateDP {
		return math.Inf(1), nil
	}
	ladder, err := empirical.EpsilonLadder(math.Max(1e-3, a.Guarantee.value/64), math.Max(1, 8*a.Guarantee.value), 64)
	if err != nil {
		return 0, err
	}
	limit, err := empirical.NewAnytimeEpsilon(a.Guarantee.second, ladder, a.learning.pilot)
	if err != nil {
		return 0, err
	}
	for _, b := range blocks {
		if err := limit.Observe(b.X, b.N, b.Y, b.N); err != nil {
			return 0, err
		}
	}
	return limit.Upper(a.settings.Alpha), nil
}
