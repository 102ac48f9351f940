package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/remark"
)

// Screen is what a terminal can show.
type Screen struct {
	Width int  // in columns; less than 60 counts as 60
	Color bool // escape sequences for colours
}

const (
	narrowest = 60
	longestID = 44 // columns; a longer id has its figures on a line of its own
)

// escapes are the colours of the marks; the mark and the word say the same without them.
var escapes = map[string]string{"✗": "\x1b[31m", "∅": "\x1b[33m", "✓": "\x1b[32m", "?": "\x1b[36m"}

const (
	boldOn = "\x1b[1m"
	reset  = "\x1b[0m"
)

// Terminal writes a run for a screen: a row for each claim, of a document that is not full for each
// finding, why below each finding, and the counts at the end.
func Terminal(w io.Writer, d Document, s Screen) error {
	d = tidied(d)
	s.Width = max(s.Width, narrowest)
	t := &terminal{lookup: newLookup(d), Screen: s}
	groups := d.groups()
	for i, g := range groups {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		if len(groups) > 1 || g.Title != "" {
			t.line(t.paint(boldOn, t.cut(g.title(), s.Width)))
		}
		t.paper(g)
	}
	t.counts()
	_, err := io.WriteString(w, t.b.String())
	return err
}

type terminal struct {
	*lookup
	Screen
	b   strings.Builder
	ids int // columns that the ids of a paper take
}

func (t *terminal) line(s string) { t.b.WriteString(strings.TrimRight(s, " ") + "\n") }

func (t *terminal) paint(escape, s string) string {
	if !t.Color || escape == "" {
		return s
	}
	return escape + s + reset
}

// paper has the rows of a paper.
func (t *terminal) paper(g group) {
	t.ids = 0
	for _, r := range g.results {
		if n := displaywidth.String(r.Claim.ID); n <= longestID {
			t.ids = max(t.ids, n)
		}
	}
	if !t.Full {
		found := t.findings(g.results)
		for _, f := range found {
			t.row(f.worst, f.Remark)
		}
		t.line(fmt.Sprintf("  %s of %s: %s", plural(len(found), "finding"), plural(len(g.results), "claim"),
			marks(g.results)))
		return
	}
	remarks := make(map[string]remark.Remark)
	for _, m := range t.Remarks {
		remarks[m.ID] = m
	}
	for _, r := range g.rows() {
		t.row(r.Result, remarks[r.Claim.ID])
	}
}

// row is the verdict, the id and the figures of a claim; below a finding, and below what has no
// answer, why.
func (t *terminal) row(r verify.Result, m remark.Remark) {
	mark := t.paint(escapes[r.Verdict.Symbol()], fmt.Sprintf("%s %-12s", r.Verdict.Symbol(), r.Verdict))
	said := ""
	if c := figures.CompareWorst(r.Evidence); r.Claimed.Set && r.Measured.Set {
		said = "claimed " + c.Claimed + ", " + lower(comparison(r.Evidence).verb) + " " + c.Measured
	}
	const indent = 17 // of what follows the verdict
	id := r.Claim.ID
	if displaywidth.String(id) <= t.ids && indent+t.ids+1+displaywidth.String(said) <= t.Width {
		t.line("  " + mark + " " + fmt.Sprintf("%-*s ", t.ids, id) + said)
	} else {
		t.line("  " + mark + " " + t.cut(id, t.Width-indent))
		t.wrapped(indent, said)
	}
	switch {
	case figures.Wrong(r.Verdict) || r.Verdict == verify.Vacuous:
		t.wrapped(indent, "why: "+t.why(r, m))
	case !figures.Stands(r.Verdict):
		t.wrapped(indent, "why: "+reason(r))
	}
}

// why is the reason of a finding: a referee's where there is one, else the worst point.
func (t *terminal) why(r verify.Result, m remark.Remark) string {
	switch {
	case m.Why != "":
		return m.Why
	case r.Witness != "" && (r.Claimed.Set || r.Measured.Set):
		return comparison(r.Evidence).claimed + " does not hold at " + markdown.OneLine(r.Witness)
	}
	return reason(r)
}

// wrapped writes words at an indentation within the width.
func (t *terminal) wrapped(indent int, s string) {
	room, line := t.Width-indent, ""
	pad := strings.Repeat(" ", indent)
	for _, word := range strings.Fields(s) {
		if line != "" && displaywidth.String(line)+1+displaywidth.String(word) > room {
			t.line(pad + line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += t.cut(word, room)
	}
	if line != "" {
		t.line(pad + line)
	}
}

// cut is what of a text fits into some columns, with a sign that there is more.
func (t *terminal) cut(s string, columns int) string {
	s = markdown.OneLine(s)
	if displaywidth.String(s) <= columns {
		return s
	}
	for displaywidth.String(s) > columns-1 {
		runes := []rune(s)
		s = string(runes[:len(runes)-1])
	}
	return s + "…"
}

// counts closes: how many claims got which verdict.
func (t *terminal) counts() {
	var parts []string
	for _, c := range count(t.Run.Results) {
		parts = append(parts, fmt.Sprintf("%s %d %s", c.verdict.Symbol(), c.n, c.verdict))
	}
	if len(parts) == 0 {
		t.line("no claim was judged")
		return
	}
	t.line("")
	t.wrapped(0, plural(len(t.Run.Results), "claim")+": "+strings.Join(parts, ", "))
	if t.Run.Interrupted {
		t.line("interrupted: " + finished(t.Run))
	}
}
