package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Screen describes a terminal.
type Screen = format.Screen

// longestID is the maximum width of an id in columns. The figures of a claim with a longer id are on a separate line.
const longestID = 44

// Terminal writes a run for a terminal. A full document has a row for each claim, others a row for each finding. A
// reason is below each finding, and the counts of verdicts are at the end.
func Terminal(w io.Writer, d Document, s Screen) error {
	d.Run = format.TidyRun(d.Run)
	t := &terminal{lookup: newLookup(d), ScreenWriter: format.NewScreenWriter(s)}
	groups := d.groups()
	for i, g := range groups {
		if i > 0 {
			t.Line("")
		}
		if !t.Whole && (len(groups) > 1 || g.Title != "") {
			t.Line(t.Paint(format.Bold, format.CutToWidth(g.title(), t.Width)))
		}
		t.paper(g)
	}
	t.counts()
	_, err := io.WriteString(w, t.String())
	return err
}

type terminal struct {
	*lookup
	*format.ScreenWriter
	ids int // width of the ids of a paper, in columns
}

// paper writes the rows of a paper.
func (t *terminal) paper(g group) {
	t.ids = 0
	for _, r := range g.results {
		if n := format.DisplayWidth(format.OneLine(r.Claim.ID)); n <= longestID {
			t.ids = max(t.ids, n)
		}
	}
	if !t.Full {
		found := t.found[g.ID]
		for _, f := range found {
			t.row(f.worst, f.ReviewerNote)
		}
		theirs, ours := byOrigin(g.results)
		t.Line(fmt.Sprintf("  %s of %s: %s", plural(len(found), "finding"), plural(len(theirs), "claim"), t.marks(theirs)))
		if len(ours) > 0 {
			t.Line(fmt.Sprintf("  %s of ours: %s", plural(len(ours), "statement"), t.marks(ours)))
		}
		return
	}
	remarks := make(map[string]verify.ReviewerNote)
	for _, m := range t.Remarks {
		remarks[m.ID] = m
	}
	for _, r := range g.rows() {
		if t.Whole {
			t.audited(r.Result)
			continue
		}
		t.row(r.Result, remarks[r.Claim.ID])
	}
}

// row writes the verdict, the id and the figures of a claim. Below a finding or a claim without an answer it writes
// the reason.
func (t *terminal) row(r verify.Result, m verify.ReviewerNote) {
	v := t.shown(r)
	sign := t.Paint(format.MarkColor(mark(v)), fmt.Sprintf("%s %-13s", mark(v), v))
	said := ""
	if c := format.Brief(r.Evidence).InWords(r.Sense); r.Claimed.Set && r.Measured.Set {
		said = "claimed " + c.Claimed + ", " + lower(comparison(r.Evidence).verb) + " " + c.Measured
		if by := decidedBy(r); by != "" {
			said += "; decided by: " + by
		}
	}
	said = strings.TrimPrefix(said+t.known(r), "; ")
	const indent = 18 // column after the verdict
	id := format.OneLine(r.Claim.ID)
	if format.DisplayWidth(id) <= t.ids && indent+t.ids+1+format.DisplayWidth(said) <= t.Width {
		t.Line("  " + sign + " " + fmt.Sprintf("%-*s ", t.ids, id) + said)
	} else {
		t.Line("  " + sign + " " + format.CutToWidth(id, t.Width-indent))
		t.Wrapped(indent, said)
	}
	switch {
	case format.IsWrong(r.Verdict) || r.Verdict == verify.Vacuous:
		t.Wrapped(indent, "why: "+t.why(r, m))
	case !format.IsSupported(r.Verdict):
		t.Wrapped(indent, "why: "+reason(r))
	}
}

// known marks a finding that the baseline contains. Its verdict keeps its mark, since the claim is still false.
func (t *terminal) known(r verify.Result) string {
	if t.Excused[r.Claim.ID].Known {
		return "; known to the baseline"
	}
	return ""
}

// why returns the reason of a finding: a reviewer's if there is one, else the worst point.
func (t *terminal) why(r verify.Result, m verify.ReviewerNote) string {
	switch {
	case m.Reason != "":
		return m.Reason
	case r.WorstCase != "" && (r.Claimed.Set || r.Measured.Set):
		said := compare(r.Evidence, format.Brief(r.Evidence)).claimed + " does not hold at " + format.OneLine(r.WorstCase)
		if r.Diagnosis != nil {
			said += "; " + format.OneLine(r.Diagnosis.String())
		}
		return said
	}
	return reason(r)
}

// counts writes the last lines: the number of claims with each verdict, and how many false claims are known.
func (t *terminal) counts() {
	if len(t.Run.Results) == 0 {
		t.Line("no claim was judged")
		return
	}
	t.Line("")
	line := func(subject string, results []verify.Result) {
		var parts []string
		for _, c := range t.count(results) {
			parts = append(parts, fmt.Sprintf("%s %d %s", mark(c.verdict), c.n, c.verdict))
		}
		if len(parts) > 0 {
			t.Wrapped(0, subject+": "+strings.Join(parts, ", "))
		}
	}
	theirs, ours := byOrigin(t.Run.Results)
	line(plural(len(theirs), "claim"), theirs)
	line(plural(len(ours), "statement")+" of ours", ours)
	known := 0
	for _, r := range t.Run.Results {
		if format.IsWrong(r.Verdict) && t.known(r) != "" {
			known++
		}
	}
	if known > 0 {
		t.Wrapped(0, fmt.Sprintf("known to the baseline: %d of the refuted or contradictory claims, which leave the exit "+
			"code unchanged", known))
	}
	if !t.Whole {
		t.Wrapped(0, confidenceOf(t.Run.Results))
	} else {
		t.exitCode()
	}
	if t.Run.Interrupted {
		t.Line("interrupted: " + finished(t.Run))
	}
}
