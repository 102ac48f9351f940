package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/verify"
)

// Findings are sorted by severity, then by the order of the remarks. The readings of a statement are one finding,
// reported by the reading with the remark. Readings with their own remarks are separate findings.
func TestFindingsAreRanked(t *testing.T) {
	result := func(id string, k verify.Kind, v verify.Verdict, s verify.Sense) verify.Result {
		return verify.Result{Claim: verify.Claim{ID: id, Paper: "p", Kind: k}, Evidence: verify.Evidence{Verdict: v, Sense: s, Exact: true}}
	}
	ours := result("p/r", verify.Privacy, verify.Refuted, verify.AtMost)
	ours.Claim.Origin = verify.Reading
	results := []verify.Result{
		ours,
		result("p/a", verify.Identity, verify.Refuted, verify.Equals),
		result("p/b", verify.Identity, verify.Contradictory, verify.Equals),
		result("p/c", verify.Rate, verify.Vacuous, verify.AtMost),
		result("p/d", verify.Privacy, verify.Refuted, verify.AtMost),
		result("p/d/sampled", verify.Privacy, verify.Refuted, verify.AtMost),
		result("p/e", verify.Experiment, verify.Contradictory, verify.AtMost),
		result("p/f", verify.Privacy, verify.Holds, verify.AtMost),
		result("p/g", verify.Identity, verify.Refuted, verify.Equals),
		result("p/h", verify.Privacy, verify.Error, verify.AtMost),
		result("p/i", verify.Sensitivity, verify.Refuted, verify.AtMost),
	}
	remarks := []verify.ReviewerNote{{ID: "p/i", Impact: verify.ImpactPrivacy}, {ID: "p/g", Impact: verify.ImpactPrivacy},
		{ID: "p/a", Impact: verify.ImpactExtreme}, {ID: "p/d/sampled", Impact: verify.ImpactTheorem}}
	two := []verify.ReviewerNote{{ID: "p/d", Impact: verify.ImpactTheorem}, {ID: "p/d/sampled", Impact: verify.ImpactPrivacy}}
	for _, c := range []struct {
		remarks []verify.ReviewerNote
		want    string
	}{
		{nil, "p/d p/d/sampled | p/i | p/e | p/a | p/b | p/c | p/g"},
		{remarks, "p/i | p/g | p/d/sampled p/d | p/e | p/a | p/b | p/c"},
		{two, "p/d | p/d/sampled | p/i | p/e | p/a | p/b | p/c | p/g"},
	} {
		var got []string
		for _, f := range newLookup(Document{Run: verify.Run{Results: results}, Remarks: c.remarks}).findings(results) {
			ids := f.worst.Claim.ID
			for _, o := range f.others {
				ids += " " + o.Claim.ID
			}
			got = append(got, ids)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " | ")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// The readable report has no links into the full one, and every link of the full report has a target.
func TestLinksHaveEnds(t *testing.T) {
	for _, full := range []bool{false, true} {
		d := example()
		d.Full = full
		text := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, d) }))
		var ends []string
		for _, part := range strings.Split(text, `<a id="`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			ends = append(ends, id)
		}
		links := strings.Split(text, "](#")[1:]
		if full && len(links) < 3 {
			t.Fatalf("full %v: %d links", full, len(links))
		}
		for _, part := range links {
			if id, _, _ := strings.Cut(part, ")"); !slices.Contains(ends, id) {
				t.Errorf("full %v: nothing has the anchor %s", full, id)
			}
		}
	}
}

// An observation at the settings that a finding contains is not listed again.
func TestSettingsAreToldOnce(t *testing.T) {
	results := []verify.Result{
		{Claim: verify.Claim{ID: "p/settings/a", Paper: "p", Statement: "noise drowns the signal"}, Evidence: verify.Evidence{Verdict: verify.Holds}},
		{Claim: verify.Claim{ID: "p/settings/b", Paper: "p", Statement: "steps are long"}, Evidence: verify.Evidence{Verdict: verify.Holds}},
		{Claim: verify.Claim{ID: "p/thm", Paper: "p", Kind: verify.Rate, Statement: "it converges"}, Evidence: verify.Evidence{Verdict: verify.Refuted}},
	}
	d := Document{Run: verify.Run{Results: results},
		Remarks: []verify.ReviewerNote{{ID: "p/thm", Impact: verify.ImpactUtility, SettingsClaim: "p/settings/a", Title: "Nothing is learned"}}}
	for range shortReport { // so that the report is long
		d.Run.Results = append(d.Run.Results, verify.Result{Claim: verify.Claim{ID: "p/x", Paper: "p"}, Evidence: verify.Evidence{Verdict: verify.Holds}})
	}
	text := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, d) }))
	for _, statement := range []string{"Noise drowns the signal", "Steps are long"} {
		if n := strings.Count(text, statement); n != 1 {
			t.Errorf("%q is shown %d times:\n%s", statement, n, text)
		}
	}
}

// A finding's card shows an observation at the settings only if the run decided it. If a finding has no card, the claim
// in its SettingsClaim is listed in the section "At the paper's own settings".
func TestWhatIsNotDecidedIsNoFact(t *testing.T) {
	result := func(id string, v verify.Verdict) verify.Result {
		return verify.Result{Claim: verify.Claim{ID: id, Paper: "p", Kind: verify.Rate, Statement: "words of " + id},
			Evidence: verify.Evidence{Verdict: v}}
	}
	var d Document
	for i := range maxCards + 1 {
		id, at := fmt.Sprintf("p/thm-%d", i), fmt.Sprintf("p/settings/s%d", i)
		d.Run.Results = append(d.Run.Results, result(id, verify.Refuted), result(at, verify.Holds))
		d.Remarks = append(d.Remarks, verify.ReviewerNote{ID: id, Impact: verify.ImpactUtility, SettingsClaim: at, Title: "Finding"})
	}
	show := func() string { return string(render(t, func(b *bytes.Buffer) error { return Markdown(b, d) })) }
	last := fmt.Sprintf("ords of p/settings/s%d.", maxCards)
	if text := show(); strings.Count(text, "ords of p/settings/s0.") != 1 || strings.Count(text, last) != 1 {
		t.Errorf("an observation at the settings is shown twice, or not at all:\n%s", text)
	}
	for _, v := range []verify.Verdict{verify.NotRun, verify.Inconclusive, verify.Error, verify.Untestable} {
		d.Run.Results[1].Verdict = v
		if text := show(); strings.Contains(text, "At its settings: Words of p/settings/s0.") {
			t.Errorf("%s is shown as a fact:\n%s", v, text)
		}
	}
}

// The readable report gives the reason of an erratum only if the erratum has an impact. The full report and the
// draft erratum give all reasons.
func TestErrataInBrief(t *testing.T) {
	g := group{Paper: Paper{ID: "example", Errata: []verify.Erratum{
		{Place: "eq. (1)", Printed: "a", Meant: "b", Reason: "first", Bearing: "nothing; c is bounded"},
		{Place: "eq. (2)", Printed: "a", Meant: "b", Reason: "second", Bearing: "privacy"},
	}}}
	for brief, want := range map[bool][]string{true: {"second"}, false: {"first", "second"}} {
		sheet := Sheet{Body: g.errata(brief)}
		var text bytes.Buffer
		if err := sheet.Markdown(&text); err != nil {
			t.Fatal(err)
		}
		for _, reason := range []string{"first", "second"} {
			if got := strings.Contains(strings.ToLower(text.String()), reason); got != slices.Contains(want, reason) {
				t.Errorf("brief %t: the reason %q is shown: %t\n%s", brief, reason, got, text.String())
			}
		}
	}
}

// An observation of ours with a remark is a finding if it holds. Its card shows the observation and no claim.
func TestObservationsAreFindings(t *testing.T) {
	observed := verify.Result{Claim: verify.Claim{ID: "p/settings/a", Paper: "p", Kind: verify.Privacy, Origin: verify.Observation,
		Statement: "no record changes an output"}, Evidence: verify.Evidence{Verdict: verify.Holds, Sense: verify.AtMost,
		Claimed: verify.Num(0), Measured: verify.Num(0), Exact: true}}
	d := Document{Remarks: []verify.ReviewerNote{{ID: "p/settings/a", Impact: verify.ImpactUtility, Title: "Nothing is learned"}}}
	for _, v := range []verify.Verdict{verify.Holds, verify.Refuted, verify.NotRun} {
		observed.Verdict = v
		d.Run.Results = []verify.Result{observed}
		found := newLookup(d).found["p"]
		if v != verify.Holds {
			if len(found) != 0 {
				t.Errorf("%s: %d findings, want none", v, len(found))
			}
			continue
		}
		if len(found) != 1 || found[0].label != "U1" {
			t.Fatalf("findings %+v, want U1", found)
		}
		text := fmt.Sprint(newLookup(d).card(found[0]))
		if !strings.Contains(text, "No record changes an output") || strings.Contains(text, "Claim") {
			t.Errorf("the card: %s", text)
		}
	}
}
