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

// Audited returns a check of a mechanism against the accountant's result for its description. The function audit
// receives the guarantee at the upper end of the quantity's bracket and returns the check. A mechanism with this
// description is refuted at most with the error probability of the audit. Prepare returns an error if no finite value,
// or no δ below 1, is proven.
func (r Release) Audited(q Quantity, audit func(privacy.Guarantee) verify.Check) verify.Check {
	return audited{r, q, audit}
}

// AuditedAlong is the same as [Release.Audited] for the whole privacy curve of the release instead of one quantity.
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
		return auditedTrial{trial, fmt.Sprintf(alongText, r), against{described: describe(r, EpsilonAt(0)), Along: true}},
			nil
	})
}

// alongText begins the method of an audit against the whole privacy curve of a release.
const alongText = "against the upper ends of the privacy curve of %s; "

// along returns the guarantee of the whole privacy curve. It returns an error if no δ below 1 is proven.
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

// upper returns the upper end of a quantity's bracket, and the text that begins the method of an audit against it.
func (r Release) upper(q Quantity) (value float64, text string, err error) {
	b, err := r.Bracket(q, accountant.Precision{})
	switch {
	case err != nil:
		return 0, "", err
	case !(b.Upper < q.supremum()) || b.Upper > math.MaxFloat64:
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

// auditedTrial adds the account to the evidence of an audit.
type auditedTrial struct {
	verify.Trial
	text    string
	against against
}

func (t auditedTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	e, err := t.Trial.Judge(merged)
	return t.against.around(t.text, e), err
}

// Done reports whether the audit has enough samples, if its trial can decide this.
func (t auditedTrial) Done(merged empirical.Tally) bool {
	s, ok := t.Trial.(empirical.Stopper)
	return ok && s.Done(merged)
}

// Curve returns the quantity that says most about the privacy curve with a single value. For Gaussian mechanisms
// without sampling it is μ, which determines the whole curve. Otherwise it is ε at δ = 0, if that is finite. If ok is
// false, neither applies and the user must choose a δ.
func (r Release) Curve() (q Quantity, ok bool) {
	if _, attained, ok := r.gaussian(); ok && attained {
		return Mu(), true
	}
	b, err := r.Bracket(EpsilonAt(0), accountant.Precision{})
	return EpsilonAt(0), err == nil && b.Upper <= math.MaxFloat64
}
