// Package checks holds helpers that the claims of all papers share: [Deferred] builds a check only when it runs,
// [Untestable] marks a statement without an observable consequence, [Pair] joins a false claim and its correction,
// [Faulty] returns the control of a true claim, and [Open] reads a data set. It also names the verdicts that controls
// must have.
package checks

import (
	"context"

	"github.com/dpverify/dpverify/verify"
)

// Verdicts that a control must have; any other verdict shows that the check cannot detect the fault.
var (
	Refuted       = []verify.Verdict{verify.Refuted}
	Contradictory = []verify.Verdict{verify.Contradictory}
	Vacuous       = []verify.Verdict{verify.Vacuous}
	Holds         = []verify.Verdict{verify.Holds}
	Consistent    = []verify.Verdict{verify.Consistent}
)

// Faulty returns the control of a true claim: the check on a known fault, which it must refute.
func Faulty(check verify.Check, fault string) verify.Control {
	return verify.Control{Check: check, Want: Refuted, Fault: fault}
}

// Deferred returns a check that calls build when it is prepared, so that listing the claims costs no computation.
func Deferred(build func(context.Context, verify.Settings) (verify.Check, error)) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		check, err := build(ctx, s)
		if err != nil {
			return nil, err
		}
		return check.Prepare(ctx, s)
	})
}

// Shared wraps a check that several claims use as their check or control. The result is a pointer and equals only
// itself, so that tests can judge it once for all of these claims.
func Shared(check verify.Check) verify.Check { return &shared{check} }

type shared struct{ verify.Check }

// Untestable returns the check of a statement that has no observable consequence. Its verdict is untestable and shows
// the reason.
func Untestable(reason string) verify.Check {
	return verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
		return verify.Decided{Verdict: verify.Untestable, Method: reason}, nil
	})
}
