package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// SummaryLimit is the maximum size in bytes of a step's summary on GitHub.
const SummaryLimit = 1 << 20

// Summary writes a summary in Markdown of less than limit bytes: the counts of verdicts, the findings, and the claims
// that were not decided. It counts the lines that do not fit.
func Summary(w io.Writer, d Document, limit int) error {
	p := &format.Page{}
	p.Heading(2, format.Plain(d.Title))
	columns, rows := d.verdictTable(d.Run.Results)
	t := format.NewTable(columns...)
	for i, row := range rows {
		cells := make([]format.Text, len(row))
		for k, text := range row {
			cells[k] = format.Plain(text)
		}
		if i < len(rows)-1 {
			cells[0] = format.Plain(mark(verify.Verdict(row[0])) + " " + row[0])
		}
		t.Row(cells...)
	}
	if err := p.Table(t); err != nil {
		return err
	}
	if d.Run.Interrupted {
		p.Say("**Interrupted**: %s.", format.Plain(finished(d.Run)))
	}
	const reserve = 200 // bytes for the line that counts the omitted ones
	used := p.B.Len() + reserve
	omitted := 0
	for _, part := range d.summaryParts() {
		if len(part.items) == 0 {
			continue
		}
		title := "### " + part.title + "\n"
		var list strings.Builder
		for _, s := range part.items {
			line := "- " + string(format.BlockStart(s)) + "\n"
			if used+len(title)+3+list.Len()+len(line) >= limit {
				omitted++
				continue
			}
			list.WriteString(line)
		}
		if list.Len() > 0 {
			p.Block(title + "\n" + list.String())
			used += len(title) + 3 + list.Len()
		}
	}
	if omitted > 0 {
		p.Say("%d more did not fit here: see the report.", omitted)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

type summaryPart struct {
	title string
	items []format.Text
}

// summaryParts returns the claims that may need attention, the gravest first.
func (d Document) summaryParts() []summaryPart {
	parts := []summaryPart{
		{title: "Failed"}, {title: "Refuted or contradictory"}, {title: "True but empty"}, {title: "Warnings"},
		{title: "Known to the baseline"}, {title: "Not decided"},
	}
	severities := newLookup(d).severities
	gravity := func(r verify.Result) Severity { return cmp.Or(severities[r.Claim.ID].Severity, Overstated+1) }
	results := slices.Clone(d.Run.Results)
	slices.SortStableFunc(results, func(a, b verify.Result) int { return cmp.Compare(gravity(a), gravity(b)) })
	for _, r := range results {
		e, excused := d.Excused[r.Claim.ID]
		item := format.Code(r.Claim.ID) + " (" + format.Plain(r.Claim.Source) + "): " + format.Plain(headline(r))
		at := -1
		switch {
		case r.Verdict == verify.Error:
			at = 0
		case excused && e.Known:
			at, item = 4, format.Code(r.Claim.ID)+": "+format.Plain(format.Stopped(e.Reason))
		case format.IsWrong(r.Verdict) && excused:
			at = 3
		case format.IsWrong(r.Verdict):
			at = 1
		case r.Verdict == verify.Vacuous:
			at = 2
		case r.Verdict == verify.Inconclusive, r.Verdict == verify.NotRun:
			at = 5
		}
		if at >= 0 {
			parts[at].items = append(parts[at].items, item)
		}
	}
	return parts
}

// annotationLimit is the maximum number of annotations of a level that GitHub shows for a step.
const annotationLimit = 10

// Annotations writes findings as workflow commands of GitHub, which shows them next to the lines of a change: errors
// for refuted, contradictory and failed claims, warnings for claims that are empty or excused as a warning. Findings
// of the baseline are omitted. GitHub shows only ten annotations of each level, so only these are written.
func Annotations(w io.Writer, d Document) error {
	var b strings.Builder
	written := make(map[string]int)
	for _, r := range d.Run.Results {
		finding := format.IsWrong(r.Verdict) || r.Verdict == verify.Vacuous || r.Verdict == verify.Error
		if !finding || d.Excused[r.Claim.ID].Known {
			continue
		}
		level, at := d.level(r), d.place(r.Claim)
		if written[level]++; written[level] > annotationLimit {
			continue
		}
		fmt.Fprintf(&b, "::%s ", level)
		if at.File != "" {
			fmt.Fprintf(&b, "file=%s,", annotationProperty(visible.Markup(at.File)))
		}
		if at.Line > 0 {
			fmt.Fprintf(&b, "line=%d,", at.Line)
		}
		if at.Column > 0 {
			fmt.Fprintf(&b, "col=%d,", at.Column)
		}
		fmt.Fprintf(&b, "title=%s::%s\n", annotationProperty(format.OneLine(r.Claim.ID)),
			annotationText.Replace(headlineAs(r, d.shown(r))))
	}
	_, err := io.WriteString(w, visible.Markup(b.String()))
	return err
}

// The escapes of workflow commands.
var (
	annotationText = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotationMark = strings.NewReplacer(":", "%3A", ",", "%2C")
)

func annotationProperty(s string) string { return annotationMark.Replace(annotationText.Replace(s)) }
