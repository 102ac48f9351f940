package privacy

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/basis"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy/internal/facts"
	"github.com/dpverify/dpverify/verify/privacy/internal/showing"
)

// AnytimeBasis is the method of [RecomputeAnytime].
const AnytimeBasis = "privacy/anytime"

// basis of an audit that bets, whose blocks are those that were bet on once the event was fixed.
func (a *anytimeTrial[D, O]) basis(blocks sequential.Blocks) facts.Bets {
	l, w, chosen := a.learning, a.learning.witness, a.views[0].chosen[0]
	f := facts.Bets{Guarantee: a.Guarantee, Effect: a.Effect, Mass: a.Mass, Pairs: len(a.Pairs), Total: a.total,
		Event: facts.Event{Pair: chosen.pair, Name: a.Pairs[chosen.pair].Name, Event: a.shown.Event(w),
			Said: a.shown.Spoken(w.Said), Swapped: w.Swapped, P: w.P, Q: w.Q, Deviation: w.Deviation},
		Seen: [2]float64{w.SeenP, w.SeenQ}, Scores: w.Scores, Learned: l.samples, Least: a.least, Spent: a.spent,
		Pilot: l.pilot, Passed: l.passed.Samples, Blocks: blocks, Odd: a.warnings, Unseeded: a.unseeded,
		Rounded: a.roundedAtom}
	for i := range l.rungs {
		f.Wealth = append(f.Wealth, [2]verify.Number{verify.Num(l.won.LogWealth(i)), verify.Num(l.won.PeakLogWealth(i))})
	}
	return f
}

// kept is the wealth that facts have.
type kept [][2]verify.Number

func (k kept) LogWealth(claim int) float64     { return k[claim][0].X }
func (k kept) PeakLogWealth(claim int) float64 { return k[claim][1].X }

// RecomputeAnytime returns the evidence of an audit that bets from its facts. The wealth that was won while the event
// was learned is among them: it follows from the samples in their order.
func RecomputeAnytime(b basis.Basis, s verify.Settings) (verify.Evidence, error) {
	var f facts.Bets
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	l := &learning{won: kept(f.Wealth), pilot: f.Pilot, samples: f.Learned, witness: &distinguisher.Witness{Event: f.Event.Event,
		Said: f.Event.Said, Swapped: f.Event.Swapped, P: f.Event.P, Q: f.Event.Q, Deviation: f.Event.Deviation,
		SeenP: f.Seen[0], SeenQ: f.Seen[1], Scores: f.Scores}}
	l.rungs, l.claim = anytimeRungs(f.Guarantee)
	if err := f.Check(len(l.rungs)); err != nil {
		return verify.Evidence{}, err
	}
	t := &auditTrial[struct{}, struct{}]{settings: s, total: f.Total, alpha: s.Alpha, warnings: f.Odd,
		unseeded:    f.Unseeded,
		roundedAtom: f.Rounded}
	t.Guarantee, t.Effect, t.Mass, t.Anytime = f.Guarantee, f.Effect, f.Mass, true
	t.Pairs = make([]neighbours.Pair[struct{}], f.Pairs)
	t.Pairs[f.Event.Pair].Name = f.Event.Name
	a := &anytimeTrial[struct{}, struct{}]{auditTrial: t, learning: l, share: s.Alpha / float64(f.Pairs), spent: f.Spent}
	a.views = []view{{chosen: []choice{{f.Event.Pair, l.witness}}}}
	if err := l.pass(f, a.share); err != nil {
		return verify.Evidence{}, err
	}
	a.goOn(f.Least, t.planBets())
	t.setLeastMass()
	if plan := a.Plan(); len(f.Blocks) > plan.Shards*blocksPerShard {
		return verify.Evidence{}, fmt.Errorf("%d blocks: want at most %d", len(f.Blocks), plan.Shards*blocksPerShard)
	}
	return a.Judge(&f.Blocks)
}

// pass takes the levels that were passed while learning, which the wealth at the most must allow.
func (l *learning) pass(f facts.Bets, share float64) error {
	peak := f.Wealth[l.claim][1].X
	l.refuted = peak >= -math.Log(share)
	l.passed = sequential.Passed{Family: f.Pairs}
	l.passed.See(peak, 1)
	for i, after := range f.Passed {
		if (after > 0) != (l.passed.Samples[i] > 0) || after < 0 || after > f.Learned {
			return errors.New("levels that were passed otherwise than the wealth says")
		}
	}
	l.passed.Samples = f.Passed
	return nil
}

// nothing is an audit that tested no event.
type nothing struct{ facts.Nothing }

func (t *auditTrial[D, O]) untested(reason facts.Untested) nothing {
	return nothing{facts.Nothing{Reason: reason, Guarantee: t.Guarantee, Total: t.total, Odd: t.warnings,
		Unseeded: t.unseeded}}
}

func (n nothing) evidence() verify.Evidence {
	e := verify.Evidence{Verdict: verify.Inconclusive, Quantity: n.Guarantee.Quantity(), Unseeded: n.Unseeded}
	switch n.Reason {
	case facts.NoNumbers:
		e.Verdict, e.Method = verify.Untestable, "the low-order bits of sampled outputs were looked at"
		e.Warnings = append(e.Warnings, "the outputs hold no finite numbers: there are no low-order bits to probe")
	case facts.NoEvent:
		e.Method = precisionMethod
		e.Power = "no event to test: as far as the search sees, the low-order bits are the same under both inputs"
		e.Needed = showing.NoEvent(n.Total)
	default:
		e.Sense, e.Claimed, e.Method = verify.AtMost, verify.Num(n.Guarantee.Value()),
			"betting against the claim; nothing was run"
		e.Power = "no bet can be lost on so weak a claim: it allows a loss by a factor e^600"
		e.Needed = "a stronger claim: no number of samples refutes this one"
	}
	e.Warnings = append(e.Warnings, n.Odd...)
	e.Basis = basis.Of(NothingBasis, n.Nothing)
	return e
}

// NothingBasis is the method of [RecomputeNothing].
const NothingBasis = "privacy/untested"

// RecomputeNothing returns the evidence of an audit that tested no event.
func RecomputeNothing(b basis.Basis, _ verify.Settings) (verify.Evidence, error) {
	var f facts.Nothing
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	switch f.Reason {
	case facts.WeakClaim:
		if !f.Guarantee.SaysNothing() {
			return verify.Evidence{}, fmt.Errorf("bets can be lost on %v", f.Guarantee)
		}
	case facts.NoNumbers, facts.NoEvent:
	default:
		return verify.Evidence{}, fmt.Errorf("unknown reason %q", f.Reason)
	}
	return nothing{f}.evidence(), f.Guarantee.Check()
}
