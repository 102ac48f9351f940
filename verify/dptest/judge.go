package dptest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
)

// Check fails the test if a check refutes its statement: any of the packages under verify, or
// one of your own. Where it comes to no verdict the test passes with a note, and fails if it
// is [Strict]. Alpha is that of the check, the budget the standard one.
func Check(t testing.TB, check verify.Check, options ...Option) {
	t.Helper()
	j := newJudging(t, "the statement", options, "Name", "Seed", "Alpha", "Timeout", "Strict")
	if j == nil {
		return
	}
	e, ok := j.judge(t, check, "dptest")
	if ok {
		j.report(t, e)
	}
}

// Claim is [Check] for a claim of a ledger, and its control with it: the test fails if the claim
// is refuted, and if its [verify.Control] gets none of the verdicts that it is to get, for then
// the check cannot tell. The two share alpha.
func Claim(t testing.TB, claim verify.Claim, options ...Option) {
	t.Helper()
	j := newJudging(t, claim.ID, options, "Name", "Seed", "Alpha", "Timeout", "Strict")
	if j == nil {
		return
	}
	if claim.Check == nil || claim.Control.Check == nil {
		stop(t, fmt.Sprintf("dptest: %s was not tested: it has no check, or no control", j.what))
		return
	}
	j.s.alpha /= 2
	e, ok := j.judge(t, claim.Check, "dptest")
	if !ok {
		return
	}
	j.report(t, e)
	control, ok := j.judge(t, claim.Control.Check, "control")
	if ok && !slices.Contains(claim.Control.Want, control.Verdict) {
		fail(t, fmt.Sprintf("dptest: the control of %s (%s) is %s, want %v: the check cannot tell the two apart", j.what,
			claim.Control.Fault, control.Verdict, claim.Control.Want)+details(control)+
			line(again(control.Unseeded)+":", "%s", j.command))
	}
}

// judging is what a test is judged with.
type judging struct {
	s       settings
	what    string // is tested
	command string // that runs it again
}

// newJudging reads the options; nil where the test has ended.
func newJudging(t testing.TB, what string, options []Option, takes ...string) *judging {
	t.Helper()
	s, err := settingsOf(options, takes...)
	if s.name != "" {
		what = s.name
	}
	j := &judging{s: s, what: what, command: reproduce(t.Name(), callerPackage(), s.seed)}
	if err != nil {
		j.fatal(t, err)
		return nil
	}
	return j
}

// fatal ends the test for want of a result.
func (j *judging) fatal(t testing.TB, err error) {
	t.Helper()
	stop(t, fmt.Sprintf("dptest: %s: the claim was not tested: %s\n  to run again: %s", j.what, explain(err), j.command))
}

// judge takes the check to its evidence, with all that user code does under a time limit; not
// ok where the test has ended.
func (j *judging) judge(t testing.TB, check verify.Check, purpose string) (e verify.Evidence, ok bool) {
	t.Helper()
	e, err := within(t, j.s, func(ctx context.Context, pool *empirical.Pool) (verify.Evidence, error) {
		if check == nil {
			return e, fmt.Errorf("no check")
		}
		return verify.Judge(ctx, check, j.settings(purpose), pool, nil)
	})
	if err != nil {
		j.fatal(t, err)
		return e, false
	}
	return e, true
}

// settings of the check that does what is tested.
func (j *judging) settings(purpose string) verify.Settings {
	return verify.Settings{Budget: verify.Standard, Alpha: j.s.alpha, Seed: empirical.NewSeed(j.s.seed).Derive(purpose)}
}

// within runs f with a pool, until the time of the test is over.
func within[T any](t testing.TB, s settings, f func(context.Context, *empirical.Pool) (T, error)) (T, error) {
	timeout := deadline(t, s.timeout)
	ctx, cancel := context.WithTimeoutCause(context.Background(), timeout,
		fmt.Errorf("%w: no result within %v: the mechanism hangs or is slow; lower dptest.Samples or raise dptest.Timeout",
			verify.ErrTimeout, timeout))
	defer cancel()
	pool := empirical.NewPool(runtime.GOMAXPROCS(0))
	// f runs in another goroutine than the test, on a slot of its own: the code under test may end that goroutine.
	return empirical.Do(ctx, empirical.NewPool(1), func(ctx context.Context) (T, error) { return f(ctx, pool) })
}

// report says what was found.
func (j *judging) report(t testing.TB, e verify.Evidence) {
	t.Helper()
	switch e.Verdict {
	case verify.Refuted, verify.Contradictory, verify.Error:
		fail(t, fmt.Sprintf("dptest: %s: claim %s", j.what, e.Verdict)+j.failure(e))
	case verify.Holds, verify.Consistent:
		note(t, fmt.Sprintf("dptest: %s: %s: %s%s", j.what, e.Verdict, or(e.Power, e.Method), warned(e)))
	default:
		text := fmt.Sprintf("dptest: %s: the claim is neither refuted nor borne out, but %s: %s", j.what, e.Verdict,
			or(e.Power, e.Method))
		if e.Needed != "" {
			text += "\n  to see more: " + e.Needed
		}
		text += warned(e)
		if j.s.strict {
			fail(t, text+"\n  this test is strict: it must have the power to see a violation\n  "+again(e.Unseeded)+": "+
				j.command)
			return
		}
		t.Log(visible.Text(text))
	}
}

// or is the first text that is there.
func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// failure is the body of a message about a claim that is refuted.
func (j *judging) failure(e verify.Evidence) string {
	text := details(e)
	if e.Exact {
		text += line("error:", "computed, not sampled: a true claim is not refuted")
	} else {
		text += line("error:", "a true claim is refuted with probability at most %.2g", j.s.alpha)
	}
	return text + line(again(e.Unseeded)+":", "%s", j.command)
}

// details are the figures of a verdict, a line each.
func details(e verify.Evidence) string {
	var b strings.Builder
	if e.Claimed.Set {
		b.WriteString(line("claim:", "%s %s %.6g", e.Quantity, e.Sense, e.Claimed.X))
	}
	if e.Measured.Set {
		text := fmt.Sprintf("%.6g", e.Measured.X)
		if e.Lower.Set && e.Upper.Set {
			text += fmt.Sprintf(", certified within [%.6g, %.6g]", e.Lower.X, e.Upper.X)
		}
		if e.Samples > 0 {
			text += fmt.Sprintf(", from %d samples", e.Samples)
		}
		b.WriteString(line("measured:", "%s", text))
	}
	if e.WorstCase != "" {
		b.WriteString(line("at:", "%s", e.WorstCase))
	}
	if x := e.Counterexample; x.Label != "" && x.Label != e.WorstCase {
		b.WriteString(line("simplest:", "%s", x.Label))
	}
	for _, w := range e.Warnings {
		b.WriteString(line("warning:", "%s", w))
	}
	return b.String()
}

// line of a message.
func line(label, format string, args ...any) string {
	return fmt.Sprintf("\n  %-15s %s", label, fmt.Sprintf(format, args...))
}

// smallestPair is the pair at which a claim is refuted.
func smallestPair(a, b any) string {
	return line("smallest pair:", "A = %s", inputs.InputText(a)) + line("", "B = %s", inputs.InputText(b))
}

// watch returns a function that returns an error if the mechanism has changed the input.
func watch[D, O any](mechanism func(*rand.Rand, D) O, input D) (unchanged func() error, err error) {
	if mechanism == nil {
		return nil, fmt.Errorf("no mechanism")
	}
	return inputs.Unchanged("mechanism", inputs.InputKey, input), outputs.CheckType[O]()
}

// judgeUnchanged runs a check of the mechanism, which must leave its input as it is.
func (j *judging) judgeUnchanged(t testing.TB, unchanged func() error, check verify.Check) (verify.Evidence, bool) {
	t.Helper()
	e, ok := j.judge(t, check, "dptest")
	if ok {
		if err := unchanged(); err != nil {
			j.fatal(t, err)
			return e, false
		}
	}
	return e, ok
}
