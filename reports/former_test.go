package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// Baselines and reports with former ids are matched with the claims of the current ids.
func TestFormerIDsInBaselinesAndDiffs(t *testing.T) {
	before := example()
	before.Run = judged()
	b, _ := baselineOf(t, before.Run, Baseline{})
	after := before
	after.Run = judged()
	old := after.Run.Results[0].Claim.ID
	after.Run.Results[0].Claim.ID, after.Run.Results[0].Claim.Formerly = "example/renamed", []string{"example/never", old}
	if news := b.News(after.Run); len(news) != 0 {
		t.Errorf("a renamed claim is news: %v", news)
	}
	if !b.Excused(after.Run)["example/renamed"].Known {
		t.Errorf("the finding of a renamed claim is not excused: %v", b.Excused(after.Run))
	}
	again, text := baselineOf(t, after.Run, b)
	if again.Claims[0].ID != "example/renamed" || again.Claims[0].Reason != b.Claims[0].Reason || strings.Contains(text, `"`+old+`"`) {
		t.Errorf("the renewed baseline has %+v", again.Claims[0])
	}
	c, err := Compare(before, after)
	if err != nil || len(c.Changes) != 0 {
		t.Errorf("the renaming is a change: %+v, %v", c.Changes, err)
	}
	after.Run.Results[0].Claim.Formerly = nil
	if c, err = Compare(before, after); err != nil || len(c.Changes) != 2 {
		t.Errorf("a claim without a former id is not a change: %+v, %v", c.Changes, err)
	}
}

// A reading of ours that fails is not a finding. Observations at the settings are listed only if they hold.
func TestReadingsAndSettings(t *testing.T) {
	d := example()
	page := func() string { return string(render(t, func(w *bytes.Buffer) error { return Markdown(w, d) })) }
	must := func(text string) string {
		_, rest, _ := strings.Cut(text, "### Findings")
		part, _, _ := strings.Cut(rest, "\n### ")
		return part
	}
	c := &d.Run.Results[0].Claim
	if c.Origin, c.Place = verify.Stated, "page 1"; !strings.Contains(must(page()), c.ID) {
		t.Errorf("a stated claim that fails is not reported:\n%s", must(page()))
	}
	c.Origin = verify.Reading
	if text := page(); strings.Contains(must(text), "["+c.ID+"]") || !strings.Contains(text, "Our reading of: page 1.") {
		t.Errorf("a reading that fails is reported as a finding, or not as a reading:\n%s", must(text))
	}
	if strings.Contains(page(), "At the paper's own settings") {
		t.Error("an empty section of settings")
	}
	c.ID, c.Origin = "example/settings/noise", verify.Observation
	if strings.Contains(page(), "At the paper's own settings") {
		t.Error("an observation that fails is listed")
	}
	d.Run.Results[0].Verdict = verify.Holds
	if _, after, ok := strings.Cut(page(), "### At the paper's own settings"); !ok || !strings.Contains(after, c.ID) {
		t.Errorf("no settings:\n%s", after)
	}
}
