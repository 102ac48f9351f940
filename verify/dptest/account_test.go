package dptest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/dptest"
)

// noted records the messages of a test.
type noted struct {
	testing.TB
	text string
}

func (n *noted) Helper()                         {}
func (n *noted) Name() string                    { return "TestIt" }
func (n *noted) Log(args ...any)                 { n.text += "pass: " + fmt.Sprint(args...) }
func (n *noted) Logf(format string, args ...any) { n.text += "pass: " + fmt.Sprintf(format, args...) }
func (n *noted) Error(args ...any)               { n.text += "fail: " + fmt.Sprint(args...) }
func (n *noted) Fatalf(format string, args ...any) {
	n.text += "fatal: " + fmt.Sprintf(format, args...)
}

// runTraining returns a thousand steps of DP-SGD with the given noise multiplier.
func runTraining(noise float64) accounting.Release {
	return accounting.Release{Event: event.Repeat(1000, event.Poisson(0.01, event.Gaussian(noise)))}
}

func TestAccount(t *testing.T) {
	const delta = 1e-5
	for _, c := range []struct {
		reason  string
		release accounting.Release
		of      accounting.Quantity
		value   float64
		options []dptest.Option
		want    string
	}{
		{"within the claimed ε", runTraining(1.1), accounting.EpsilonAt(delta), 2, nil, "pass: dptest: the account: holds"},
		{"above the claimed ε", runTraining(0.6), accounting.EpsilonAt(delta), 2, []dptest.Option{dptest.Name("the run")}, "fail: dptest: the run: claim refuted"},
		{"no event", accounting.Release{}, accounting.EpsilonAt(delta), 2, nil, "fatal: dptest: the account: the claim was not tested: "},
		{"δ is NaN", runTraining(1), accounting.EpsilonAt(math.NaN()), 2, nil, "fatal: "},
		{"option that does not apply", runTraining(1), accounting.EpsilonAt(delta), 2, []dptest.Option{dptest.Alpha(0.1)}, "dptest.Alpha has no meaning"},
	} {
		var n noted
		if dptest.Account(&n, c.release, c.of, c.value, c.options...); !strings.Contains(n.text, c.want) {
			t.Errorf("%s: no %q in\n%s", c.reason, c.want, n.text)
		}
	}
}

// A thousand steps of DP-SGD satisfy the claimed ε.
func ExampleAccount() {
	run := accounting.Release{Event: event.Repeat(1000, event.Poisson(0.01, event.Gaussian(1.1)))}

	dptest.Account(t, run, accounting.EpsilonAt(1e-5), 2)
	// Output: ok
}
