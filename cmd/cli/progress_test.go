package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// With Each, a line is printed for a claim as soon as it is judged; otherwise no line is printed.
func TestClaimsAreToldAsTheyAreJudged(t *testing.T) {
	for _, each := range []bool{true, false} {
		var b bytes.Buffer
		m := newProgressMeter(&b, time.Hour, "judging claims")
		m.Each = each
		show := m.Claims()
		show(verify.Progress{Claim: "a", Total: 9})
		if b.Len() > 0 {
			t.Errorf("a line for a claim that is not judged: %q", &b)
		}
		show(verify.Progress{Claim: "a", Finished: true, Verdict: verify.Holds, Done: 1, Total: 9})
		show(verify.Progress{Claim: "b/c", Finished: true, Verdict: verify.Refuted, Done: 2, Total: 9})
		want := map[bool]string{true: "✓ holds          a (1 of 9)\n✗ refuted        b/c (2 of 9)\n"}[each]
		if got := b.String(); got != want {
			t.Errorf("each %t: printed %q, want %q", each, got, want)
		}
		m.Close()
	}
}

// TestProgressWarns checks that a refutation that is only a warning is not shown as a refuted claim.
func TestProgressWarns(t *testing.T) {
	var b bytes.Buffer
	m := newProgressMeter(&b, time.Hour, "auditing")
	defer m.Close()
	m.Each, m.IsWarning = true, func(id string) bool { return id == "audit/x/precision" }
	show := m.Claims()
	for i, p := range []verify.Progress{
		{Claim: "audit/x", Verdict: verify.Refuted}, {Claim: "audit/x/precision", Verdict: verify.Refuted},
		{Claim: "audit/x/precision", Verdict: verify.Error}, {Claim: "audit/x/precision", Verdict: verify.Consistent},
	} {
		p.Finished, p.Done, p.Total = true, i+1, 4
		show(p)
	}
	want := "✗ refuted        audit/x (1 of 4)\n! warning        audit/x/precision (2 of 4)\n" +
		"✗ error          audit/x/precision (3 of 4)\n✓ consistent     audit/x/precision (4 of 4)\n"
	if got := b.String(); got != want {
		t.Errorf("shows\n%swant\n%s", got, want)
	}
}

// A search shows its counts and is half of the progress of its claim. Sampling is the rest, or all of it without a
// search.
func TestSearchesAreCounted(t *testing.T) {
	m := newProgressMeter(io.Discard, time.Hour, "judging claims")
	defer m.Close()
	show := m.Claims()
	for _, c := range []struct {
		step verify.Progress
		done float64
		want string
	}{
		{verify.Progress{Claim: "a", Searched: verify.Searched{Total: 60, Noun: "pairs of inputs"}}, 0,
			"0 of 2 claims, a: searched 0 of 60 pairs of inputs"},
		{verify.Progress{Claim: "a", Searched: verify.Searched{Done: 36, Total: 60, Noun: "pairs of inputs"}}, 0.15,
			"0 of 2 claims, a: searched 36 of 60 pairs of inputs"},
		{verify.Progress{Claim: "a", Searched: verify.Searched{Done: 60, Total: 60, Smaller: 7, Noun: "inputs"}}, 0.25,
			"0 of 2 claims, a: searched 60 of 60 inputs, then 7 smaller"},
		{verify.Progress{Claim: "a", Sampling: empirical.Progress{Shards: 8, Total: 32}}, 0.3125, "0 of 2 claims, a"},
		{verify.Progress{Claim: "b", Sampling: empirical.Progress{Shards: 8, Total: 32}}, 0.4375, "0 of 2 claims, b"},
	} {
		c.step.Total = 2
		if show(c.step); m.state != c.want || m.done != c.done {
			t.Errorf("%+v: %q, %v, want %q, %v", c.step, m.state, m.done, c.want, c.done)
		}
	}
}

// The bar is one line of the terminal for any text, and can be cleared.
func TestBar(t *testing.T) {
	var b bytes.Buffer
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	bar := &progressBar{w: &b, width: func() int { return 60 }, began: began}
	for _, c := range []struct {
		after time.Duration
		done  float64
		want  string
	}{
		{0, 0, "[                              ]   0 % 0s  judging claims"},
		{50 * time.Millisecond, 0.1, ""}, // too soon
		{30 * time.Second, 0.5, "[===============               ]  50 % 30s, 30s left  judgi"},
		{time.Minute, 1, "[==============================] 100 % 1m0s  judging claims"},
	} {
		b.Reset()
		bar.draw(began.Add(c.after), c.done, "judging claims")
		line := b.String()
		if at := strings.LastIndex(line, "\r"); at >= 0 {
			if cleared := line[:at+1]; strings.Trim(cleared, "\r ") != "" {
				t.Errorf("clears by %q", cleared)
			}
			line = line[at+1:]
		}
		if line != c.want || len(line) >= 60 {
			t.Errorf("after %s: %q, want %q", c.after, line, c.want)
		}
	}
	b.Reset()
	bar.clear()
	bar.clear()
	if got := b.String(); got != "\r"+strings.Repeat(" ", 59)+"\r" {
		t.Errorf("cleared by %q", got)
	}
}
