package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// recheckedRun is a report whose claims are recomputed.
type recheckedRun struct {
	recheckInput
	ctx      context.Context
	outcomes []*recheckedClaim // of its claims, in their order
	texts    bool              // this version wrote the report, so its sentences are compared
	all      bool              // all claims of the report are known
}

// known returns the claim with an id among the known claims, or nil.
func (j *recheckedRun) known(id string) *verify.Claim {
	if j.Claims.Ledger == nil || j.Claims.Name == "" && !j.texts {
		return nil
	}
	for _, c := range j.Claims.Ledger.Claims() {
		if c.ID == id {
			return &c
		}
	}
	return nil
}

// judge replaces the evidence, the share of alpha and the claim in a result by the recomputed ones.
func (j *recheckedRun) judge(r *verify.Result) {
	c := &recheckedClaim{ID: r.Claim.ID, Verdict: string(r.Verdict)}
	j.outcomes = append(j.outcomes, c)
	o, known := j.Document.Run.Options, j.known(r.Claim.ID)
	evidence, err := j.evidence(c, *r, known)
	switch {
	case err != nil && c.Why == "":
		c.differ("basis", "facts", err.Error())
	case err != nil:
		for _, d := range r.Evidence.Contradictions() {
			c.differ(d.Field, d.Stored, d.Recomputed)
		}
	default:
		r.Evidence = keepObservations(c, r.Evidence, evidence)
	}
	switch {
	case known != nil:
		r.Alpha = j.Claims.Ledger.Alpha(*known, o.Alpha)
		source := r.Claim.Source
		if r.Claim = *known; j.Claims.Name != "" {
			r.Claim.Source = source // the source names the file by its earlier path
		}
	case isAudit(j.Document.Run):
		r.Alpha = o.Alpha / float64(max(j.Document.Run.Selected, 1))
	case !(r.Alpha > 0 && r.Alpha <= o.Alpha*(1+1e-9)):
		c.differ("alpha", fmt.Sprint(r.Alpha), fmt.Sprintf("a share of %v", o.Alpha))
	}
}

// errOpenClaim is wrapped by errors that report no difference: the evidence cannot be recomputed.
var errOpenClaim = errors.New("open")

// evidence recomputes the evidence for a claim. An error without a reason in the claim describes a difference.
func (j *recheckedRun) evidence(c *recheckedClaim, r verify.Result, known *verify.Claim) (verify.Evidence, error) {
	o, b := j.Document.Run.Options, r.Statistics
	open := func(why string) (verify.Evidence, error) {
		c.Standing, c.Why = standingOpen, why
		return verify.Evidence{}, errOpenClaim
	}
	computed := known != nil && j.Claims.Computed(c.ID)
	if computed && (b == nil || j.Claims.Name != "") {
		c.Standing = standingComputed
		e, err := rerunCheck(j.ctx, known.Check, j.Claims.Ledger.Settings(*known, o))
		switch {
		case err == nil && e.Verdict == verify.NotRun && r.Verdict != verify.NotRun:
			return open("it was computed from data files, which are missing here")
		case err == nil:
			return e, nil
		}
		if b == nil {
			return open(fmt.Sprintf("the computation failed: %v", err))
		}
	}
	switch {
	case b != nil && b.Reason == "":
		c.Standing, c.Method = standingRecomputed, b.Method
		if !(r.Alpha > 0 && r.Alpha <= o.Alpha*(1+1e-9)) {
			return verify.Evidence{}, fmt.Errorf("no share of alpha: %v", r.Alpha)
		}
		e, err := b.Judge(verify.Settings{Alpha: r.Alpha, Budget: o.Budget})
		if errors.Is(err, verify.ErrUnknownMethod) {
			return open(err.Error())
		}
		return e, err
	case b != nil:
		return open(b.Reason)
	case r.Verdict == verify.Error:
		return open("the check failed: run it again")
	case r.Verdict == verify.Untestable || r.Verdict == verify.NotRun:
		return open("the report has no reason why it was not tested: give the claims")
	case r.Exact:
		return open("it was computed, and the report does not describe the computation: give the claims")
	}
	return open("the report has no counts of it, or an older version wrote the report")
}

// rerunCheck runs a check that draws no samples.
func rerunCheck(ctx context.Context, check verify.Check, s verify.Settings) (verify.Evidence, error) {
	return verify.Judge(ctx, verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		t, err := check.Prepare(ctx, s)
		if err == nil && t != nil && t.Plan().Shards > 0 {
			err = errors.New("the check takes samples, and the report has no counts of them")
		}
		return t, err
	}), s, empirical.NewPool(1), nil)
}

// keepObservations returns the recomputed evidence with the stored observations.
func keepObservations(c *recheckedClaim, stored, again verify.Evidence) verify.Evidence {
	if again.Data == "" {
		again.Data = stored.Data
	}
	again.Statistics = stored.Statistics
	if w, s := again.Diagnosis, stored.Diagnosis; w != nil && s != nil {
		explained := *w
		c.likeness = w.LikelyCause != nil
		explained.Outputs = s.Outputs
		if w.Growth == nil {
			explained.Growth = s.Growth
		}
		if w.LikelyCause == nil {
			explained.LikelyCause = s.LikelyCause
		}
		again.Diagnosis = &explained
	}
	return again
}

// field records one field of the claim by the result of its comparison.
func (c *recheckedClaim) field(j *recheckedRun, path string, stored, again any, same bool) {
	_, name, _ := strings.Cut(path, "].")
	class, known := classOf(path), j.known(c.ID) != nil
	if class == freeClass && c.likeness && strings.HasPrefix(name, "why.likeness") {
		class = derivedClass
	}
	if name == "data" && c.Standing != standingComputed || name == "source" && j.Claims.Name != "" {
		known = false
	}
	switch {
	case class == unknownClass:
		c.differ(name, shownField(stored), "not a field of "+reports.ReportSchema)
	case class == freeClass:
		c.Quoted = noteField(c.Quoted, quotedField(name), stored)
	case class == inputClass && !known:
		c.Inputs = noteField(c.Inputs, name, stored)
	case class == derivedClass && c.Standing == standingOpen && name != "alpha" && name != "reproduce" &&
		!strings.HasPrefix(name,
			"basis"):
		if stored != false {
			whole, _, _ := strings.Cut(name, ".")
			c.Unchecked = noteField(c.Unchecked, whole, stored)
		}
	case !same && class == derivedClass && j.beyond(name, stored, again):
		c.Unchecked = noteField(c.Unchecked, name, stored)
	case !same:
		c.differ(name, shownField(stored), shownField(again))
	}
}

// quotedField returns the field that an observation belongs to.
func quotedField(name string) string {
	for _, whole := range []string{"basis.facts", "why.growth", "why.likeness"} {
		if strings.HasPrefix(name, whole) {
			return whole
		}
	}
	return name
}

// beyond reports whether this version cannot render a field from the stored statistics. Such fields are sentences of
// another version, and fields that need statistics an older version did not store.
func (j *recheckedRun) beyond(name string, stored, again any) bool {
	s, text := stored.(string)
	a, other := again.(string)
	switch name {
	case "verdict", "sense", "why.likelier":
		return false
	case "series", "why.event":
		return isEmptyField(again)
	case "method":
		if text && other && a != "" && strings.HasSuffix(s, a) {
			return true
		}
	}
	return text && (other || again == nil) && !j.texts
}

// guarantees compares the stored guarantees with the guarantees that the claims state.
func (c *recheckedClaim) guarantees(j *recheckedRun, r verify.Result) {
	want, known := j.Claims.Guarantees[c.ID]
	if !known || r.Statistics == nil {
		return
	}
	var facts, guarantee any
	raw, err := json.Marshal(want)
	if err == nil {
		err = json.Unmarshal(raw, &guarantee)
	}
	if err != nil || json.Unmarshal(r.Statistics.Values, &facts) != nil {
		return
	}
	var find func(node any)
	find = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, v := range node {
				find(v)
			}
		case map[string]any:
			for key, v := range node {
				if key != "guarantee" {
					find(v)
				} else if text := shownField(v); text != shownField(guarantee) {
					c.differ("basis.facts.guarantee", text, shownField(guarantee))
				}
			}
		}
	}
	find(facts)
}

func (c *recheckedClaim) differ(field, stored, again string) {
	c.Differences = append(c.Differences, verify.Difference{Field: field, Stored: stored, Recomputed: again})
}

// settle decides the standing after all fields are recorded.
func (c *recheckedClaim) settle() {
	slices.SortStableFunc(c.Differences, func(a, b verify.Difference) int { return strings.Compare(a.Field, b.Field) })
	switch v := verify.Verdict(c.Verdict); {
	case len(c.Differences) > 0:
		c.Standing, c.Method, c.Why = standingBroken, "", ""
	case c.Standing != standingOpen && len(c.Unchecked) > 0:
		c.Standing, c.Method, c.Why = standingOpen, "", "not recomputed: "+strings.Join(c.Unchecked, ", ")
	case c.Standing == standingComputed && (v == verify.Untestable || v == verify.NotRun):
		c.Standing = standingUnmeasured
	}
}
