package accounted

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Audited checks a mechanism against what the accountant says of the release that it is said to
// be: audit is given the guarantee with the upper end of the quantity, and makes the check of
// it. No mechanism of that description can be refuted, but with the error probability of the
// audit. Prepare fails where nothing finite is proven.
func (r Release) Audited(q Quantity, audit func(privacy.Guarantee) verify.Check) verify.Check {
	return audited{r, q, audit}
}

// AuditedAlong is Audited against the whole privacy curve of the release.
func (r Release) AuditedAlong(audit func(privacy.Guarantee) verify.Check) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		lines, err := r.TradeOff()
		if err != nil {
			return nil, err
		}
		g := privacy.CurveDP(lines...)
		if g.Check() != nil {
			return nil, fmt.Errorf("no δ below 1 is proven for %s: there is nothing to audit against", r)
		}
		trial, err := audit(g).Prepare(ctx, s)
		if err != nil || trial == nil {
			return nil, err
		}
		return auditedTrial{trial, fmt.Sprintf("against the upper ends of the privacy curve of %s; ", r)}, nil
	})
}

type audited struct {
	release  Release
	quantity Quantity
	audit    func(privacy.Guarantee) verify.Check
}

func (a audited) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	b, err := a.release.Bracket(a.quantity, accountant.Precision{})
	switch {
	case err != nil:
		return nil, err
	case !(b.Upper < a.quantity.most()) || b.Upper > math.MaxFloat64:
		return nil, fmt.Errorf("no %s is proven for %s: there is nothing to audit against", a.quantity, a.release)
	}
	trial, err := a.audit(a.quantity.Guarantee(b.Upper)).Prepare(ctx, s)
	if err != nil || trial == nil {
		return nil, err
	}
	return auditedTrial{trial, fmt.Sprintf("against the upper end of [%s, %s], the account of %s; ", downwards(b.Lower),
		upwards(b.Upper), a.release)}, nil
}

// auditedTrial says in its evidence what the mechanism was audited against.
type auditedTrial struct {
	verify.Trial
	against string
}

func (t auditedTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	e, err := t.Trial.Judge(merged)
	e.Method = t.against + e.Method
	return e, err
}

// Done passes on the question to a trial that can have enough.
func (t auditedTrial) Done(merged empirical.Tally) bool {
	s, ok := t.Trial.(empirical.Stopper)
	return ok && s.Done(merged)
}

// Curve is the quantity whose one value says most about the release: μ where nothing but
// Gaussians is released, whose whole curve of (ε, δ) it is, else ε at δ = 0 where that is finite.
// It is not ok where neither is: a δ must be chosen.
func (r Release) Curve() (q Quantity, ok bool) {
	if _, attained, ok := r.gaussian(); ok && attained {
		return Mu(), true
	}
	b, err := r.Bracket(EpsilonAt(0), accountant.Precision{})
	return EpsilonAt(0), err == nil && b.Upper <= math.MaxFloat64
}
