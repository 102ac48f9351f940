package reports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictjson"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// ReportSchema names the JSON form of a run. New versions only add fields, and no field changes its meaning.
const ReportSchema = "dpverify/report/v1"

type jsonReport struct {
	Schema      string        `json:"schema"`
	Version     string        `json:"version"`
	Seed        string        `json:"seed"` // a string, because it may exceed the integers that a double represents
	Alpha       float64       `json:"alpha"`
	Budget      verify.Budget `json:"budget"`
	Go          string        `json:"go"`
	Title       string        `json:"title,omitempty"`
	Command     string        `json:"command,omitempty"`
	Interrupted bool          `json:"interrupted,omitempty"`
	Selected    int           `json:"selected,omitempty"` // number of claims to judge
	Notes       []string      `json:"notes,omitempty"`
	Papers      []Paper       `json:"papers,omitempty"`
	Counts      []originCount `json:"counts,omitempty"` // of the claims, by paper and origin
	Claims      []jsonClaim   `json:"claims"`
}

type jsonClaim struct {
	ID        string          `json:"id"`
	Paper     string          `json:"paper"`
	Source    string          `json:"source"`
	Statement string          `json:"statement"`
	Kind      verify.Kind     `json:"kind"`
	Origin    verify.Origin   `json:"origin"` // "" if not known
	Place     string          `json:"place"`
	Formerly  []string        `json:"formerly,omitempty"` // former ids of the claim
	Verdict   verify.Verdict  `json:"verdict"`
	Severity  Severity        `json:"severity,omitempty"`  // of a failing claim that is not ours, from 1, the gravest
	Direction string          `json:"direction,omitempty"` // of the privacy loss: see [DirectionViolated]
	Exact     bool            `json:"exact"`
	Quantity  string          `json:"quantity"`
	Sense     verify.Sense    `json:"sense"` // the claim states: measured sense claimed; "" if it states no value
	Claimed   verify.Number   `json:"claimed"`
	Measured  verify.Number   `json:"measured"`
	Lower     verify.Number   `json:"lower"`
	Upper     verify.Number   `json:"upper"`
	Ratio     verify.Number   `json:"ratio"`
	Alpha     float64         `json:"alpha"`
	Samples   int64           `json:"samples"`
	Method    string          `json:"method"`
	Power     string          `json:"power"`
	Detects   *verify.Detects `json:"detects"`     // the power in figures
	Sizes     *verify.Sizes   `json:"sizes"`       // of the violations in the power statement
	Delta     verify.Number   `json:"delta_lower"` // certified at the claimed ε
	Levels    []struct {
		Alpha   float64 `json:"alpha"`
		Samples int64   `json:"samples"`
	} `json:"levels,omitempty"` // of a sequential test
	Violated *verify.CurveViolation `json:"violated_at,omitempty"` // point of a claimed curve
	Assumed  []verify.AssumedLimit  `json:"assumed,omitempty"`     // of an audit of one training run
	// Observed is the account of the training that a log shows.
	Observed  *verify.ObservedAccount `json:"observed,omitempty"`
	Band      *verify.ConfidenceBand  `json:"band,omitempty"`
	Why       *verify.Diagnosis       `json:"why,omitempty"` // of a refuted privacy claim
	Witness   string                  `json:"witness"`
	Cells     []verify.Cell           `json:"cells"`
	Series    []verify.Curve          `json:"series"`
	Corrected string                  `json:"corrected"`
	Data      string                  `json:"data"`
	Warnings  []string                `json:"warnings"`
	Unseeded  bool                    `json:"unseeded,omitempty"`
	Tried     *verify.Tried           `json:"tried"` // the compared cases
	// The verdict decides which of the next three fields is present.
	Attempt   string                       `json:"attempt"`
	Counter   *verify.Counterexample       `json:"counterexample"`
	Needed    string                       `json:"needed"`
	Remark    *verify.ReviewerNote         `json:"remark,omitempty"` // reviewer's note on a finding
	Reproduce string                       `json:"reproduce"`
	Basis     *verify.SufficientStatistics `json:"basis,omitempty"`   // from which the sampled figures are computed
	Seconds   *float64                     `json:"seconds,omitempty"` // duration, with --times
}

// JSON writes a run as dpverify/report/v1, in full precision.
func JSON(w io.Writer, d Document) error {
	o := d.Run.Options
	report := jsonReport{
		Schema: ReportSchema, Version: d.Version, Seed: strconv.FormatUint(o.Seed, 10), Alpha: o.Alpha, Budget: o.Budget,
		Go:    d.Go,
		Title: d.Title, Command: d.Command, Interrupted: d.Run.Interrupted, Selected: d.Run.Selected, Notes: d.Notes,
		Claims: []jsonClaim{},
	}
	for _, g := range d.groups() {
		report.Counts = append(report.Counts, g.byOrigins()...)
		if slices.ContainsFunc(d.Papers, func(p Paper) bool { return p.ID == g.ID }) {
			report.Papers = append(report.Papers, g.Paper)
		}
	}
	severities := newLookup(d).severities
	for _, r := range d.Run.Results {
		claim := claimToJSON(r, d.repeat(r.Claim.ID))
		failed := severities[r.Claim.ID]
		claim.Severity, claim.Direction = failed.Severity, failed.direction
		if i := slices.IndexFunc(d.Remarks, func(m verify.ReviewerNote) bool { return m.ID == r.Claim.ID }); i >= 0 {
			note := d.Remarks[i]
			note.Rank, note.Title = i+1, filledTitle(note, r.Evidence)
			claim.Remark = &note
		}
		if seconds := r.Elapsed.Round(time.Millisecond).Seconds(); d.Times {
			claim.Seconds = &seconds
		}
		report.Claims = append(report.Claims, claim)
	}
	return format.WriteJSON(w, report)
}

func claimToJSON(r verify.Result, repeat string) jsonClaim {
	c := jsonClaim{
		ID: r.Claim.ID, Paper: r.Claim.Paper, Source: r.Claim.Source, Statement: r.Claim.Statement, Kind: r.Claim.Kind,
		Origin: r.Claim.Origin, Place: r.Claim.Place, Formerly: r.Claim.Formerly,
		Verdict: r.Verdict, Exact: r.Exact, Quantity: r.Quantity, Sense: r.Sense,
		Claimed: r.Claimed, Measured: r.Measured, Lower: r.Lower, Upper: r.Upper, Ratio: r.Ratio,
		Alpha: r.Alpha, Samples: r.Samples, Method: r.Method, Power: r.Power, Witness: r.WorstCase,
		Cells: append([]verify.Cell{}, r.Cells...), Series: append([]verify.Curve{}, r.Curves...),
		Corrected: r.Claim.Corrected, Data: r.Data, Warnings: append([]string{}, r.Warnings...), Unseeded: r.Unseeded,
		Attempt: r.Attempt, Needed: r.Needed, Reproduce: repeat, Delta: r.Delta, Levels: r.Levels, Violated: r.Violated,
		Band: r.Band, Assumed: r.Assumed, Observed: r.Observed, Basis: r.Statistics, Why: r.Diagnosis,
	}
	if r.Sizes != (verify.Sizes{}) {
		c.Sizes = &r.Sizes
	}
	if r.Detects != (verify.Detects{}) {
		c.Detects = &r.Detects
	}
	if r.Tried.Cases > 0 {
		c.Tried = &r.Tried
	}
	if r.Counterexample.Label != "" {
		c.Counter = &r.Counterexample
	}
	return c
}

// ReadJSON reads the output of [JSON], from this version or a later one. The claims have no checks: they can be shown
// and compared, but not run.
//
// It returns an error, which names the claim, for another schema, an unknown verdict, kind, sense or budget, a
// repeated id, a malformed figure, and text after the report.
func ReadJSON(r io.Reader) (Document, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Document{}, err
	}
	var report jsonReport
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&report); err != nil {
		return Document{}, fmt.Errorf("not a report of dpverify: %w", strictjson.InWords(err))
	}
	if report.Schema != ReportSchema {
		return Document{}, fmt.Errorf("not a report of dpverify: schema is %q, want %q", report.Schema, ReportSchema)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Document{}, errors.New("there is text after the end of the report")
	}
	if err := strictjson.KeysOnce(data); err != nil {
		return Document{}, fmt.Errorf("not a report of dpverify: %w", err)
	}
	if !(report.Alpha > 0 && report.Alpha < 1) {
		return Document{}, fmt.Errorf("alpha %v: want an error probability in (0, 1)", report.Alpha)
	}
	seed, err := decimal.Uint(report.Seed)
	if err != nil {
		return Document{}, fmt.Errorf("seed %q is not a whole number below 2^64", report.Seed)
	}
	if _, err := empirical.ParseBudget(string(report.Budget)); err != nil {
		return Document{}, err
	}
	d := Document{Title: report.Title, Papers: report.Papers, Version: report.Version, Go: report.Go,
		Command: report.Command, Notes: report.Notes}
	d.Run = verify.Run{Options: verify.Options{Seed: seed, Alpha: report.Alpha, Budget: report.Budget},
		Selected: report.Selected, Interrupted: report.Interrupted}
	if strings.Contains(report.Command, dataFlag) {
		d.Run.Options.Data = DataDir // the report does not contain its name
	}
	d.Whole = len(report.Claims) > 0 && report.Command != ""
	known := make(map[string]bool)
	for i, c := range report.Claims {
		if known[c.ID] {
			return Document{}, fmt.Errorf("claim %d: id %q is given twice", i+1, c.ID)
		}
		known[c.ID] = true
		d.Whole = d.Whole && c.Reproduce == report.Command
		d.Times = d.Times || c.Seconds != nil
		result, err := c.result()
		if err != nil {
			return Document{}, fmt.Errorf("claim %d (%q): %w", i+1, c.ID, err)
		}
		d.Run.Results = append(d.Run.Results, result)
	}
	d.Remarks = report.remarks()
	return d, nil
}

// remarks returns the remarks of a report, the gravest first.
func (report jsonReport) remarks() (notes []verify.ReviewerNote) {
	for _, c := range report.Claims {
		if c.Remark != nil {
			c.Remark.ID = c.ID
			notes = append(notes, *c.Remark)
		}
	}
	slices.SortStableFunc(notes, func(a, b verify.ReviewerNote) int { return cmp.Compare(a.Rank, b.Rank) })
	for i := range notes {
		notes[i].Rank = 0 // the order replaces it
	}
	return notes
}

// senses are the valid senses in a report.
var senses = []verify.Sense{"", verify.Equals, verify.AtMost, verify.Below, verify.AtLeast, verify.Above}

func (c jsonClaim) result() (verify.Result, error) {
	switch {
	case c.ID == "":
		return verify.Result{}, errors.New("no id")
	case !slices.Contains(verify.Verdicts, c.Verdict):
		return verify.Result{}, fmt.Errorf("unknown verdict %q", c.Verdict)
	case !slices.Contains(verify.Kinds, c.Kind):
		return verify.Result{}, fmt.Errorf("unknown kind %q", c.Kind)
	case c.Origin != "" && !slices.Contains(verify.Origins, c.Origin):
		return verify.Result{}, fmt.Errorf("unknown origin %q", c.Origin)
	case c.Remark != nil && !slices.Contains(verify.Impacts, c.Remark.Impact):
		return verify.Result{}, fmt.Errorf("unknown impact %q in its remark", c.Remark.Impact)
	case !(c.Alpha >= 0 && c.Alpha < 1):
		return verify.Result{}, fmt.Errorf("alpha %v: want an error probability in [0, 1)", c.Alpha)
	case !slices.Contains(senses, c.Sense):
		return verify.Result{}, fmt.Errorf("unknown sense %q", c.Sense)
	}
	r := verify.Result{Alpha: c.Alpha}
	if c.Seconds != nil {
		r.Elapsed = time.Duration(*c.Seconds * float64(time.Second))
	}
	r.Claim = verify.Claim{ID: c.ID, Paper: c.Paper, Source: c.Source, Statement: c.Statement, Kind: c.Kind,
		Origin: c.Origin, Place: c.Place, Formerly: c.Formerly, Corrected: c.Corrected}
	r.Evidence = verify.Evidence{
		Verdict: c.Verdict, Exact: c.Exact, Quantity: c.Quantity, Sense: c.Sense,
		Claimed: c.Claimed, Measured: c.Measured, Lower: c.Lower, Upper: c.Upper, Ratio: c.Ratio,
		Samples: c.Samples, Method: c.Method, Power: c.Power, WorstCase: c.Witness, Data: c.Data, Unseeded: c.Unseeded,
		Attempt: c.Attempt, Needed: c.Needed, Delta: c.Delta, Levels: c.Levels, Violated: c.Violated, Band: c.Band,
		Statistics: c.Basis, Diagnosis: c.Why, Assumed: c.Assumed, Observed: c.Observed,
	}
	if c.Sizes != nil {
		r.Sizes = *c.Sizes
	}
	if c.Detects != nil {
		r.Detects = *c.Detects
	}
	if c.Tried != nil {
		r.Tried = *c.Tried
	}
	if c.Counter != nil {
		r.Counterexample = *c.Counter
	}
	if len(c.Cells) > 0 {
		r.Cells = c.Cells
	}
	if len(c.Series) > 0 {
		r.Curves = c.Series
	}
	if len(c.Warnings) > 0 {
		r.Warnings = c.Warnings
	}
	return r, nil
}
