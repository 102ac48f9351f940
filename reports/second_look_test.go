package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// spoil writes a text into every field that secondLook shows.
func spoil(e *verify.Evidence, text string) {
	if e.Attempt != "" {
		e.Attempt = text
	}
	if e.Needed != "" {
		e.Needed = text
	}
	if e.Counterexample.Label != "" {
		e.Counterexample.Label, e.Counterexample.Choice = text, text
	}
}

// Each verdict has its own addition, with rounded figures, in all forms.
func TestSecondLook(t *testing.T) {
	cell := verify.Cell{Label: "d=1", Claimed: num(1), Measured: num(2.123456789), Lower: num(2.1), Upper: num(2.2), Samples: 10}
	empty := verify.Evidence{Verdict: verify.Vacuous, Counterexample: verify.Counterexample{Cell: verify.Cell{Label: "n = 10"}, Choice: "the only point"}}
	sampled := verify.Evidence{Verdict: verify.Refuted, Sense: verify.AtMost, WorstCase: "d=9", Counterexample: verify.Counterexample{Cell: cell, Choice: "the first of 3"}}
	worst, computed, unmeasured := sampled, sampled, sampled
	worst.WorstCase = "d=1"
	computed.Counterexample.Cell = verify.Cell{Label: "d=1", Claimed: num(1), Measured: num(1 + 1e-11)}
	unmeasured.Counterexample.Cell = verify.Cell{Label: "d=1"}
	for _, c := range []struct {
		reason string
		e      verify.Evidence
		want   string
	}{
		{"a claim that holds", verify.Evidence{Verdict: verify.Holds, Attempt: "3 points"}, "Strongest attempt to break it: 3 points."},
		{"an inconclusive one", verify.Evidence{Verdict: verify.Inconclusive, Needed: "about 8 runs"}, "Size it would take: about 8 runs."},
		{"a counterexample that is not the worst case", sampled, "Smallest counterexample: d=1: claimed ≤ 1, measured 2.12 [2.10, 2.20]; the first of 3."},
		{"one that is the worst case", worst, "Smallest counterexample: the worst case itself, the first of 3."},
		{"a computed one, with the digits that distinguish it from the claim", computed, "Smallest counterexample: d=1: claimed ≤ 1, computed 1.00000000001; the first of 3."},
		{"one without figures", unmeasured, "Smallest counterexample: d=1; the first of 3."},
		{"an empty claim", empty, "Simplest case in which it is empty: n = 10; the only point."},
		{"a report of an older version", verify.Evidence{Verdict: verify.Refuted, WorstCase: "d=9"}, ""},
	} {
		if got := secondLook(c.e).Line(); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}

	d := example()
	forms := map[string]func(*bytes.Buffer) error{
		"Markdown": func(b *bytes.Buffer) error { return Markdown(b, d) },
		"HTML":     func(b *bytes.Buffer) error { return HTML(b, d) },
		"JUnit":    func(b *bytes.Buffer) error { return JUnit(b, d) },
	}
	for name, f := range forms {
		text := string(render(t, f))
		for _, want := range []string{"Strongest attempt to break it:", "Smallest counterexample:"} {
			if strings.Count(text, want) < 2 {
				t.Errorf("%s says %q %d times, want twice or more", name, want, strings.Count(text, want))
			}
		}
		if !strings.Contains(text, "Size it would take:") {
			t.Errorf("%s does not give the deciding sample size", name)
		}
	}
	if text := string(render(t, func(b *bytes.Buffer) error { return SARIF(b, d) })); strings.Count(text, "Smallest counterexample:") < 2 {
		t.Error("SARIF does not name the smallest counterexamples")
	}
}
