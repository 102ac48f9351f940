package privacy

import (
	"context"

	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/lowbits"
	"github.com/dpverify/dpverify/verify/privacy/layout"
)

// Layout is how the audit is going to divide its samples: as it begins, by a probe of the mechanism, it is planned, and
// nothing is searched.
func (a Audit[D, O]) Layout(ctx context.Context, s verify.Settings) (layout.Layout, error) {
	t, err := a.trial(ctx, s)
	if err == nil && t.Anytime {
		return t.layoutOfBets(), nil
	}
	if err == nil {
		t.alpha /= 2
		err = t.plan(ctx)
	}
	if err != nil {
		return layout.Layout{}, err
	}
	return t.layout(probeRows, 0, 2), nil
}

// Layout is that of the probe of low-order bits, which needs no release to be known.
func (p Precision[D, O]) Layout(ctx context.Context, s verify.Settings) (layout.Layout, error) {
	t, err := p.trial(ctx, s)
	if err != nil {
		return layout.Layout{}, err
	}
	return t.layout(0, min(lowbits.ScoutRows, t.searched), 1), nil
}

// layout of searches of so many folds, after so many rows of each input.
func (t *auditTrial[D, O]) layout(probe, scouted, folds int64) layout.Layout {
	l := layout.Of(t.drawn(), len(t.Pairs), probe, scouted, folds)
	l.Samples, l.Width, l.AtMost = t.total, t.width, t.Anytime
	sees := func(effect float64) bool {
		t.Effect = effect
		return t.seesNear(t.blindNear(), t.total)
	}
	l.Sizes = func() verify.Sizes {
		t.Effect = max(layout.Least(sees), 1)
		t.setLeastMass()
		return t.sizes(t.blindNear())
	}
	return l
}

// layoutOfBets is the most that bets take: nothing is refuted, and nothing lost, before the event is fixed.
func (t *auditTrial[D, O]) layoutOfBets() layout.Layout {
	learnedOf := t.planBets()
	stream := sequential.New([]sequential.Claim{t.Guarantee.Sequential()}, false)
	a := &anytimeTrial[D, O]{auditTrial: t, spent: t.searched, share: t.settings.Alpha / float64(len(t.Pairs)),
		learning: &learning{stream: stream, won: stream}}
	a.goOn(t.searched, learnedOf)
	return t.layout(0, 0, 1)
}
