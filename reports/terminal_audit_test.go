package reports

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// auditExample is an audit with a claim of each kind that a terminal shows: a consistent claim with its power, a
// refutation, a refutation by a sequential test, a warning, a claim that needs more samples, and a computed claim.
func auditExample() Document {
	claim := func(name string) verify.Claim {
		return verify.Claim{ID: "audit/" + name, Paper: "audit", Source: "claims.yaml:3:5", Kind: verify.Privacy,
			Statement: "the process python3 mechanism.py is 1-DP on the given pairs of inputs"}
	}
	result := func(name string, v verify.Verdict, measured, lower, upper float64) verify.Result {
		cell := verify.Cell{Label: "A = 1, B = 0 (B against A), event output ≤ 1", Claimed: num(1), Measured: num(measured), Lower: num(lower), Upper: num(upper), Samples: 87744}
		return verify.Result{Claim: claim(name), Alpha: 1e-6, Evidence: verify.Evidence{Verdict: v, Quantity: "privacy loss ε", Sense: verify.AtMost,
			Claimed: cell.Claimed, Measured: cell.Measured, Lower: cell.Lower, Upper: cell.Upper, Ratio: num(measured), Samples: cell.Samples, WorstCase: cell.Label,
			Cells: []verify.Cell{cell}, Tried: verify.Tried{Cases: 1, Case: "pair", Nearest: cell}}}
	}
	pass := result("noisy-count", verify.Consistent, 0.9971, 0.9553, 1.0517)
	pass.Sizes = verify.Sizes{Small: 1.25, SmallProbability: 0.72, SmallDetected: true, Large: 1, LargeProbability: num(0.0093), WantedProbability: 0.01, Probability: 0.99}
	pass.Power, pass.Attempt = pass.Sizes.Words("on any one of the pairs, at an event of the searched families"), "1 pair"
	half := result("half-noise", verify.Refuted, 2.0104, 1.9468, 2.0855)
	half.Diagnosis = &verify.Diagnosis{Event: "the number is at most 1", Rate: 0.882, Other: 0.118, Likelier: "B", Pair: "A = [1,0,1], B = [1,0,0]", Outputs: []string{"1", "0"},
		Growth: &verify.LossGrowth{Quantity: "privacy loss ε", Alpha: 1e-6, Points: []verify.GrowthPoint{{Distance: 1, Lower: 1.9, Pairs: 1}, {Distance: 2, Lower: 3.8, Pairs: 1}}}}
	bets := result("sequential", verify.Refuted, 1.6583, 1, math.Inf(1))
	bets.Claimed, bets.Lower = num(1.2948), num(1.2948)
	leak := result("noisy-count/precision", verify.Refuted, math.Inf(1), 4.2853, math.Inf(1))
	leak.Diagnosis = &verify.Diagnosis{Event: "log2 of the lowest set bit of value 1 is at most -53", Rate: 0.0784, Likelier: "B", Pair: "A = 1, B = 0",
		LikelyCause: &verify.LikelyCause{Fault: verify.FaultLowBits, Words: "noise whose floating-point values differ with the input", Evidence: "an event of these bits certifies a loss of at least 4.285"}}
	leak.Warnings = []string{"draw discrete noise"}
	few := result("few", verify.Inconclusive, 0.9199, 0.5411, 1.4852)
	few.Warnings = []string{"a.csv holds 20000 samples and b.csv 15000: 15000 of each were used"}
	few.Needed, few.Power = "about 74000 samples of each input; this run had 800", "too few samples"
	exact := verify.Result{Claim: claim("account"), Alpha: 1e-6, Evidence: verify.Evidence{Verdict: verify.Holds, Exact: true, Quantity: "privacy loss ε at δ = 1e-05", Sense: verify.AtMost,
		Claimed: num(1), Measured: num(0.954), Lower: num(0.9528), Upper: num(0.9566), Ratio: num(0.954)}}
	options := verify.Options{Seed: 1, Alpha: 1e-6, Budget: verify.Standard}
	return Document{Title: "dpverify audit", Whole: true, Full: true, Command: Command(options, "audit", "claims.yaml"), Papers: []Paper{{ID: "audit", Title: "Audited claims"}},
		Excused: map[string]Excuse{"audit/noisy-count/precision": {Reason: "a finding about precision is a warning, unless --precision is fail"}},
		Run:     verify.Run{Options: options, Results: []verify.Result{pass, half, bets, leak, few, exact}, Selected: 6}}
}

// Each outcome of an audit has its own form on a terminal, and a warning has the mark ! in every form.
func TestTerminalAudit(t *testing.T) {
	d := auditExample()
	show := func() string {
		return string(render(t, func(b *bytes.Buffer) error { return Terminal(b, d, Screen{Width: 100}) }))
	}
	text := show()
	golden(t, "terminal-audit.txt", []byte(text))
	if strings.Contains(text, "✗ refuted       noisy-count/precision") {
		t.Error("a warning has the mark of a refutation")
	}
	if !strings.Contains(text, "15000 of each were used") {
		t.Error("a claim that is not refuted has no note")
	}
	if text := string(render(t, func(b *bytes.Buffer) error { return Annotations(b, d) })); !strings.Contains(text, "::Warning at") {
		t.Errorf("a warning is annotated as a refutation: %s", text)
	}
	for name, f := range map[string]func(*bytes.Buffer) error{
		"markdown": func(b *bytes.Buffer) error { return Markdown(b, d) },
		"html":     func(b *bytes.Buffer) error { return HTML(b, d) },
		"summary":  func(b *bytes.Buffer) error { return Summary(b, d, SummaryLimit) },
	} {
		if !strings.Contains(string(render(t, f)), "! warning") {
			t.Errorf("%s: no warning is marked", name)
		}
	}
	if report := string(render(t, func(b *bytes.Buffer) error { return JSON(b, d) })); strings.Contains(report, `"verdict": "warning"`) {
		t.Error("JSON has a verdict that does not exist")
	}
	d.Excused = nil
	if !strings.Contains(show(), "✗ refuted       noisy-count/precision") {
		t.Error("a precision finding that fails the run has no ✗")
	}
}

// A claim without figures begins with its reason, which is shown once.
func TestTerminalAuditWithoutFigures(t *testing.T) {
	d := auditExample()
	d.Run.Results = d.Run.Results[:2]
	for i, v := range []verify.Verdict{verify.Error, verify.Untestable} {
		r := &d.Run.Results[i]
		r.Evidence = verify.Evidence{Verdict: v, Warnings: []string{"the reason", "another note"}}
	}
	text := string(render(t, func(b *bytes.Buffer) error { return Terminal(b, d, Screen{Width: 100}) }))
	for _, want := range []string{"noisy-count: The reason.\n  note          Another note.\n", "half-noise: The reason.\n  note          Another note.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A terminal says which findings the baseline contains, and the last lines count the false claims among them.
func TestTerminalKnown(t *testing.T) {
	audit := auditExample()
	audit.Excused["audit/half-noise"] = Excuse{Reason: "fixed in v2", Known: true}
	for name, c := range map[string]struct {
		d    Document
		want []string
	}{
		"audit": {audit, []string{"certified", "; known to the baseline\n", "unchanged: fixed in v2\n", "known to the baseline: 1 of the refuted"}},
		"claim set": {excusedExample(), []string{"example/lemma-7           claimed 1, measured 0.8731 [0.8722, 0.8740]; known to the baseline\n",
			"! warning       example/table-1", "✗ 1 refuted, ! 1 warning", "known to the baseline: 1 of the refuted"}},
		"no baseline": {example(), nil},
	} {
		got := string(render(t, func(b *bytes.Buffer) error { return Terminal(b, c.d, Screen{Width: 200}) }))
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, got)
			}
		}
		if n := strings.Count(got, "known to the baseline"); n != min(2, len(c.want)) {
			t.Errorf("%s: %d lines name the baseline:\n%s", name, n, got)
		}
	}
}

// The note about the exit code of undecided claims agrees with the command.
func TestTerminalExitCode(t *testing.T) {
	for _, c := range []struct {
		strict bool
		drop   int // number of results to omit from the front
		want   string
	}{
		{false, 3, "leave the exit code at 0; with --strict it is 4"}, // the warning does not fail the run
		{true, 3, "make the exit code 4, because of --strict"},
		{false, 0, "do not change the exit code"},
	} {
		d := auditExample()
		d.Strict, d.Run.Results = c.strict, d.Run.Results[c.drop:]
		if got := string(render(t, func(b *bytes.Buffer) error { return Terminal(b, d, Screen{Width: 200}) })); !strings.Contains(got, c.want) {
			t.Errorf("strict %v: want %q in\n%s", c.strict, c.want, got)
		}
	}
}

// The confidence of an interval is never overstated. The limits of a privacy claim err separately.
func TestConfidencePercent(t *testing.T) {
	for _, c := range []struct {
		kind  verify.Kind
		alpha float64
		upper verify.Number
		want  string
	}{
		{verify.Privacy, 1e-6, num(2), "99.9998 %"}, {verify.Privacy, 1e-6, num(inf), "99.9999 %"}, {verify.Privacy, 5e-7, num(2), "99.9999 %"},
		{verify.Law, 1e-6, num(2), "99.9999 %"}, {verify.Law, 0.05, num(2), "95 %"}, {verify.Law, 0.012, num(2), "98 %"}, {verify.Law, 3.1e-9, num(2), "99.9999996 %"}, {verify.Law, 0, num(2), ""},
	} {
		r := verify.Result{Claim: verify.Claim{Kind: c.kind}, Alpha: c.alpha, Evidence: verify.Evidence{Lower: num(1), Upper: c.upper}}
		if got := confidencePercent(r); got != c.want {
			t.Errorf("%s at %g: %q, want %q", c.kind, c.alpha, got, c.want)
		}
	}
}
