package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dpverify/dpverify/verify"
)

// judged returns the example without the claim that fails.
func judged() verify.Run {
	run := example().Run
	run.Results = run.Results[:8]
	return run
}

func baselineOf(t *testing.T, run verify.Run, old Baseline) (Baseline, string) {
	t.Helper()
	b, err := NewBaseline(run, old)
	if err != nil {
		t.Fatal(err)
	}
	text := render(t, func(w *bytes.Buffer) error { return b.Write(w) })
	read, err := ReadBaseline(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, read, cmpopts.IgnoreUnexported(Baseline{})); diff != "" {
		t.Errorf("the read baseline differs from the written one (-want +got):\n%s", diff)
	}
	return read, string(text)
}

func TestBaseline(t *testing.T) {
	run := judged()
	b, text := baselineOf(t, run, Baseline{})
	golden(t, "baseline.json", []byte(text))
	if news := b.News(run); len(news) > 0 {
		t.Errorf("the recorded run has news: %v", news)
	}
	excused := b.Excused(run)
	if len(excused) != 3 || !excused["example/lemma-7"].Known {
		t.Errorf("excused: %v, want the refuted, the contradictory and the vacuous claim", excused)
	}
	places, lines := b.Places("b.json"), strings.Split(text, "\n")
	for _, r := range run.Results {
		if at := places[r.Claim.ID]; at.File != "b.json" || !strings.Contains(lines[at.Line-1], `"`+r.Claim.ID+`"`) {
			t.Errorf("%s has the place %+v", r.Claim.ID, at)
		}
	}
	b.Claims[0].Reason = "by hand"
	again, _ := baselineOf(t, run, b)
	if again.Claims[0].Reason != "by hand" || again.Claims[4].Reason != b.Claims[4].Reason {
		t.Errorf("the renewed baseline has the claims %+v", again.Claims)
	}
	run.Results[0].Verdict = verify.Contradictory
	if other, _ := baselineOf(t, run, b); other.Claims[0].Reason == "by hand" {
		t.Error("a changed verdict keeps the reason of the old one")
	}
	run.Results[2].Verdict = verify.NotRun
	if without, _ := baselineOf(t, run, b); without.Claims[2] != b.Claims[2] {
		t.Errorf("the claim without data is %+v, want the old entry %+v", without.Claims[2], b.Claims[2])
	}
	if gone := b.Removed(func(id string) bool { return id != "example/prop-2" }); !cmp.Equal(gone, []string{"example/prop-2"}) {
		t.Errorf("removed claims: %v", gone)
	}
}

func TestBaselineNews(t *testing.T) {
	cases := []struct {
		reason   string
		recorded verify.Verdict
		is       verify.Verdict
		budget   verify.Budget
		news     string // prefix of the only line; "" for none
		excused  bool
	}{
		{"known", verify.Refuted, verify.Refuted, verify.Quick, "", true},
		{"newly refuted", verify.Holds, verify.Refuted, verify.Standard, "broken: example/lemma-7 was holds and is refuted", false},
		{"newly contradictory", verify.Inconclusive, verify.Contradictory, verify.Standard, "broken:", false},
		{"refuted for another reason", verify.Contradictory, verify.Refuted, verify.Standard, "changed:", false},
		{"corrected", verify.Refuted, verify.Consistent, verify.Standard, "corrected:", false},
		{"no longer refuted, but inconclusive", verify.Refuted, verify.Inconclusive, verify.Standard, "changed:", false},
		{"open at a smaller budget", verify.Refuted, verify.Inconclusive, verify.Quick, "", false},
		{"open at a greater budget", verify.Consistent, verify.Inconclusive, verify.Thorough, "changed:", false},
		{"its data is missing", verify.Refuted, verify.NotRun, verify.Standard, "", false},
		{"computed instead of sampled", verify.Consistent, verify.Holds, verify.Standard, "changed:", false},
		{"an error is reported elsewhere", verify.Holds, verify.Error, verify.Standard, "", false},
		{"known to be empty", verify.Vacuous, verify.Vacuous, verify.Standard, "", true},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			run := judged()
			run.Results = run.Results[:1]
			run.Results[0].Verdict = c.recorded
			b, _ := baselineOf(t, run, Baseline{})
			run.Results[0].Verdict, run.Options.Budget = c.is, c.budget
			news := strings.Join(b.News(run), "\n")
			if (news == "") != (c.news == "") || !strings.HasPrefix(news, c.news) {
				t.Errorf("news %q, want %q", news, c.news)
			}
			if _, excused := b.Excused(run)["example/lemma-7"]; excused != c.excused {
				t.Errorf("excused: %v, want %v", excused, c.excused)
			}
		})
	}
	run := judged()
	if news := (Baseline{Budget: verify.Standard}).News(run); len(news) != 7 || !strings.HasPrefix(news[0], "new: example/lemma-7 is refuted") {
		t.Errorf("against an empty baseline: %v, want a line for each claim with data", news)
	}
}

func TestBaselineRefuses(t *testing.T) {
	_, good := baselineOf(t, judged(), Baseline{})
	cases := []struct{ reason, old, new, want string }{
		{"another schema", BaselineSchema, ReportSchema, `schema is "dpverify/report/v1"`},
		{"an unknown key", `"budget"`, `"bugdet"`, "bugdet"},
		{"an unknown budget", `"standard"`, `"huge"`, `budget "huge"`},
		{"an unknown verdict", `"holds"`, `"true"`, `claim 3 ("example/prop-2"): unknown verdict "true"`},
		{"an error", `"holds"`, `"error"`, `unknown verdict "error"`},
		{"an id given twice", `"example/prop-2"`, `"example/lemma-7"`, "given twice"},
		{"no id", `"example/prop-2"`, `""`, "no id"},
		{"a finding without a reason", `"holds"`, `"refuted"`, `claim 3 ("example/prop-2"): it is refuted without a reason`},
		{"a second document", "]\n}\n", "]\n}\n{}", "text after the end"},
		{"a text cut short", "]\n}\n", "", "not a baseline of dpverify"},
	}
	for _, c := range cases {
		bad := strings.Replace(good, c.old, c.new, 1)
		if bad == good {
			t.Fatalf("%s: the baseline has no %q", c.reason, c.old)
		}
		if _, err := ReadBaseline(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.reason, err, c.want)
		}
	}
	if _, err := NewBaseline(example().Run, Baseline{}); err == nil || !strings.Contains(err.Error(), "other/fact could not be judged") {
		t.Errorf("a run with a failed check: error %v", err)
	}
	run := judged()
	run.Interrupted = true
	if _, err := NewBaseline(run, Baseline{}); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("an interrupted run: error %v", err)
	}
}
