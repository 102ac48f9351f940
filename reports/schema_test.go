package reports

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := SchemaText(name)
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
	s, err := c.Compile(name) // which also validates it against the meta-schema
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func examplePower() []results.PowerRow {
	return []results.PowerRow{{
		Mechanism: "laplace_1", Samples: 1000, Delta: 1e-6, Reachable: verify.Num(math.Inf(1)), Certified: verify.Num(0.9),
		Min: verify.Num(0.8), Max: verify.Num(1), Oracle: verify.Num(1.1), Seconds: 0.25,
	}}
}

func examplePlan() Plan {
	draws := PlanDraws{Search: 8000, Least: 12000, Most: 12000, Repeats: 64}
	return Plan{Schema: PlanSchema, Version: "v1", Seed: "1", Budget: verify.Quick, Alpha: 1e-6, Workers: 2, Shards: 1,
		Claims: []PlanClaim{{ID: "audit/a", Source: "claims.yaml:2:5", Work: "audit", Samples: 20000, Pairs: 1,
			Of: 1, Prepared: 1, Part: draws, Memory: 1 << 20,
			Sees:  &PlanSees{Near: verify.Num(1.25), NearMass: 0.5, GrossMass: verify.Num(0.02), Probability: 0.99},
			Times: &PlanClaimTimes{Start: 0.1, Output: 1e-5, Outputs: 500, CoreSeconds: 0.3}}},
		Draws: draws, Memory: 1 << 25}
}

// Each schema accepts the output of its form, and rejects it after one change.
func TestSchemas(t *testing.T) {
	d := example()
	d.Notes, d.Run.Interrupted = []string{"a note"}, true
	written := map[string]string{
		"report":   string(render(t, func(b *bytes.Buffer) error { return JSON(b, d) })),
		"account":  string(render(t, func(b *bytes.Buffer) error { return AccountJSON(b, exampleAccount()) })),
		"baseline": string(render(t, func(b *bytes.Buffer) error { base, _ := NewBaseline(judged(), Baseline{}); return base.Write(b) })),
		"diff": string(render(t, func(b *bytes.Buffer) error {
			c, err := Compare(example(), differing())
			if err != nil {
				t.Fatal(err)
			}
			return DiffJSON(b, c)
		})),
		"power": string(render(t, func(b *bytes.Buffer) error {
			return TableJSON(b, PowerSchema, "dpverify experiment power", examplePower())
		})),
		"calibration": string(render(t, func(b *bytes.Buffer) error {
			return TableJSON(b, CalibrationSchema, "dpverify experiment calibration", exampleCalibration())
		})),
		"events": `{"event":"done","finished":2,"of":2,"verdicts":{"holds":2},"seconds":0.1}`,
		"recheck": `{"schema":"dpverify/recheck/v1","report":"r.json","version":"v1","counts":{"computed":1},"differences":[],` +
			`"claims":[{"id":"a/b","verdict":"holds","standing":"computed"}]}`,
		"accountant-trial": string(render(t, func(b *bytes.Buffer) error { return AccountantTrialJSON(b, exampleTrial(t)) })),
		"accountant-corpus": `{"schema":"dpverify/accountant-corpus/v1","seed":"1","cases":[{"adjacency":"replace-one","sensitivity":2,` +
			`"ask":"epsilon","at":1e-6,"event":{"class_name":"GaussianDpEvent","noise_multiplier":1},"lower":1,"upper":2}]}`,
		"plan":  string(render(t, func(b *bytes.Buffer) error { return WriteJSON(b, examplePlan()) })),
		"audit": `{"seed":1,"claims":[{"name":"a","exec":["x","y"],"pairs":[{"a":[1],"b":null}],"guarantee":{"epsilon":1,"delta":0},"samples":3,"timeout":"1m30s","precision":"warn","anytime":true}]}`,
	}
	mistakes := []struct{ schema, reason, old, new string }{
		{"report", "another schema", "report/v1", "report/v2"},
		{"report", "an attempt with no cases", `"cases": 3,`, `"cases": 0,`},
		{"report", "a margin in words", `"margin": 0.0013`, `"margin": "small"`},
		{"report", "a violation detected with a probability above 1", `"probability": 0.99,`, `"probability": 1.99,`},
		{"report", "an effect without its unit", `"relative": true,`, ``},
		{"report", "an unknown verdict", `"verdict": "holds"`, `"verdict": "true"`},
		{"report", "an unknown kind", `"kind": "rate"`, `"kind": "speed"`},
		{"report", "a figure that is not a number", `"claimed": "inf"`, `"claimed": "big"`},
		{"report", "a point of a series without its mean", `"mean"`, `"middle"`},
		{"report", "a series with a negative number of runs", `"runs": 10`, `"runs": -10`},
		{"report", "a claim without its command", `"reproduce"`, `"reproduction"`},
		{"report", "a counterexample without the reason for its choice", `"choice"`, `"chosen"`},
		{"report", "a counterexample in words", `"counterexample": null`, `"counterexample": "d=1"`},
		{"report", "a seed that is a number", `"seed": "1"`, `"seed": 1`},
		{"account", "another schema", "account/v1", "account/v0"},
		{"account", "a bracket without an end", `"lower"`, `"least"`},
		{"account", "an unknown adjacency", `"replace-one"`, `"replace-some"`},
		{"baseline", "a finding without a reason", `"reason"`, `"Reason"`},
		{"baseline", "an error as a verdict", `"verdict": "holds"`, `"verdict": "error"`},
		{"diff", "an unknown class", `"broken"`, `"worse"`},
		{"power", "another schema", "power/v1", "power/v2"},
		{"power", "too few samples", `"n": 1000`, `"n": 10`},
		{"power", "a row without its oracle", `"oracle"`, `"oracles"`},
		{"power", "a figure that is not a number", `"certified": 0.9`, `"certified": "large"`},
		{"power", "no command", `"dpverify experiment power"`, `""`},
		{"calibration", "another schema", "calibration/v1", "calibration/v0"},
		{"calibration", "no runs", `"runs": 1000`, `"runs": 0`},
		{"calibration", "a fractional count", `"refuted": 970`, `"refuted": 0.5`},
		{"calibration", "an unknown counted verdict", `"counted": "refuted"`, `"counted": "vacuous"`},
		{"calibration", "an error probability of 1", `"alpha": 0.05`, `"alpha": 1`},
		{"calibration", "a row without its claim", `"claim_true"`, `"claim"`},
		{"recheck", "an unknown standing", `"standing":"computed"`, `"standing":"fine"`},
		{"recheck", "no claims", `"claims"`, `"claim"`},
		{"accountant-trial", "another schema", "trial/v1", "trial/v2"},
		{"accountant-trial", "an unknown verdict", `"verdict": "below"`, `"verdict": "under"`},
		{"accountant-trial", "an unknown class", `GaussianDpEvent`, `GaussDpEvent`},
		{"accountant-trial", "a row without its lower end", `"lower"`, `"least"`},
		{"accountant-corpus", "no sensitivity", `"sensitivity":2,`, ``},
		{"accountant-corpus", "an unknown key", `"upper"`, `"highest"`},
		{"plan", "another schema", "plan/v1", "plan/v2"},
		{"plan", "a negative number of samples", `"samples": 20000`, `"samples": -1`},
		{"plan", "a claim without its core time", `"core_seconds": 0.3`, `"seconds": 0.3`},
		{"plan", "a violation without its probability", `"probability"`, `"chance"`},
		{"plan", "draws without their maximum", `"certify_most"`, `"certify"`},
		{"events", "no verdicts at the end", `"verdicts"`, `"verdict_counts"`},
		{"events", "an unknown verdict", `"holds"`, `"true"`},
		{"audit", "an unknown key", `"exec"`, `"exce"`},
		{"audit", "two guarantees", `"epsilon":1`, `"epsilon":1,"rho":1`},
		{"audit", "δ without ε", `"epsilon":1,`, ``},
		{"audit", "no command", `["x","y"]`, `[]`},
		{"audit", "an empty command", `["x","y"]`, `["","y"]`},
		{"audit", "a timeout that is not a duration", `"1m30s"`, `"soon"`},
		{"audit", "a name with a slash", `"name":"a"`, `"name":"a/b"`},
	}
	tried := make(map[string]bool)
	for _, name := range SchemaNames() {
		s := compiled(t, name)
		if err := validate(t, s, written[name]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, m := range mistakes {
			if m.schema != name {
				continue
			}
			tried[name] = true
			bad := strings.Replace(written[name], m.old, m.new, 1)
			if bad == written[name] {
				t.Errorf("%s, %s: there is no %q", name, m.reason, m.old)
			} else if validate(t, s, bad) == nil {
				t.Errorf("%s: %s passes", name, m.reason)
			}
		}
		if !tried[name] {
			t.Errorf("%s: no change is tried", name)
		}
	}
	if _, err := SchemaText("frob"); err == nil || !strings.Contains(err.Error(), "choose one of account, accountant-corpus, accountant-trial, audit, baseline, calibration, diff, events, plan, power, recheck, report") {
		t.Errorf("an unknown name: %v", err)
	}
}

// The recorded verdicts of the claim set match the schema of a baseline.
func TestBaselineOfTheLedger(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "testdata", "baseline.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, compiled(t, "baseline"), string(text)); err != nil {
		t.Error(err)
	}
}
