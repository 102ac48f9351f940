package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// Markdown writes a run as a document: how it was made, a summary by verdict,
// one table a paper, what was refuted and why, what was not decided, and how
// each claim was measured.
func Markdown(w io.Writer, d Document) error {
	var p page
	p.preamble(d)
	steps := []func(Document) error{p.summary, p.papers, p.refuted, p.vacuous, p.undecided}
	for _, step := range steps {
		if err := step(d); err != nil {
			return err
		}
	}
	p.methods(d)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) preamble(d Document) {
	title := d.Title
	if title == "" {
		title = "dpverify report"
	}
	p.heading(1, text(title))
	o := d.Run.Options
	p.say("Differential-privacy claims, measured beside theory by dpverify %s (%s) with seed %d, error probability α = %s for the whole ledger, and the %s budget.",
		text(d.Version), text(d.Go), o.Seed, plain(o.Alpha), text(string(o.Budget)))
	if d.Run.Interrupted {
		p.say("**This run was interrupted.** It shows %s.", finished(d.Run))
	}
	for _, note := range d.Notes {
		p.say("%s", text(note))
	}
	if d.Command != "" {
		p.say("The same command gives the same report, byte for byte:")
		p.shell(d.Command)
	}
}

// finished is how much of an interrupted run there is; a report of an older
// version does not say how much was to be.
func finished(r verify.Run) string {
	if r.Selected == 0 {
		return "the " + plural(len(r.Results), "claim") + " finished before that"
	}
	return fmt.Sprintf("%s of %s", whole(int64(len(r.Results))), plural(r.Selected, "claim"))
}

func (p *page) summary(d Document) error {
	p.heading(2, "Summary")
	if len(d.Run.Results) == 0 {
		p.say("No claim was judged.")
		return nil
	}
	t := newTable(left("verdict"), right("claims"), left("meaning"))
	for _, c := range count(d.Run.Results) {
		t.row(verdictCell(c.verdict), markdown(whole(int64(c.n))), text(c.verdict.Meaning()))
	}
	t.row("all", markdown(whole(int64(len(d.Run.Results)))), "")
	if err := p.table(t); err != nil {
		return err
	}
	p.say("In the tables below, theory is the value that a claim states, or its bound, and measured is what was found, both at the claim's worst point; " +
		"the last section says of what quantity. An interval in brackets misses the true value with probability at most the claim's share of α; " +
		"a figure without one was computed, not sampled. The ratio is measured over theory. " +
		correctionMark + " marks what the claim above it becomes when it is corrected.")
	return nil
}

const correctionMark = "↳"

func (p *page) papers(d Document) error {
	for _, g := range d.groups() {
		p.heading(2, g.heading())
		p.say("%s", g.about())
		t := newTable(left("claim"), left("where"), right("theory"), right("measured [interval]"), right("ratio"), left("verdict"))
		for _, r := range g.rows() {
			f := compareWorst(r.Evidence)
			name := code(r.Claim.ID)
			if r.correction {
				name = correctionMark + " " + name
			}
			t.row(name, text(r.Claim.Source), markdown(f.Claimed), markdown(f.Measured), markdown(f.Ratio), verdictCell(r.Verdict))
		}
		if err := p.table(t); err != nil {
			return err
		}
	}
	return nil
}

func (g group) heading() markdown {
	if g.Title == "" {
		return code(g.ID)
	}
	return text(g.Title)
}

// about says who wrote the paper and how its claims fared.
func (g group) about() markdown {
	var parts []string
	for _, c := range count(g.results) {
		parts = append(parts, fmt.Sprintf("%s %d", c.verdict, c.n))
	}
	fared := fmt.Sprintf("%s under %s: %s.", plural(len(g.results), "claim"), code(g.ID+"/"), strings.Join(parts, ", "))
	if g.Authors == "" {
		return markdown(fared)
	}
	if g.Year != 0 {
		return markdown(fmt.Sprintf("%s (%d). %s", text(g.Authors), g.Year, fared))
	}
	return text(g.Authors) + markdown(". "+fared)
}

// methods has one entry a claim: what was claimed, and how it was measured.
func (p *page) methods(d Document) {
	if len(d.Run.Results) == 0 {
		return
	}
	p.heading(2, "What was claimed, and how it was measured")
	entries := make([]entry, 0, len(d.Run.Results))
	for _, r := range d.Run.Results {
		entries = append(entries, methodNote(r))
	}
	p.entries(entries)
}

func methodNote(r verify.Result) entry {
	e := entry{head: code(r.Claim.ID) + markdown(" ("+string(r.Claim.Kind)+"): ") + text(sentence(r.Claim.Statement))}
	add := func(label, s string) {
		if s != "" {
			e.notes = append(e.notes, markdown("*"+label+"* ")+text(stopped(s)))
		}
	}
	if r.Quantity != "" { // a formula, which a full stop would spoil
		e.notes = append(e.notes, "*Quantity:* "+text(r.Quantity))
	}
	add("Method:", r.Method)
	add("Power:", r.Power)
	if r.Samples > 0 {
		add("Samples:", fmt.Sprintf("%s of each input, error probability %s", whole(r.Samples), probability(r.Alpha)))
	}
	add("Data:", r.Data)
	for _, warning := range r.Warnings {
		add("Note:", warning)
	}
	return e
}

func verdictCell(v verify.Verdict) markdown { return markdown(v.Symbol() + " " + string(v)) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return whole(int64(n)) + " " + noun + "s"
}
