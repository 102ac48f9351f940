// Package rechecked compares a report with its recomputed fields.
//
//	fields.go     the class of each field of a report
//	tree.go       comparison of stored and recomputed fields
//	claims.go     recomputed evidence for each claim
//	rechecked.go  the report as a whole
//	write.go      the result in words
package rechecked

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/recompute"
)

// Schema names the JSON form.
const Schema = "dpverify/recheck/v1"

// Standing is the outcome for one claim.
type Standing string

const (
	Recomputed Standing = "recomputed" // everything derived follows from the sufficient statistics
	Computed   Standing = "computed"   // nothing was sampled, and the repeated computation agrees
	Unmeasured Standing = "unmeasured" // there are no figures: untestable, or not run
	Open       Standing = "open"       // the report and the claims do not determine the result
	Broken     Standing = "broken"     // a derived field, or an input that was compared with the claims, differs
)

// Standings lists all standings in the order in which they are counted.
var Standings = []Standing{Broken, Recomputed, Computed, Open, Unmeasured}

// Meaning describes a standing in one clause.
func (s Standing) Meaning() string {
	switch s {
	case Recomputed:
		return "every derived field follows from the stored sufficient statistics"
	case Computed:
		return "nothing was sampled, and the computation was run again"
	case Unmeasured:
		return "no figures: untestable, or not run"
	case Open:
		return "not confirmed: nothing that it follows from is in the report"
	case Broken:
		return "something stored differs from what follows"
	}
	return "unknown"
}

// Claim is the outcome for one claim of a report. Fields are named by their paths in the claim.
type Claim struct {
	ID          string                 `json:"id"`
	Verdict     string                 `json:"verdict"` // as stored
	Standing    Standing               `json:"standing"`
	Method      string                 `json:"method,omitempty"` // method that recomputed the claim
	Why         string                 `json:"why,omitempty"`    // why a claim is open
	Differences []recompute.Difference `json:"differences,omitempty"`
	Unchecked   []string               `json:"unchecked,omitempty"` // derived fields that could not be recomputed
	Inputs      []string               `json:"inputs,omitempty"`    // fields that state the claim and were not compared
	Quoted      []string               `json:"quoted,omitempty"`    // fields that a report cannot check

	likeness bool // the likely cause was recomputed
}

// Result is the outcome for a report.
type Result struct {
	Schema    string                 `json:"schema"`
	Report    string                 `json:"report"`  // its name
	Version   string                 `json:"version"` // of the program that wrote it
	Counts    map[Standing]int       `json:"counts"`
	Whole     []recompute.Difference `json:"differences"` // of the report as a whole
	Unchecked []string               `json:"unchecked,omitempty"`
	Inputs    []string               `json:"inputs,omitempty"`
	Quoted    []string               `json:"quoted,omitempty"`
	Claims    []Claim                `json:"claims"`
	texts     bool
	against   string
}

// Known are claims that a report may be about.
type Known struct {
	Name    string // name of their file; "" for the claims of the program
	Ledger  *verify.Ledger
	Papers  []reports.Paper
	Remarks []verify.ReviewerNote
	// Computed reports whether the check of a claim may run again: it does not run a mechanism of the user.
	Computed func(id string) bool
	// Guarantees maps claim ids to the guarantees that mechanisms are audited against.
	Guarantees map[string]privacy.Guarantee
	Notes      func(verify.Run) []string                // of a report; nil is not known
	Replays    func(context.Context, *reports.Document) // repeats the replays; nil if unknown
	All        bool                                     // the report must have all of the claims
}

// Report is the report to check.
type Report struct {
	Name     string
	Raw      []byte           // as JSON
	Document reports.Document // the same, read
	Version  string           // of the program that checks it
	Claims   Known
}

// Of compares a report with its recomputed fields. It returns an error if the report cannot be read.
func Of(ctx context.Context, from Report) (Result, error) {
	d := from.Document
	stored, err := decode(from.Raw)
	if err != nil {
		return Result{}, err
	}
	if alpha := d.Run.Options.Alpha; !(alpha > 0 && alpha < 1) {
		return Result{}, fmt.Errorf("alpha %v: want an error probability in (0, 1)", alpha)
	}
	j := judging{Report: from, ctx: ctx, texts: d.Version == from.Version}
	r := Result{Schema: Schema, Report: from.Name, Version: d.Version, Counts: map[Standing]int{}, Claims: []Claim{},
		Whole: []recompute.Difference{}, texts: j.texts, against: from.Claims.Name}
	again := j.again()
	var b bytes.Buffer
	if err := reports.JSON(&b, again); err != nil {
		return Result{}, err
	}
	rendered, err := decode(b.Bytes())
	if err != nil {
		return Result{}, err
	}
	r.compare(&j, stored, rendered)
	r.sums(&j)
	for i, o := range j.outcomes {
		if j.known(o.ID) == nil && j.Claims.All {
			o.differ("id", o.ID, "no claim of "+j.Claims.Name)
		}
		o.guarantees(&j, d.Run.Results[i])
		o.settle()
		r.Claims = append(r.Claims, *o)
		r.Counts[o.Standing]++
	}
	return r, nil
}

// again returns the report with recomputed evidence, and with the known claims.
func (j *judging) again() reports.Document {
	d := j.Document
	d.Run.Results = slices.Clone(d.Run.Results)
	of := d.Run.Results
	if n := len(of); d.Run.Selected != 0 && (!d.Run.Interrupted || d.Run.Selected < n) {
		d.Run.Selected = n
	}
	known := 0
	for i := range of {
		if c := j.known(of[i].Claim.ID); c != nil {
			known++
		}
		j.judge(&of[i])
	}
	if words, _, ok := strings.Cut(d.Command, " --seed "); ok {
		program, rest, _ := strings.Cut(words, " ")
		d.Run.Options.Program = program
		d.Command = words + strings.TrimPrefix(reports.Command(d.Run.Options, strings.Fields(rest)...),
			reports.Shell(append([]string{program}, strings.Fields(rest)...)...))
	}
	d.Whole = d.Whole || audited(d.Run)
	if known == len(of) && known > 0 {
		j.all = true
		d.Papers, d.Remarks = j.Claims.Papers, j.Claims.Remarks
		if j.Claims.Notes != nil {
			d.Notes = j.Claims.Notes(d.Run)
		}
		if j.Claims.Replays != nil && len(d.Replays) > 0 && j.texts {
			d.Replays = nil
			j.Claims.Replays(j.ctx, &d)
			j.replayed = true
		}
	}
	return d
}

// audited reports whether all claims come from an audit, which weighs them equally and repeats them by one command.
func audited(run verify.Run) bool {
	return len(run.Results) > 0 && !slices.ContainsFunc(run.Results, func(r verify.Result) bool {
		return !strings.HasPrefix(r.Claim.ID, "audit/")
	})
}

// compare sorts each field of the report by the result of its comparison.
func (r *Result) compare(j *judging, stored, again any) {
	walk("", stored, again, func(path string, s, a any, same bool) {
		if strings.HasPrefix(path, "claims[") {
			var i int
			if _, err := fmt.Sscanf(path, "claims[%d]", &i); err == nil && i < len(j.outcomes) {
				j.outcomes[i].field(j, path, s, a, same)
				return
			}
		}
		switch c := classOf(path); {
		case c == unknown:
			r.differ(path, shown(s), "no field of "+reports.ReportSchema)
		case c == free:
			r.Quoted = note(r.Quoted, path, s)
		case c == input && !(j.all && compared(path)):
			r.Inputs = note(r.Inputs, path, s)
		case strings.HasPrefix(path, "replays") && !j.replayed:
			r.Unchecked = note(r.Unchecked, path, s)
		case !same:
			r.differ(path, shown(s), shown(a))
		}
	})
	if j.Claims.All {
		for _, c := range j.Claims.Ledger.Claims() {
			if !slices.ContainsFunc(j.outcomes, func(o *Claim) bool { return o.ID == c.ID }) {
				r.differ("claims", "none with the id "+c.ID, "one, as "+j.Claims.Name+" says")
			}
		}
	}
	if run := j.Document.Run; run.Selected > len(run.Results) {
		r.Unchecked = append(r.Unchecked, fmt.Sprintf("claims: %d of the %d that were selected are in the report",
			len(run.Results), run.Selected))
	}
}

// compared reports whether a field of the whole report is an input that follows from the claims.
func compared(path string) bool {
	return strings.HasPrefix(path, "papers") || strings.HasPrefix(path, "notes")
}

// sums checks that the claims share the error probability of the report.
func (r *Result) sums(j *judging) {
	sum := 0.0
	for _, c := range j.Document.Run.Results {
		sum += c.Alpha
	}
	if alpha := j.Document.Run.Options.Alpha; !(sum <= alpha*(1+1e-9)) {
		r.differ("alpha", fmt.Sprint(alpha), fmt.Sprintf("%v, the sum of the claims' shares", sum))
	}
}

func (r *Result) differ(field, stored, again string) {
	r.Whole = append(r.Whole, recompute.Difference{Field: field, Stored: stored, Recomputed: again})
}

// note adds the name of a field to a list, if the field says anything and is not there yet.
func note(list []string, path string, stored any) []string {
	path, _, _ = strings.Cut(path, "[")
	if none(stored) || slices.Contains(list, path) {
		return list
	}
	return append(list, path)
}

// Err returns an error that names the claims with differences, or nil.
func (r Result) Err() error {
	var ids []string
	for _, c := range r.Claims {
		if c.Standing == Broken {
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

// Open returns an error with the number of claims that could not be recomputed, nil if all were.
func (r Result) Open() error {
	n := 0
	for _, c := range r.Claims {
		if c.Standing == Open || len(c.Unchecked) > 0 {
			n++
		}
	}
	switch {
	case n > 0:
		return fmt.Errorf("%d of %d claims have fields that cannot be computed again", n, len(r.Claims))
	case len(r.Unchecked) > 0:
		return fmt.Errorf("the report has fields that cannot be computed again: %s", strings.Join(r.Unchecked, ", "))
	}
	return nil
}
