package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/strictjson"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// BaselineSchema names the JSON form of a baseline. New versions only add fields.
const BaselineSchema = "dpverify/baseline/v1"

// Baseline holds the known verdicts on claims. A run reports only differences from it as news.
type Baseline struct {
	Schema string          `json:"schema"`
	Budget verify.Budget   `json:"budget"` // at which it was recorded
	Claims []BaselineClaim `json:"claims"`

	lines map[string]int // line of each id in the file, from 1
}

// BaselineClaim is the recorded verdict on a claim.
type BaselineClaim struct {
	ID      string         `json:"id"`
	Verdict verify.Verdict `json:"verdict"`
	// Reason says why a finding is accepted. It is required if the verdict is refuted, contradictory or vacuous.
	Reason string `json:"reason,omitempty"`
}

func needsReason(v verify.Verdict) bool { return format.IsWrong(v) || v == verify.Vacuous }

// NewBaseline records a run. A finding with the same verdict in old keeps its reason, which a person may have
// written. Other findings get the reason of their evidence. A claim whose data is missing in this run keeps its entry
// of old.
//
// A run that was interrupted, or in which a check failed, is an error.
func NewBaseline(run verify.Run, old Baseline) (Baseline, error) {
	if run.Interrupted {
		return Baseline{}, errors.New("the run was interrupted: a baseline needs all verdicts, run it again")
	}
	b := Baseline{Schema: BaselineSchema, Budget: run.Options.Budget, Claims: []BaselineClaim{}}
	for _, r := range run.Results {
		c := BaselineClaim{ID: r.Claim.ID, Verdict: r.Verdict}
		if r.Verdict == verify.Error {
			return Baseline{}, fmt.Errorf("%s could not be judged: a baseline cannot record an error", r.Claim.ID)
		}
		known, ok := old.find(r.Claim)
		switch {
		case ok && (c.Verdict == verify.NotRun || c.Verdict == known.Verdict):
			c = known
			c.ID = r.Claim.ID
		case needsReason(c.Verdict):
			c.Reason = Reason(r)
		}
		b.Claims = append(b.Claims, c)
	}
	return b, nil
}

// Write writes the baseline as JSON that [ReadBaseline] reads.
func (b Baseline) Write(w io.Writer) error { return format.WriteJSON(w, b) }

// ReadBaseline reads a baseline. It returns an error, which names the claim, for another schema, an unknown key,
// verdict or budget, a repeated id, and a finding without a reason.
func ReadBaseline(r io.Reader) (Baseline, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Baseline{}, err
	}
	var b Baseline
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return Baseline{}, fmt.Errorf("not a baseline of dpverify: %w", strictjson.InWords(err))
	}
	if b.Schema != BaselineSchema {
		return Baseline{}, fmt.Errorf("not a baseline of dpverify: schema is %q, want %q", b.Schema, BaselineSchema)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Baseline{}, errors.New("there is text after the end of the baseline")
	}
	if err := strictjson.KeysOnce(data); err != nil {
		return Baseline{}, fmt.Errorf("not a baseline of dpverify: %w", err)
	}
	if _, err := empirical.ParseBudget(string(b.Budget)); err != nil {
		return Baseline{}, err
	}
	seen := make(map[string]bool)
	for i, c := range b.Claims {
		var wrong error
		switch {
		case c.ID == "":
			wrong = errors.New("no id")
		case seen[c.ID]:
			wrong = errors.New("the id is given twice")
		case !slices.Contains(verify.Verdicts, c.Verdict) || c.Verdict == verify.Error:
			wrong = fmt.Errorf("unknown verdict %q", c.Verdict)
		case needsReason(c.Verdict) && strings.TrimSpace(c.Reason) == "":
			wrong = fmt.Errorf("it is %s without a reason: say why the finding is accepted", c.Verdict)
		}
		if wrong != nil {
			return Baseline{}, fmt.Errorf("claim %d (%q): %w", i+1, c.ID, wrong)
		}
		seen[c.ID] = true
	}
	b.lines = idLines(data)
	return b, nil
}

// idLines returns the line of each id, if ids are on separate lines, as [Baseline.Write] writes them.
func idLines(data []byte) map[string]int {
	lines := make(map[string]int)
	n := 0
	for line := range bytes.Lines(data) {
		n++
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), ":")
		var id string
		if key == `"id"` && json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimSpace(value), ",")), &id) == nil {
			lines[id] = n
		}
	}
	return lines
}

// find returns the entry of a claim, under its id or a former one.
func (b Baseline) find(c verify.Claim) (BaselineClaim, bool) {
	for _, id := range append([]string{c.ID}, c.Formerly...) {
		if i := slices.IndexFunc(b.Claims, func(c BaselineClaim) bool { return c.ID == id }); i >= 0 {
			return b.Claims[i], true
		}
	}
	return BaselineClaim{}, false
}

// Places returns the place of each claim in the baseline, which is the file at path.
func (b Baseline) Places(path string) map[string]Place {
	places := make(map[string]Place)
	for id, line := range b.lines {
		places[id] = Place{File: path, Line: line}
	}
	return places
}

// Excused returns the findings of a run that the baseline contains with the same verdict.
func (b Baseline) Excused(run verify.Run) map[string]Excuse {
	known := make(map[string]Excuse)
	for _, r := range run.Results {
		if c, ok := b.find(r.Claim); ok && needsReason(r.Verdict) && c.Verdict == r.Verdict {
			known[r.Claim.ID] = Excuse{Reason: c.Reason, Known: true}
		}
	}
	return known
}

// News returns a phrase for each verdict that differs from the baseline. It omits claims that a smaller budget than
// the recorded one leaves inconclusive, claims whose data is missing, and claims that could not be judged.
func (b Baseline) News(run verify.Run) (news []string) {
	smaller := slices.Index(empirical.Budgets, run.Options.Budget) < slices.Index(empirical.Budgets, b.Budget)
	for _, r := range run.Results {
		c, ok := b.find(r.Claim)
		open := r.Verdict == verify.NotRun || smaller && r.Verdict == verify.Inconclusive
		switch {
		case r.Verdict == verify.Error, open, ok && c.Verdict == r.Verdict:
		case !ok:
			news = append(news, fmt.Sprintf("new: %s is %s", r.Claim.ID, r.Verdict))
		case format.IsWrong(c.Verdict) && format.IsSupported(r.Verdict):
			news = append(news, fmt.Sprintf("corrected: %s was %s and is %s: remove it from the baseline", r.Claim.ID, c.Verdict,
				r.Verdict))
		case format.IsWrong(r.Verdict) && !format.IsWrong(c.Verdict):
			news = append(news, fmt.Sprintf("broken: %s was %s and is %s", r.Claim.ID, c.Verdict, r.Verdict))
		default:
			news = append(news, fmt.Sprintf("changed: %s was %s and is %s", r.Claim.ID, c.Verdict, r.Verdict))
		}
	}
	return news
}

// Removed returns the ids in the baseline that known rejects.
func (b Baseline) Removed(known func(id string) bool) (ids []string) {
	for _, c := range b.Claims {
		if !known(c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}
