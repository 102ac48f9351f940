package claims_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims"
	"github.com/google/go-cmp/cmp"
)

// Limits on reviewer notes, so that a report stays readable.
const (
	titleWords = 20  // words in a title
	whyInFull  = 320 // characters in a reason
	inFull     = 3   // largest number of findings per paper with a consequence, which reports show in full
	inFullMin  = 3   // smallest number of these findings
)

// A remarks file lists exactly the items of the paper's claims, because reports follow this order.
func TestItemsAreListed(t *testing.T) {
	ledger, _ := recorded(t)
	for _, p := range claims.Papers() {
		used := make(map[string]bool)
		for _, c := range ledger.Claims() {
			if c.Paper == p.ID {
				item, _, _ := strings.Cut(strings.TrimPrefix(c.ID, p.ID+"/"), "/")
				used[item] = true
			}
		}
		want := slices.Sorted(maps.Keys(used))
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(p.Items))); diff != "" {
			t.Errorf("items of %s in its remarks file (-claims +items):\n%s", p.ID, diff)
		}
	}
}

// measuredFigure matches numbers that a run computes or measures, but not the numbers of theorems and equations.
var measuredFigure = regexp.MustCompile(`\d\.\d|\d{3}`)

// recorded returns the claim set and its recorded verdicts by claim id.
func recorded(t *testing.T) (*verify.Ledger, map[string]verify.Verdict) {
	t.Helper()
	ledger, err := claims.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join("..", "..", "testdata", "baseline.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := reports.ReadBaseline(f)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := make(map[string]verify.Verdict)
	for _, c := range b.Claims {
		verdicts[c.ID] = c.Verdict
	}
	return ledger, verdicts
}

func fails(v verify.Verdict) bool {
	return v == verify.Refuted || v == verify.Contradictory || v == verify.Vacuous
}

// root returns the statement to which reports assign a claim: the shortest prefix of its id that is also a claim's id.
func root(l *verify.Ledger, id string) string {
	for i, r := range id {
		if r != '/' {
			continue
		}
		if c, ok := l.Find(id[:i]); ok && c.ID == id[:i] {
			return c.ID
		}
	}
	return id
}

func remarksOn(t *testing.T, paper string) []verify.ReviewerNote {
	t.Helper()
	all, err := claims.ReviewerNotes()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(r verify.ReviewerNote) bool { return !strings.HasPrefix(r.ID, paper+"/") })
}

// Every false statement has a reviewer note. No other claim has one, except observations that are findings and claims
// that were not run without their data.
func TestFindingsHaveRemarks(t *testing.T) {
	ledger, verdicts := recorded(t)
	for _, p := range claims.Papers() {
		t.Run(p.ID, func(t *testing.T) {
			all := remarksOn(t, p.ID)
			remarked := make(map[string]bool) // statements with a note
			seen := make(map[string]bool)
			for _, r := range all {
				c, ok := ledger.Find(r.ID)
				switch {
				case !ok || c.ID != r.ID:
					t.Errorf("%s is not the id of a claim", r.ID)
				case seen[r.ID]:
					t.Errorf("%s has two notes", r.ID)
				case c.Origin == verify.Observation && verdicts[r.ID] == verify.Holds: // reported as a finding
				case !fails(verdicts[r.ID]) && verdicts[r.ID] != verify.NotRun:
					t.Errorf("%s has a note but its recorded verdict is %s", r.ID, verdicts[r.ID])
				case c.Origin == verify.Reading || c.Origin == verify.Correction:
					t.Errorf("%s has a note but its origin is %s, which no report lists as a finding", r.ID, c.Origin)
				}
				seen[r.ID], remarked[root(ledger, r.ID)] = true, true
			}
			for _, c := range ledger.Claims() {
				if statement := root(ledger, c.ID); c.Paper == p.ID && fails(verdicts[c.ID]) &&
					c.Origin != verify.Reading && c.Origin != verify.Correction && !remarked[statement] {
					t.Errorf("%s is %s, and no claim under %s has a note", c.ID, verdicts[c.ID], statement)
					remarked[statement] = true // report a statement once
				}
			}
		})
	}
}

// Every reviewer note is complete and within the limits, and each paper has the right number of consequences.
func TestRemarksAreReadable(t *testing.T) {
	ledger, _ := recorded(t)
	for _, p := range claims.Papers() {
		t.Run(p.ID, func(t *testing.T) {
			all := remarksOn(t, p.ID)
			consequences := 0
			for _, r := range all {
				if r.Consequence != "" {
					consequences++
				}
				for _, complaint := range complaints(ledger, p.ID, r) {
					t.Errorf("%s: %s", r.ID, complaint)
				}
			}
			if consequences < inFullMin || consequences > inFull {
				t.Errorf("%d findings have a consequence, want %d to %d", consequences, inFullMin, inFull)
			}
		})
	}
}

// complaints returns the faults of a reviewer note on a paper's claim.
func complaints(ledger *verify.Ledger, paper string, r verify.ReviewerNote) []string {
	var all []string
	wrong := func(fault bool, message string) {
		if fault {
			all = append(all, message)
		}
	}
	shown, found := ledger.Find(r.SettingsClaim)
	wrong(r.SettingsClaim == "" && (r.Impact == verify.ImpactPrivacy || r.Impact == verify.ImpactUtility),
		"impact "+string(r.Impact)+" needs a claim that shows it at the paper's settings")
	wrong(r.SettingsClaim != "" && !(found && shown.ID == r.SettingsClaim && shown.Paper == paper),
		"shown: "+r.SettingsClaim+" is not a claim of the paper")
	drawn, found := ledger.Find(r.Picture)
	wrong(r.Picture != "" && !(found && drawn.ID == r.Picture && drawn.Paper == paper),
		"picture: "+r.Picture+" is not a claim of the paper")
	wrong((r.Picture == "") != (r.Caption == ""), "a picture without a caption, or a caption without a picture")
	wrong(measuredFigure.MatchString(r.Title), "measured number in the title: write {claimed} or {found}")
	wrong(r.Title == "", "no title")
	wrong(len(strings.Fields(r.Title)) > titleWords, "title with too many words")
	wrong(utf8.RuneCountInString(r.Reason) > whyInFull, "reason with too many characters")
	wrong(r.Consequence != "" && r.Reason == "", "consequence without a reason")
	for _, formula := range []string{r.Formula, r.CorrectedFormula} {
		wrong(strings.ContainsAny(formula, "\\$\n"), "formula in TeX, want one line of Unicode text: "+formula)
	}
	return all
}

// Each fault of a reviewer note gives exactly one complaint.
func TestComplaints(t *testing.T) {
	ledger, _ := recorded(t)
	good := verify.ReviewerNote{ID: "prestige/lemma-2", Impact: verify.ImpactTheorem, Title: "Twice", Reason: "so",
		Formula: "a/b ≤ c²"}
	if got := complaints(ledger, "prestige", good); len(got) > 0 {
		t.Errorf("complaints about a good note: %q", got)
	}
	for name, spoil := range map[string]func(*verify.ReviewerNote){
		"privacy without a claim that shows it": func(r *verify.ReviewerNote) { r.Impact = verify.ImpactPrivacy },
		"shown by an unknown claim":             func(r *verify.ReviewerNote) { r.SettingsClaim = "prestige/nothing" },
		"shown by another paper's claim":        func(r *verify.ReviewerNote) { r.SettingsClaim = "curricula/settings/noise" },
		"picture of an unknown claim":           func(r *verify.ReviewerNote) { r.Picture, r.Caption = "prestige/nothing", "c" },
		"picture without a caption":             func(r *verify.ReviewerNote) { r.Picture = r.ID },
		"measured number in the title":          func(r *verify.ReviewerNote) { r.Title = "2.07 times" },
		"long title":                            func(r *verify.ReviewerNote) { r.Title = strings.Repeat("a ", titleWords+1) },
		"long reason":                           func(r *verify.ReviewerNote) { r.Reason = strings.Repeat("é", whyInFull+1) },
		"consequence without a reason":          func(r *verify.ReviewerNote) { r.Reason, r.Consequence = "", "c" },
		"no title":                              func(r *verify.ReviewerNote) { r.Title = "" },
		"TeX":                                   func(r *verify.ReviewerNote) { r.CorrectedFormula = `\frac{a}{b}` },
		"dollar signs":                          func(r *verify.ReviewerNote) { r.Formula = "$a$" },
	} {
		bad := good
		spoil(&bad)
		if got := complaints(ledger, "prestige", bad); len(got) != 1 {
			t.Errorf("%s: complaints %q, want one", name, got)
		}
	}
}
