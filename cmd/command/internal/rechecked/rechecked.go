// Package rechecked writes what became of a report that was judged again.
package rechecked

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/recheck"
)

// Schema names the JSON form.
const Schema = "dpverify/recheck/v1"

// Result is a report that was judged again.
type Result struct {
	Schema  string                   `json:"schema"`
	Report  string                   `json:"report"`  // its name
	Version string                   `json:"version"` // that wrote it
	Counts  map[recheck.Standing]int `json:"counts"`
	Whole   []recheck.Difference     `json:"differences"` // of the report as a whole
	Claims  []recheck.Claim          `json:"claims"`
	texts   bool
}

// Of judges a report again. The shares of alpha are those of the ledger, for its claims, where the report is of
// this version.
func Of(name string, d reports.Document, version string, ledger *verify.Ledger) Result {
	r := Result{Schema: Schema, Report: name, Version: d.Version, Counts: map[recheck.Standing]int{},
		Claims: []recheck.Claim{},
		Whole:  []recheck.Difference{}, texts: d.Version == version}
	claims, whole := recheck.Run(d.Run, r.texts)
	r.Claims, r.Whole = append(r.Claims, claims...), append(r.Whole, whole...)
	if r.texts && ledger != nil {
		r.shares(d.Run, ledger)
	}
	for _, c := range r.Claims {
		r.Counts[c.Standing]++
	}
	return r
}

// shares holds each claim of the ledger against its share of alpha.
func (r *Result) shares(run verify.Run, ledger *verify.Ledger) {
	known := make(map[string]verify.Claim)
	for _, c := range ledger.Claims() {
		known[c.ID] = c
	}
	for i, result := range run.Results {
		c, ok := known[result.Claim.ID]
		if want := ledger.Alpha(c, run.Options.Alpha); ok && !recheck.Same(result.Alpha, want) {
			at := &r.Claims[i]
			at.Standing = recheck.Broken
			at.Differences = append(at.Differences, recheck.Difference{Field: "alpha", Stored: fmt.Sprint(result.Alpha),
				Recomputed: fmt.Sprint(want)})
		}
	}
}

// Err names the claims of which something does not follow; nil where all does.
func (r Result) Err() error {
	var ids []string
	for _, c := range r.Claims {
		if c.Standing == recheck.Broken {
			ids = append(ids, c.ID)
		}
	}
	const most = 10
	switch more := len(ids) - most; {
	case len(r.Whole) > 0 && len(ids) == 0:
		return errors.New("the report contradicts itself")
	case len(ids) == 0:
		return nil
	case more > 0:
		return fmt.Errorf("%d of %d claims do not follow from what the report stores: %s, and %d more", len(ids),
			len(r.Claims), strings.Join(ids[:most], ", "), more)
	}
	return fmt.Errorf("%d of %d claims do not follow from what the report stores: %s", len(ids), len(r.Claims),
		strings.Join(ids, ", "))
}

// Open names the claims that could not be judged again; nil where there are none.
func (r Result) Open() error {
	if n := r.Counts[recheck.Open]; n > 0 {
		return fmt.Errorf("%d of %d claims cannot be judged again from the report", n, len(r.Claims))
	}
	return nil
}

// JSON writes the result.
func JSON(w io.Writer, r Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Markdown writes the counts, the places that do not follow, and what cannot be judged again.
func Markdown(w io.Writer, r Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, judged again\n\nNo mechanism was run, and nothing was sampled.\n\n", r.Report)
	b.WriteString("| Standing | Claims | Meaning |\n| :-- | --: | :-- |\n")
	for _, s := range recheck.Standings {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", s, r.Counts[s], s.Meaning())
	}
	r.differences(&b)
	r.methods(&b)
	r.reasons(&b)
	if !r.texts {
		fmt.Fprintf(&b, "\nThe report was written by version %s: its sentences were not compared, and its figures "+
			"were.\n", r.Version)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Result) differences(b *strings.Builder) {
	if r.Counts[recheck.Broken] == 0 && len(r.Whole) == 0 {
		return
	}
	b.WriteString("\n## What does not follow\n\n| Claim | Field | Stored | Recomputed |\n| :-- | :-- | :-- | :-- |\n")
	row := func(id string, d recheck.Difference) {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(id), cell(d.Field), cell(d.Stored), cell(d.Recomputed))
	}
	for _, d := range r.Whole {
		row("the report", d)
	}
	for _, c := range r.Claims {
		for _, d := range c.Differences {
			row(c.ID, d)
		}
	}
}

// methods counts what was recomputed by each.
func (r Result) methods(b *strings.Builder) {
	counts := make(map[string]int)
	for _, c := range r.Claims {
		if c.Standing == recheck.Recomputed {
			counts[c.Method]++
		}
	}
	if len(counts) == 0 {
		return
	}
	b.WriteString("\n## Recomputed\n\n| From the counts of | Claims |\n| :-- | --: |\n")
	for _, method := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(b, "| %s | %d |\n", cell(method), counts[method])
	}
}

// reasons names what cannot be judged again, and what beside a verdict follows from no counts.
func (r Result) reasons(b *strings.Builder) {
	of := make(map[string][]string)
	for _, c := range r.Claims {
		if c.Standing == recheck.Open {
			of[c.Why] = append(of[c.Why], c.ID)
		}
		if n := len(c.Unchecked); n > 0 {
			why := "of these the verdict was judged again, and not the figures beside it"
			of[why] = append(of[why], c.ID)
		}
	}
	if len(of) == 0 {
		return
	}
	b.WriteString("\n## Not recomputable\n\n")
	for _, why := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(b, "- %s: %s\n", why, strings.Join(of[why], ", "))
	}
}

// cell keeps a text within a cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s)
}
