package privacy

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// AnytimeMethod is the method of the statistics of a sequential [Audit].
var AnytimeMethod = verify.RegisterStatistics[betStatistics]("privacy/anytime")

// basis returns the sufficient statistics of a sequential audit. The blocks were bet on after the event was fixed.
func (a *anytimeTrial[D, O]) basis(blocks sequential.Blocks) betStatistics {
	l, w, chosen := a.learning, a.learning.witness, a.views[0].chosen[0]
	f := betStatistics{Guarantee: a.Guarantee, Effect: a.Effect, Mass: a.EventProbability, Pairs: len(a.Pairs),
		Total: a.total,
		Event: eventStatistics{Pair: chosen.pair, Name: a.Pairs[chosen.pair].Name, Event: a.shown.Event(w),
			Said: a.shown.Spoken(w.Text), Swapped: w.Swapped, P: w.P, Q: w.Q, Deviation: w.Excess},
		Seen: [2]float64{w.SeenP, w.SeenQ}, Scores: w.Scores, Learned: l.samples, Least: a.least, Spent: a.spent,
		Pilot: l.pilot, Passed: l.passed.Samples, Blocks: blocks, Odd: a.warnings, Unseeded: a.unseeded,
		Rounded: a.roundedAtom}
	for i := range l.rungs {
		f.Wealth = append(f.Wealth, [2]verify.Number{verify.Num(l.won.LogWealth(i)), verify.Num(l.won.PeakLogWealth(i))})
	}
	return f
}

// storedWealth is the wealth stored in statistics.
type storedWealth [][2]verify.Number

func (k storedWealth) LogWealth(claim int) float64     { return k[claim][0].X }
func (k storedWealth) PeakLogWealth(claim int) float64 { return k[claim][1].X }

// Judge continues the bets. The statistics contain the wealth from learning, because it depends on the order of the
// samples.
func (f betStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	l := &learning{won: storedWealth(f.Wealth), pilot: f.Pilot, samples: f.Learned,
		witness: &distinguisher.Event{Event: f.Event.Event,
			Text: f.Event.Said, Swapped: f.Event.Swapped, P: f.Event.P, Q: f.Event.Q, Excess: f.Event.Deviation,
			SeenP: f.Seen[0], SeenQ: f.Seen[1], Scores: f.Scores}}
	l.rungs, l.claim = anytimeRungs(f.Guarantee)
	t := &auditTrial[struct{}, struct{}]{settings: s, total: f.Total, alpha: s.Alpha, warnings: f.Odd,
		unseeded:    f.Unseeded,
		roundedAtom: f.Rounded}
	t.Guarantee, t.Effect, t.EventProbability, t.Anytime = f.Guarantee, f.Effect, f.Mass, true
	t.Pairs = make([]inputs.Pair[struct{}], f.Pairs)
	t.Pairs[f.Event.Pair].Name = f.Event.Name
	a := &anytimeTrial[struct{}, struct{}]{auditTrial: t, learning: l, share: s.Alpha / float64(f.Pairs), spent: f.Spent}
	a.views = []view{{chosen: []choice{{f.Event.Pair, l.witness}}}}
	if err := l.pass(f, a.share); err != nil {
		return verify.Evidence{}, err
	}
	a.divideRest(f.Least, t.planBets())
	t.setMinProbability()
	if plan := a.Plan(); len(f.Blocks) > plan.Shards*blocksPerShard {
		return verify.Evidence{}, fmt.Errorf("%d blocks: want at most %d", len(f.Blocks), plan.Shards*blocksPerShard)
	}
	return a.Judge(&f.Blocks)
}

// pass restores the levels that were passed while learning. The maximum wealth must permit them.
func (l *learning) pass(f betStatistics, share float64) error {
	peak := f.Wealth[l.claim][1].X
	l.refuted = peak >= -math.Log(share)
	l.passed = sequential.Passed{Family: f.Pairs}
	l.passed.See(peak, 1)
	for i, after := range f.Passed {
		if (after > 0) != (l.passed.Samples[i] > 0) || after < 0 || after > f.Learned {
			return errors.New("the passed levels contradict the wealth")
		}
	}
	l.passed.Samples = f.Passed
	return nil
}

// untested returns the evidence of an audit that tested no event.
func (t *auditTrial[D, O]) untested(reason untestedReason) (verify.Trial, error) {
	e, err := verify.JudgeStatistics(UntestedMethod, untestedStatistics{Reason: reason, Guarantee: t.Guarantee,
		Total: t.total, Odd: t.warnings, Unseeded: t.unseeded}, t.settings)
	return verify.Decided(e), err
}

// Judge states why no event was tested.
func (n untestedStatistics) Judge(verify.Settings) (verify.Evidence, error) {
	e := verify.Evidence{Verdict: verify.Inconclusive, Quantity: n.Guarantee.Quantity(), Unseeded: n.Unseeded}
	switch n.Reason {
	case untestedNoNumbers:
		e.Verdict, e.Method = verify.Untestable, "the low-order bits of sampled outputs were examined"
		e.Warnings = append(e.Warnings, "the outputs contain no finite numbers, so there are no low-order bits to test")
	case untestedNoEvent:
		e.Method = precisionMethod
		e.Power = "no event to test: the search found no difference between the low-order bits under the two inputs"
		e.Needed = diagnosis.NoEvent(n.Total)
	default:
		e.Sense, e.Claimed, e.Method = verify.AtMost, verify.Num(n.Guarantee.Value()),
			"betting against the claim; nothing was run"
		e.Power = "no bet can refute so weak a claim: it allows probabilities that differ by a factor of e^600"
		e.Needed = "a stronger claim: no number of samples refutes this one"
	}
	e.Warnings = append(e.Warnings, n.Odd...)
	return e, nil
}

// UntestedMethod is the method of the statistics of an [Audit] that tested no event.
var UntestedMethod = verify.RegisterStatistics[untestedStatistics]("privacy/untested")

func (n untestedStatistics) Check() error {
	switch n.Reason {
	case untestedWeakClaim:
		if !n.Guarantee.Vacuous() {
			return fmt.Errorf("reason weak-claim for %v, which samples can refute", n.Guarantee)
		}
	case untestedNoNumbers, untestedNoEvent:
	default:
		return fmt.Errorf("unknown reason %q", n.Reason)
	}
	return n.Guarantee.Check()
}
