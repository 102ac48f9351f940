package dptest

import (
	"testing"

	"github.com/dpverify/dpverify/verify/accounting"
)

// Account fails the test if the described release certainly costs more than claimed: the lower end of the
// accountant's bracket of the quantity is above the value. The quantity is for example accounting.EpsilonAt(1e-5).
//
// The test passes if the upper end of the bracket is at most the value, and is inconclusive if the value lies
// inside the bracket. Account computes the privacy loss of the description and runs nothing. Use [Audit] to test
// whether a program does what the description says.
//
// Account accepts the options Name, Timeout and Strict.
func Account(t testing.TB, release accounting.Release, quantity accounting.Quantity, value float64, options ...Option) {
	t.Helper()
	j := newJudging(t, "the account", options, "Name", "Timeout", "Strict")
	if j == nil {
		return
	}
	if e, ok := j.judge(t, release.AtMost(quantity, value), "dptest"); ok {
		j.report(t, e)
	}
}
