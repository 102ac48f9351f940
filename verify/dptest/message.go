package dptest

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// fail, stop and note call Error, Fatalf and Logf of a test. They escape hidden characters, because inputs, outputs
// and errors of a mechanism may contain control sequences that a terminal would execute.
func fail(t testing.TB, text string) {
	t.Helper()
	t.Error(visible.Text(text))
}

func stop(t testing.TB, text string) {
	t.Helper()
	t.Fatalf("%s", visible.Text(text))
}

func note(t testing.TB, text string) {
	t.Helper()
	t.Logf("%s", visible.Text(text))
}

// refutation returns the message for a refuted privacy claim: the certified figures, the event, the smallest pair,
// the likely cause and the command that runs the test again.
func refutation[D any](about string, claim privacy.Guarantee, f privacy.Finding[D], command string) string {
	var b strings.Builder
	line := func(label, format string, args ...any) { b.WriteString(line(label, format, args...)) }
	b.WriteString("dptest: privacy claim refuted")
	line("claim:", "%s, so %s ≤ %.6g", about, f.Quantity, claim.Value())
	line("certified:", "%s ≥ %.6g (plain estimate %.6g, from %d samples)", f.Quantity, f.Lower.X, f.Measured.X, f.Samples)
	if f.Delta.Set {
		line("", "δ ≥ %.4g at ε = %.6g", f.Delta.X, claim.Value())
	}
	if point := f.Violated; point != nil {
		line("violated:", "at the point (ε, δ) = (%.4g, %.4g) of the curve: measured δ = %.4g", point.Epsilon, point.Delta,
			point.Measured)
	}
	line("error:", "a true claim is refuted with probability at most %.2g", f.Alpha)
	for _, w := range f.Warnings {
		line("warning:", "%s", w)
	}
	line("event:", "%s", f.Event)
	if p := f.Smallest; p != nil {
		likelier, other := "A", "B"
		if f.Swapped {
			likelier, other = other, likelier
		}
		line("", "more likely under %s, compared with %s, than the claim allows", likelier, other)
		line("smallest pair:", "A = %s", inputs.InputText(p.A))
		line("", "B = %s", inputs.InputText(p.B))
	} else {
		line("smallest pair:", "no single pair was certified; the event combines samples of some of these pairs")
		for _, p := range f.Pairs {
			line("", "%s: A = %s, B = %s", p.Name, inputs.InputText(p.A), inputs.InputText(p.B))
		}
	}
	if f.Diagnosis != nil {
		diagnosis := *f.Diagnosis
		diagnosis.Smallest = false // printed above
		for i, text := range diagnosis.Lines() {
			line([]string{"why:", ""}[min(i, 1)], "%s", text)
		}
	}
	line(commandLabel(f.Unseeded)+":", "%s", command)
	return b.String()
}

// again returns the label of the command: an unseeded mechanism does not reproduce its figures.
func commandLabel(unseeded bool) string {
	if unseeded {
		return "to run again"
	}
	return "to reproduce"
}

// warned formats the warnings at the end of a message.
func warningLines(e verify.Evidence) string {
	var b strings.Builder
	for _, w := range e.Warnings {
		b.WriteString("\n  warning: " + w)
	}
	return b.String()
}

// certifiedDelta formats the certified lower bound on δ of an (ε, δ) claim. It is empty if there is none.
func certifiedDelta(claim privacy.Guarantee, e verify.Evidence) string {
	if !e.Delta.Set {
		return ""
	}
	return fmt.Sprintf(" and δ ≥ %.4g at ε = %.4g", e.Delta.X, claim.Value())
}

// numbered matches a value of an output in the text of an event.
var numbered = regexp.MustCompile(`\boutput\[(\d+)\]`)

// inWords replaces the numbered values in the text of an event by the names of struct fields.
func inWords[O any](text string) string {
	names := outputs.Places[O]()
	if names == nil {
		return text
	}
	return numbered.ReplaceAllStringFunc(text, func(value string) string {
		if i, err := strconv.Atoi(numbered.FindStringSubmatch(value)[1]); err == nil && i < len(names) {
			return names[i]
		}
		return value
	})
}

// named returns the evidence with the names of struct fields in place of value numbers.
func named[O any](e verify.Evidence) verify.Evidence {
	e.WorstCase, e.Counterexample.Label = inWords[O](e.WorstCase), inWords[O](e.Counterexample.Label)
	if names := outputs.Places[O](); e.Diagnosis != nil && names != nil {
		e.Diagnosis = e.Diagnosis.Edited(func(text string) string { return text })
		e.Diagnosis.Event = verify.EventInWords(e.Diagnosis.RawEvent, names)
	}
	return e
}

// explain returns the text of the error of a mechanism. If the mechanism panicked, the text ends with the file and
// line of the panic.
func explain(err error) string {
	text := err.Error()
	var panicked *empirical.PanicError
	if errors.As(err, &panicked) {
		if failed, ok := panicked.Value.(released); ok {
			return failed.Error()
		}
		if position := panicLine(string(panicked.Stack)); position != "" {
			text += " at " + position
		}
	}
	return text
}

// panicLine returns the file and line in a stack that panicked: the first frame below the panic that does not
// belong to the Go runtime. It is empty if there is none.
func panicLine(stack string) string {
	_, below, _ := strings.Cut(stack, "\npanic(")
	lines := strings.Split(below, "\n")
	for i := 2; i+1 < len(lines); i += 2 {
		if !strings.HasPrefix(lines[i], "runtime.") {
			file, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
			return file
		}
	}
	return ""
}

// reproduce returns the command that repeats one test with one seed.
func reproduce(test, pkg string, seed uint64) string {
	var pattern []string
	for _, part := range strings.Split(test, "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	quoted := "'" + strings.ReplaceAll(strings.Join(pattern, "/"), "'", `'\''`) + "'"
	return fmt.Sprintf("%s=%d go test -run %s %s", seedVariable, seed, quoted, pkg)
}

// callerPackage returns the import path of the running test. It is the package of the last function on the stack
// before package testing, or "." if there is none.
func callerPackage() string {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for last := ""; ; {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "testing.") && last != "" {
			return packageOf(last)
		}
		last = frame.Function
		if !more {
			return "."
		}
	}
}

// packageOf returns the import path of a function's full name. The package of tests x_test maps to x.
func packageOf(function string) string {
	slash := strings.LastIndex(function, "/") + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	path, err := url.PathUnescape(function[:slash] + strings.TrimSuffix(name, "_test"))
	if err != nil {
		return "."
	}
	return path
}
