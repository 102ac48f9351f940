package cli

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
)

// recheckSchema names the JSON form.
const recheckSchema = "dpverify/recheck/v1"

// recheckStanding is the outcome for one claim.
type recheckStanding string

const (
	standingRecomputed recheckStanding = "recomputed" // everything derived follows from the sufficient statistics
	standingComputed   recheckStanding = "computed"   // nothing was sampled, and the repeated computation agrees
	standingUnmeasured recheckStanding = "unmeasured" // there are no figures: untestable, or not run
	standingOpen       recheckStanding = "open"       // the report and the claims do not determine the result
	standingBroken     recheckStanding = "broken"     // a derived field, or a compared input, differs
)

// recheckStandings lists all standings in the order in which they are counted.
var recheckStandings = []recheckStanding{standingBroken, standingRecomputed, standingComputed, standingOpen,
	standingUnmeasured}

// Meaning describes a standing in one clause.
func (s recheckStanding) Meaning() string {
	switch s {
	case standingRecomputed:
		return "every derived field follows from the stored sufficient statistics"
	case standingComputed:
		return "no samples; the computation was repeated"
	case standingUnmeasured:
		return "no figures: untestable, or not run"
	case standingOpen:
		return "not confirmed: the report lacks the statistics to recompute it"
	case standingBroken:
		return "a stored field differs from the recomputed one"
	}
	return "unknown"
}

// recheckedClaim is the outcome for one claim of a report. Fields are named by their paths in the claim.
type recheckedClaim struct {
	ID          string              `json:"id"`
	Verdict     string              `json:"verdict"` // as stored
	Standing    recheckStanding     `json:"standing"`
	Method      string              `json:"method,omitempty"` // method that recomputed the claim
	Why         string              `json:"why,omitempty"`    // why a claim is open
	Differences []verify.Difference `json:"differences,omitempty"`
	Unchecked   []string            `json:"unchecked,omitempty"` // derived fields that could not be recomputed
	Inputs      []string            `json:"inputs,omitempty"`    // fields that state the claim and were not compared
	Quoted      []string            `json:"quoted,omitempty"`    // fields that a report cannot check

	likeness bool // the likely cause was recomputed
}

// recheckResult is the outcome for a report.
type recheckResult struct {
	Schema    string                  `json:"schema"`
	Report    string                  `json:"report"`  // its name
	Version   string                  `json:"version"` // of the program that wrote it
	Counts    map[recheckStanding]int `json:"counts"`
	Whole     []verify.Difference     `json:"differences"` // of the report as a whole
	Unchecked []string                `json:"unchecked,omitempty"`
	Inputs    []string                `json:"inputs,omitempty"`
	Quoted    []string                `json:"quoted,omitempty"`
	Claims    []recheckedClaim        `json:"claims"`
	texts     bool
	against   string
}

// knownClaims are claims that a report may be about.
type knownClaims struct {
	Name    string // name of their file; "" for the claims of the program
	Ledger  *verify.Ledger
	Papers  []reports.Paper
	Remarks []verify.ReviewerNote
	// Computed reports whether the check of a claim may run again: it does not run a mechanism of the user.
	Computed func(id string) bool
	// Guarantees maps claim ids to the guarantees that mechanisms are audited against.
	Guarantees map[string]privacy.Guarantee
	// Notes returns the notes of a report that has the stored ones; nil is not known.
	Notes func(stored []string, run verify.Run) []string
	All   bool // the report must have all of the claims
}

// recheckInput is the report to check.
type recheckInput struct {
	Name     string
	Raw      []byte           // as JSON
	Document reports.Document // the same, read
	Version  string           // of the program that checks it
	Claims   knownClaims
}

// recheckReport compares a report with its recomputed fields. It returns an error if the report cannot be read.
func recheckReport(ctx context.Context, from recheckInput) (recheckResult, error) {
	d := from.Document
	stored, err := decodeExact(from.Raw)
	if err != nil {
		return recheckResult{}, err
	}
	if alpha := d.Run.Options.Alpha; !(alpha > 0 && alpha < 1) {
		return recheckResult{}, fmt.Errorf("alpha %v: want an error probability in (0, 1)", alpha)
	}
	j := recheckedRun{recheckInput: from, ctx: ctx, texts: d.Version == from.Version}
	r := recheckResult{Schema: recheckSchema, Report: from.Name, Version: d.Version, Counts: map[recheckStanding]int{},
		Claims: []recheckedClaim{},
		Whole:  []verify.Difference{}, texts: j.texts, against: from.Claims.Name}
	again := j.again()
	var b bytes.Buffer
	if err := reports.JSON(&b, again); err != nil {
		return recheckResult{}, err
	}
	rendered, err := decodeExact(b.Bytes())
	if err != nil {
		return recheckResult{}, err
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
func (j *recheckedRun) again() reports.Document {
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
	d.Whole = d.Whole || isAudit(d.Run)
	if known == len(of) && known > 0 {
		j.all = true
		d.Papers, d.Remarks = j.Claims.Papers, j.Claims.Remarks
		if j.Claims.Notes != nil {
			d.Notes = j.Claims.Notes(d.Notes, d.Run)
		}
	}
	return d
}

// isAudit reports whether all claims come from an audit, which weighs them equally and repeats them by one command.
func isAudit(run verify.Run) bool {
	return len(run.Results) > 0 && !slices.ContainsFunc(run.Results, func(r verify.Result) bool {
		return !strings.HasPrefix(r.Claim.ID, "audit/")
	})
}

// compare sorts each field of the report by the result of its comparison.
func (r *recheckResult) compare(j *recheckedRun, stored, again any) {
	walkFields("", stored, again, func(path string, s, a any, same bool) {
		if strings.HasPrefix(path, "claims[") {
			var i int
			if _, err := fmt.Sscanf(path, "claims[%d]", &i); err == nil && i < len(j.outcomes) {
				j.outcomes[i].field(j, path, s, a, same)
				return
			}
		}
		switch c := classOf(path); {
		case c == unknownClass:
			r.differ(path, shownField(s), "not a field of "+reports.ReportSchema)
		case c == freeClass:
			r.Quoted = noteField(r.Quoted, path, s)
		case c == inputClass && !(j.all && isComparedInput(path)):
			r.Inputs = noteField(r.Inputs, path, s)
		case strings.HasPrefix(path, "replays"): // of an older version
			r.Unchecked = noteField(r.Unchecked, path, s)
		case !same:
			r.differ(path, shownField(s), shownField(a))
		}
	})
	if j.Claims.All {
		for _, c := range j.Claims.Ledger.Claims() {
			if !slices.ContainsFunc(j.outcomes, func(o *recheckedClaim) bool { return o.ID == c.ID }) {
				r.differ("claims", "no claim with the id "+c.ID, "a claim in "+j.Claims.Name)
			}
		}
	}
	if run := j.Document.Run; run.Selected > len(run.Results) {
		r.Unchecked = append(r.Unchecked, fmt.Sprintf("claims: the report has %d of the %d selected claims",
			len(run.Results), run.Selected))
	}
}

// isComparedInput reports whether a field of the whole report is an input that follows from the claims.
func isComparedInput(path string) bool {
	return strings.HasPrefix(path, "papers") || strings.HasPrefix(path, "notes")
}

// sums checks that the claims share the error probability of the report.
func (r *recheckResult) sums(j *recheckedRun) {
	sum := 0.0
	for _, c := range j.Document.Run.Results {
		sum += c.Alpha
	}
	if alpha := j.Document.Run.Options.Alpha; !(sum <= alpha*(1+1e-9)) {
		r.differ("alpha", fmt.Sprint(alpha), fmt.Sprintf("%v, the sum of the claims' shares", sum))
	}
}

func (r *recheckResult) differ(field, stored, again string) {
	r.Whole = append(r.Whole, verify.Difference{Field: field, Stored: stored, Recomputed: again})
}

// noteField adds the name of a field to a list, if the field says anything and is not there yet.
func noteField(list []string, path string, stored any) []string {
	path, _, _ = strings.Cut(path, "[")
	if isEmptyField(stored) || slices.Contains(list, path) {
		return list
	}
	return append(list, path)
}

// Err returns an error that names the claims with differences, or nil.
func (r recheckResult) Err() error {
	var ids []string
	for _, c := range r.Claims {
		if c.Standing == standingBroken {
			ids = append(ids, c.ID)
		}
	}
	const maxShown = 10
	switch more := len(ids) - maxShown; {
	case len(r.Whole) > 0 && len(ids) == 0:
		return errors.New("the report contradicts itself")
	case len(ids) == 0:
		return nil
	case more > 0:
		return fmt.Errorf("%d of %d claims do not follow from the report's statistics: %s, and %d more", len(ids),
			len(r.Claims), strings.Join(ids[:maxShown], ", "), more)
	}
	return fmt.Errorf("%d of %d claims do not follow from the report's statistics: %s", len(ids), len(r.Claims),
		strings.Join(ids, ", "))
}

// Open returns an error with the number of claims that could not be recomputed, nil if all were.
func (r recheckResult) Open() error {
	n := 0
	for _, c := range r.Claims {
		if c.Standing == standingOpen || len(c.Unchecked) > 0 {
			n++
		}
	}
	switch {
	case n > 0:
		return fmt.Errorf("%d of %d claims have fields that cannot be recomputed", n, len(r.Claims))
	case len(r.Unchecked) > 0:
		return fmt.Errorf("the report has fields that cannot be recomputed: %s", strings.Join(r.Unchecked, ", "))
	}
	return nil
}
