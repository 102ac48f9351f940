package reports

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/verify"
)

var noCheck = verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { return verify.Decided{}, nil })

func goldens() map[string]func(*bytes.Buffer) error {
	d, o := example(), exampleOutcome()
	interrupted := d
	interrupted.Run.Interrupted, interrupted.Run.Results = true, d.Run.Results[:2]
	lemma := d.Run.Results[0].Claim
	lemma.Check = noCheck
	lemma.Control = verify.Control{Check: noCheck, Want: []verify.Verdict{verify.Holds, verify.Consistent}, Fault: "none: C is the derived one"}
	prop := d.Run.Results[2]
	prop.Claim.Control = verify.Control{Check: noCheck, Want: []verify.Verdict{verify.Refuted}, Fault: "keeps with the probability for 2ε"}
	sampled := Explanation{Claim: lemma, Options: d.Run.Options, Alpha: 1e-8, Plan: empirical.Plan{Shards: 32, SamplesPerShard: 31250, Effect: 0.01, Power: 0.99}}
	computed := Explanation{Claim: prop.Claim, Options: d.Run.Options, Alpha: 1e-8, Decided: &prop.Evidence}
	readable := d
	readable.Full = false
	return map[string]func(*bytes.Buffer) error{
		"terminal.txt":          func(b *bytes.Buffer) error { return Terminal(b, d, Screen{Width: 100}) },
		"terminal-readable.txt": func(b *bytes.Buffer) error { return Terminal(b, readable, Screen{Width: 80}) },
		"erratum.md":            func(b *bytes.Buffer) error { return Erratum(b, d) },
		"report-readable.md":    func(b *bytes.Buffer) error { return Markdown(b, readable) },
		"report.md":             func(b *bytes.Buffer) error { return Markdown(b, d) },
		"report.html":           func(b *bytes.Buffer) error { return HTML(b, d) },
		"report-empty.md":       func(b *bytes.Buffer) error { return Markdown(b, Document{Run: verify.Run{Options: d.Run.Options}}) },
		"report.json":           func(b *bytes.Buffer) error { return JSON(b, d) },
		"report-interrupted.md": func(b *bytes.Buffer) error { return Markdown(b, interrupted) },
		"list.md":               func(b *bytes.Buffer) error { return ListClaims([]verify.Claim{lemma, prop.Claim}).Markdown(b) },
		"list.json":             func(b *bytes.Buffer) error { return ListClaimsJSON(b, []verify.Claim{lemma, prop.Claim}) },
		"experiment.md":         func(b *bytes.Buffer) error { return experimentIn(b, o, Sheet.Markdown) },
		"experiment.json":       func(b *bytes.Buffer) error { return ExperimentJSON(b, o) },
		"experiments.md": func(b *bytes.Buffer) error {
			return ListExperiments([]result.About{o.Experiment}).Markdown(b)
		},
		"experiments.json":    func(b *bytes.Buffer) error { return ListExperimentsJSON(b, []result.About{o.Experiment}) },
		"explain-sampled.md":  func(b *bytes.Buffer) error { return Explain(sampled).Markdown(b) },
		"explain-computed.md": func(b *bytes.Buffer) error { return Explain(computed).Markdown(b) },
		"calibration.md": func(b *bytes.Buffer) error {
			return Calibration(exampleCalibration(), "dpverify experiment calibration --runs 1000").Markdown(b)
		},
		"calibration.json": func(b *bytes.Buffer) error {
			return TableJSON(b, CalibrationSchema, "dpverify experiment calibration --runs 1000", exampleCalibration())
		},
	}
}

func TestGolden(t *testing.T) {
	for name, f := range goldens() {
		t.Run(name, func(t *testing.T) { golden(t, name, render(t, f)) })
	}
}

// The control of TestGolden: a golden file with one changed character fails.
func TestGoldenNoticesAChange(t *testing.T) {
	for name, f := range goldens() {
		got := render(t, f)
		corrupted := bytes.Clone(got)
		corrupted[len(corrupted)/2] ^= 1
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, corrupted, 0o644); err != nil {
			t.Fatal(err)
		}
		if differs(t, path, got) == "" {
			t.Errorf("%s: a corrupted golden file passes", name)
		}
	}
}

func TestSameBytesAgain(t *testing.T) {
	want := goldens()
	for name, f := range goldens() {
		if diff := cmp.Diff(string(render(t, want[name])), string(render(t, f))); diff != "" {
			t.Errorf("%s differs between two calls:\n%s", name, diff)
		}
	}
	slow := example()
	slow.Run.Options.Workers, slow.Run.Results[0].Elapsed = 7, 1e9
	for _, format := range []func(*bytes.Buffer, Document) error{
		func(b *bytes.Buffer, d Document) error { return Markdown(b, d) },
		func(b *bytes.Buffer, d Document) error { return JSON(b, d) },
		func(b *bytes.Buffer, d Document) error { return HTML(b, d) },
	} {
		a := render(t, func(b *bytes.Buffer) error { return format(b, example()) })
		b := render(t, func(b *bytes.Buffer) error { return format(b, slow) })
		if !bytes.Equal(a, b) {
			t.Error("the report depends on the number of workers or on the time taken")
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	want := example()
	want.Notes = []string{"a note"}
	want.Run.Interrupted = true
	first := render(t, func(b *bytes.Buffer) error { return JSON(b, want) })
	got, err := ReadJSON(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	want.Papers, want.Experiments = want.Papers[:1], nil         // papers without claims and experiments are not written
	want.Papers[0].File, want.Places, want.Full = "", nil, false // nor are the places of claims
	want.Remarks[0].Title = "C gives 0.8731, not 1"              // figures instead of placeholders
	ignore := cmp.Options{
		cmpopts.EquateNaNs(),
		cmpopts.IgnoreFields(verify.Claim{}, "Check", "Control", "Weight"),
		cmpopts.IgnoreFields(verify.Options{}, "Workers", "Timeout"),
	}
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Errorf("the read report differs from the written one (-want +got):\n%s", diff)
	}
	second := render(t, func(b *bytes.Buffer) error { return JSON(b, got) })
	if diff := cmp.Diff(string(first), string(second)); diff != "" {
		t.Errorf("the report differs when written again:\n%s", diff)
	}
}

func TestReadJSONRefuses(t *testing.T) {
	good := string(render(t, func(b *bytes.Buffer) error { return JSON(b, example()) }))
	cases := []struct{ reason, old, new, want string }{
		{"another schema", ReportSchema, "dpverify/report/v9", `schema is "dpverify/report/v9"`},
		{"an unknown verdict", `"verdict": "holds"`, `"verdict": "true"`, `claim 3 ("example/prop-2"): unknown verdict "true"`},
		{"an unknown kind", `"kind": "rate"`, `"kind": "speed"`, `unknown kind "speed"`},
		{"an unknown sense", `"sense": "<"`, `"sense": "about"`, `unknown sense "about"`},
		{"an unknown budget", `"budget": "standard"`, `"budget": "huge"`, `budget "huge"`},
		{"a seed that is not a number", `"seed": "1"`, `"seed": "-1"`, `seed "-1"`},
		{"a figure that is not a number", `"claimed": "inf"`, `"claimed": "big"`, `"big"`},
		{"an id given twice", `"id": "example/prop-2"`, `"id": "example/lemma-7"`, `id "example/lemma-7" is given twice`},
		{"a claim without an id", `"id": "example/prop-2"`, `"id": ""`, "no id"},
		{"a second document", "]\n}\n", "]\n}\n{}", "text after the end"},
		{"a text cut short", "]\n}\n", "", "not a report of dpverify"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			bad := strings.Replace(good, c.old, c.new, 1)
			if bad == good {
				t.Fatalf("the report has no %q", c.old)
			}
			if _, err := ReadJSON(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	if _, err := ReadJSON(strings.NewReader(strings.Replace(good, `"go":`, `"later": [1], "go":`, 1))); err != nil {
		t.Errorf("a field of a later version is rejected: %v", err)
	}
}

// Statements with markup must not change the structure of the document.
func TestHostileText(t *testing.T) {
	d := example()
	nasty := "a|b\n# heading\n| x | y |\n```\n<script>alert(1)</script> \x1b[31mred [link](http://example.com) *bold* $x$ &lt;"
	for i := range d.Run.Results {
		r := &d.Run.Results[i]
		r.Claim.Statement, r.Claim.Source, r.WorstCase, r.Quantity, r.Method = nasty, r.Claim.ID+nasty, nasty, nasty, nasty // the sources distinguish items
		spoil(&r.Evidence, nasty)
		r.Warnings, r.Data = []string{nasty}, nasty
	}
	out := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, d) }))
	clean := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, example()) }))
	count := func(s, prefix string) (n int) {
		for line := range strings.Lines(s) {
			if strings.HasPrefix(line, prefix) {
				n++
			}
		}
		return n
	}
	for _, prefix := range []string{"# ", "## ", "### ", "|", "```"} {
		if got, want := count(out, prefix), count(clean, prefix); got != want {
			t.Errorf("%d lines begin with %q, want %d", got, prefix, want)
		}
	}
	if strings.ContainsRune(out, '\x1b') {
		t.Error("an escape sequence reaches the terminal")
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "> ") && strings.Count(line, "<script>") != strings.Count(line, `\<script>`) {
			t.Errorf("a tag is not escaped: %s", line)
		}
	}
}

func TestCommand(t *testing.T) {
	o := verify.Options{Seed: 18446744073709551615, Alpha: 0.05, Budget: verify.Quick}
	cases := []struct{ reason, got, want string }{
		{"one claim", Reproduce("a/b", o), "dpverify verify a/b --seed 18446744073709551615 --alpha 0.05 --budget quick"},
		{"a glob is quoted", Command(o, "verify", "*/x"), "dpverify verify '*/x' --seed 18446744073709551615 --alpha 0.05 --budget quick"},
		{"a quote is quoted", Command(o, "verify", "it's"), `dpverify verify 'it'\''s' --seed 18446744073709551615 --alpha 0.05 --budget quick`},
		{"an empty word", Command(o, ""), `dpverify '' --seed 18446744073709551615 --alpha 0.05 --budget quick`},
	}
	for _, c := range cases {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, c.got, c.want)
		}
	}
}

func TestExperimentRefusesRaggedSeries(t *testing.T) {
	o := exampleOutcome()
	o.Results[0].Series[0].SD = o.Results[0].Series[0].SD[:1]
	if err := experimentIn(&bytes.Buffer{}, o, Sheet.Markdown); err == nil || !strings.Contains(err.Error(), `"SGD"`) {
		t.Errorf("error %v, want one that names the series", err)
	}
}
