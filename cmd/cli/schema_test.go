package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/internal/strictyaml"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify/claims"
)

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := reports.SchemaText(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return s.Validate(v)
}

// Outputs are valid under their schemas.
func TestOutputsFitTheirSchemas(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	list := file("release.yaml")
	put(t, list, "- {mechanism: laplace, scale: 2}\n- {mechanism: gaussian, sigma: 4, count: 3}\n")
	put(t, file("plan.yaml"), "claims:\n- {name: x, account: {file: release.yaml}, guarantee: {epsilon: 3, delta: 1.0e-5}}\n"+
		"- {name: y, exec: [cat], pairs: [{a: 1, b: 2}], guarantee: {epsilon: 1}, samples: 300}\n")
	commands := []struct {
		reason, schema string
		args           []string
	}{
		{"a claim of each verdict", "report", []string{"verify", "stub", "bad/fails", "slow", "--format", "json"}},
		{"exact figures, with points and infinities", "report", []string{"verify", "prestige/alg-1/privacy", "prestige/prop-1", "--budget", "quick", "--format", "json"}},
		{"ε of an event", "account", []string{"account", "gaussian", "--sigma", "4", "--delta", "1e-5", "--format", "json"}},
		{"δ of a composition", "account", []string{"account", "compose", list, "--epsilon", "1", "--format", "json"}},
		{"the noise for both", "account", []string{"account", "calibrate", "gaussian", "--epsilon", "1", "--delta", "1e-5", "--format", "json"}},
		{"the noise for a risk", "account", []string{"account", "calibrate", "gaussian", "--tpr", "0.05", "--fpr", "0.01", "--delta", "1e-5", "--format", "json"}},
		{"how much is certified", "power", []string{"experiment", "power", "--only", "laplace_1", "--samples", "1000", "--runs", "1", "--format", "json"}},
		{"how often it errs", "calibration", []string{"experiment", "calibration", "--kind", "laws,rate", "--runs", "1", "--format", "json"}},
		{"a baseline", "baseline", []string{"verify", "stub", "--write-baseline", file("known.json"), "--format", "json", "-o", file("old.json")}},
		{"a comparison", "diff", []string{"diff", file("old.json"), file("old.json"), "--format", "json"}},
		{"a report of each standing", "report", []string{"verify", "prestige/prop-1/sampled", "prestige/eq-23", "prestige/thm-2", "--budget", "quick", "--format", "json", "-o", file("report.json")}},
		{"judged again", "recheck", []string{"recompute", file("report.json"), "--format", "json"}},
		{"of a report that was changed", "recheck", []string{"recompute", file("changed.json"), "--format", "json"}},
		{"of a report without counts", "recheck", []string{"recompute", file("lost.json"), "--format", "json"}},
		{"a dry run of a mechanism that fails", "plan", []string{"audit", file("plan.yaml"), "--dry-run", "--format", "json"}},
		{"a dry run in parts, with a wall time", "plan", []string{"audit", file("plan.yaml"), "--dry-run", "--shard", "1/3", "--wall", "1h", "--format", "json"}},
		{"evidence of many runs", "report", []string{"audit", "--samples-a", "../../testdata/audit/with.csv", "--samples-b",
			"../../testdata/audit/without.csv", "--epsilon", "1", "--evidence", file("evidence.jsonl"), "--evidence-new", "--format", "json"}},
		{"events", "events", []string{"verify", "stub", "bad/fails", "--events", "-", "-o", file("report.md")}},
	}
	for _, c := range commands {
		t.Run(c.reason, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			a := &app{ledger: stubLedger, every: 1e9, stdout: &stdout, stderr: &stderr, version: "v0.0.0-stub"}
			if strings.HasPrefix(strings.Join(c.args, " "), "verify prestige") || c.schema == "recheck" {
				a.ledger = claims.Ledger
			}
			if c.schema == "recheck" {
				change(t, file("report.json"), file("changed.json"), `"verdict": "consistent"`, `"verdict": "refuted"`)
				change(t, file("report.json"), file("lost.json"), `"method": "privacy/events"`, `"method": "unknown"`)
			}
			if c.args[0] == "experiment" {
				a.papers = ours().Papers
			}
			if code := a.run(context.Background(), c.args); code == codeUsage {
				t.Fatalf("%v: %s", c.args, &stderr)
			}
			texts := [][]byte{stdout.Bytes()}
			switch c.schema {
			case "events":
				texts = bytes.Split(bytes.TrimSpace(stdout.Bytes()), []byte("\n"))
			case "report":
				if at := slices.Index(c.args, "-o"); at > 0 {
					texts = [][]byte{[]byte(read(t, c.args[at+1]))}
				}
			case "recheck":
				for _, standing := range []string{"computed", map[string]string{"judged again": "recomputed",
					"of a report that was changed": "broken", "of a report without counts": "open"}[c.reason]} {
					if !bytes.Contains(texts[0], []byte(`"standing": "`+standing+`"`)) {
						t.Errorf("none is %s\n%s", standing, texts[0])
					}
				}
			case "baseline":
				texts = [][]byte{[]byte(read(t, file("known.json")))}
			}
			s := compiled(t, c.schema)
			for _, text := range texts {
				if err := validate(t, s, text); err != nil {
					t.Errorf("%v\n%s", err, text)
				}
			}
		})
	}
}

// change copies a file with one text replaced.
func change(t *testing.T, from, to, before, after string) {
	t.Helper()
	text := read(t, from)
	if !strings.Contains(text, before) {
		t.Fatalf("%s has no %s", from, before)
	}
	put(t, to, strings.Replace(text, before, after, 1))
}

// The recompute schema rejects other forms.
func TestRecheckSchemaRefuses(t *testing.T) {
	const head = `{"schema": "dpverify/recheck/v1", "report": "r.json", "version": "v1", "counts": {}, "differences": [], "claims": [`
	s := compiled(t, "recheck")
	for _, c := range []struct {
		reason, claim string
		fits          bool
	}{
		{"all that is wanted", `{"id": "a/b", "verdict": "holds", "standing": "computed"}`, true},
		{"another standing", `{"id": "a/b", "verdict": "holds", "standing": "fine"}`, false},
		{"another verdict", `{"id": "a/b", "verdict": "true", "standing": "computed"}`, false},
		{"broken by nothing", `{"id": "a/b", "verdict": "holds", "standing": "broken"}`, false},
		{"broken by something", `{"id": "a/b", "verdict": "holds", "standing": "broken", "differences": [{"field": "x", "stored": "1", "recomputed": "2"}]}`, true},
		{"a difference of one that is not broken", `{"id": "a/b", "verdict": "holds", "standing": "computed", "differences": [{"field": "x", "stored": "1", "recomputed": "2"}]}`, false},
		{"open for no reason", `{"id": "a/b", "verdict": "holds", "standing": "open"}`, false},
		{"recomputed by nobody", `{"id": "a/b", "verdict": "holds", "standing": "recomputed"}`, false},
	} {
		if err := validate(t, s, []byte(head+c.claim+"]}")); (err == nil) != c.fits {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

// oneStep is a training log of one step.
const oneStep = `{"records": 4}
{"step": 1, "batch": [0], "norms": [1], "contributions": [[0.5]], "noise": [0.25], "released": [0.75], "divisor": 1}
`

// The parser of claims files and the schema agree, except for conditions that a schema cannot express, such as
// duplicate names and equal inputs.
func TestAuditSchemaAgreesWithTheParser(t *testing.T) {
	const rest = ", exec: [cat], pairs: [{a: 1, b: 2}]"
	stated := func(what string) string { return "claims: [{name: x, exec: [cat], " + what + "}]" }
	log := filepath.ToSlash(filepath.Join(t.TempDir(), "run.jsonl"))
	put(t, log, oneStep)
	other := filepath.ToSlash(filepath.Join(t.TempDir(), "other.jsonl"))
	put(t, other, strings.Replace(oneStep, "4", "5", 1))
	logged := func(sampling string) string {
		return "claims: [{name: x, training: {log: '" + log + "', " + sampling + ", clipping-norm: 1, noise-multiplier: 1, divisor: 64, steps: 9}}]"
	}
	found := func(more string) string {
		return "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: add-or-remove-one, space: {list: {record: {int: [0, 9]}, size: [0, 5]}}" + more + "}}]"
	}
	cases := []struct{ reason, text string }{
		{"in short", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"with everything", "seed: 18446744073709551615\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1, delta: 0.1}, samples: 5000, timeout: 1m30s, precision: off, anytime: true}]"},
		{"zCDP", "claims: [{name: x" + rest + ", guarantee: {rho: 0}}]"},
		{"Gaussian DP", "claims: [{name: x" + rest + ", guarantee: {mu: 1}}]"},
		{"Rényi DP", "claims: [{name: x" + rest + ", guarantee: {alpha: 2, renyi: 1}}]"},
		{"no order", "claims: [{name: x" + rest + ", guarantee: {renyi: 1}}]"},
		{"order 1", "claims: [{name: x" + rest + ", guarantee: {alpha: 1, renyi: 1}}]"},
		{"δ = 1", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1, delta: 1}}]"},
		{"δ alone", "claims: [{name: x" + rest + ", guarantee: {delta: 0.1}}]"},
		{"two guarantees", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1, mu: 1}}]"},
		{"none", "claims: [{name: x" + rest + "}]"},
		{"below zero", "claims: [{name: x" + rest + ", guarantee: {epsilon: -1}}]"},
		{"no claims", "claims: []"},
		{"no name", "claims: [{exec: [cat], pairs: [{a: 1, b: 2}], guarantee: {epsilon: 1}}]"},
		{"a capital in the name", "claims: [{name: X" + rest + ", guarantee: {epsilon: 1}}]"},
		{"no command", "claims: [{name: x, exec: [], pairs: [{a: 1, b: 2}], guarantee: {epsilon: 1}}]"},
		{"half a pair", "claims: [{name: x, exec: [cat], pairs: [{a: 1}], guarantee: {epsilon: 1}}]"},
		{"a pair with null", "claims: [{name: x, exec: [cat], pairs: [{a: null, b: 1}], guarantee: {epsilon: 1}}]"},
		{"no pairs", "claims: [{name: x, exec: [cat], pairs: [], guarantee: {epsilon: 1}}]"},
		{"no samples", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1}, samples: 0}]"},
		{"a time without a unit", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1}, timeout: '90'}]"},
		{"unknown precision", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1}, precision: perhaps}]"},
		{"an unknown key", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1}, sampels: 3}]"},
		{"an account", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, guarantee: {epsilon: 1, delta: 0.1}}]"},
		{"a list of events", "claims: [{name: x, account: [{gaussian: {sigma: 2}}], guarantee: {mu: 1}}]"},
		{"a list of none", "claims: [{name: x, account: [], guarantee: {mu: 1}}]"},
		{"events under replace-one", "claims: [{name: x, account: {adjacency: replace-one, events: [{gaussian: {sigma: 2}}]}, guarantee: {mu: 1}, states: {epsilon: 1.32, delta: 0.1, digits: 2, rounding: up}}]"},
		{"no account", "claims: [{name: x, account: , guarantee: {mu: 1}}]"},
		{"a word for one", "claims: [{name: x, account: sgm, guarantee: {mu: 1}}]"},
		{"nothing is claimed", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}}]"},
		{"δ alone is claimed", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, guarantee: {delta: 0.1}}]"},
		{"δ of an ε", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, states: {delta: 0.1, at-epsilon: 1}}]"},
		{"ε without δ", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, states: {epsilon: 1}}]"},
		{"two numbers", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, states: {rho: 1, mu: 1}}]"},
		{"δ with ρ", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, states: {rho: 1, delta: 0.1}}]"},
		{"digits below 0", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, states: {mu: 1, digits: -1}}]"},
		{"sixteen digits", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, states: {mu: 1, digits: 16}}]"},
		{"another rounding", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, states: {mu: 1, rounding: even}}]"},
		{"a printed order", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, states: {alpha: 8, renyi: 1.00}}]"},
		{"pairs of an account", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, pairs: [{a: 1, b: 2}], guarantee: {mu: 1}}]"},
		{"a reported value without an account", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1}, states: {mu: 1}}]"},
		{"a mechanism and its account", "claims: [{name: x" + rest + ", account: {mechanism: gaussian, sigma: 2}}]"},
		{"at a δ", "claims: [{name: x" + rest + ", account: {mechanism: gaussian, sigma: 2}, guarantee: {delta: 0.1}, samples: 5000}]"},
		{"a mechanism at a δ and no account", "claims: [{name: x" + rest + ", guarantee: {delta: 0.1}}]"},
		{"a key beside the file", "claims: [{name: x, account: {file: schema.go, sigma: 2}, guarantee: {mu: 1}}]"},
		{"canaries", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv, guarantee: {epsilon: 1, delta: 0.1}}]"},
		{"canaries with all", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv, event: 'score >= 0.3', inclusion: 0.5, guarantee: {mu: 1}}]"},
		{"canaries and an account", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv, account: {mechanism: gaussian, sigma: 2}, guarantee: {epsilon: 3, delta: 0.1}}]"},
		{"canaries of a mechanism", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv" + rest + ", guarantee: {epsilon: 1}}]"},
		{"canaries and a law", stated("law: {input: [], laplace: {scale: 2}}, canaries: ../../testdata/audit/canaries.csv")},
		{"canaries of no claim", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv}]"},
		{"canaries of a δ", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv, guarantee: {delta: 0.1}}]"},
		{"canaries that are no file", "claims: [{name: x, canaries: [1], guarantee: {epsilon: 1}}]"},
		{"canaries of no name", "claims: [{name: x, canaries: '', guarantee: {epsilon: 1}}]"},
		{"an event of no canaries", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1}, event: 'score > 1'}]"},
		{"another event", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv, event: loss < 1, guarantee: {epsilon: 1}}]"},
		{"coins that always fall", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv, inclusion: 1, guarantee: {epsilon: 1}}]"},
		{"pairs of canaries", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv, pairs: [{a: 1, b: 2}], guarantee: {epsilon: 1}}]"},
		{"a training log", logged("sampling: poisson, rate: 0.5")},
		{"a training log with a tolerance", logged("sampling: poisson, rate: 1, tolerance: 0")},
		{"a training log in shuffled batches", logged("sampling: shuffled, batch: 64")},
		{"two training logs", logged("sampling: poisson, rate: 0.5, neighbor: '" + other + "'")},
		{"a neighbor of no name", logged("sampling: poisson, rate: 0.5, neighbor: ''")},
		{"a neighbor that is a number", logged("sampling: poisson, rate: 0.5, neighbor: 1")},
		{"a training log of another sampling", logged("sampling: poison, rate: 0.5")},
		{"a training log of no sampling", logged("rate: 0.5")},
		{"a training log without its rate", logged("sampling: poisson")},
		{"a training log without its batch", logged("sampling: fixed")},
		{"a rate of shuffled batches", logged("sampling: shuffled, batch: 64, rate: 0")},
		{"a batch of Poisson samples", logged("sampling: poisson, rate: 0.5, batch: 0")},
		{"a sampling rate above 1", logged("sampling: poisson, rate: 1.5")},
		{"a batch of none", logged("sampling: without-replacement, batch: 0")},
		{"a tolerance of 1", logged("sampling: poisson, rate: 1, tolerance: 1")},
		{"a key that is none of a training", logged("sampling: poisson, rate: 1, clip: 1")},
		{"a training log that is no file", strings.Replace(logged("sampling: poisson, rate: 1"), "log: ", "log: 1, x: ", 1)},
		{"a training log of no name", "claims: [{name: x, training: {log: '', sampling: fixed, batch: 1, clipping-norm: 1, noise-multiplier: 1, divisor: 1, steps: 1}}]"},
		{"a training log of half a step", strings.Replace(logged("sampling: poisson, rate: 1"), "steps: 9", "steps: 0.5", 1)},
		{"a training log without noise", strings.Replace(logged("sampling: poisson, rate: 1"), "noise-multiplier: 1", "noise-multiplier: 0", 1)},
		{"a training log without a divisor", strings.Replace(logged("sampling: poisson, rate: 1"), "divisor: 64, ", "", 1)},
		{"a training log that is a word", "claims: [{name: x, training: run.jsonl}]"},
		{"a training log that is nothing", "claims: [{name: x, training: }]"},
		{"a mean", stated("unbiased: {input: [1], of: [2, 3], range: [0, 10]}")},
		{"a mean by a variance", stated("unbiased: {input: null, of: [2], variance: 2}, seeded: false, samples: 5000")},
		{"a mean of nothing known", stated("unbiased: {input: x, of: [2]}")},
		{"a mean that is no list", stated("unbiased: {input: 1, of: 2}")},
		{"no mean", stated("unbiased: {input: 1, of: []}")},
		{"a mean at no input", stated("unbiased: {of: [2]}")},
		{"a range of three", stated("unbiased: {input: 1, of: [2], range: [0, 1, 2]}")},
		{"a variance of 0", stated("unbiased: {input: 1, of: [2], variance: 0}")},
		{"a key that is none of a mean", stated("unbiased: {input: 1, of: [2], mean: 2}")},
		{"a law", stated("law: {input: [], laplace: {scale: 2}}")},
		{"a law with all", stated("law: {input: [], discrete-laplace: {scale: 2, location: -3}}")},
		{"moments", stated("law: {input: [], moments: {mean: 0, variance: 1, lower: -5, upper: 5}}")},
		{"moments without a range", stated("law: {input: [], moments: {mean: 0, variance: 1}}")},
		{"an unknown law", stated("law: {input: [], laplase: {scale: 2}}")},
		{"no law", stated("law: {input: []}")},
		{"two laws", stated("law: {input: [], laplace: {scale: 2}, normal: {sigma: 2}}")},
		{"a law at no input", stated("law: {laplace: {scale: 2}}")},
		{"an unknown parameter", stated("law: {input: [], laplace: {scale: 2, scal: 1}}")},
		{"a missing parameter", stated("law: {input: [], laplace: {location: 2}}")},
		{"a parameter out of its domain", stated("law: {input: [], laplace: {scale: 0}}")},
		{"a parameter that is a word", stated("law: {input: [], laplace: {scale: much}}")},
		{"a location between", stated("law: {input: [], discrete-gaussian: {sigma: 1, location: 0.5}}")},
		{"a share above 1", stated("law: {input: [], bernoulli: {p: 1.5}}")},
		{"a sensitivity", stated("sensitivity: {norm: linf, bound: 0}, pairs: [{a: 1, b: 2}]")},
		{"a sensitivity of no pairs", stated("sensitivity: {norm: l1, bound: 1}")},
		{"no norm", stated("sensitivity: {bound: 1}, pairs: [{a: 1, b: 2}]")},
		{"another norm", stated("sensitivity: {norm: l3, bound: 1}, pairs: [{a: 1, b: 2}]")},
		{"a bound below 0", stated("sensitivity: {norm: l1, bound: -1}, pairs: [{a: 1, b: 2}]")},
		{"no bound", stated("sensitivity: {norm: l1}, pairs: [{a: 1, b: 2}]")},
		{"a rate", stated("rate: {grid: [1, 2, 4, 8, 16], exponent: -0.5, range: [0, 1]}")},
		{"a short grid", stated("rate: {grid: [1, 2, 4], exponent: -0.5}")},
		{"a grid at 0", stated("rate: {grid: [0, 1, 2, 4, 8], exponent: -0.5}")},
		{"no exponent", stated("rate: {grid: [1, 2, 4, 8, 16]}")},
		{"several", stated("law: {input: [], laplace: {scale: 2}}, unbiased: {input: [], of: [0], variance: 8}")},
		{"a guarantee and a law", "claims: [{name: X" + rest + ", guarantee: {epsilon: 1}, law: {input: [], laplace: {scale: 2}}}]"},
		{"a guarantee of nothing and a law", "claims: [{name: x" + rest + ", guarantee: {}, law: {input: [], laplace: {scale: 2}}}]"},
		{"pairs of a law", "claims: [{name: x" + rest + ", law: {input: [], laplace: {scale: 2}}}]"},
		{"a law of an account", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, guarantee: {mu: 1}, law: {input: [], laplace: {scale: 2}}}]"},
		{"precision of a law", stated("law: {input: [], laplace: {scale: 2}}, precision: off")},
		{"a seed of an account", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, guarantee: {mu: 1}, seeded: false}]"},
		{"a seed that is no truth value", stated("law: {input: [], laplace: {scale: 2}}, seeded: 1")},
		{"variables to inherit", stated("law: {input: [], laplace: {scale: 2}}, env: [PATH, HOME]")},
		{"no variables", stated("law: {input: [], laplace: {scale: 2}}, env: []")},
		{"a variable that is no list", stated("law: {input: [], laplace: {scale: 2}}, env: PATH")},
		{"variables with values", stated("law: {input: [], laplace: {scale: 2}}, env: {PATH: /bin}")},
		{"a variable with its value", stated("law: {input: [], laplace: {scale: 2}}, env: ['PATH=/bin']")},
		{"a variable twice", stated("law: {input: [], laplace: {scale: 2}}, env: [PATH, HOME, PATH]")},
		{"a variable without a name", stated("law: {input: [], laplace: {scale: 2}}, env: ['']")},
		{"a variable of a zero byte", stated(`law: {input: [], laplace: {scale: 2}}, env: ["a\0"]`)},
		{"a variable that is a number", stated("law: {input: [], laplace: {scale: 2}}, env: [1]")},
		{"nothing for variables", stated("law: {input: [], laplace: {scale: 2}}, env: ")},
		{"variables of an account", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, guarantee: {mu: 1}, env: []}]"},
		{"variables of canaries", "claims: [{name: x, canaries: ../../testdata/audit/canaries.csv, guarantee: {mu: 1}, env: []}]"},
		{"found inputs", found("")},
		{"few of them", found(", search: 20")},
		{"no search", found(", search: 0")},
		{"a search that is no number", found(", search: many")},
		{"an unknown key of inputs", found(", tries: 20")},
		{"inputs beside pairs", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1}, inputs: {space: {int: [0, 9]}, neighbours: {change: {l1: 1}}}}]"},
		{"no space", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: replace-one}}]"},
		{"no neighbours", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {space: {list: {record: bool, size: [0, 5]}}}}]"},
		{"all types", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: {add-or-remove-one: rows}, space: {object: {rows: {list: {record: {tuple: [{int: [-3, 4]}, {enum: [a, null, 2]}]}, size: [0, 5]}}, x: {vector: {of: {float: [0, 1.5], nan: true}, dimension: 2}}, s: {string: {alphabet: ab, length: [0, 3]}}}}}}]"},
		{"an unknown type", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: replace-one, space: {date: [0, 1]}}}]"},
		{"two types in one", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: {change: {l2: 1}}, space: {int: [0, 1], float: [0, 1]}}}]"},
		{"NaN of whole numbers", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: {change: {l2: 1}}, space: {int: [0, 1], nan: true}}}]"},
		{"a fraction for a whole number", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: {change: {l2: 1}}, space: {int: [0, 1.5]}}}]"},
		{"a bound of a change below 0", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: {change: {linf: -1}}, space: {int: [0, 9]}}}]"},
		{"any two values", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: any, space: {enum: [red, green]}}}]"},
		{"another relation", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: all, space: {int: [0, 9]}}}]"},
		{"a size below 0", "claims: [{name: x, exec: [cat], guarantee: {epsilon: 1}, inputs: {neighbours: replace-one, space: {list: {record: bool, size: [-1, 5]}}}}]"},
		{"inputs of a sensitivity", stated("sensitivity: {norm: l1, bound: 1}, inputs: {neighbours: replace-one, space: {list: {record: bool, size: [0, 5]}}}")},
		{"inputs of a mean", stated("unbiased: {truth: [cat], range: [0, 1]}, inputs: {space: {int: [0, 9]}}")},
		{"a truth of no inputs", stated("unbiased: {truth: [cat], range: [0, 1]}")},
		{"a truth and a mean", stated("unbiased: {truth: [cat], of: [1], range: [0, 1]}, inputs: {space: {int: [0, 9]}}")},
		{"inputs of a law", stated("law: {input: [], laplace: {scale: 2}}, inputs: {space: {int: [0, 9]}}")},
		{"inputs of an account", "claims: [{name: x, account: {mechanism: gaussian, sigma: 2}, guarantee: {mu: 1}, inputs: {space: bool}}]"},
		{"evidence", "evidence: {file: e.jsonl, start: 2}\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"evidence without a start", "evidence: {file: e.jsonl}\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"evidence without a file", "evidence: {start: 1}\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"evidence in a file without a name", "evidence: {file: '', start: 1}\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"evidence of start 0", "evidence: {file: e.jsonl, start: 0}\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"evidence of half a start", "evidence: {file: e.jsonl, start: 1.5}\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"evidence that is a word", "evidence: e.jsonl\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"evidence that is nothing", "evidence:\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"evidence with an unknown key", "evidence: {file: e.jsonl, start: 1, alpha: 0.05}\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
		{"evidence of a claim", "claims: [{name: x" + rest + ", guarantee: {epsilon: 1}, evidence: {file: e.jsonl, start: 1}}]"},
		{"a negative seed", "seed: -1\nclaims: [{name: x" + rest + ", guarantee: {epsilon: 1}}]"},
	}
	s := compiled(t, "audit")
	good := 0
	for _, c := range cases {
		_, _, parsed := claimsfile.ParseClaims("claims.yaml", []byte(c.text))
		var v any
		if err := yaml.Unmarshal([]byte(c.text), &v); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fits := validate(t, s, text)
		if (parsed == nil) != (fits == nil) {
			t.Errorf("%s: the parser says %v, the schema %v", c.reason, parsed, fits)
		}
		if parsed == nil {
			good++
		}
	}
	if good < 5 || good > len(cases)-10 {
		t.Errorf("%d of %d are good: the table has lost a side", good, len(cases))
	}
}

// A finding of the claim set is reported at the file of its claims if there is no baseline.
func TestPapersNameTheFileOfTheirClaims(t *testing.T) {
	for _, p := range claims.Papers() {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(p.File)))
		if err != nil || !strings.Contains(string(text), "func Claims() []verify.Claim") {
			t.Errorf("%s: %q does not declare its claims: %v", p.ID, p.File, err)
		}
	}
}

// The parser and the schema agree on every form of a claim with one more or one fewer key.
func TestAuditSchemaAgreesOnKeys(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.jsonl": strings.Repeat("0\n1\n", 200), "b.jsonl": strings.Repeat("1\n0\n", 200),
		"scores.csv": "score,included\n" + strings.Repeat("1,1\n0,0\n", 20), "run.jsonl": oneStep,
	} {
		put(t, filepath.Join(dir, name), text)
	}
	values := map[string]string{
		"name": "x", "exec": "[cat]", "pairs": "[{a: 1, b: 2}]", "guarantee": "{mu: 1}",
		"inputs":   "{neighbours: replace-one, space: {list: {record: bool, size: [0, 5]}}}",
		"recorded": "{a: a.jsonl, b: b.jsonl}", "account": "{mechanism: laplace, scale: 2}", "states": "{mu: 0.5}",
		"training": "{log: run.jsonl, sampling: fixed, batch: 2, clipping-norm: 1, noise-multiplier: 1, divisor: 1, steps: 1}",
		"canaries": "scores.csv", "event": "score >= 0.5", "inclusion": "0.5",
		"unbiased": "{input: 1, of: [0], range: [0, 1]}", "law": "{input: 1, laplace: {scale: 2}}",
		"sensitivity": "{norm: l1, bound: 1}", "rate": "{grid: [1, 2, 4, 8, 16], exponent: 1}",
		"seeded": "false", "env": "[PATH]", "samples": "50000", "timeout": "9s", "memory": "1GiB", "precision": "off",
		"anytime": "true", "replay": "true", "mass": "0.1",
	}
	keys := slices.Sorted(maps.Keys(values))
	s := compiled(t, "audit")
	good, bad := 0, 0
	for _, form := range []string{
		"exec pairs guarantee", "exec inputs guarantee", "exec pairs account", "account guarantee", "account states",
		"recorded guarantee", "recorded account", "canaries guarantee", "canaries account", "exec unbiased", "exec law",
		"exec pairs sensitivity", "exec rate", "recorded law", "recorded unbiased", "exec pairs canaries guarantee",
		"training", "training account guarantee", "training canaries guarantee", "training exec pairs guarantee", "training exec law",
		"training recorded guarantee",
	} {
		has := strings.Fields("name " + form)
		for _, key := range append(keys, "") {
			fields := make(map[string]string)
			for _, k := range has {
				fields[k] = values[k]
			}
			if key != "" && fields[key] != "" {
				delete(fields, key)
			} else if key != "" {
				fields[key] = values[key]
			}
			if form == "recorded law" || form == "recorded unbiased" {
				delete(fields, "input")
				if fields["recorded"] != "" {
					fields["recorded"] = "a.jsonl"
				}
				for _, k := range []string{"law", "unbiased"} {
					fields[k] = strings.Replace(fields[k], "input: 1, ", "", 1)
					if fields[k] == "" {
						delete(fields, k)
					}
				}
			}
			text := "claims:\n  - "
			for _, k := range slices.Sorted(maps.Keys(fields)) {
				text += k + ": " + fields[k] + "\n    "
			}
			_, _, parsed := claimsfile.ParseClaims(filepath.Join(dir, "claims.yaml"), []byte(text))
			body, err := strictyaml.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			document, err := json.Marshal(strictyaml.Value(body))
			if err != nil {
				t.Fatal(err)
			}
			if fits := validate(t, s, document); (parsed == nil) != (fits == nil) {
				t.Errorf("%s, with or without %q: the parser says %v, the schema %v", form, key, parsed, fits == nil)
			}
			if parsed == nil {
				good++
			} else {
				bad++
			}
		}
	}
	if good < 100 || bad < 100 {
		t.Errorf("%d are read and %d rejected: the table has lost a side", good, bad)
	}
}
