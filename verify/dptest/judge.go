package dptest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
)

// Check fails the test if the check refutes its statement. The check may come from a package under verify or from
// the caller. An inconclusive check passes with a log message, and fails if the test is [Strict]. The check runs
// with the alpha of the test and the standard budget.
func Check(t testing.TB, check verify.Check, options ...Option) {
	t.Helper()
	j := newJudging(t, "the statement", options, append(evidenceOptions, "Name", "Seed", "Alpha", "Timeout", "Strict")...)
	if j == nil {
		return
	}
	e, ok := j.judge(t, check, "dptest")
	if ok {
		j.report(t, e)
	}
}

// Claim is like [Check] for a [verify.Claim] and its control. The test also fails if the [verify.Control] does not
// get one of its expected verdicts, because the check then cannot tell a true statement from a false one. The claim
// and the control each get half of alpha.
func Claim(t testing.TB, claim verify.Claim, options ...Option) {
	t.Helper()
	j := newJudging(t, claim.ID, options, "Name", "Seed", "Alpha", "Timeout", "Strict")
	if j == nil {
		return
	}
	if claim.Check == nil || claim.Control.Check == nil {
		stop(t, fmt.Sprintf("dptest: %s was not tested: it has no check or no control", j.what))
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
		fail(t, fmt.Sprintf("dptest: the control of %s (%s) is %s, want %v: the check cannot distinguish the claim from "+
			"its control", j.what,
			claim.Control.Fault, control.Verdict, claim.Control.Want)+details(control)+
			line(commandLabel(control.Unseeded)+":", "%s", j.command))
	}
}

// judging holds the settings and the message texts of one test.
type judging struct {
	s         settings
	what      string // what is tested
	statement string // identifies the claim among the versions of an evidence file
	pkg       string // import path of the test
	command   string // command that runs the test again

	valid func() error   // after the samples, returns an error if they do not count; may be nil
	bets  *eprocess.Bets // of a check that bets, else nil
	run   *evidenceRun   // of the latest check; nil without evidence
}

// newJudging reads the options. It returns nil if it has ended the test because of an invalid option.
func newJudging(t testing.TB, what string, options []Option, takes ...string) *judging {
	t.Helper()
	s, err := settingsOf(options, takes...)
	j := &judging{s: s, what: firstNonEmpty(s.name, what), statement: what, pkg: callerPackage()}
	j.command = reproduce(t.Name(), j.pkg, s.seed)
	if s.evidence.file != "" {
		j.command = strings.Replace(j.command, "go test", "go test -count=1", 1)
	}
	if err != nil {
		j.fatal(t, err)
		return nil
	}
	return j
}

// fatal ends the test with a message that the claim was not tested.
func (j *judging) fatal(t testing.TB, err error) {
	t.Helper()
	stop(t, fmt.Sprintf("dptest: %s: the claim was not tested: %s\n  to run again: %s", j.what, explain(err), j.command))
}

// judge runs the check and returns its evidence. User code runs under the time limit of the test. It returns ok =
// false if it has ended the test.
func (j *judging) judge(t testing.TB, check verify.Check, purpose string) (e verify.Evidence, ok bool) {
	t.Helper()
	if check == nil {
		j.fatal(t, errors.New("no check"))
		return e, false
	}
	s := j.settings(purpose)
	run, err := j.beginRun(t.Name())
	if err != nil {
		j.fatal(t, err)
		return e, false
	}
	if j.run = run; run != nil {
		check, s.Seed = run.check(check, j.bets), s.Seed.Derive("run", run.seedID())
	}
	e, err = within(t, j.s, func(ctx context.Context, pool *empirical.Pool) (verify.Evidence, error) {
		return verify.Judge(ctx, check, s, pool, nil)
	})
	if err == nil && j.valid != nil {
		err = j.valid()
	}
	if run != nil {
		e, err = run.end(e, err)
	}
	if err != nil {
		j.fatal(t, err)
		return e, false
	}
	return e, true
}

// settings returns the settings of a check whose random numbers are derived from the purpose.
func (j *judging) settings(purpose string) verify.Settings {
	return verify.Settings{Budget: verify.Standard, Alpha: j.s.alpha, Seed: empirical.NewSeed(j.s.seed).Derive(purpose)}
}

// within runs f with a pool of workers until the time limit of the test.
func within[T any](t testing.TB, s settings, f func(context.Context, *empirical.Pool) (T, error)) (T, error) {
	timeout := deadline(t, s.timeout)
	ctx, cancel := context.WithTimeoutCause(context.Background(), timeout,
		fmt.Errorf("%w: no result within %v: the mechanism hangs or is slow; lower dptest.Samples or raise dptest.Timeout",
			verify.ErrTimeout, timeout))
	defer cancel()
	pool := empirical.NewPool(runtime.GOMAXPROCS(0))
	// f runs in a goroutine and a pool slot of its own, because the code under test may end its goroutine.
	return empirical.Do(ctx, empirical.NewPool(1), func(ctx context.Context) (T, error) { return f(ctx, pool) })
}

// report logs the verdict, and fails the test if the claim is refuted.
func (j *judging) report(t testing.TB, e verify.Evidence) {
	t.Helper()
	switch e.Verdict {
	case verify.Refuted, verify.Contradictory, verify.Error:
		fail(t, fmt.Sprintf("dptest: %s: claim %s", j.what, e.Verdict)+j.failure(e))
	case verify.Holds, verify.Consistent:
		note(t, fmt.Sprintf("dptest: %s: %s: %s%s", j.what, e.Verdict, firstNonEmpty(e.Power, e.Method), warningLines(e))+
			j.evidenceLines(e))
	default:
		text := fmt.Sprintf("dptest: %s: the claim is %s: %s", j.what, e.Verdict,
			firstNonEmpty(e.Power, e.Method))
		if e.Needed != "" {
			text += "\n  for more power: " + e.Needed
		}
		text += warningLines(e) + j.evidenceLines(e)
		if j.s.strict {
			fail(t, text+"\n  the test is strict: it requires enough power to detect a violation\n  "+
				j.commandLabel(e)+": "+
				j.command)
			return
		}
		t.Log(visible.Text(text))
	}
}

// or returns a unless it is empty, else b.
func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// failure returns the body of the message for a refuted claim.
func (j *judging) failure(e verify.Evidence) string {
	text := details(e)
	if e.Exact {
		text += line("error:", "computed, not sampled: a true claim is not refuted")
	} else {
		text += line("error:", "a true claim is refuted with probability at most %.2g", j.s.alpha)
	}
	if j.bets != nil && e.Diagnosis != nil {
		for i, cause := range e.Diagnosis.Lines() {
			text += line([]string{"why:", ""}[min(i, 1)], "%s", cause)
		}
	}
	return text + j.evidenceLines(e) + line(j.commandLabel(e)+":", "%s", j.command)
}

// commandLabel returns the label of the command. A test that keeps evidence adds a run with new samples.
func (j *judging) commandLabel(e verify.Evidence) string {
	return commandLabel(e.Unseeded || j.run != nil)
}

// details returns the figures of the evidence, one per line.
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

// line formats one labeled line of a message.
func line(label, format string, args ...any) string {
	return fmt.Sprintf("\n  %-15s %s", label, fmt.Sprintf(format, args...))
}

// smallestPair formats the pair of inputs that refutes a claim.
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

// judgeUnchanged runs the check and ends the test if the mechanism changed its input.
func (j *judging) judgeUnchanged(t testing.TB, unchanged func() error, check verify.Check) (verify.Evidence, bool) {
	t.Helper()
	j.valid = unchanged
	return j.judge(t, check, "dptest")
}
