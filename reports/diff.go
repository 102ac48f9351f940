package reports

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// DiffSchema names the JSON form of a comparison. New versions only add fields.
const DiffSchema = "dpverify/diff/v1"

// Difference is a class of changes between two reports.
type Difference string

const (
	Broken    Difference = "broken"  // newly refuted or contradictory
	Failed    Difference = "failed"  // can no longer be judged
	Added     Difference = "new"     // not in the old report
	Corrected Difference = "mended"  // was refuted, contradictory or failed, and holds or is consistent
	Changed   Difference = "changed" // any other change of the verdict
	Moved     Difference = "moved"   // the same verdict, but disjoint intervals
	Removed   Difference = "gone"    // not in the new report
)

// Differences lists the classes, in the order of a comparison.
var Differences = []Difference{Broken, Failed, Added, Corrected, Changed, Moved, Removed}

// word returns the name of a class in text. The JSON form keeps the names of its first version.
func (d Difference) word() string {
	if d == Corrected {
		return "corrected"
	}
	return string(d)
}

// meaning explains a class in one clause.
func (d Difference) meaning() string {
	switch d {
	case Broken:
		return "refuted or contradictory, and was not"
	case Failed:
		return "could be judged, and no longer can"
	case Added:
		return "not in the old report"
	case Corrected:
		return "was refuted, contradictory or failed, and no longer is"
	case Changed:
		return "another verdict"
	case Moved:
		return "the same verdict, and figures further apart than noise allows"
	}
	return "not in the new report"
}

// Change is a difference between the reports on one claim.
type Change struct {
	ID    string         `json:"id"`
	Class Difference     `json:"class"`
	Old   verify.Verdict `json:"old,omitempty"`
	New   verify.Verdict `json:"new,omitempty"`
	Text  string         `json:"text"`
}

// Comparison holds the differences between two reports.
type Comparison struct {
	Old, New Document
	Changes  []Change // by class, then in the order of the new report
}

// Compare compares two reports. Their seeds and their versions of dpverify may differ.
//
// It returns an error if the budgets or the alphas differ, if the reports have no claim in common, or if a run was
// interrupted, since verdicts then differ without a change of the code.
func Compare(before, after Document) (Comparison, error) {
	a, b := before.Run.Options, after.Run.Options
	switch {
	case before.Run.Interrupted:
		return Comparison{}, fmt.Errorf("the run of the old report was interrupted")
	case after.Run.Interrupted:
		return Comparison{}, fmt.Errorf("the run of the new report was interrupted")
	case a.Budget != b.Budget:
		return Comparison{}, fmt.Errorf("the old report has budget %s, the new one %s: compare runs with the same budget",
			a.Budget, b.Budget)
	case a.Alpha != b.Alpha:
		return Comparison{}, fmt.Errorf("the old report has alpha %s, the new one %s: compare runs with the same alpha",
			format.Shortest(a.Alpha), format.Shortest(b.Alpha))
	}
	c := Comparison{Old: before, New: after}
	old, fresh := newLookup(before), newLookup(after)
	common := 0
	for _, r := range after.Run.Results {
		was, ok := old.answering(r.Claim)
		if !ok {
			c.Changes = append(c.Changes, Change{ID: r.Claim.ID, Class: Added, New: r.Verdict, Text: headline(r)})
			continue
		}
		common++
		if change, ok := changed(was, r); ok {
			c.Changes = append(c.Changes, change)
		}
	}
	formerly := make(map[string]bool)
	for _, r := range after.Run.Results {
		for _, id := range r.Claim.Formerly {
			formerly[id] = true
		}
	}
	for _, r := range before.Run.Results {
		if _, ok := fresh.results[r.Claim.ID]; !ok && !formerly[r.Claim.ID] {
			c.Changes = append(c.Changes, Change{ID: r.Claim.ID, Class: Removed, Old: r.Verdict, Text: headline(r)})
		}
	}
	if common == 0 && len(before.Run.Results) > 0 && len(after.Run.Results) > 0 {
		return Comparison{}, fmt.Errorf("the reports have no claim in common")
	}
	slices.SortStableFunc(c.Changes, func(x, y Change) int {
		return slices.Index(Differences, x.Class) - slices.Index(Differences, y.Class)
	})
	return c, nil
}

// answering returns the result of a claim, under its id or a former one.
func (l *lookup) answering(c verify.Claim) (verify.Result, bool) {
	for _, id := range append([]string{c.ID}, c.Formerly...) {
		if r, ok := l.results[id]; ok {
			return r, true
		}
	}
	return verify.Result{}, false
}

// changed returns how a claim differs, and whether it does.
func changed(was, is verify.Result) (Change, bool) {
	c := Change{ID: is.Claim.ID, Old: was.Verdict, New: is.Verdict, Text: headline(is)}
	switch a, b := was.Verdict, is.Verdict; {
	case format.IsWrong(b) && !format.IsWrong(a):
		c.Class = Broken
	case b == verify.Error && a != verify.Error:
		c.Class = Failed
	case format.IsSupported(b) && (format.IsWrong(a) || a == verify.Error):
		c.Class = Corrected
	case a != b:
		c.Class = Changed
	default:
		moved, ok := movement(was.Evidence, is.Evidence)
		c.Class, c.Text = Moved, moved
		return c, ok
	}
	return c, true
}

// movement finds the points of two pieces of evidence, by their labels, whose intervals are disjoint. It describes
// the first one and counts the others.
func movement(was, is verify.Evidence) (string, bool) {
	at := make(map[string]verify.Cell)
	for _, c := range points(was) {
		at[c.Label] = c
	}
	n, first := 0, ""
	for _, c := range points(is) {
		old, ok := at[c.Label]
		if !ok || !disjoint(ends{old.Lower, old.Upper}, ends{c.Lower, c.Upper}) {
			continue
		}
		if n++; n == 1 {
			first = fmt.Sprintf("at %s: was %s, is %s", format.OneLine(c.Label), cellText(old), cellText(c))
		}
	}
	if n > 1 {
		first += fmt.Sprintf("; and %d more points", n-1)
	}
	return first, n > 0
}

// points returns the cells of the evidence, or one cell with its figures if it has none.
func points(e verify.Evidence) []verify.Cell {
	if len(e.Cells) > 0 {
		return e.Cells
	}
	return []verify.Cell{{Label: e.WorstCase, Claimed: e.Claimed, Measured: e.Measured, Lower: e.Lower, Upper: e.Upper}}
}

// ends are the two ends of an interval.
type ends struct{ lower, upper verify.Number }

// disjoint reports whether there is a gap between two intervals that is wider than the rounding error of a
// computation.
func disjoint(a, b ends) bool {
	if !(a.lower.Set && a.upper.Set && b.lower.Set && b.upper.Set) {
		return false
	}
	apart := func(upper, lower float64) bool {
		if math.IsInf(lower, 0) || math.IsInf(upper, 0) {
			return lower > upper
		}
		return lower-upper > format.ExactWidth*max(math.Abs(lower), math.Abs(upper)) // false for NaN
	}
	return apart(a.upper.X, b.lower.X) || apart(b.upper.X, a.lower.X)
}

func cellText(c verify.Cell) string {
	return format.Compared(c.Claimed, c.Measured, c.Lower, c.Upper, verify.Number{}, format.SameRefuted).Measured
}

// InClass returns the changes of one class.
func (c Comparison) InClass(class Difference) (changes []Change) {
	for _, x := range c.Changes {
		if x.Class == class {
			changes = append(changes, x)
		}
	}
	return changes
}

// Worse returns the ids of claims that are newly refuted or contradictory, including new claims.
func (c Comparison) Worse() (ids []string) {
	for _, x := range c.Changes {
		if x.Class == Broken || x.Class == Added && format.IsWrong(x.New) {
			ids = append(ids, x.ID)
		}
	}
	return ids
}

type diffSide struct {
	Version string `json:"version"`
	Seed    string `json:"seed"`
	Claims  int    `json:"claims"`
}

func (d Document) side() diffSide {
	return diffSide{d.Version, fmt.Sprint(d.Run.Options.Seed), len(d.Run.Results)}
}

// DiffJSON writes a comparison as dpverify/diff/v1.
func DiffJSON(w io.Writer, c Comparison) error {
	changes := c.Changes
	if changes == nil {
		changes = []Change{}
	}
	return format.WriteJSON(w, struct {
		Schema  string        `json:"schema"`
		Budget  verify.Budget `json:"budget"`
		Alpha   float64       `json:"alpha"`
		Old     diffSide      `json:"old"`
		New     diffSide      `json:"new"`
		Changes []Change      `json:"changes"`
	}{DiffSchema, c.New.Run.Options.Budget, c.New.Run.Options.Alpha, c.Old.side(), c.New.side(), changes})
}

// Sheet returns a comparison for people, a list for each class.
func (c Comparison) Sheet() Sheet {
	s := section{Level: 1, Title: words("dpverify diff")}
	old, fresh := c.Old.side(), c.New.side()
	s.Say(fmt.Sprintf("%d claims before (version %s, seed %s), %d now (version %s, seed %s), at the %s budget and "+
		"alpha %s.",
		old.Claims, old.Version, old.Seed, fresh.Claims, fresh.Version, fresh.Seed, c.New.Run.Options.Budget,
		format.Shortest(c.New.Run.Options.Alpha)))
	if len(c.Changes) == 0 {
		s.Say("There are no differences except noise.")
	}
	for _, class := range Differences {
		var items listing
		for _, x := range c.InClass(class) {
			items = append(items, item{Head: words(mono(x.ID), ": "+format.Stopped(x.verdicts()+x.Text))})
		}
		if len(items) > 0 {
			s.Add(section{Level: 2, Title: words(capital(class.word()) + ": " + class.meaning()), Blocks: []block{items}})
		}
	}
	return Sheet{Body: s}
}

// verdicts returns "holds → refuted. " if there are two verdicts and they differ.
func (x Change) verdicts() string {
	if x.Old == "" || x.New == "" || x.Old == x.New {
		return ""
	}
	return fmt.Sprintf("%s → %s. ", x.Old, x.New)
}
