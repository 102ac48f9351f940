package privacy

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
)

// anytimeTrial continues the sequential test with one pair and its event.
type anytimeTrial[D, O any] struct {
	*auditTrial[D, O]
	learning *learning
	share    float64 // this pair's share of alpha
	spent    int64   // maximum number of samples per input of a pair used in Prepare
	least    int64   // minimum number of learning samples of a pair
}

func (a *anytimeTrial[D, O]) refuted() bool { return a.learning.refuted }

func (a *anytimeTrial[D, O]) Plan() empirical.Plan {
	if a.refuted() || a.perShard == 0 {
		return empirical.Plan{}
	}
	p := empirical.Plan{Shards: auditShards, SamplesPerShard: a.perShard}
	a.power(&p)
	return p
}

// need returns the log wealth that the bet on the fixed event must reach. It includes the losses from learning.
func (a *anytimeTrial[D, O]) need() float64 {
	return -math.Log(a.share) - math.Min(0, a.learning.won.LogWealth(a.learning.claim))
}

// refutes reports whether a bet against the claim would refute it at counts x and y of n samples, spread evenly,
// for an event whose probabilities the search estimates as p and q.
func (a *anytimeTrial[D, O]) refutes(p, q float64, x, y, n int64) bool {
	const blocks = auditShards
	epsilon := a.Guarantee.Tangent(p, q)
	pilot := confidence.Pilot{X: int64(p * float64(a.spent)), N1: a.spent, Y: int64(math.Ceil(q * float64(a.spent))),
		N2: a.spent}
	e, err := confidence.NewEProcess(confidence.NotAbove, epsilon, a.Guarantee.HockeyStick(epsilon), pilot)
	if err != nil {
		return false
	}
	part := func(k, i int64) int64 { return k*i/blocks - k*(i-1)/blocks }
	for i := int64(1); i <= blocks; i++ {
		if size := part(n, i); size == 0 || e.Observe(min(part(x, i), size), size, min(part(y, i), size), size) != nil {
			return false
		}
	}
	return e.PeakLogWealth() >= a.need()+selectionMargin
}

func (a *anytimeTrial[D, O]) NewTally() empirical.Tally { return &sequential.Blocks{} }

func (a *anytimeTrial[D, O]) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	blocks := make(sequential.Blocks, blocksPerShard)
	for i := range blocks {
		n := shard.Samples / blocksPerShard
		seed := shard.Seed.Derive("block", fmt.Sprint(i))
		counts, err := a.count(ctx, seed, func(inputPlace) int64 { return n })
		if err != nil {
			return nil, err
		}
		drawn := a.countsOf(counts, 0)
		blocks[i] = sequential.Block{X: drawn[0][0], Y: drawn[1][0], N: n}
	}
	return &blocks, nil
}

// Done stops the engine at the shard that refutes the claim.
func (a *anytimeTrial[D, O]) Done(merged empirical.Tally) bool {
	s, err := a.bet(*merged.(*sequential.Blocks), a.learning.claim, a.learning.claim+1)
	return err == nil && s.refuted
}

// standing is the state in which the test stopped.
type standing struct {
	refuted bool
	lower   float64          // largest parameter that was refuted
	block   sequential.Block // sums of the used blocks
	passed  sequential.Passed
}

// bet processes the blocks in order and stops at the block that refutes the claim. The rungs are climbed from the
// lowest one: the lower limit is the last rung of an unbroken sequence of rejected rungs. Only the rungs in [from,
// to) are tested.
func (a *anytimeTrial[D, O]) bet(blocks sequential.Blocks, from, to int) (standing, error) {
	l := a.learning
	need := -math.Log(a.share)
	rejected := make([]bool, len(l.rungs))
	for i := range rejected {
		rejected[i] = l.won.PeakLogWealth(i) >= need
	}
	bets, err := a.startBets(l)
	if err != nil {
		return standing{}, err
	}
	s := standing{passed: l.passed}
	for _, b := range blocks {
		if rejected[l.claim] {
			break
		}
		s.block = sequential.Block{X: s.block.X + b.X, Y: s.block.Y + b.Y, N: s.block.N + b.N}
		for i, e := range bets[from:to] {
			i += from
			if err := e.Observe(b.X, b.N, b.Y, b.N); err != nil {
				return s, err
			}
			now := l.won.LogWealth(i) + e.LogWealth()
			rejected[i] = rejected[i] || now >= need
			if i == l.claim {
				s.passed.See(now, a.spent+s.block.N)
			}
		}
	}
	s.refuted = rejected[l.claim]
	for i := 0; i < len(rejected) && rejected[i]; i++ {
		s.lower = l.rungs[i]
	}
	if s.refuted {
		s.lower = math.Max(s.lower, a.Guarantee.Value())
	}
	return s, nil
}

// Judge returns the evidence at the point where the test stopped.
func (a *anytimeTrial[D, O]) Judge(merged empirical.Tally) (verify.Evidence, error) {
	blocks, _ := merged.(*sequential.Blocks)
	s, err := a.bet(*blocks, 0, len(a.learning.rungs))
	if err != nil {
		return verify.Evidence{}, err
	}
	w := a.learning.witness
	c := certified{lower: s.lower, upper: math.Inf(1), refuted: s.refuted, at: a.Guarantee.Violated(w.P, w.Q)}
	if g, pilot := a.Guarantee, a.learning.pilot; s.block.N > 0 && g.IsApproximate() {
		if c.upper, err = blocks.EpsilonUpper(g.Value(), g.Delta(), pilot, a.settings.Alpha); err != nil {
			return verify.Evidence{}, err
		}
		delta, err := blocks.DeltaLower(g.Value(), pilot, deltaShare*a.settings.Alpha)
		if err != nil {
			return verify.Evidence{}, err
		}
		c.delta = verify.Num(delta)
	}
	count := s.block
	used := a.spent
	if count.N == 0 { // refuted while learning: report the figures of the event's pilot
		count = sequential.Block{X: a.learning.pilot.X, Y: a.learning.pilot.Y, N: a.learning.pilot.N1}
		used = a.learning.samples
	}
	e := a.evidence(a.views[0], count.X, count.Y, [2]int64{count.N, count.N}, c)
	if e.Diagnosis != nil && s.block.N == 0 {
		e.Diagnosis.Rate, e.Diagnosis.Other = w.SeenP, w.SeenQ
	}
	e.Samples = 2 * (used + s.block.N)
	e.Cells[0].Samples, e.Levels = e.Samples, s.passed.List()
	e.Method = fmt.Sprintf("betting against the claim (pairs: %d), each bet chosen from the earlier samples, with error "+
		"%.2g at any stopping time; stopped after %d samples of each input; %s",
		len(a.Pairs), a.settings.Alpha, used+s.block.N, limitsErr(a.settings.Alpha))
	if c.delta.Set {
		e.Method += fmt.Sprintf("; the certified δ errs with probability at most another %.2g",
			deltaShare*a.settings.Alpha)
	}
	if !s.refuted {
		e.Method += fmt.Sprintf("; p-value of the claim: %.2g", s.passed.PValue())
	}
	a.withdrawRounded(&e)
	a.addWarnings(&e)
	e.Statistics = verify.NewStatistics(AnytimeMethod, a.basis(*blocks))
	return e, nil
}
