package accounting

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
		g, err := r.along()
		if err != nil {
			return nil, err
		}
		trial, err := audit(g).Prepare(ctx, s)
		if err != nil || trial == nil {
			return nil, err
		}
		return auditedTrial{trial, fmt.Sprintf(alongText, r), against{described: describe(r, EpsilonAt(0)), Along: true}}, nil
	})
}

// alongText goes before the method of an audit against the whole privacy curve of a release.
const alongText = "against the upper ends of the privacy curve of %s; "

// along is the guarantee of the whole privacy curve.
func (r Release) along() (g privacy.Guarantee, err error) {
	lines, err := r.TradeOff()
	if err != nil {
		return g, err
	}
	if g = privacy.CurveDP(lines...); g.Check() != nil {
		return g, fmt.Errorf("no δ below 1 is proven for %s: %w", r, errNothing)
	}
	return g, nil
}

// upper is the upper end of a quantity, and what goes before the method of an audit against it.
func (r Release) upper(q Quantity) (value float64, text string, err error) {
	b, err := r.Bracket(q, accountant.Precision{})
	switch {
	case err != nil:
		return 0, "", err
	case !(b.Upper < q.most()) || b.Upper > math.MaxFloat64:
		return 0, "", fmt.Errorf("no %s is proven for %s: %w", q, r, errNothing)
	}
	return b.Upper, fmt.Sprintf("against the upper end of [%s, %s], the account of %s; ", downwards(b.Lower),
		upwards(b.Upper), r), nil
}

type audited struct {
	release  Release
	quantity Quantity
	audit    func(privacy.Guarantee) verify.Check
}

func (a audited) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	value, text, err := a.release.upper(a.quantity)
	if err != nil {
		return nil, err
	}
	trial, err := a.audit(a.quantity.Guarantee(value)).Prepare(ctx, s)
	if err != nil || trial == nil {
		return nil, err
	}
	return auditedTrial{trial, text, against{described: describe(a.release, a.quantity)}}, nil
}

// auditedTrial says in its evidence what the mechanism was audited against.
type auditedTrial struct {
	verify.Trial
	text    string
	against against
}

func (t auditedTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	e, err := t.Trial.Judge(merged)
	return t.against.around(t.text, e), err
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
