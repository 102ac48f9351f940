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

// fail, stop and note are Error, Fatalf and Logf of a test. They show hidden characters as escapes: an input, an output
// or an error of a mechanism may hold them, and the message goes to a terminal.
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

// refutation says what was found, on which inputs, and how to see it again.
func refutation[D any](about string, claim privacy.Guarantee, f privacy.Finding[D], command string) string {
	var b strings.Builder
	line := func(label, format string, args ...any) { b.WriteString(line(label, format, args...)) }
	b.WriteString("dptest: privacy claim refuted")
	line("claim:", "%s, so %s ≤ %.6g", about, f.Quantity, claim.Value())
	line("certified:", "%s ≥ %.6g (plain estimate %.6g, from %d samples)", f.Quantity, f.Lower.X, f.Measured.X, f.Samples)
	if f.Delta.Set {
		line("", "δ ≥ %.4g at ε = %.6g", f.Delta.X, claim.Value())
	}
	if at := f.Violated; at != nil {
		line("violated:", "of the curve (ε, δ) = (%.4g, %.4g): the counts have δ = %.4g there", at.Epsilon, at.Delta,
			at.Measured)
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
		line("", "more likely under %s, beside %s, than the claim allows", likelier, other)
		line("smallest pair:", "A = %s", inputs.InputText(p.A))
		line("", "B = %s", inputs.InputText(p.B))
	} else {
		line("smallest pair:", "none was certified by itself; those of the event, which count together, are among")
		for _, p := range f.Pairs {
			line("", "%s: A = %s, B = %s", p.Name, inputs.InputText(p.A), inputs.InputText(p.B))
		}
	}
	if f.Diagnosis != nil {
		said := *f.Diagnosis
		said.Smallest = false // it stands above
		for i, text := range said.Lines() {
			line([]string{"why:", ""}[min(i, 1)], "%s", text)
		}
	}
	line(again(f.Unseeded)+":", "%s", command)
	return b.String()
}

// again is what the command of a message is for.
func again(unseeded bool) string {
	if unseeded {
		return "to run again"
	}
	return "to reproduce"
}

// warned ends a message with what was odd.
func warned(e verify.Evidence) string {
	var b strings.Builder
	for _, w := range e.Warnings {
		b.WriteString("\n  warning: " + w)
	}
	return b.String()
}

// certifiedDelta is the other certificate of an (ε, δ) claim.
func certifiedDelta(claim privacy.Guarantee, e verify.Evidence) string {
	if !e.Delta.Set {
		return ""
	}
	return fmt.Sprintf(" and δ ≥ %.4g at ε = %.4g", e.Delta.X, claim.Value())
}

// numbered are the values of an output in the words of an event.
var numbered = regexp.MustCompile(`\boutput\[(\d+)\]`)

// inWords has the fields of a struct by their names.
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

// named is evidence with the fields of outputs by their names.
func named[O any](e verify.Evidence) verify.Evidence {
	e.WorstCase, e.Counterexample.Label = inWords[O](e.WorstCase), inWords[O](e.Counterexample.Label)
	if names := outputs.Places[O](); e.Diagnosis != nil && names != nil {
		e.Diagnosis = e.Diagnosis.Edited(func(text string) string { return text })
		e.Diagnosis.Event = verify.EventInWords(e.Diagnosis.RawEvent, names)
	}
	return e
}

// explain says what went wrong with a mechanism, and where it panicked.
func explain(err error) string {
	text := err.Error()
	var panicked *empirical.PanicError
	if errors.As(err, &panicked) {
		if failed, ok := panicked.Value.(released); ok {
			return failed.Error()
		}
		if at := panicLine(string(panicked.Stack)); at != "" {
			text += " at " + at
		}
	}
	return text
}

// panicLine is the line of a stack that panicked: the first one below the panic
// that is not of the Go runtime.
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

// reproduce is the command that repeats one test with one seed.
func reproduce(test, pkg string, seed uint64) string {
	var pattern []string
	for _, part := range strings.Split(test, "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	quoted := "'" + strings.ReplaceAll(strings.Join(pattern, "/"), "'", `'\''`) + "'"
	return fmt.Sprintf("%s=%d go test -run %s %s", seedVariable, seed, quoted, pkg)
}

// callerPackage is the import path of the running test: that of the last function
// before those of package testing; "." where there is none.
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

// packageOf a function's full name; a package x_test is tested with x.
func packageOf(function string) string {
	slash := strings.LastIndex(function, "/") + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	path, err := url.PathUnescape(function[:slash] + strings.TrimSuffix(name, "_test"))
	if err != nil {
		return "."
	}
	return path
}
