// Package checks holds helpers for the claims of all papers: checks that are built only when they run, statements
// that cannot be tested, and the expected verdicts of controls.
package checks

import (
	"context"

	"github.com/dpverify/dpverify/verify"
)

// Verdicts by which a twin shows that its check has teeth.
var (
	Refuted       = []verify.Verdict{verify.Refuted}
	Contradictory = []verify.Verdict{verify.Contradictory}
	Vacuous       = []verify.Verdict{verify.Vacuous}
	Holds         = []verify.Verdict{verify.Holds}
	Consistent    = []verify.Verdict{verify.Consistent}
)

// Deferred is a check that is built when it is prepared.
func Deferred(build func(context.Context, verify.Settings) (verify.Check, error)) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		check, err := build(ctx, s)
		if err != nil {
			return nil, err
		}
		return check.Prepare(ctx, s)
	})
}

// Shared is a check that is the twin of several claims, or the check of one and the twin of
// others: a pointer, which equals itself and no other check, so that it can be judged once for
// all of them.
func Shared(check verify.Check) verify.Check { return &shared{check} }

type shared struct{ verify.Check }

// Untestable is the check of a statement from which no observable follows, with the
// reason.
func Untestable(reason string) verify.Check {
	return verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
		return verify.Decided{Verdict: verify.Untestable, Method: reason}, nil
	})
}
