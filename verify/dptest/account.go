package dptest

import (
	"testing"

	"github.com/dpverify/dpverify/verify/accounting"
)

// Account fails the test if a described release is shown to cost more than is claimed: if the lower end
// of the accountant's bracket of the quantity, such as accounting.EpsilonAt(1e-5), is above the
// value. It passes where the upper end is at most that, and is without a verdict between the two. Nothing is run:
// whether a program is what is described, [Audit] can tell.
//
// It takes the options Name, Timeout and Strict.
func Account(t testing.TB, release accounting.Release, of accounting.Quantity, value float64, options ...Option) {
	t.Helper()
	j := newJudging(t, "the account", options, "Name", "Timeout", "Strict")
	if j == nil {
		return
	}
	if e, ok := j.judge(t, release.AtMost(of, value), "dptest"); ok {
		j.report(t, e)
	}
}
