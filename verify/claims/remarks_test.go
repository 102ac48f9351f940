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

// How long a remark may be, in characters: it is read, and read to its end.
const (
	titleWords = 20
	whyInFull  = 320 // of a finding with a card
	inFull     = 3   // findings of a paper with a consequence, which get a card
	inFullMin  = 3
)

// The items of a paper are those of its claims, so that reports can follow the paper's order.
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

// measuredFigure matches figures that a run computes or measures, unlike the numbers of theorems and equations.
var measuredFigure = regexp.MustCompile(`\d\.\d|\d{3}`)

// recorded are the ledger and its recorded verdicts by id.
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

// root is the statement that a claim is a reading of, as reports have it: the shortest id at or
// above it that is a claim.
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

// Every statement that fails has a remark. No other has one, except observations that are findings, and claims that may
// fail with their data.
func TestFindingsHaveRemarks(t *testing.T) {
	ledger, verdicts := recorded(t)
	for _, p := range claims.Papers() {
		t.Run(p.ID, func(t *testing.T) {
			all := remarksOn(t, p.ID)
			remarked := make(map[string]bool) // by the statement
			seen := make(map[string]bool)
			for _, r := range all {
				c, ok := ledger.Find(r.ID)
				switch {
				case !ok || c.ID != r.ID:
					t.Errorf("%s is no claim of the ledger", r.ID)
				case seen[r.ID]:
					t.Errorf("%s has two remarks", r.ID)
				case c.Origin == verify.Observation && verdicts[r.ID] == verify.Holds: // a finding of its own
				case !fails(verdicts[r.ID]) && verdicts[r.ID] != verify.NotRun:
					t.Errorf("%s has a remark and is recorded as %s", r.ID, verdicts[r.ID])
				case c.Origin == verify.Reading || c.Origin == verify.Correction:
					t.Errorf("%s has a remark and is a %s, which no report lists as a finding", r.ID, c.Origin)
				}
				seen[r.ID], remarked[root(ledger, r.ID)] = true, true
			}
			for _, c := range ledger.Claims() {
				if statement := root(ledger, c.ID); c.Paper == p.ID && fails(verdicts[c.ID]) &&
					c.Origin != verify.Reading && c.Origin != verify.Correction && !remarked[statement] {
					t.Errorf("%s is %s and neither it nor another claim of %s has a remark", c.ID, verdicts[c.ID], statement)
					remarked[statement] = true // say it once
				}
			}
		})
	}
}

// A remark says what its bearing needs, in the length that a report has for it.
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
				t.Errorf("%d findings have a consequence: want %d to %d, the gravest", consequences, inFullMin, inFull)
			}
		})
	}
}

// complaints of a remark on a paper's claim.
func complaints(ledger *verify.Ledger, paper string, r verify.ReviewerNote) []string {
	var all []string
	wrong := func(when bool, what string) {
		if when {
			all = append(all, what)
		}
	}
	shown, found := ledger.Find(r.SettingsClaim)
	wrong(r.SettingsClaim == "" && (r.Impact == verify.ImpactPrivacy || r.Impact == verify.ImpactUtility),
		"it bears on "+string(r.Impact)+" and names no claim that shows it at the paper's settings")
	wrong(r.SettingsClaim != "" && !(found && shown.ID == r.SettingsClaim && shown.Paper == paper),
		"shown by "+r.SettingsClaim+", which is no claim of the paper")
	drawn, found := ledger.Find(r.Picture)
	wrong(r.Picture != "" && !(found && drawn.ID == r.Picture && drawn.Paper == paper),
		"a picture of "+r.Picture+", which is no claim of the paper")
	wrong((r.Picture == "") != (r.Caption == ""), "a picture without a caption, or a caption without a picture")
	wrong(measuredFigure.MatchString(r.Title), "a measured figure in the title: write {claimed} or {found}")
	wrong(r.Title == "", "no title")
	wrong(len(strings.Fields(r.Title)) > titleWords, "a title of too many words")
	wrong(utf8.RuneCountInString(r.Reason) > whyInFull, "a reason of too many characters")
	wrong(r.Consequence != "" && r.Reason == "", "a consequence and no reason")
	for _, formula := range []string{r.Formula, r.CorrectedFormula} {
		wrong(strings.ContainsAny(formula, "\\$\n"), "a formula in TeX: write one line of Unicode text: "+formula)
	}
	return all
}

// The checks above see what they are for.
func TestComplaints(t *testing.T) {
	ledger, _ := recorded(t)
	good := verify.ReviewerNote{ID: "prestige/lemma-2", Impact: verify.ImpactTheorem, Title: "Twice", Reason: "so",
		Formula: "a/b ≤ c²"}
	if got := complaints(ledger, "prestige", good); len(got) > 0 {
		t.Errorf("a good remark: %q", got)
	}
	for name, spoil := range map[string]func(*verify.ReviewerNote){
		"privacy without a claim that shows it": func(r *verify.ReviewerNote) { r.Impact = verify.ImpactPrivacy },
		"shown by no claim":                     func(r *verify.ReviewerNote) { r.SettingsClaim = "prestige/nothing" },
		"shown by another paper's claim":        func(r *verify.ReviewerNote) { r.SettingsClaim = "curricula/settings/noise" },
		"a picture of no claim":                 func(r *verify.ReviewerNote) { r.Picture, r.Caption = "prestige/nothing", "c" },
		"a picture without words":               func(r *verify.ReviewerNote) { r.Picture = r.ID },
		"figures in the title":                  func(r *verify.ReviewerNote) { r.Title = "2.07 times" },
		"a long title":                          func(r *verify.ReviewerNote) { r.Title = strings.Repeat("a ", titleWords+1) },
		"a long reason":                         func(r *verify.ReviewerNote) { r.Reason = strings.Repeat("é", whyInFull+1) },
		"a consequence without a reason":        func(r *verify.ReviewerNote) { r.Reason, r.Consequence = "", "c" },
		"no title":                              func(r *verify.ReviewerNote) { r.Title = "" },
		"TeX":                                   func(r *verify.ReviewerNote) { r.CorrectedFormula = `\frac{a}{b}` },
		"dollar signs":                          func(r *verify.ReviewerNote) { r.Formula = "$a$" },
	} {
		spoilt := good
		spoil(&spoilt)
		if got := complaints(ledger, "prestige", spoilt); len(got) != 1 {
			t.Errorf("%s: %q, want one complaint", name, got)
		}
	}
}
